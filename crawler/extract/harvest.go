package extract

import (
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
)

// A harvest gathers what a reader finds. Strings are made once, at the end, out
// of one arena: until then a reference is a span of it.
type harvest struct {
	doc *Document
	src view // the decoded document
	// formatOf is the function of that name: a container asks it about its
	// content, and it knows the containers.
	formatOf func(contentType, name string, head []byte) *format
	places   places
	// reference is that of Input.
	reference bool

	arena   []byte
	links   []found
	anchors []span
	seen    map[uint64]int32 // hash of an id to the place in ids of its first
	ids     []identifier
	doubles []double
}

// found is a Link in the making.
type found struct {
	raw, ref, base, text span
	at                   int // offset of raw in the document
	tag                  int // offset of the start tag it stands in, -1 without one
	line, column         int
	element, attribute   string
	kind                 Kind
	expect               Expect
	noFollow             bool
	ignored              bool
	sameDocument         bool
}

// identifier is an id of the document.
type identifier struct {
	name    span
	doubled bool
}

// double is a Duplicate in the making.
type double struct {
	name         span
	line, column int
}

var seed = maphash.MakeSeed()

func (h *harvest) reset(doc *Document, src []byte) {
	h.doc = doc
	h.src = view{text: src}
	h.places = newPlaces(src)
	h.arena = h.arena[:0]
	h.links = h.links[:0]
	h.anchors = h.anchors[:0]
	h.ids = h.ids[:0]
	h.doubles = h.doubles[:0]
	clear(h.seen)
}

// release forgets the document and gives the harvest back to the pool, unless a
// large document made it large.
func (h *harvest) release() {
	small := len(h.src.text) <= pooledSize
	h.doc, h.src, h.places, h.reference = nil, view{}, places{}, false
	if small {
		harvests.Put(h)
	}
}

// harvests are kept for the next document.
var harvests = sync.Pool{New: func() any { return &harvest{seen: map[uint64]int32{}} }}

// pooledSize is the length of the longest document whose buffers are kept.
const pooledSize = 1 << 20

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
	f := found{at: start, tag: -1, raw: h.keep(raw)}
	f.ref = f.raw
	if string(raw) != string(ref) {
		f.ref = h.keep(ref)
	}
	f.line, f.column = h.places.at(start)
	h.links = append(h.links, f)
	return &h.links[len(h.links)-1]
}

// anchor notes a fragment name.
func (h *harvest) anchor(name []byte) (at span, ok bool) {
	if len(name) == 0 || equalFold(name, "top") {
		return span{}, false
	}
	if len(h.anchors) == MaxAnchors {
		h.fault("read anchors: more than %d, the rest is left out", MaxAnchors)
		return span{}, false
	}
	at = h.keep(name)
	h.anchors = append(h.anchors, at)
	return at, true
}

// id notes an element's id, and that it stands a second time. Start is where it
// stands in the document.
func (h *harvest) id(name []byte, start int) {
	at, ok := h.anchor(name)
	if !ok {
		return
	}
	hash := maphash.Bytes(seed, name)
	first, known := h.seen[hash]
	if !known {
		h.seen[hash] = int32(len(h.ids))
		h.ids = append(h.ids, identifier{name: at})
		return
	}
	id := &h.ids[first]
	if id.doubled || string(h.arena[id.name.start:id.name.end]) != string(name) {
		return
	}
	id.doubled = true
	line, column := h.places.at(start)
	h.doubles = append(h.doubles, double{at, line, column})
}

// finish makes the strings.
func (h *harvest) finish() {
	all := string(h.arena)
	cut := func(s span) string { return all[s.start:s.end] }
	if len(h.links) > 0 {
		h.doc.Links = make([]Link, len(h.links))
	}
	for i := range h.links {
		f := &h.links[i]
		h.doc.Links[i] = Link{
			Raw: cut(f.raw), Ref: cut(f.ref), Base: cut(f.base), Text: cut(f.text),
			Line: f.line, Column: f.column,
			Element: f.element, Attribute: f.attribute,
			Kind: f.kind, Expect: f.expect, NoFollow: f.noFollow, Ignored: f.ignored, SameDocument: f.sameDocument,
		}
	}
	if len(h.anchors) > 0 {
		h.doc.Anchors = make([]string, len(h.anchors))
	}
	for i, a := range h.anchors {
		h.doc.Anchors[i] = cut(a)
	}
	for _, d := range h.doubles {
		h.doc.Duplicates = append(h.doc.Duplicates, Duplicate{cut(d.name), d.line, d.column})
	}
}
