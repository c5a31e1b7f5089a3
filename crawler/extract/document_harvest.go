package extract

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// A harvest gathers what a reader finds.
type harvest struct {
	input Input // that of a whole document
	doc   *Document
	src   view // the decoded document
	// formatOf is the function of that name: a container asks it about its
	// content, and it knows the containers.
	formatOf func(contentType, name string, head []byte) *format
	places   places
	pieces   *pieces // where src is the beginning of it; else nil
	// reference is that of Input.
	reference bool
	bare      bool // Input.Bare holds: src is Body itself
	unplaced  bool // the place of the next link may be wanted never

	texts   textBlocks
	links   []Link // Repeats is the place here, plus one, of the link that one may repeat
	repeats repeats
	anchors []identifier // of doc.Anchors
}

func (h *harvest) reset(doc *Document, src []byte) { h.resetAs(doc, src, breaksOf(src)) }

// resetAs is reset where it is known what lines end with.
func (h *harvest) resetAs(doc *Document, src []byte, b breaks) {
	h.doc = doc
	h.src = view{text: src}
	h.places = places{doc: src, breaks: b}
	h.bare = h.input.Bare && len(src) > 0 && len(src) == len(h.input.Body) && &src[0] == &h.input.Body[0] && len(src) <= math.MaxInt32
	h.links = h.links[:0]
	h.anchors = h.anchors[:0]
}

// readAs reads a document of a format that is known.
func (h *harvest) readAs(f *format, in *Input, doc *Document) {
	text, charset := in.Body[:min(len(in.Body), MaxBody)], ""
	switch {
	case in.Rest != nil:
		h.pieces, charset = newPieces(in), "utf-8"
		h.reset(doc, h.pieces.text)
	case f.binary:
		h.reset(doc, nil)
	default:
		text, charset = decode(text, in.ContentType, f.charset)
		h.reset(doc, text[:min(len(text), MaxBody)])
	}
	doc.Format, doc.Charset = f.name, charset
	if len(in.Body) > MaxBody || len(text) > MaxBody {
		h.fault("read document: longer than %d bytes, the rest is left out", MaxBody)
	}
	if charset == "replacement" {
		h.fault("decode document: it declares an encoding that no browser reads")
	}
	f.read(h, in)
}

// release forgets the document and gives the harvest back to the pool, without
// what a large document made large.
func (h *harvest) release() {
	h.input, h.doc, h.src, h.places, h.pieces, h.reference, h.bare = Input{}, nil, view{}, places{}, nil, false, false
	h.links = nil
	h.anchors = again(h.anchors, mostEntries)
	if cap(h.repeats.slots) > 4*keptEntries {
		h.repeats = repeats{}
	}
	harvests.Put(h)
}

// harvests are kept for the next document.
var harvests = sync.Pool{New: func() any { return new(harvest) }}

// What is kept for the next document is bounded: lists by their entries, buffers by
// their bytes, a reader's own by the length of its document. After a large document
// lists may be larger for a while: seldom is it the only one.
const (
	keptEntries = 1 << 14
	mostEntries = 1 << 16
	longIdle    = 64 // documents
	keptBytes   = 1 << 20
)

const (
	leastLinks  = 64
	surelyLinks = 1024 // from which on it is clear how dense they are
	mostRoom    = 32   // times as many
)

// keep makes a string of b.
func (h *harvest) keep(b []byte) string { return h.texts.keep(b) }

// inBody makes a string of bytes of the body where they lie. No reader writes to the
// body, and the string keeps it from the garbage collector; that the string is good
// until somebody else writes to it is what Input.Bare allows of links and anchors. All
// that is wanted for longer is cloned.
func inBody(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// fault notes that the document could not be read to its end, each sentence once.
func (h *harvest) fault(format string, args ...any) {
	if sentence := fmt.Sprintf(format, args...); !slices.Contains(h.doc.Faults, sentence) {
		h.doc.Faults = append(h.doc.Faults, sentence)
	}
}

// add notes a link whose reference stands at v.text[at.start:at.end]; ref is the
// reference where that text still holds escapes, nil otherwise. It returns nil
// beyond the limit.
func (h *harvest) add(v *view, at span, ref []byte) *Link {
	if h.full() {
		h.fault("read links: more than %d, the rest is left out", MaxLinks)
		return nil
	}
	if ref == nil {
		ref = v.text[at.start:at.end]
	}
	start, end := v.source(at.start), v.source(at.end)
	raw := h.src.text[start:end]
	f := h.another()
	*f = Link{at: int32(start), tag: -1}
	if h.bare {
		f.Raw = inBody(raw)
	} else {
		f.Raw = h.keep(raw)
	}
	f.Ref = f.Raw
	if string(raw) != string(ref) {
		f.Ref = h.keep(ref)
	}
	h.place(f)
	return f
}

// full reports whether there are as many links as there may be.
func (h *harvest) full() bool { return len(h.links)+len(h.doc.BareRepeats) >= MaxLinks }

// place finds the line and the column of a link, unless that is put off.
func (h *harvest) place(f *Link) {
	if !h.unplaced {
		f.Line, f.Column = h.places.at(int(f.at))
	}
}

// another makes room for one more link, which holds what was there before.
func (h *harvest) another() *Link {
	n := len(h.links)
	if n == cap(h.links) {
		h.links = append(make([]Link, 0, h.room(n)), h.links...)
	}
	h.links = h.links[:n+1]
	return &h.links[n]
}

// room is how many links to make room for when there are n: twice as many, or as many
// as a long document comes to if it goes on as it began. A list that doubles again and
// again takes twice the memory, all of it new.
func (h *harvest) room(n int) int {
	room := max(leastLinks, 2*n)
	if at := h.links[:n]; n >= surelyLinks && at[n-1].at > at[0].at {
		begun, all := int(at[n-1].at-at[0].at), len(h.src.text)-int(at[0].at)
		room = max(room, min(n*all/begun, mostRoom*n))
		room += room / 8
	}
	return min(room, MaxLinks)
}

// finish hands over what was found. Lists that were longer before do not keep the
// strings of earlier documents.
func (h *harvest) finish(links, anchors int) {
	d := h.doc
	n := len(d.Links) // of those that a reader made itself
	for i := range h.links {
		l := &h.links[i]
		l.at, l.tag = 0, 0
		if first := l.Repeats - 1; first >= 0 {
			if l.Repeats = 0; l.same(&h.links[first]) {
				l.Repeats = n + first + 1
			}
		}
	}
	for i := range d.BareRepeats {
		d.BareRepeats[i].First += int32(n)
	}
	if n == 0 {
		d.Links = h.links
	} else {
		d.Links = append(d.Links, h.links...)
	}
	h.finishAnchors()
	forget(d.Links, links)
	forget(d.Anchors, anchors)
}

// forget clears what a list held behind its end, when it was longer.
func forget[T any](list []T, before int) {
	if n := min(before, cap(list)); n > len(list) {
		clear(list[len(list):n])
	}
}

// textBlocks keeps copies of short texts in few allocations. What is kept of one
// document keeps a block alive, and no more.
type textBlocks struct{ block strings.Builder }

const textBlockSize = 32 << 10 // the largest size that Go allocates cheaply

func (t *textBlocks) keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if t.block.Cap()-t.block.Len() < len(b) {
		if len(b) > textBlockSize/8 {
			return string(b)
		}
		t.block = strings.Builder{} // the old block lives on in its texts
		t.block.Grow(textBlockSize)
	}
	start := t.block.Len()
	t.block.Write(b)
	return t.block.String()[start:]
}

func again[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	return list[:0]
}
