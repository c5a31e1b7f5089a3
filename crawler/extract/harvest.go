package extract

import (
	"fmt"
	"slices"
	"sync"
)

// A harvest gathers what a reader finds. Strings are made once, at the end, out
// of one arena: until then a reference is a span of it.
type harvest struct {
	input Input // that of a whole document
	doc   *Document
	src   view // the decoded document
	// formatOf is the function of that name: a container asks it about its
	// content, and it knows the containers.
	formatOf func(contentType, name string, head []byte) *format
	places   places
	// reference is that of Input.
	reference bool

	arena   []byte
	links   []found
	repeats repeats
	anchors []identifier
}

// found is a Link in the making.
type found struct {
	raw, ref, base, text span
	at                   int // offset of raw in the document
	tag                  int // offset of the start tag it stands in, -1 without one
	line, column         int
	element, attribute   string
	rule                 *rule // that gave a whole attribute, nil for any other
	first                int32 // place in links, plus one, of the link that it repeats; 0: of none
	kind                 Kind
	expect               Expect
	noFollow             bool
	ignored              bool
	sameDocument         bool
}

func (h *harvest) reset(doc *Document, src []byte) {
	h.doc = doc
	h.src = view{text: src}
	h.places = newPlaces(src)
	h.arena = h.arena[:0]
	h.links = h.links[:0]
	h.anchors = h.anchors[:0]
}

// release forgets the document and gives the harvest back to the pool, without
// what a large document made large.
func (h *harvest) release() {
	h.input, h.doc, h.src, h.places, h.reference = Input{}, nil, view{}, places{}, false
	h.links, h.anchors, h.arena = again(h.links), again(h.anchors), h.arena[:0]
	if cap(h.arena) > keptBytes {
		h.arena = nil
	}
	if cap(h.repeats.slots) > 4*keptEntries {
		h.repeats = repeats{}
	}
	harvests.Put(h)
}

// harvests are kept for the next document.
var harvests = sync.Pool{New: func() any { return new(harvest) }}

// What is kept for the next document is bounded: lists by their entries, buffers by
// their bytes, a reader's own by the length of its document.
const (
	keptEntries = 1 << 14
	keptBytes   = 1 << 20
)

const leastLinks = 256

// bytes is what keep copied.
func (h *harvest) bytes(s span) []byte { return h.arena[s.start:s.end] }

// keep copies b into the arena.
func (h *harvest) keep(b []byte) span {
	start := len(h.arena)
	h.arena = append(h.arena, b...)
	return span{start, len(h.arena)}
}

// fault notes that the document could not be read to its end, each sentence once.
func (h *harvest) fault(format string, args ...any) {
	if sentence := fmt.Sprintf(format, args...); !slices.Contains(h.doc.Faults, sentence) {
		h.doc.Faults = append(h.doc.Faults, sentence)
	}
}

// add notes a link whose reference stands at v.text[at.start:at.end]; ref is the
// reference where that text still holds escapes, nil otherwise. It returns nil
// beyond the limit.
func (h *harvest) add(v *view, at span, ref []byte) *found {
	if len(h.links) == MaxLinks {
		h.fault("read links: more than %d, the rest is left out", MaxLinks)
		return nil
	}
	if ref == nil {
		ref = v.text[at.start:at.end]
	}
	start, end := v.source(at.start), v.source(at.end)
	raw := h.src.text[start:end]
	f := h.another()
	*f = found{at: start, tag: -1, raw: h.keep(raw)}
	f.ref = f.raw
	if string(raw) != string(ref) {
		f.ref = h.keep(ref)
	}
	f.line, f.column = h.places.at(start)
	return f
}

// another makes room for one more link, which holds what was there before.
func (h *harvest) another() *found {
	n := len(h.links)
	if n == cap(h.links) {
		// append would grow, and copy, a large list by a quarter each time.
		h.links = append(make([]found, 0, max(leastLinks, 2*n)), h.links...)
	}
	h.links = h.links[:n+1]
	return &h.links[n]
}

// finish makes the strings.
func (h *harvest) finish() {
	all := string(h.arena)
	cut := func(s span) string { return all[s.start:s.end] }
	d := h.doc
	n := len(d.Links) // of those that a reader made itself
	d.Links = slices.Grow(d.Links, len(h.links))[:n+len(h.links)]
	for i := range h.links {
		f, l := &h.links[i], &d.Links[n+i]
		l.Raw, l.Ref, l.Base, l.Text = cut(f.raw), cut(f.ref), cut(f.base), cut(f.text)
		l.Line, l.Column = f.line, f.column
		l.Element, l.Attribute = f.element, f.attribute
		l.Kind, l.Expect = f.kind, f.expect
		l.NoFollow, l.Ignored, l.SameDocument = f.noFollow, f.ignored, f.sameDocument
		l.Bookmark, l.Repeats = nil, 0
		if first := int(f.first) - 1; first >= 0 && first < i && f.same(&h.links[first]) {
			l.Repeats = n + first + 1
		}
	}
	d.Anchors = slices.Grow(d.Anchors, len(h.anchors))
	for i := range h.anchors {
		d.Anchors = append(d.Anchors, cut(h.anchors[i].name))
	}
	h.finishAnchors()
}
