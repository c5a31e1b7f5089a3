package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// nesting follows the open elements of a document as the parser of the HTML Standard does
// (13.2.6), as far as end tags depend on them. It builds no tree: attributes, texts and the
// places where elements end up do not matter.
//
// One mistake gives one fault where possible. If an element was closed by the end of its
// parent, its own end tag may follow soon. Then the two tags are in the wrong order, and
// nothing is unclosed and nothing stray. closed keeps such elements as long as the element
// around both is open.
type nesting struct {
	stack  stack
	faults faultList

	xml    bool // every element needs an end tag, or none
	quirks bool // tables do not end paragraphs
	phase  phase
	form   bool // a form is open
	// ended is set by the end tag of the body, endedHTML by that of the document.
	ended, endedHTML bool

	closed closedList
	// reopened are the formatting elements that were closed by the end of another element. The
	// parser opens them again, so they may have an end tag.
	reopened closedList
	// pStart and pEnd are the start tag of the last paragraph that another start tag closed,
	// and this tag.
	pStart, pEnd int
}

// phase is the part of the document.
type phase uint8

const (
	inHead phase = iota
	afterHead
	inBody
)

func (n *nesting) reset(text []byte) {
	*n = nesting{
		stack:  stack{text: text, open: n.stack.open[:0]},
		faults: faultList{faults: n.faults.faults[:0]},
		closed: n.closed[:0], reopened: n.reopened[:0], pStart: -1,
	}
}

// simple is the part of a nesting for tokens that do nothing but open or close an element.
type simple struct{ *nesting }

// plain follows a plain tag if it only opens or closes an element of the body, and reports
// whether that was so.
func (n simple) plain(p *html.PlainTag) bool {
	switch {
	case n.phase != inBody || n.stack.tooDeep:
		return false
	case p.Kind == html.EndTag:
		return n.closesTop(p.Element)
	case properties[p.Element]&hasEffects != 0 || n.stack.inForeign():
		return false
	}
	n.stack.push(p.Element, int(p.Start), -1, false) // the name is not asked for
	return true
}

// pop closes the innermost open element.
func (n *nesting) pop() {
	last := len(n.stack.open) - 1
	e := n.stack.open[last]
	n.stack.remove(last)
	if !e.foreign && e.element == html.Form {
		n.form = false
	}
	if !e.foreign && properties[e.element]&marker != 0 {
		n.reopened.cut(last)
	}
	n.closed.cut(last)
}

// closeAbove closes the elements inside the one with index i, for the tag at by. Those that
// need an end tag are unclosed.
func (n *nesting) closeAbove(i, by int) {
	for last := len(n.stack.open) - 1; last > i; last-- {
		e := n.stack.open[last]
		n.pop()
		if !e.foreign && properties[e.element]&implied != 0 || e.start < 0 {
			continue
		}
		if e.fault == 0 {
			e.fault = n.faults.add(fault{unclosed, e.start, -1, by})
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
	if !e.foreign && properties[e.element]&formatting != 0 {
		n.reopened.add(e, depth, by)
	}
	n.closed.add(e, depth, by)
}

// breakOut closes the elements of SVG and MathML that a tag of HTML ends.
func (n *nesting) breakOut(by int) {
	for i := len(n.stack.open) - 1; i >= 0 && n.stack.open[i].foreign && !holdsHTML[n.stack.open[i].element]; i-- {
		n.closeAbove(i-1, by)
	}
}

// closeParagraph ends the open paragraph, for the start tag at by.
func (n *nesting) closeParagraph(by int) {
	if i := n.stack.isOpen(html.P, html.Button); i >= 0 {
		n.pStart, n.pEnd = n.stack.open[i].start, by
		n.close(i, by)
	}
}
