package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"

// endTag follows an end tag.
func (n *nesting) endTag(t *html.Token) {
	if last := len(n.open) - 1; last >= 0 {
		if e := &n.open[last]; e.element == t.Element && e.plain && e.fault == 0 {
			if len(n.closed) > 0 {
				n.pop()
				return
			}
			n.count[e.element]--
			n.open = n.open[:last]
			return
		}
	}
	if n.inForeign() && n.endForeign(t) {
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
		if i := n.isOpen(html.Head); i >= 0 {
			n.close(i, t.Start)
		}
	case html.P:
		n.end(t, n.isOpen(html.P, html.Button))
	case html.Li:
		n.end(t, n.isOpen(html.Li, html.Ol, html.Ul))
	case html.H1, html.H2, html.H3, html.H4, html.H5, html.H6:
		n.endHeading(t)
	case html.Form:
		n.endForm(t)
	case html.Table, html.Template, html.Caption, html.Tbody, html.Thead, html.Tfoot, html.Tr, html.Td, html.Th:
		n.end(t, n.inTable(e))
	default:
		switch p := properties[e]; {
		case p&void != 0:
			n.stray(t)
		case p&formatting != 0:
			n.endFormattingTag(t)
		case e == html.Select:
			n.end(t, n.isOpen(e))
		case p&block != 0:
			n.end(t, n.isOpen(e))
		default:
			n.endOther(t)
		}
	}
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
	e := n.open[len(n.open)-1]
	n.pop()
	if e.fault > 0 { // it was reported at the end tag of the body
		n.convert(e, n.faults[e.fault-1].other, t)
	}
}

// convert makes of an element that is not closed one that is closed too late.
func (n *nesting) convert(e element, by int, t *html.Token) {
	if f := &n.faults[e.fault-1]; f.kind == unclosed {
		*f = fault{late, t.Start, e.start, by}
	}
}

// stray follows an end tag that closes no open element. If the element was closed before, the
// end tag is only late.
func (n *nesting) stray(t *html.Token) {
	for i := len(n.closed) - 1; i >= 0; i-- {
		c := n.closed[i]
		if !n.is(&c.element, t) {
			continue
		}
		n.closed = append(n.closed[:i], n.closed[i+1:]...)
		if c.fault > 0 {
			n.convert(c.element, c.by, t)
		}
		n.unreopen(t)
		return
	}
	if n.unreopen(t) {
		return
	}
	if i := n.innermost(t); i >= 0 && n.open[i].start >= 0 && i+1 < len(n.open) {
		f := fault{outside, t.Start, n.open[i].start, n.open[n.wall(i)].start}
		if f.other >= 0 && n.open[i].fault == 0 {
			n.open[i].fault = reported
			n.add(f)
			return
		}
	}
	f := fault{stray, t.Start, -1, -1}
	if t.Element == html.P && n.pStart >= 0 {
		f.opened, f.other = n.pStart, n.pEnd
		n.pStart = -1
	}
	n.add(f)
}

// unreopen removes a formatting element from those that the parser opens again, and reports
// whether there was one.
func (n *nesting) unreopen(t *html.Token) bool {
	for i := len(n.reopened) - 1; i >= 0; i-- {
		if n.reopened[i].element.element == t.Element && t.Element != html.Unknown {
			n.reopened = append(n.reopened[:i], n.reopened[i+1:]...)
			return true
		}
	}
	return false
}

// wall returns the index of the special element inside the one with index i that its end tag
// does not reach through.
func (n *nesting) wall(i int) int {
	for j := len(n.open) - 1; j > i; j-- {
		if e := &n.open[j]; e.start >= 0 && (e.foreign && holdsHTML[e.element] || !e.foreign && properties[e.element]&special != 0) {
			return j
		}
	}
	return len(n.open) - 1
}

// endForeign follows an end tag inside SVG or MathML (13.2.6.5) and reports whether it closes
// one of their elements.
func (n *nesting) endForeign(t *html.Token) bool {
	if !n.xml && (t.Element == html.P || t.Element == html.Br) {
		n.breakOut(t.Start)
		return false
	}
	for i := len(n.open) - 1; i >= 0 && n.open[i].foreign; i-- {
		if n.is(&n.open[i], t) {
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
		for i := range n.open {
			if e := &n.open[i]; e.fault == 0 && (e.foreign || properties[e.element]&implied == 0) {
				e.plain = false
				e.fault = n.add(fault{unclosed, e.start, -1, t.Start})
			}
		}
	}
	n.ended = true
	n.endedHTML = t.Element == html.HTML
}

// endHeading follows the end tag of a heading, which closes a heading of any level.
func (n *nesting) endHeading(t *html.Token) {
	for i := len(n.open) - 1; i >= 0; i-- {
		e := &n.open[i]
		p := properties[e.element]
		if e.foreign {
			continue
		}
		if p&heading != 0 {
			if e.element != t.Element {
				n.add(fault{mismatched, t.Start, e.start, -1})
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
	i := n.isOpen(html.Form)
	if !n.form || i < 0 {
		n.form = false
		n.stray(t)
		return
	}
	for n.top().element != html.Form && !n.top().foreign && properties[n.top().element]&implied != 0 {
		n.pop()
	}
	if i == len(n.open)-1 {
		n.endTop(t)
		return
	}
	if n.open[i].fault == 0 {
		n.add(fault{overlapping, t.Start, n.open[i].start, n.open[i+1].start})
	}
	n.remove(i)
	n.form = false
}

// inTable returns the index of the innermost open element with this number that is within the
// innermost table, or is that, -1 if there is none. A template is like a table.
func (n *nesting) inTable(e html.Element) int {
	if n.count[e] == 0 {
		return -1
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		o := &n.open[i]
		if o.foreign {
			continue
		}
		if o.element == e {
			return i
		}
		if e != html.Template && (o.element == html.Table || o.element == html.Template) {
			return -1
		}
	}
	return -1
}

// endFormattingTag follows the end tag of a formatting element, by the adoption agency
// algorithm (13.2.6.4.7).
func (n *nesting) endFormattingTag(t *html.Token) {
	i := n.isOpen(t.Element)
	if i < 0 {
		n.stray(t)
		return
	}
	if i == len(n.open)-1 {
		n.endTop(t)
		return
	}
	if e := &n.open[i]; e.fault == 0 {
		n.add(fault{overlapping, t.Start, e.start, n.open[i+1].start})
	}
	for _, e := range n.open[i+1:] {
		if e.foreign && holdsHTML[e.element] || !e.foreign && properties[e.element]&special != 0 {
			n.remove(i)
			return
		}
	}
	for last := len(n.open) - 1; last > i; last-- {
		e := n.open[last]
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
	for i := len(n.open) - 1; i >= 0; i-- {
		e := &n.open[i]
		if e.foreign {
			if holdsHTML[e.element] {
				break
			}
			continue
		}
		if n.is(e, t) {
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
	for i := range n.open {
		if e := &n.open[i]; e.fault == 0 && (e.foreign || properties[e.element]&implied == 0) {
			n.add(fault{unclosedAtEnd, e.start, -1, -1})
		}
	}
}
