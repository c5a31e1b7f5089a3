package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// maxClosed is the number of elements in a closedList.
const maxClosed = 64

// closedElement is an element that was closed by another tag than its end tag.
type closedElement struct {
	element
	depth int // elements that were open around it
	by    int // offset of the tag
}

// closedList are elements that were closed by other tags, the last one last.
type closedList []closedElement

func (l *closedList) add(e element, depth, by int) {
	if len(*l) < maxClosed {
		*l = append(*l, closedElement{e, depth, by})
	}
}

// cut forgets the elements that had more than depth elements around them.
func (l *closedList) cut(depth int) {
	for n := len(*l); n > 0 && (*l)[n-1].depth > depth; n = len(*l) {
		*l = (*l)[:n-1]
	}
}

// take removes and returns the last element with the name of a tag.
func (l *closedList) take(t *html.Token, text []byte) (e closedElement, ok bool) {
	for i := len(*l) - 1; i >= 0; i-- {
		if e = (*l)[i]; e.hasName(t, text) {
			*l = append((*l)[:i], (*l)[i+1:]...)
			return e, true
		}
	}
	return closedElement{}, false
}
