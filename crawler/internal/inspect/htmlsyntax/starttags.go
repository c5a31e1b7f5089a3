package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// startTag follows a start tag (13.2.6.4.7 for most).
func (n *nesting) startTag(t *html.Token) {
	if t.Foreign || n.xml {
		if !t.SelfClosing {
			n.stack.push(t.Element, t.Start, t.NameEnd, true)
		}
		return
	}
	p := properties[t.Element]
	if n.phase != inBody && p&metadata == 0 {
		n.beginBody()
	}
	if len(n.stack.open) > 0 && n.stack.open[len(n.stack.open)-1].foreign {
		n.breakOut(t.Start)
	}
	if t.SelfClosing && p&void == 0 {
		n.faults.add(fault{trailingSolidus, t.Start, -1, -1})
	}
	if p&closesP != 0 && n.stack.count[html.P] > 0 {
		n.closeParagraph(t.Start)
	}
	if p&rules != 0 && !n.prepare(t) || p&void != 0 {
		return
	}
	n.stack.push(t.Element, t.Start, t.NameEnd, false)
	if t.SelfClosing {
		n.stack.open[len(n.stack.open)-1].fault = reported
	}
}

// beginBody ends the head, whose end tag was left out, if nothing else is open.
func (n *nesting) beginBody() {
	switch top := n.stack.top(); {
	case top == nil || top.element == html.HTML:
		n.phase = inBody
	case top.element == html.Head:
		n.pop()
		n.phase = inBody
	}
}

// prepare closes what a start tag with rules of its own closes, and reports whether it opens
// an element.
func (n *nesting) prepare(t *html.Token) bool {
	switch t.Element {
	case html.A, html.Nobr:
		n.endFormatting(t)
	case html.Li:
		n.closeItem(t, html.Li, html.Li)
	case html.Dd, html.Dt:
		n.closeItem(t, html.Dd, html.Dt)
	case html.H1, html.H2, html.H3, html.H4, html.H5, html.H6:
		if top := n.stack.top(); top != nil && properties[top.element]&heading != 0 && !top.foreign {
			n.closeAbove(len(n.stack.open)-2, t.Start)
		}
	case html.Button, html.Select:
		if i := n.stack.isOpen(t.Element); i >= 0 {
			n.closeAbove(i-1, t.Start)
			return t.Element == html.Button
		}
	case html.Form:
		if n.form && n.stack.count[html.Template] == 0 {
			return false
		}
		n.form = true
		if top := n.stack.top(); top != nil && (top.element == html.Table || top.element == html.Tbody || top.element == html.Tr) {
			return false // it is not around the cells
		}
	case html.Option, html.Optgroup, html.Hr:
		n.endOptions(t)
	case html.Rb, html.Rtc, html.Rp, html.Rt:
		if n.stack.isOpen(html.Ruby) >= 0 {
			for top := n.stack.top(); properties[top.element]&implied != 0 && (top.element != html.Rtc || t.Element == html.Rb || t.Element == html.Rtc); top = n.stack.top() {
				n.pop()
			}
		}
	case html.Table:
		if !n.quirks && n.stack.count[html.P] > 0 {
			n.closeParagraph(t.Start)
		}
		if top := n.stack.top(); top != nil && (top.element == html.Table || top.element == html.Tbody || top.element == html.Thead || top.element == html.Tfoot || top.element == html.Tr) {
			n.closeAbove(n.stack.tableIndex()-1, t.Start)
		}
	case html.Caption, html.Colgroup, html.Col, html.Tbody, html.Thead, html.Tfoot, html.Tr, html.Td, html.Th:
		return n.prepareTable(t)
	case html.HTML:
		return n.stack.count[html.HTML] == 0 && n.phase == inHead && len(n.stack.open) == 0
	case html.Head:
		return n.stack.count[html.Head] == 0 && n.phase == inHead
	case html.Body:
		return n.stack.count[html.Body] == 0
	}
	return true
}

// endOptions closes the option, and in a select the group of options, that a start tag ends.
func (n *nesting) endOptions(t *html.Token) {
	inSelect := n.stack.isOpen(html.Select) >= 0
	if top := n.stack.top(); top != nil && top.element == html.Option && (inSelect || t.Element != html.Hr) {
		n.pop()
	}
	if top := n.stack.top(); top != nil && top.element == html.Optgroup && inSelect && t.Element != html.Option {
		n.pop()
	}
}

// closeItem closes the open list item that an item with the same meaning ends.
func (n *nesting) closeItem(t *html.Token, one, other html.Element) {
	if n.stack.count[one]+n.stack.count[other] > 0 {
		for i := len(n.stack.open) - 1; i >= 0; i-- {
			e := &n.stack.open[i]
			if e.foreign {
				if holdsHTML[e.element] {
					break
				}
				continue
			}
			if e.element == one || e.element == other {
				n.close(i, t.Start)
				break
			}
			if properties[e.element]&special != 0 && e.element != html.Address && e.element != html.Div && e.element != html.P {
				break
			}
		}
	}
	if n.stack.count[html.P] > 0 {
		n.closeParagraph(t.Start)
	}
}

// endFormatting ends the open element that must not contain another one of its kind.
func (n *nesting) endFormatting(t *html.Token) {
	n.reopened.take(t, n.stack.text)
	if n.stack.count[t.Element] == 0 {
		return
	}
	for i := len(n.stack.open) - 1; i >= 0; i-- {
		e := n.stack.open[i]
		if e.foreign {
			continue
		}
		if properties[e.element]&marker != 0 {
			return
		}
		if e.element == t.Element {
			if e.fault == 0 {
				e.fault = n.faults.add(fault{unclosed, e.start, -1, t.Start})
			}
			n.stack.remove(i)
			n.closed.add(e, i, t.Start)
			return
		}
	}
}

// prepareTable closes and opens the parts of a table up to where that of a start tag belongs.
func (n *nesting) prepareTable(t *html.Token) bool {
	base := n.stack.tableIndex()
	if base < 0 {
		return false
	}
	inTable := n.stack.open[base].element == html.Table
	switch t.Element {
	case html.Col:
		if top := n.stack.top(); top.element != html.Colgroup {
			n.closeAbove(base, t.Start)
			if inTable {
				n.stack.pushImplied(html.Colgroup)
			}
		}
		return true
	case html.Caption, html.Colgroup, html.Tbody, html.Thead, html.Tfoot:
		n.closeAbove(base, t.Start)
		return true
	}
	section, row := base, -1
	for i := base + 1; i < len(n.stack.open); i++ {
		switch n.stack.open[i].element {
		case html.Tbody, html.Thead, html.Tfoot:
			section = i
		case html.Tr:
			row = i
		}
	}
	if t.Element != html.Tr && row >= 0 {
		n.closeAbove(row, t.Start)
		return true
	}
	n.closeAbove(section, t.Start)
	if section == base && inTable {
		n.stack.pushImplied(html.Tbody)
	}
	if t.Element != html.Tr && inTable {
		n.stack.pushImplied(html.Tr)
	}
	return true
}
