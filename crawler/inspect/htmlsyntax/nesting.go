package htmlsyntax

import (
	"bytes"

	html "github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
)

// nesting follows the open elements of a document as the parser of the HTML Standard does
// (13.2.6), as far as end tags depend on them. It builds no tree: attributes, texts and the
// places where elements end up do not matter.
//
// One mistake gives one fault where possible. If an element was closed by the end of its
// parent, its own end tag may follow soon. Then the two tags are in the wrong order, and
// nothing is unclosed and nothing stray. closed keeps such elements as long as the element
// around both is open.
type nesting struct {
	text   []byte
	xml    bool // every element needs an end tag, or none
	quirks bool // tables do not end paragraphs

	open  []element
	count [256]int32 // open HTML elements by number
	phase phase
	form  bool // a form is open
	// tooDeep is set for documents with more than maxDepth open elements at once. Nothing is
	// said about the rest of them.
	tooDeep bool
	// ended is set by the end tag of the body.
	ended, endedHTML bool

	closed []closedElement
	// reopened are the formatting elements that were closed by the end of another element. The
	// parser opens them again, so they may have an end tag.
	reopened []closedElement
	// pStart and pEnd are the start tag of the last paragraph that another start tag closed,
	// and this tag.
	pStart, pEnd int

	faults  []fault
	dropped int // faults beyond maxFaults
}

// element is an open element.
type element struct {
	element html.Element
	foreign bool // it belongs to SVG or MathML
	// plain elements of HTML can be closed without any other effect.
	plain   bool
	nameEnd uint32 // offset from start
	start   int    // offset of the start tag, -1 if it is implied
	fault   int    // the number of the fault that reports it as unclosed, 0 if there is none
}

// closedElement is an element that was closed by another tag than its end tag.
type closedElement struct {
	element
	depth int // elements that were open around it
	by    int // offset of the tag
}

// phase is the part of the document.
type phase uint8

const (
	inHead phase = iota
	afterHead
	inBody
)

const (
	// maxDepth is the number of open elements that are followed. Trees in browsers are no
	// deeper.
	maxDepth = 512
	// maxClosed is the number of elements kept in closed, and in reopened.
	maxClosed = 64
)

func (n *nesting) reset(text []byte) {
	*n = nesting{text: text, open: n.open[:0], closed: n.closed[:0], reopened: n.reopened[:0], faults: n.faults[:0], pStart: -1}
}

func (n *nesting) push(t *html.Token) {
	nameEnd := len("<") + len(t.Name)
	foreign := t.Foreign || n.xml
	n.pushElement(element{element: t.Element, foreign: foreign, plain: isPlain[t.Element] && !foreign, start: t.Start, nameEnd: uint32(nameEnd)})
}

// pushImplied opens an element whose start tag was left out.
func (n *nesting) pushImplied(e html.Element) { n.pushElement(element{element: e, start: -1}) }

func (n *nesting) pushElement(e element) {
	if len(n.open) == maxDepth {
		n.tooDeep = true
		return
	}
	n.open = append(n.open, e)
	if !e.foreign {
		n.count[e.element]++
	}
}

// isPlain marks the elements that pop closes by changing the stack alone.
var isPlain = func() (plain [256]bool) {
	for e := range plain {
		plain[e] = properties[e]&marker == 0
	}
	for _, e := range []html.Element{html.Unknown, html.Form, html.Head, html.Body, html.HTML} {
		plain[e] = false
	}
	return plain
}()

// top returns the innermost open element, nil if there is none.
func (n *nesting) top() *element {
	if len(n.open) == 0 {
		return nil
	}
	return &n.open[len(n.open)-1]
}

// pop closes the innermost open element.
func (n *nesting) pop() {
	last := len(n.open) - 1
	e := &n.open[last]
	n.open = n.open[:last]
	if !e.foreign {
		n.count[e.element]--
		if e.element == html.Form {
			n.form = false
		}
		if properties[e.element]&marker != 0 {
			for len(n.reopened) > 0 && n.reopened[len(n.reopened)-1].depth > last {
				n.reopened = n.reopened[:len(n.reopened)-1]
			}
		}
	}
	for len(n.closed) > 0 && n.closed[len(n.closed)-1].depth > last {
		n.closed = n.closed[:len(n.closed)-1]
	}
}

// closeAbove closes the elements inside the one with index i, for the tag at by. Those that
// need an end tag are unclosed.
func (n *nesting) closeAbove(i, by int) {
	for last := len(n.open) - 1; last > i; last-- {
		e := n.open[last]
		n.pop()
		if !e.foreign && properties[e.element]&implied != 0 || e.start < 0 {
			continue
		}
		if e.fault == 0 {
			e.fault = n.add(fault{unclosed, e.start, -1, by})
		}
		n.keep(e, i, by)
	}
}

// close closes the element with index i and those inside, for the tag at by.
func (n *nesting) close(i, by int) {
	n.closeAbove(i, by)
	n.pop()
}

// keep remembers an element that was closed by another tag.
func (n *nesting) keep(e element, depth, by int) {
	if !e.foreign && properties[e.element]&formatting != 0 && len(n.reopened) < maxClosed {
		n.reopened = append(n.reopened, closedElement{e, depth, by})
	}
	if len(n.closed) < maxClosed {
		n.closed = append(n.closed, closedElement{e, depth, by})
	}
}

// isOpen returns the index of the innermost open HTML element with this number, -1 if a
// boundary, or one of the other elements, is around it.
func (n *nesting) isOpen(e html.Element, others ...html.Element) int {
	if n.count[e] == 0 {
		return -1
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		o := &n.open[i]
		if o.foreign {
			if holdsHTML[o.element] {
				return -1
			}
			continue
		}
		if o.element == e {
			return i
		}
		if properties[o.element]&boundary != 0 {
			return -1
		}
		for _, other := range others {
			if o.element == other {
				return -1
			}
		}
	}
	return -1
}

// innermost returns the index of the innermost open element of any kind with the name of a
// tag, -1 if there is none.
func (n *nesting) innermost(t *html.Token) int {
	if t.Element != html.Unknown && n.count[t.Element] == 0 && len(n.open) > 0 && !n.open[len(n.open)-1].foreign {
		return -1
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.is(&n.open[i], t) {
			return i
		}
	}
	return -1
}

// is reports whether an element has the name of a tag.
func (n *nesting) is(e *element, t *html.Token) bool {
	if e.element != t.Element {
		return false
	}
	if e.element != html.Unknown {
		return true
	}
	name := n.text[e.start+1 : e.start+int(e.nameEnd)]
	return bytes.EqualFold(name, t.Name)
}

// inForeign reports whether the innermost open element belongs to SVG or MathML.
func (n *nesting) inForeign() bool {
	return len(n.open) > 0 && n.open[len(n.open)-1].foreign
}

// breakOut closes the elements of SVG and MathML that a tag of HTML ends.
func (n *nesting) breakOut(by int) {
	for i := len(n.open) - 1; i >= 0 && n.open[i].foreign && !holdsHTML[n.open[i].element]; i-- {
		n.closeAbove(i-1, by)
	}
}

// closeParagraph ends the open paragraph, for the start tag at by.
func (n *nesting) closeParagraph(by int) {
	if i := n.isOpen(html.P, html.Button); i >= 0 {
		n.pStart, n.pEnd = n.open[i].start, by
		n.close(i, by)
	}
}
