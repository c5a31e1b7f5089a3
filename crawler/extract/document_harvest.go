package extract

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// A harvest collects what a reader finds.
type harvest struct {
	input Input // of the outermost document
	doc   *Document
	src   view // the decoded document
	// formatOf holds the function of the same name, to avoid an initialization cycle:
	// containers call it to identify their contents, and it reads the table that lists the
	// containers.
	formatOf func(contentType, name string, head []byte) *format
	places   places
	pieces   *pieces // the rest of the document when it is read in pieces, else nil
	slowPath bool
	bare     bool // Input.Bare is set and src is Body itself
	unplaced bool // the position of the next link may never be needed
	large    largeDocument

	texts   textBlocks
	links   []Link // Repeats is one more than the index here of the link that may be repeated
	repeats repeats
	anchors []identifier // of doc.Anchors
	spot    anchorSpot   // of the next anchors
}

func (h *harvest) reset(doc *Document, src []byte) { h.resetAs(doc, src, breaksOf(src)) }

// resetAs is like reset for a document whose line breaks are already known.
func (h *harvest) resetAs(doc *Document, src []byte, b breaks) {
	h.doc = doc
	h.src = view{text: src}
	h.places = places{doc: src, breaks: b}
	doc.asReceived = len(src) > 0 && len(src) == len(h.input.Body) && &src[0] == &h.input.Body[0]
	h.bare = h.input.Bare && doc.asReceived && len(src) <= math.MaxInt32
	h.links = h.links[:0]
	h.anchors, h.spot = h.anchors[:0], anchorSpot{wanted: h.input.Places, at: -1}
}

// readAs reads a document whose format is known.
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
		h.fault("read document: longer than %d bytes; the rest is ignored", MaxBody)
	}
	if charset == "replacement" {
		h.fault("decode document: the declared encoding is not supported by browsers")
	}
	f.read(h, in)
}

// release clears the harvest and returns it to the pool. It drops buffers that a large
// document made large.
func (h *harvest) release() {
	h.large.end()
	h.input, h.doc, h.src, h.places, h.pieces, h.slowPath, h.bare = Input{}, nil, view{}, places{}, nil, false, false
	h.links = nil
	h.anchors = reuseList(h.anchors, keptAfterLarge)
	if cap(h.repeats.slots) > 4*keptEntries {
		h.repeats = repeats{}
	}
	harvests.Put(h)
}

// harvests is the pool of harvests.
var harvests = sync.Pool{New: func() any { return new(harvest) }}

// The memory kept for the next document is bounded: lists by their entries, buffers by their
// bytes, and a reader's own memory by the length of its document. After a large document,
// lists may stay large for a while, because large documents rarely come alone.
const (
	keptEntries    = 1 << 14
	keptAfterLarge = 1 << 16
	largeListsKept = 64 // documents after a large one
	keptBytes      = 1 << 20
)

const (
	minLinkCapacity  = 64
	linksForEstimate = 1024 // enough to estimate the density of links
	maxLinkGrowth    = 32   // times the current number of links
)

// keep returns a copy of b.
func (h *harvest) keep(b []byte) string { return h.texts.keep(b) }

// bodyString returns a string that shares the memory of b, which is part of the body. No
// reader writes to the body, and the string keeps it from being garbage-collected. The string
// is valid until the caller changes the body, which Input.Bare allows for links and anchors.
// Anything that must stay valid longer is cloned.
func bodyString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// fault records why the document could not be read completely. Each sentence is recorded
// once.
func (h *harvest) fault(format string, args ...any) {
	if len(h.doc.Faults) >= maxFaults {
		return
	}
	if len(h.doc.Faults) == maxFaults-1 {
		format, args = "read document: more than %d faults; the rest are not listed", []any{maxFaults - 1}
	}
	if sentence := fmt.Sprintf(format, args...); !slices.Contains(h.doc.Faults, sentence) {
		h.doc.Faults = append(h.doc.Faults, sentence)
	}
}

// tooManyLinks records that the limit on links is exceeded.
func (h *harvest) tooManyLinks() {
	h.fault("read links: more than %d; the rest are ignored", h.input.maxLinks())
}

// add adds a link whose reference is v.text[at.start:at.end]. If that text still contains
// escapes, ref is the decoded reference; otherwise ref is nil. add returns nil when the limit
// is reached.
func (h *harvest) add(v *view, at span, ref []byte) *Link {
	if h.full() {
		h.tooManyLinks()
		return nil
	}
	if ref == nil {
		ref = v.text[at.start:at.end]
	}
	start, end := v.source(at.start), v.source(at.end)
	raw := h.src.text[start:end]
	f := h.newLink()
	*f = Link{at: int32(start), tag: -1}
	if h.bare {
		f.Raw = bodyString(raw)
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

// cross moves the last link to the cross-references of the document, if there is space.
func (d *Document) cross(links []Link, role Role, most int) []Link {
	last := len(links) - 1
	if len(d.CrossReferences) < most {
		d.CrossReferences = append(d.CrossReferences, CrossReference{links[last], role})
	}
	return links[:last]
}

// full reports whether the limit on links is reached.
func (h *harvest) full() bool { return len(h.links)+len(h.doc.BareRepeats) >= h.input.maxLinks() }

// place sets the line and column of a link, unless that is deferred.
func (h *harvest) place(f *Link) {
	if !h.unplaced {
		f.Line, f.Column = h.places.at(int(f.at))
	}
}

// newLink appends a link, whose old contents the caller must overwrite.
func (h *harvest) newLink() *Link {
	n := len(h.links)
	if n == cap(h.links) {
		h.links = append(make([]Link, 0, h.linkCapacity(n)), h.links...)
	}
	h.links = h.links[:n+1]
	return &h.links[n]
}

// linkCapacity returns the new capacity of links when there are n: twice as many, or, for a
// long document, as many as the links found so far suggest. Doubling a list repeatedly uses
// twice the memory, all of it newly allocated.
func (h *harvest) linkCapacity(n int) int {
	room := max(minLinkCapacity, 2*n)
	if at := h.links[:n]; n >= linksForEstimate && at[n-1].at > at[0].at {
		begun, all := int(at[n-1].at-at[0].at), len(h.src.text)-int(at[0].at)
		room = max(room, min(n*all/begun, maxLinkGrowth*n))
		room += room / 8
	}
	return min(room, h.input.maxLinks())
}

// finish moves the results to the document. links and anchors are the previous lengths of its
// lists; longer lists must not keep strings of earlier documents alive.
func (h *harvest) finish(links, anchors int) {
	d := h.doc
	n := len(d.Links) // links that a reader added to the document directly
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
	clearTail(d.Links, links)
	clearTail(d.Anchors, anchors)
}

// clearTail clears the elements between the end of list and its previous length, before.
func clearTail[T any](list []T, before int) {
	if n := min(before, cap(list)); n > len(list) {
		clear(list[len(list):n])
	}
}

// textBlocks copies short texts with few allocations. A string kept from one document keeps
// one block alive, no more.
type textBlocks struct{ block strings.Builder }

const textBlockSize = 32 << 10 // the largest size that Go allocates from a size class

func (t *textBlocks) keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if t.block.Cap()-t.block.Len() < len(b) {
		if len(b) > textBlockSize/8 {
			return string(b)
		}
		t.block = strings.Builder{} // strings still refer to the old block
		t.block.Grow(textBlockSize)
	}
	start := t.block.Len()
	t.block.Write(b)
	return t.block.String()[start:]
}

func reuseList[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	return list[:0]
}
