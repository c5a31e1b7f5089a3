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
	slices.SortStableFunc(inner.links, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	cut := func(s span) []byte { return inner.arena[s.start:s.end] }
	var base span
	if doc.Base != "" {
		base = h.keep([]byte(doc.Base))
	}
	for i := range inner.links {
		f := &inner.links[i]
		if len(h.links) == MaxLinks {
			h.fault("read links: more than %d, the rest is left out", MaxLinks)
			break
		}
		g := *f
		raw := cut(f.raw)
		g.at = v.base
		if exact {
			g.at = v.source(f.at)
			raw = h.src.text[g.at:max(g.at, v.source(f.at+len(raw)))]
		}
		g.raw, g.ref, g.base, g.text = h.keep(raw), h.keep(cut(f.ref)), base, h.keep(cut(f.text))
		if f.base != (span{}) {
			g.base = h.keep(cut(f.base))
		}
		g.tag = -1
		g.line, g.column = h.places.at(g.at)
		h.links = append(h.links, g)
	}
	for _, a := range inner.anchors {
		if !h.anchor(cut(a.name)) {
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
