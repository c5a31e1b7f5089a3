package verdicts

import (
	"math/bits"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// anchorWindow holds the hashes of the anchors of a range of targets, one target after the
// other, and records which of them have a reference. It grows in chunks, so that growing
// copies nothing.
type anchorWindow struct {
	most     int         // limit of hashes; a single page may have more
	from, to frontier.ID // the targets from … to-1
	full     bool
	begin    []uint32   // index of the first hash of target from+i
	chunks   [][]uint64 // by index/anchorChunk; nil if the chunk before includes it
	last     int        // the chunk to which hashes are added
	marked   []uint64   // a bit for each index
}

const (
	// MaxAnchors is how many anchors are held at once: 128 MiB of them.
	MaxAnchors = 16 << 20
	// anchorChunk is how many hashes a chunk holds. The hashes of a page are in one
	// chunk, which is longer for a page with more.
	anchorChunk = 1 << 14
)

// reset begins a range.
func (w *anchorWindow) reset(from frontier.ID) {
	*w = anchorWindow{most: w.most, from: from, to: from, begin: w.begin[:0]}
}

// add adds the next target, unless the window is full.
func (w *anchorWindow) add(id frontier.ID, g judging.Glance) {
	n := 0
	if g.Read {
		n = g.Anchors.Len()
	}
	if w.full = w.full || w.held() > 0 && w.held()+n > w.most; w.full {
		return
	}
	w.room(n)
	for ; w.to < id; w.to++ { // targets that only an earlier crawl knew
		w.begin = append(w.begin, uint32(w.held()))
	}
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
	for len(w.marked)*64 < w.held() {
		w.marked = append(w.marked, 0)
	}
}

// held returns the number of hashes in the window.
func (w *anchorWindow) held() int {
	if len(w.chunks) == 0 {
		return 0
	}
	return w.last*anchorChunk + len(w.chunks[w.last])
}

// room makes room for n consecutive hashes.
func (w *anchorWindow) room(n int) {
	if n == 0 || w.last == len(w.chunks)-1 && len(w.chunks[w.last])+n <= anchorChunk {
		return
	}
	size := anchorChunk
	if len(w.chunks) == 0 {
		size = 0 // small sites need little memory
	}
	w.last = len(w.chunks)
	w.chunks = append(w.chunks, make([]uint64, 0, max(size, n)))
	for range (n - 1) / anchorChunk {
		w.chunks = append(w.chunks, nil)
	}
}

func (w *anchorWindow) holds(id frontier.ID) bool { return id >= w.from && id < w.to }

// find returns the index of a target's anchor.
func (w *anchorWindow) find(id frontier.ID, hash uint64) (at int, found bool) {
	if !w.holds(id) {
		return 0, false
	}
	i := int(id - w.from)
	begin := int(w.begin[i])
	n := begin / anchorChunk
	if n >= len(w.chunks) || w.chunks[n] == nil { // a page without anchors at the end
		return 0, false
	}
	of := w.chunks[n]
	if i+1 < len(w.begin) && int(w.begin[i+1]) < n*anchorChunk+len(of) {
		of = of[:int(w.begin[i+1])-n*anchorChunk]
	}
	at, found = findHash(of[begin-n*anchorChunk:], hash)
	return begin + at, found
}

// findHash finds a hash in a sorted list. Hashes are evenly distributed, so it starts at
// the expected index. It falls back to a binary search if that is far off.
func findHash(of []uint64, hash uint64) (at int, found bool) {
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

// mark records that a reference has an anchor, and reports whether it is the first one.
func (w *anchorWindow) mark(at int) bool {
	word, bit := &w.marked[at/64], uint64(1)<<(at%64)
	first := *word&bit == 0
	*word |= bit
	return first
}
