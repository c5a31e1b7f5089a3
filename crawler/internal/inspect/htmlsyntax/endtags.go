package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// endTag follows an end tag.
func (n *nesting) endTag(t *html.Token) {
	if (simple{n}).closesTop(t.Element) {
		return
	}
	if n.stack.inForeign() && n.endForeign(t) {
		return
	}
	if n.xml {
		n.stray(t)
		return
	}
	switch e := t.Element; e {
	case html.HTML, html.Body:
		n.endBody(t)
	case html.Head:
		if n.phase != inHead {
			n.stray(t)
			return
		}
		n.phase = afterHead
		if i := n.stack.isOpen(html.Head); i >= 0 {
			n.close(i, t.Start)
		}
	case html.P:
		n.end(t, n.stack.isOpen(html.P, html.Button))
	case html.Li:
		n.end(t, n.stack.isOpen(html.Li, html.Ol, html.Ul))
	case html.H1, html.H2, html.H3, html.H4, html.H5, html.H6:
		n.endHeading(t)
	case html.Form:
		n.endForm(t)
	case html.Table, html.Template, html.Caption, html.Tbody, html.Thead, html.Tfoot, html.Tr, html.Td, html.Th:
		n.end(t, n.stack.inTable(e))
	default:
		switch p := properties[e]; {
		case p&void != 0:
			n.stray(t)
		case p&formatting != 0:
			n.endFormattingTag(t)
		case e == html.Select:
			n.end(t, n.stack.isOpen(e))
		case p&block != 0:
			n.end(t, n.stack.isOpen(e))
		default:
			n.endOther(t)
		}
	}
}

// closesTop closes the innermost element for the end tag of an element, if nothing else needs to
// be done, and reports whether that was so.
func (n simple) closesTop(by html.Element) bool {
	last := len(n.stack.open) - 1
	if last < 0 {
		return false
	}
	e := &n.stack.open[last]
	if e.element != by || !e.plain || e.fault != 0 {
		return false
	}
	if len(n.closed) > 0 {
		n.pop()
		return true
	}
	n.stack.count[by]--
	n.stack.open = n.stack.open[:last]
	return true
}

// end closes the element with index i for its end tag. If i is -1, the end tag does not reach
// such an element.
func (n *nesting) end(t *html.Token, i int) {
	if i < 0 {
		n.stray(t)
		return
	}
	n.closeAbove(i, t.Start)
	n.endTop(t)
}

// endTop closes the innermost element by its end tag.
func (n *nesting) endTop(t *html.Token) {
	e := n.stack.open[len(n.stack.open)-1]
	n.pop()
	if e.fault > 0 { // it was reported at the end tag of the body
		n.faults.replace(e.fault, t.Start, n.faults.faults[e.fault-1].other)
	}
}

// stray follows an end tag that closes no open element. If the element was closed before, the
// end tag is only late.
func (n *nesting) stray(t *html.Token) {
	if c, ok := n.closed.take(t, n.stack.text); ok {
		n.faults.replace(c.fault, t.Start, c.by)
		n.reopened.take(t, n.stack.text)
		return
	}
	if _, ok := n.reopened.take(t, n.stack.text); ok {
		return
	}
	if i := n.stack.innermost(t); i >= 0 && n.stack.open[i].start >= 0 && i+1 < len(n.stack.open) {
		f := fault{outside, t.Start, n.stack.open[i].start, n.stack.open[n.stack.wall(i)].start}
		if f.other >= 0 && n.stack.open[i].fault == 0 {
			n.stack.open[i].fault = reported
			n.faults.add(f)
			return
		}
	}
	f := fault{stray, t.Start, -1, -1}
	if t.Element == html.P && n.pStart >= 0 {
		f.opened, f.other = n.pStart, n.pEnd
		n.pStart = -1
	}
	n.faults.add(f)
}

// endForeign follows an end tag inside SVG or MathML (13.2.6.5) and reports whether it closes
// one of their elements.
func (n *nesting) endForeign(t *html.Token) bool {
	if !n.xml && (t.Element == html.P || t.Element == html.Br) {
		n.breakOut(t.Start)
		return false
	}
	for i := len(n.stack.open) - 1; i >= 0 && n.stack.open[i].foreign; i-- {
		if n.stack.open[i].hasName(t, n.stack.text) {
			n.end(t, i)
			return true
		}
	}
	return false
}

// endBody follows the end tag of the body or of the document. What needs an end tag is
// unclosed, but stays open.
func (n *nesting) endBody(t *html.Token) {
	n.phase = inBody
	if n.endedHTML || n.ended && t.Element == html.Body {
		n.stray(t)
		return
	}
	if !n.ended {
		for i := range n.stack.open {
			if e := &n.stack.open[i]; e.fault == 0 && (e.foreign || properties[e.element]&implied == 0) {
				e.plain = false
				e.fault = n.faults.add(fault{unclosed, e.start, -1, t.Start})
			}
		}
	}
	n.ended = true
	n.endedHTML = t.Element == html.HTML
}

// endHeading follows the end tag of a heading, which closes a heading of any level.
func (n *nesting) endHeading(t *html.Token) {
	for i := len(n.stack.open) - 1; i >= 0; i-- {
		e := &n.stack.open[i]
		p := properties[e.element]
		if e.foreign {
			continue
		}
		if p&heading != 0 {
			if e.element != t.Element {
				n.faults.add(fault{mismatched, t.Start, e.start, -1})
			}
			n.end(t, i)
			return
		}
		if p&boundary != 0 {
			break
		}
	}
	n.stray(t)
}

// endForm follows the end tag of a form, which leaves open what is inside.
func (n *nesting) endForm(t *html.Token) {
	i := n.stack.isOpen(html.Form)
	if !n.form || i < 0 {
		n.form = false
		n.stray(t)
		return
	}
	for n.stack.top().element != html.Form && !n.stack.top().foreign && properties[n.stack.top().element]&implied != 0 {
		n.pop()
	}
	if i == len(n.stack.open)-1 {
		n.endTop(t)
		return
	}
	if n.stack.open[i].fault == 0 {
		n.faults.add(fault{overlapping, t.Start, n.stack.open[i].start, n.stack.open[i+1].start})
	}
	n.stack.remove(i)
	n.form = false
}

// endFormattingTag follows the end tag of a formatting element, by the adoption agency
// algorithm (13.2.6.4.7).
func (n *nesting) endFormattingTag(t *html.Token) {
	i := n.stack.isOpen(t.Element)
	if i < 0 {
		n.stray(t)
		return
	}
	if i == len(n.stack.open)-1 {
		n.endTop(t)
		return
	}
	if e := &n.stack.open[i]; e.fault == 0 {
		n.faults.add(fault{overlapping, t.Start, e.start, n.stack.open[i+1].start})
	}
	for _, e := range n.stack.open[i+1:] {
		if e.foreign && holdsHTML[e.element] || !e.foreign && properties[e.element]&special != 0 {
			n.stack.remove(i)
			return
		}
	}
	for last := len(n.stack.open) - 1; last > i; last-- {
		e := n.stack.open[last]
		n.pop()
		if e.fault == 0 {
			e.fault = reported
		}
		n.keep(e, i, t.Start)
	}
	n.pop()
}

// endOther follows the end tag of an element without rules of its own.
func (n *nesting) endOther(t *html.Token) {
	for i := len(n.stack.open) - 1; i >= 0; i-- {
		e := &n.stack.open[i]
		if e.foreign {
			if holdsHTML[e.element] {
				break
			}
			continue
		}
		if e.hasName(t, n.stack.text) {
			n.end(t, i)
			return
		}
		if properties[e.element]&special != 0 {
			break
		}
	}
	n.stray(t)
}

// endOfText follows the end of the document.
func (n *nesting) endOfText() {
	for i := range n.stack.open {
		if e := &n.stack.open[i]; e.fault == 0 && (e.foreign || properties[e.element]&implied == 0) {
			n.faults.add(fault{unclosedAtEnd, e.start, -1, -1})
		}
	}
}
