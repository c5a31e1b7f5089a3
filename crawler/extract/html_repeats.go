package extract

import (
	"hash/maphash"
	"math"
)

// Pages repeat many references: those of their menus, the names in their examples, the source
// links of their documentation. A reference that is a whole attribute value is looked up here
// before it is processed, because the same source text in the same attribute of the same
// element always has the same meaning.

// repeats finds the first link of a document that a rule found with a certain source text.
type repeats struct {
	slots []repeatSlot // the length is a power of two; at least half are free
	spare []repeatSlot
	used  int
}

type repeatSlot struct {
	hash uint32
	link int32 // one more than the link's index in harvest.links; 0 means the slot is free
	rule *rule
}

const (
	leastRepeats = 256 // slots of a new table
	// longestRepeat is the length of the longest source text that is looked up. Long texts
	// rarely repeat and are expensive to compare.
	longestRepeat = 512
)

var seed = maphash.MakeSeed()

func (x *repeats) reset() {
	if cap(x.slots) < leastRepeats {
		x.slots = make([]repeatSlot, leastRepeats)
	}
	x.slots, x.used = x.slots[:leastRepeats], 0
	clear(x.slots)
}

// lookupRepeat returns the index of the first link that the rule found with this source text.
// If there is none, it records that the next link will be the first.
func (h *harvest) lookupRepeat(r *rule, raw []byte) (first int, ok bool) {
	x := &h.repeats
	hash := uint32(maphash.Bytes(seed, raw)) + uint32(r.attribute)
	last := uint32(len(x.slots) - 1)
	i := hash & last
	for ; x.slots[i].link != 0; i = (i + 1) & last {
		if s := x.slots[i]; s.hash == hash {
			if s.rule == r && h.links[s.link-1].Raw == string(raw) {
				return int(s.link - 1), true
			}
		}
	}
	x.slots[i] = repeatSlot{hash, int32(len(h.links) + 1), r}
	if x.used++; 2*x.used > len(x.slots) {
		x.grow()
	}
	return 0, false
}

func (x *repeats) grow() {
	old, n := x.slots, 2*len(x.slots)
	if cap(x.spare) < n {
		x.spare = make([]repeatSlot, n)
	}
	x.slots = x.spare[:n]
	clear(x.slots)
	x.spare = old
	last := uint32(n - 1)
	for _, s := range old {
		if s.link == 0 {
			continue
		}
		i := s.hash & last
		for x.slots[i].link != 0 {
			i = (i + 1) & last
		}
		x.slots[i] = s
	}
}

// addRepeat adds the link again, at another position.
func (h *harvest) addRepeat(first, at int) {
	f := h.newLink()
	*f = h.links[first]
	f.at, f.tag, f.Text = int32(at), -1, ""
	f.Line, f.Column, f.Tag = 0, 0, 0
	f.NoFollow, f.Ignored = false, false
	f.Repeats = first + 1
	h.place(f)
}

// same reports whether a link that repeats another still differs from it only in position and
// text.
func (f *Link) same(first *Link) bool {
	return f.NoFollow == first.NoFollow && f.Ignored == first.Ignored && f.Base == first.Base
}

// expandBareRepeats turns the recorded bare repeats into links.
func (h *harvest) expandBareRepeats() {
	again := h.doc.BareRepeats
	if len(again) == 0 {
		return
	}
	links := make([]Link, 0, len(h.links)+len(again))
	places := make([]int32, len(h.links)) // new index of each link
	until := func(tag int32) {
		for ; len(again) > 0 && again[0].Tag <= tag; again = again[1:] {
			l := h.links[again[0].First]
			l.Tag, l.at, l.tag, l.Repeats = again[0].Tag, again[0].Tag-1, again[0].Tag-1, int(again[0].First)+1
			links = append(links, l)
		}
	}
	for i := range h.links {
		until(h.links[i].tag)
		places[i] = int32(len(links))
		links = append(links, h.links[i])
	}
	until(math.MaxInt32)
	for i := range links {
		if l := &links[i]; l.Repeats > 0 {
			l.Repeats = int(places[l.Repeats-1]) + 1
		}
	}
	h.links, h.doc.BareRepeats = links, h.doc.BareRepeats[:0]
}
