package extract

import "sort"

// span is a stretch of bytes.
type span struct{ start, end int }

// A mark says where the decoded text and its source run in step again: from
// decoded offset dec on, each byte stands at src + (offset - dec), up to the next mark.
type mark struct{ dec, src int }

// A view is text that was decoded from a stretch of another text, and the way
// back: the value of an attribute in a document, the document in a srcdoc, the
// value of an attribute in that. A view without a parent is the document itself.
type view struct {
	text   []byte
	marks  []mark
	parent *view
	base   int // where in the parent the stretch begins
}

// source returns the document's offset of an offset in the view.
func (v *view) source(off int) int {
	for ; v.parent != nil; v = v.parent {
		i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].dec > off })
		if i > 0 {
			off += v.marks[i-1].src - v.marks[i-1].dec
		}
		if i < len(v.marks) {
			off = min(off, v.marks[i].src) // inside what one reference stands for
		}
		off += v.base
	}
	return off
}

func whole(v *view) span { return span{0, len(v.text)} }
