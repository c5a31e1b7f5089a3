package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// unseen is the outermost open element whose content a browser does not show at all: a
// template that is not a shadow tree, or noscript.
type unseen struct {
	open    bool
	element htmltoken.Element
	depth   int // open elements of the same name
}

// start follows a start tag and reports whether it is within the element or begins it.
func (u *unseen) start(t *htmltoken.Token) bool {
	if u.open {
		if t.Element == u.element {
			u.depth++
		}
		return true
	}
	if t.Foreign || t.Element != htmltoken.Noscript && (t.Element != htmltoken.Template || t.Attribute("shadowrootmode") != nil) {
		return false
	}
	*u = unseen{true, t.Element, 1}
	return true
}

// end follows an end tag and reports whether it is within the element or ends it.
func (u *unseen) end(t *htmltoken.Token) bool {
	if !u.open {
		return false
	}
	if t.Element == u.element {
		u.depth--
		u.open = u.depth > 0
	}
	return true
}

// region is an element that is hidden, with its content. Its end is found without a tree: by
// counting the elements in it that must have an end tag.
type region struct {
	open    bool
	element htmltoken.Element
	depth   int // open elements within the element, apart from those whose end tag is optional
}

// begin begins the region with the element of a start tag.
func (r *region) begin(t *htmltoken.Token) {
	if !r.open && !isVoid[t.Element] && !(t.Foreign && t.SelfClosing) {
		*r = region{open: true, element: t.Element}
	}
}

func (r *region) startTag(t *htmltoken.Token) {
	switch {
	case !r.open || isVoid[t.Element] || t.Foreign && t.SelfClosing:
	case r.depth == 0 && endsBefore(r.element, t.Element):
		r.open = false
	case !endIsOptional[t.Element]:
		r.depth++
	}
}

func (r *region) endTag(t *htmltoken.Token) {
	switch {
	case !r.open:
	case endIsOptional[t.Element]:
		if r.depth == 0 && (t.Element == r.element || tableLevel[t.Element] > tableLevel[r.element] && tableLevel[r.element] > 0) {
			r.open = false
		}
	case r.depth == 0: // the element itself, or the one around it
		r.open = false
	default:
		r.depth--
	}
}

// endsBefore reports whether an element whose end tag is left out ends where another begins.
func endsBefore(open, next htmltoken.Element) bool {
	switch open {
	case htmltoken.P:
		return closesParagraph[next] || endIsOptional[next]
	case htmltoken.Li, htmltoken.Optgroup:
		return next == open
	case htmltoken.Dt, htmltoken.Dd:
		return next == htmltoken.Dt || next == htmltoken.Dd
	case htmltoken.Option:
		return next == htmltoken.Option || next == htmltoken.Optgroup
	case htmltoken.Rt, htmltoken.Rp:
		return next == htmltoken.Rt || next == htmltoken.Rp
	}
	return tableLevel[open] > 0 && tableLevel[next] >= tableLevel[open]
}

// tableLevel orders the parts of a table from the smallest.
var tableLevel = [256]uint8{
	htmltoken.Td: 1, htmltoken.Th: 1, htmltoken.Tr: 2,
	htmltoken.Colgroup: 3, htmltoken.Caption: 3, htmltoken.Tbody: 3, htmltoken.Tfoot: 3, htmltoken.Thead: 3,
}

// globalBits are the bits of the attributes that globalAttributes looks at.
var globalBits = htmltoken.BitsOf("role", "style", "hidden", "tabindex", "aria-hidden")

// globalAttributes looks at the attributes of the start tag that any element may have, and
// reports whether they hide the element.
func (s *source) globalAttributes() (hides bool) {
	t := &s.z.Token
	for i := range t.Attributes {
		a := &t.Attributes[i]
		switch len(a.Name) {
		case len("role"):
			if string(a.Name) == "role" && (t.Element < htmltoken.H1 || t.Element > htmltoken.H6) && equalFold(s.z.Value(a), "heading") {
				s.headingLevel = levelOf(s.value("aria-level"))
			}
		case len("style"):
			if string(a.Name) == "style" {
				hides = hides || isDisplayNone(s.z.Value(a))
			}
		case len("hidden"):
			if string(a.Name) == "hidden" {
				hides = true
			}
		case len("tabindex"):
			if string(a.Name) == "tabindex" && !s.concealed {
				checkTabindex(s, a)
			}
		case len("aria-hidden"):
			if string(a.Name) == "aria-hidden" {
				hides = hides || bytes.EqualFold(s.z.Value(a), []byte("true"))
			}
		}
	}
	return hides
}

// isDisplayNone reports whether a style attribute takes the element out of the page.
func isDisplayNone(style []byte) bool {
	_, value, found := bytes.Cut(style, []byte("display"))
	if !found {
		return false
	}
	value = bytes.TrimLeft(value, " \t\n")
	value, found = bytes.CutPrefix(value, []byte(":"))
	return found && bytes.HasPrefix(bytes.TrimLeft(value, " \t\n"), []byte("none"))
}

// isVoid marks the elements without content.
var isVoid = [256]bool{
	htmltoken.Area: true, htmltoken.Base: true, htmltoken.Basefont: true, htmltoken.Bgsound: true, htmltoken.Br: true,
	htmltoken.Col: true, htmltoken.Embed: true, htmltoken.Frame: true, htmltoken.Hr: true, htmltoken.Image: true,
	htmltoken.Img: true, htmltoken.Input: true, htmltoken.Keygen: true, htmltoken.Link: true, htmltoken.Meta: true,
	htmltoken.Param: true, htmltoken.Source: true, htmltoken.Track: true, htmltoken.Wbr: true,
}

// endIsOptional marks the elements whose end tag may be left out (HTML Standard 13.1.2.4).
var endIsOptional = [256]bool{
	htmltoken.Body: true, htmltoken.Caption: true, htmltoken.Colgroup: true, htmltoken.Dd: true, htmltoken.Dt: true,
	htmltoken.Head: true, htmltoken.HTML: true, htmltoken.Li: true, htmltoken.Optgroup: true, htmltoken.Option: true,
	htmltoken.P: true, htmltoken.Rp: true, htmltoken.Rt: true, htmltoken.Tbody: true, htmltoken.Td: true,
	htmltoken.Tfoot: true, htmltoken.Th: true, htmltoken.Thead: true, htmltoken.Tr: true,
}

// closesParagraph marks the elements that end a paragraph by beginning (HTML Standard
// 13.1.2.4).
var closesParagraph = [256]bool{
	htmltoken.Address: true, htmltoken.Article: true, htmltoken.Aside: true, htmltoken.Blockquote: true, htmltoken.Center: true,
	htmltoken.Details: true, htmltoken.Dialog: true, htmltoken.Dir: true, htmltoken.Div: true, htmltoken.Dl: true,
	htmltoken.Fieldset: true, htmltoken.Figcaption: true, htmltoken.Figure: true, htmltoken.Footer: true, htmltoken.Form: true,
	htmltoken.H1: true, htmltoken.H2: true, htmltoken.H3: true, htmltoken.H4: true, htmltoken.H5: true, htmltoken.H6: true,
	htmltoken.Header: true, htmltoken.Hgroup: true, htmltoken.Main: true, htmltoken.Menu: true, htmltoken.Nav: true,
	htmltoken.Ol: true, htmltoken.Pre: true, htmltoken.Search: true, htmltoken.Section: true, htmltoken.Table: true, htmltoken.Ul: true,
}
