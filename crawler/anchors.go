package crawler

import (
	"math/bits"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// anchorWindow holds the anchors of a range of targets, one behind the other, and
// remembers which of them a reference has named.
type anchorWindow struct {
	most     int         // hashes it may hold, but for those of a single page
	from, to frontier.ID // the targets from … to-1
	full     bool
	begin    []uint32 // where the hashes of from+i begin; one more for the end
	hashes   []uint64
	met      []uint64 // a bit for each hash
}

// windowedAnchors is how many anchors are held at once: 128 MiB of them.
const windowedAnchors = 16 << 20

// reset begins a range.
func (w *anchorWindow) reset(from frontier.ID) {
	w.from, w.to, w.full = from, from, false
	w.begin, w.hashes = append(w.begin[:0], 0), w.hashes[:0]
	w.met = w.met[:0]
}

// add takes the next target in, unless the window is full.
func (w *anchorWindow) add(id frontier.ID, g check.Glance) {
	n := 0
	if g.Read {
		n = g.Anchors.Len()
	}
	if w.full = w.full || len(w.hashes) > 0 && len(w.hashes)+n > w.most; w.full {
		return
	}
	for i := range n {
		w.hashes = append(w.hashes, g.Anchors.At(i))
	}
	w.begin = append(w.begin, uint32(len(w.hashes)))
	w.to = id + 1
	for len(w.met)*64 < len(w.hashes) {
		w.met = append(w.met, 0)
	}
}

func (w *anchorWindow) holds(id frontier.ID) bool { return id >= w.from && id < w.to }

// find returns the place of a target's anchor.
func (w *anchorWindow) find(id frontier.ID, hash uint64) (at int, there bool) {
	if !w.holds(id) {
		return 0, false
	}
	begin := int(w.begin[id-w.from])
	at, there = findHash(w.hashes[begin:w.begin[id-w.from+1]], hash)
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
