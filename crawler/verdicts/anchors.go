package verdicts

import (
	"math/bits"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// anchorWindow holds the anchors of a range of targets, one behind the other, and
// remembers which of them a reference has named. It grows chunk by chunk, so that
// nothing is ever there twice.
type anchorWindow struct {
	most     int         // hashes it may hold, but for those of a single page
	from, to frontier.ID // the targets from … to-1
	full     bool
	begin    []uint32   // where the hashes of from+i begin
	chunks   [][]uint64 // by place/anchorChunk; nil for what is part of the one before
	last     int        // the chunk that is being filled
	met      []uint64   // a bit for each place
}

const (
	// MaxAnchors is how many anchors are held at once: 128 MiB of them.
	MaxAnchors = 16 << 20
	// anchorChunk is how many hashes a chunk holds: a page's are in one, which for a
	// page with more is longer.
	anchorChunk = 1 << 14
)

// reset begins a range.
func (w *anchorWindow) reset(from frontier.ID) {
	*w = anchorWindow{most: w.most, from: from, to: from, begin: w.begin[:0]}
}

// add takes the next target in, unless the window is full.
func (w *anchorWindow) add(id frontier.ID, g check.Glance) {
	n := 0
	if g.Read {
		n = g.Anchors.Len()
	}
	if w.full = w.full || w.held() > 0 && w.held()+n > w.most; w.full {
		return
	}
	w.room(n)
	w.begin = append(w.begin, uint32(w.held()))
	w.to = id + 1
	if n == 0 {
		return
	}
	c := w.chunks[w.last]
	for i := range n {
		c = append(c, g.Anchors.At(i))
	}
	w.chunks[w.last] = c
	for len(w.met)*64 < w.held() {
		w.met = append(w.met, 0)
	}
}

// held is how many places are taken.
func (w *anchorWindow) held() int {
	if len(w.chunks) == 0 {
		return 0
	}
	return w.last*anchorChunk + len(w.chunks[w.last])
}

// room sees to it that n hashes fit behind one another.
func (w *anchorWindow) room(n int) {
	if n == 0 || w.last == len(w.chunks)-1 && len(w.chunks[w.last])+n <= anchorChunk {
		return
	}
	size := anchorChunk
	if len(w.chunks) == 0 {
		size = 0 // a small site begins small
	}
	w.last = len(w.chunks)
	w.chunks = append(w.chunks, make([]uint64, 0, max(size, n)))
	for range (n - 1) / anchorChunk {
		w.chunks = append(w.chunks, nil)
	}
}

func (w *anchorWindow) holds(id frontier.ID) bool { return id >= w.from && id < w.to }

// find returns the place of a target's anchor.
func (w *anchorWindow) find(id frontier.ID, hash uint64) (at int, there bool) {
	if !w.holds(id) {
		return 0, false
	}
	i := int(id - w.from)
	begin := int(w.begin[i])
	n := begin / anchorChunk
	if n >= len(w.chunks) || w.chunks[n] == nil { // the end of what is there: a page without anchors
		return 0, false
	}
	of := w.chunks[n]
	if i+1 < len(w.begin) && int(w.begin[i+1]) < n*anchorChunk+len(of) {
		of = of[:int(w.begin[i+1])-n*anchorChunk]
	}
	at, there = findHash(of[begin-n*anchorChunk:], hash)
	return begin + at, there
}

// findHash looks a hash up in sorted ones. Hashes are evenly spread, so the first
// guess is mostly near; a page whose names were chosen to spoil that costs a
// binary search more.
func findHash(of []uint64, hash uint64) (at int, there bool) {
	const near = 8
	if len(of) == 0 {
		return 0, false
	}
	guess, _ := bits.Mul64(hash, uint64(len(of)))
	i := int(guess)
	if of[i] < hash {
		for range near {
			if i++; i == len(of) || of[i] >= hash {
				return i, i < len(of) && of[i] == hash
			}
		}
	} else {
		for range near {
			if of[i] <= hash || i == 0 {
				return i, of[i] == hash
			}
			i--
		}
	}
	return slices.BinarySearch(of, hash)
}

// meet notes that an anchor was named, and reports whether it was so for the first time.
func (w *anchorWindow) meet(at int) bool {
	word, bit := &w.met[at/64], uint64(1)<<(at%64)
	first := *word&bit == 0
	*word |= bit
	return first
}
