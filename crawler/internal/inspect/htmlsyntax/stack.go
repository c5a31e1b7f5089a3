package htmlsyntax

import (
	"bytes"
	"slices"

	html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// maxDepth is the number of open elements that are followed. Trees in browsers are no deeper.
const maxDepth = 512

// stack are the open elements of a document, the innermost one last (13.2.4.2).
type stack struct {
	text  []byte
	open  []element
	count [256]int32 // open HTML elements by number
	// tooDeep is set if more than maxDepth elements were open at once.
	tooDeep bool
}

// element is an open element.
type element struct {
	element html.Element
	foreign bool // it belongs to SVG or MathML
	// plain elements of HTML can be closed without any other effect.
	plain   bool
	start   int // offset of the start tag, -1 if it is implied
	nameEnd int // offset of the end of its name
	fault   int // the number of the fault that reports it as unclosed, 0 if there is none
}

// push opens an element whose start tag begins at an offset, with the end of its name. foreign
// elements belong to SVG or MathML.
func (s *stack) push(e html.Element, start, nameEnd int, foreign bool) {
	n := len(s.open)
	if n == maxDepth {
		s.tooDeep = true
		return
	}
	if n == cap(s.open) {
		s.open = slices.Grow(s.open, 1)
	}
	s.open = s.open[:n+1]
	o := &s.open[n]
	o.element, o.foreign, o.plain = e, foreign, isPlain[e] && !foreign && start >= 0
	o.start, o.nameEnd, o.fault = start, nameEnd, 0
	if !foreign {
		s.count[e]++
	}
}

// pushImplied opens an element whose start tag was left out.
func (s *stack) pushImplied(e html.Element) { s.push(e, -1, -1, false) }

// remove takes an element from the stack and leaves those inside open.
func (s *stack) remove(i int) {
	if e := &s.open[i]; !e.foreign {
		s.count[e.element]--
	}
	s.open = append(s.open[:i], s.open[i+1:]...)
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
func (s *stack) top() *element {
	if len(s.open) == 0 {
		return nil
	}
	return &s.open[len(s.open)-1]
}

// isOpen returns the index of the innermost open HTML element with this number, -1 if a
// boundary, or one of the other elements, is around it.
func (s *stack) isOpen(e html.Element, others ...html.Element) int {
	if s.count[e] == 0 {
		return -1
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		o := &s.open[i]
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
func (s *stack) innermost(t *html.Token) int {
	if t.Element != html.Unknown && s.count[t.Element] == 0 && len(s.open) > 0 && !s.open[len(s.open)-1].foreign {
		return -1
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i].hasName(t, s.text) {
			return i
		}
	}
	return -1
}

// hasName reports whether an element has the name of a tag.
func (e *element) hasName(t *html.Token, text []byte) bool {
	if e.element != t.Element || e.element != html.Unknown {
		return e.element == t.Element
	}
	name := bytes.TrimPrefix(text[t.Start+len("<"):t.NameEnd], []byte("/"))
	return bytes.EqualFold(text[e.start+len("<"):e.nameEnd], name)
}

// inForeign reports whether the innermost open element belongs to SVG or MathML.
func (s *stack) inForeign() bool {
	return len(s.open) > 0 && s.open[len(s.open)-1].foreign
}

// tableIndex returns the index of the innermost open table or template, -1 if there is none.
func (s *stack) tableIndex() int {
	if s.count[html.Table]+s.count[html.Template] == 0 {
		return -1
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if e := &s.open[i]; !e.foreign && (e.element == html.Table || e.element == html.Template) {
			return i
		}
	}
	return -1
}

// inTable returns the index of the innermost open element with this number that is within the
// innermost table, or is that, -1 if there is none. A template is like a table.
func (s *stack) inTable(e html.Element) int {
	if s.count[e] == 0 {
		return -1
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		o := &s.open[i]
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

// wall returns the index of the special element inside the one with index i that its end tag
// does not reach through.
func (s *stack) wall(i int) int {
	for j := len(s.open) - 1; j > i; j-- {
		if e := &s.open[j]; e.start >= 0 && (e.foreign && holdsHTML[e.element] || !e.foreign && properties[e.element]&special != 0) {
			return j
		}
	}
	return len(s.open) - 1
}
