package extract

import (
	"cmp"
	"slices"
)

// embed reads a document that stands in another: a cell of a notebook, a part of a
// message. Its text is a view of the document around it. Where the way back is
// exact its links stand where they are written; where it is not, because the text was
// transfer-encoded, they all stand where the part begins, and Raw is the decoded text.
//
// Anchors of the inner document count as the outer one's, its title where that
// has none; its base URL is its own.
func (h *harvest) embed(v *view, exact bool, read func(inner *harvest)) {
	inner := harvests.Get().(*harvest)
	inner.reference = h.reference
	doc := &Document{}
	inner.reset(doc, v.text)
	read(inner)
	slices.SortStableFunc(inner.links, func(a, b Link) int { return cmp.Compare(a.at, b.at) })
	for i := range inner.links {
		f := &inner.links[i]
		if len(h.links) == MaxLinks {
			h.fault("read links: more than %d, the rest is left out", MaxLinks)
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
