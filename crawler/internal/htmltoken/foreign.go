package htmltoken

import "bytes"

// Foreign tracks the open elements of SVG and MathML as far as they change how a document is
// split: whether CDATA sections count, and whether the content of title, style and script is
// markup. It follows the rules of 13.2.6.5, but has no tree of the HTML around.
type Foreign struct {
	open []foreignElement
	// cdata says that CDATA sections count: directly in SVG and MathML.
	cdata bool
	// around is nil until the end tag of an element of HTML is met in SVG or MathML.
	around *unclosed
}

// unclosed counts the elements of each kind that are not closed before an offset.
type unclosed struct {
	before int
	count  [256]int
}

// Depth returns the number of elements that are open.
func (f *Foreign) Depth() int { return len(f.open) }

// Leave closes the elements but for the outermost n.
func (f *Foreign) Leave(n int) {
	f.open = f.open[:min(n, len(f.open))]
	f.cdata = f.inside()
}

type foreignElement struct {
	element            Element
	key                uint64 // of the name
	nameStart, nameEnd int
	language           language
	// holdsHTML marks an integration point: its content is HTML.
	holdsHTML bool
}

type language uint8

const (
	inHTML language = iota
	inSVG
	inMath
)

// maxForeign is the number of open elements that are tracked. Trees in browsers are no deeper.
const maxForeign = 512

// inside reports whether the innermost open element is one of SVG or MathML that holds no
// HTML.
func (f *Foreign) inside() bool {
	n := len(f.open)
	return n > 0 && !f.open[n-1].holdsHTML
}

// tag follows a tag and reports whether it belongs to an element of SVG or MathML.
func (f *Foreign) tag(t *Token, text []byte) bool {
	if t.Kind == EndTag {
		foreign := len(f.open) > 0 && f.endTag(t, text)
		f.cdata = f.inside()
		return foreign
	}
	if f.cdata = f.startTag(t, text); f.cdata {
		f.cdata = f.inside() || !t.SelfClosing // an integration point is foreign itself
		return true
	}
	return false
}

func (f *Foreign) startTag(t *Token, text []byte) bool {
	in := f.languageOf(t)
	if in == inHTML {
		switch t.Element {
		case SVG:
			in = inSVG
		case Math:
			in = inMath
		default:
			return false
		}
	}
	if !t.SelfClosing && len(f.open) < maxForeign {
		nameStart := t.Start + len("<")
		f.open = append(f.open, foreignElement{t.Element, keyOf(t.Name), nameStart, t.NameEnd, in, holdsHTML(t, in, text)})
	}
	t.Math = in == inMath
	return true
}

// languageOf returns the language of the element of a start tag, HTML for svg and math. It
// closes the elements that an element of HTML breaks out of.
func (f *Foreign) languageOf(t *Token) language {
	if !f.inside() {
		if n := len(f.open); n > 0 && isMathText[f.open[n-1].element] && (t.Element == Mglyph || t.Element == Malignmark) {
			return f.open[n-1].language
		}
		return inHTML
	}
	if breaksOut[t.Element] || t.Element == Font && (t.Attribute("color") != nil || t.Attribute("face") != nil || t.Attribute("size") != nil) {
		f.breakOut()
		return inHTML
	}
	top := f.open[len(f.open)-1]
	if t.Element == SVG && top.element == AnnotationXML {
		return inHTML
	}
	return top.language
}

// breakOut closes all elements up to the nearest HTML.
func (f *Foreign) breakOut() {
	for f.inside() {
		f.open = f.open[:len(f.open)-1]
	}
}

// endTag closes what an end tag closes and reports whether that is an element of SVG or
// MathML. Which elements of HTML are open is known only by the tags before.
func (f *Foreign) endTag(t *Token, text []byte) bool {
	inside := f.inside()
	if inside && (t.Element == P || t.Element == Br) {
		f.breakOut()
		return false
	}
	key := keyOf(t.Name)
	through := t.Element == SVG || t.Element == Math || t.Element == ForeignObject || t.Element == Desc
	for i := len(f.open) - 1; i >= 0; i-- {
		e := f.open[i]
		if e.key == key && bytes.EqualFold(text[e.nameStart:e.nameEnd], text[t.Start+len("</"):t.NameEnd]) {
			f.open = f.open[:i]
			return true
		}
		if !through && e.holdsHTML {
			break // elements of HTML may be open within this one
		}
	}
	if inside && t.Element != Unknown && t.Element < AnnotationXML && !inBoth[t.Element] && f.isAround(t.Element, text[:t.Start]) {
		f.breakOut()
		return false
	}
	return inside
}

// isAround reports whether an element of HTML may be open, by the text before: the end tag of
// another one changes nothing.
func (f *Foreign) isAround(e Element, before []byte) bool {
	switch e {
	case HTML, Head, Body, Colgroup, Tbody, Tr: // may have no tags
		return true
	}
	if f.around == nil {
		f.around = &unclosed{}
	}
	f.around.readTo(before)
	return f.around.count[e] > 0
}

// readTo counts the tags of a text that it has not read yet.
func (n *unclosed) readTo(text []byte) {
	for n.before = indexFrom(text, n.before, '<'); n.before < len(text); n.before = indexFrom(text, n.before+1, '<') {
		tag, isEnd := bytes.CutPrefix(text[n.before+1:], []byte("/"))
		var name [16]byte // longer than that of any element
		end := 0
		for end < min(len(tag), len(name)) && isAlphanumeric(tag[end]) {
			name[end] = tag[end] | 0x20 // as in lower case; digits have this bit
			end++
		}
		if end == len(tag) || !isSpace(tag[end]) && tag[end] != '/' && tag[end] != '>' {
			continue
		}
		count := &n.count[elementOf(keyOf(name[:end]), name[:end])]
		switch {
		case !isEnd:
			*count++
		case *count > 0:
			*count--
		}
	}
}

// holdsHTML reports whether an element of SVG or MathML is an integration point.
func holdsHTML(t *Token, in language, text []byte) bool {
	switch {
	case in == inSVG:
		return t.Element == ForeignObject || t.Element == Desc || t.Element == Title
	case isMathText[t.Element]:
		return true
	case t.Element == AnnotationXML:
		if a := t.Attribute("encoding"); a != nil {
			encoding := text[a.ValueStart:a.ValueEnd]
			return bytes.EqualFold(encoding, []byte("text/html")) || bytes.EqualFold(encoding, []byte("application/xhtml+xml"))
		}
	}
	return false
}

// isMathText marks the MathML text integration points.
var isMathText = [256]bool{Mi: true, Mo: true, Mn: true, Ms: true, Mtext: true}

// inBoth marks elements of HTML that SVG or MathML have as well. The end tag of a link that is not
// open there closes one around.
var inBoth = [256]bool{Audio: true, Canvas: true, Font: true, Iframe: true, Link: true, Math: true, Script: true, Style: true, SVG: true, Title: true, Video: true}

// breaksOut marks the elements whose start tags end SVG and MathML (13.2.6.5).
var breaksOut = [256]bool{
	B: true, Big: true, Blockquote: true, Body: true, Br: true, Center: true, Code: true, Dd: true,
	Div: true, Dl: true, Dt: true, Em: true, Embed: true, H1: true, H2: true, H3: true, H4: true,
	H5: true, H6: true, Head: true, Hr: true, I: true, Img: true, Li: true, Listing: true,
	Menu: true, Meta: true, Nobr: true, Ol: true, P: true, Pre: true, Ruby: true, S: true,
	Small: true, Span: true, Strong: true, Strike: true, Sub: true, Sup: true, Table: true,
	Tt: true, U: true, Ul: true, Var: true,
}
