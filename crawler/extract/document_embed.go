package extract

import (
	"cmp"
	"slices"
)

// embed reads a document inside another one, such as a cell of a notebook or a part of a
// message. Its text is a view of the outer document. If exact is true, each link is reported
// at its position in the outer document. Otherwise the text was transfer-encoded: all links
// are reported at the start of the part, and Raw is the decoded text.
//
// The anchors of the inner document are added to the outer one. The outer document takes over
// its title if it has none. The base URL applies to the inner document only.
func (h *harvest) embed(v *view, exact bool, read func(inner *harvest)) {
	inner := harvests.Get().(*harvest)
	inner.slowPath = h.slowPath
	inner.large = h.large
	doc := &Document{}
	inner.reset(doc, v.text)
	read(inner)
	h.large, inner.large = inner.large, largeDocument{}
	slices.SortStableFunc(inner.links, func(a, b Link) int { return cmp.Compare(a.at, b.at) })
	for i := range inner.links {
		f := &inner.links[i]
		if len(h.links) >= h.input.maxLinks() {
			h.tooManyLinks()
			break
		}
		g := *f
		at := v.base
		if exact {
			at = v.source(int(f.at))
			g.Raw = h.keep(h.src.text[at:max(at, v.source(int(f.at)+len(f.Raw)))])
		}
		if g.Base == "" {
			g.Base = doc.Base
		}
		g.at, g.tag, g.Repeats = int32(at), -1, 0
		g.Line, g.Column = h.places.at(at)
		h.links = append(h.links, g)
	}
	for _, name := range doc.Anchors {
		if !h.anchor([]byte(name)) {
			break
		}
	}
	for _, sentence := range doc.Faults {
		h.fault("%s", sentence)
	}
	h.doc.Static = h.doc.Static && doc.Static
	if h.doc.Title == "" {
		h.doc.Title = doc.Title
	}
	inner.release()
}
