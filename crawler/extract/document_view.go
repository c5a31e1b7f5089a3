package extract

import "sort"

// span is a range of byte offsets.
type span struct{ start, end int }

// A mark relates decoded text to its source: from the decoded offset dec up to the next mark,
// the byte at offset comes from the source offset src + (offset - dec).
type mark struct{ dec, src int }

// A view is text decoded from a part of another text, with the mapping back to it: the value
// of an attribute in a document, the document in a srcdoc, an attribute value in that
// document. A view without a parent is the document itself.
type view struct {
	text   []byte
	marks  []mark
	parent *view
	base   int // offset in the parent at which the source of the view begins
}

// source returns the offset in the document for an offset in the view.
func (v *view) source(off int) int {
	for ; v.parent != nil; v = v.parent {
		i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].dec > off })
		if i > 0 {
			off += v.marks[i-1].src - v.marks[i-1].dec
		}
		if i < len(v.marks) {
			off = min(off, v.marks[i].src) // not past the character reference that off is in
		}
		off += v.base
	}
	return off
}

func whole(v *view) span { return span{0, len(v.text)} }
