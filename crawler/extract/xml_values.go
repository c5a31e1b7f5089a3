package extract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// xmlSpace is a namespace that is known to a reader.
type xmlSpace uint8

const (
	spaceNone xmlSpace = iota
	spaceOther
	spaceXML
	spaceXLink
	spaceXInclude
	spaceXSLT
	spaceXHTML
	spaceSVG
	spaceAtom
	spaceMedia
	spaceContent
	spaceRelationships
)

var xmlSpaces = map[string]xmlSpace{
	"":                                         spaceNone,
	"http://www.w3.org/XML/1998/namespace":     spaceXML,
	"http://www.w3.org/1999/xlink":             spaceXLink,
	"http://www.w3.org/2001/XInclude":          spaceXInclude,
	"http://www.w3.org/1999/XSL/Transform":     spaceXSLT,
	"http://www.w3.org/1999/xhtml":             spaceXHTML,
	"http://www.w3.org/2000/svg":               spaceSVG,
	"http://www.w3.org/2005/Atom":              spaceAtom,
	"http://purl.org/atom/ns#":                 spaceAtom,
	"http://search.yahoo.com/mrss/":            spaceMedia,
	"http://search.yahoo.com/mrss":             spaceMedia,
	"http://purl.org/rss/1.0/modules/content/": spaceContent,
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": spaceRelationships,
	"http://purl.oclc.org/ooxml/officeDocument/relationships":             spaceRelationships,
}

// usualPrefixes are used where a namespace declaration is missing, or its value is an entity,
// as some drawing programs write it.
var usualPrefixes = map[string]xmlSpace{
	"xml": spaceXML, "xlink": spaceXLink, "xi": spaceXInclude, "atom": spaceAtom, "media": spaceMedia, "content": spaceContent, "xhtml": spaceXHTML,
}

// xmlNamespaces are the current namespace declarations.
type xmlNamespaces []xmlBinding

type xmlBinding struct {
	prefix string
	space  xmlSpace
}

// declare adds the declarations of a start tag.
func (n *xmlNamespaces) declare(attrs *xmlAttributes) {
	for i := range attrs.list {
		a := &attrs.list[i]
		prefix, named := strings.CutPrefix(a.name, "xmlns:")
		switch {
		case named:
		case a.name == "xmlns":
			prefix = ""
		default:
			continue
		}
		value := string(attrs.value(a).text)
		space, known := xmlSpaces[value]
		if !known {
			space = spaceOther
			if usual, ok := usualPrefixes[prefix]; ok && strings.HasPrefix(value, "&") {
				space = usual
			}
		}
		*n = append(*n, xmlBinding{prefix, space})
	}
}

// resolve returns the namespace for an element's prefix.
func (n xmlNamespaces) resolve(prefix []byte) xmlSpace {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i].prefix == string(prefix) {
			return n[i].space
		}
	}
	if len(prefix) == 0 {
		return spaceNone
	}
	if space, ok := usualPrefixes[string(prefix)]; ok {
		return space
	}
	return spaceOther
}

// attributeName splits an attribute's name. A name without a prefix has no namespace.
func (n xmlNamespaces) attributeName(name string) (xmlSpace, string) {
	prefix, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		return spaceNone, name
	}
	return n.resolve([]byte(prefix)), local
}

// xmlAttributes are the attributes of a start tag.
type xmlAttributes struct {
	list    []xmlAttribute
	source  *view // the text that contains them
	decoded view  // the last value returned
	buffer  []byte
}

type xmlAttribute struct {
	space xmlSpace
	name  string // without prefix once namespaces are resolved
	at    span
}

// maxXMLAttributes is the maximum number of attributes read of one start tag.
const maxXMLAttributes = 256

// read reads the attributes of the current tag.
func (x *xmlAttributes) read(t *xmlTokens) {
	x.list = x.list[:0]
	s, base := t.attributes()
	for len(x.list) < maxXMLAttributes {
		name, value, ok := s.next()
		if !ok {
			return
		}
		if name.end > name.start && name.end-name.start <= 4*longestKnown {
			x.list = append(x.list, xmlAttribute{name: string(s.tag[name.start:name.end]), at: span{base + value.start, base + value.end}})
		}
	}
}

// find returns the attribute with a name, or nil.
func (x *xmlAttributes) find(space xmlSpace, name string) *xmlAttribute {
	for i := range x.list {
		if a := &x.list[i]; a.space == space && a.name == name {
			return a
		}
	}
	return nil
}

// value returns the decoded value of an attribute. It is valid until the next call.
func (x *xmlAttributes) value(a *xmlAttribute) *view {
	v := &x.decoded
	raw := x.source.text[a.at.start:a.at.end]
	v.parent, v.base, v.marks, v.text = x.source, a.at.start, v.marks[:0], raw
	if needsUnescape(raw) {
		x.buffer, v.marks = unescape(x.buffer[:0], v.marks, raw, true)
		v.text = x.buffer
	}
	return v
}

// get returns the value of an attribute without a namespace, or "" if there is none.
func (x *xmlAttributes) get(name string) string {
	if a := x.find(spaceNone, name); a != nil {
		return string(x.value(a).text)
	}
	return ""
}

// attributeLink adds an attribute as a link. It returns nil if there is no such attribute.
func (r *xmlReader) attributeLink(space xmlSpace, name string, kind Kind, expect Expect) *Link {
	a := r.attrs.find(space, name)
	if a == nil {
		return nil
	}
	v := r.attrs.value(a)
	f := r.add(v, whole(v), nil)
	if f == nil {
		return nil
	}
	f.Kind, f.Expect, f.Attribute = kind, expect, name
	if space == spaceXLink {
		f.Attribute = "xlink:" + name
	}
	r.setElement(f)
	return f
}

// setElement sets the fields of a link that depend on the innermost element.
func (r *xmlReader) setElement(f *Link) {
	if n := len(r.stack); n > 0 {
		e := &r.stack[n-1]
		f.Element = e.written
		if e.base != "" {
			f.Base = r.keep([]byte(e.base))
		}
	}
}

// xmlCapture collects the text of an element.
type xmlCapture struct {
	depth int // of the element, 0 when no text is captured
	view
}

// maxCaptured is the maximum length of the text of an element, including HTML in feeds.
const maxCaptured = 16 << 20

// capture starts to collect the text of the innermost element, unless the text of an ancestor
// is being collected.
func (r *xmlReader) capture() {
	if r.captured.depth > 0 && r.captured.depth < len(r.stack) {
		return
	}
	r.captured.depth = len(r.stack)
	r.captured.view = view{text: r.captured.text[:0], marks: r.captured.marks[:0], parent: &r.src}
}

// capturing reports whether the text of the innermost element was collected.
func (r *xmlReader) capturing() bool { return r.captured.depth > 0 && r.captured.depth == len(r.stack) }

// captureText returns the collected text of the innermost element with white space collapsed.
func (r *xmlReader) captureText() string {
	if !r.capturing() {
		return ""
	}
	return string(trimFolded(foldSpace(nil, r.captured.text)))
}

func (r *xmlReader) text() {
	c := &r.captured
	at := r.tokens.text
	if c.depth == 0 || len(c.text) > maxCaptured || at.start == at.end || r.pieces != nil && len(c.text) > maxFieldCode {
		return
	}
	raw := r.src.text[at.start:at.end]
	c.marks = append(c.marks, mark{len(c.text), at.start})
	if r.tokens.literal {
		c.text = append(c.text, raw...)
		return
	}
	first := len(c.marks)
	c.text, c.marks = unescape(c.text, c.marks, raw, true)
	for i := first; i < len(c.marks); i++ {
		c.marks[i].src += at.start
	}
}

// textLink adds the collected text of the innermost element as a link.
func (r *xmlReader) textLink(kind Kind, expect Expect) *Link {
	v := &r.captured.view
	at := trimSpan(v.text, whole(v))
	if !r.capturing() || at.start == at.end {
		return nil
	}
	f := r.add(v, at, nil)
	if f != nil {
		f.Kind, f.Expect = kind, expect
		r.setElement(f)
	}
	return f
}

// lowerLocalName returns an element's local name as used in the tables.
func lowerLocalName(local []byte) string {
	return strings.ToLower(string(local[:min(len(local), longestKnown)]))
}

// joinBase combines a nested xml:base with the outer one. The result can be wrong only if
// both are relative and the outer one is not a plain path, because the document's own base is
// not known here.
func joinBase(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	if u, _, err := urinorm.ParseWeb(inner); err == nil {
		return u.String()
	}
	if u, _, err := urinorm.ParseWeb(outer); err == nil {
		if b, err := urinorm.NewBase(u, ""); err == nil {
			if joined, _, err := b.Resolve(inner); err == nil {
				return joined.String()
			}
		}
		return inner
	}
	if inner[0] == '/' {
		return inner
	}
	return outer[:strings.LastIndexByte(outer, '/')+1] + inner
}

// xmlIsland is XHTML or SVG inside another vocabulary. The HTML reader reads it.
type xmlIsland struct {
	start, depth int
	base         string
}

func (i *xmlIsland) open() bool { return i.depth > 0 }

func (i *xmlIsland) end(r *xmlReader, end int) {
	if r.tokens.end > end {
		end = r.tokens.end
	}
	if !r.want {
		return
	}
	first := len(r.links)
	r.readFragment(&view{text: r.src.text[i.start:end], parent: &r.src, base: i.start}, i.base, true)
	for n := first; r.templates && n < len(r.links); n++ {
		f := &r.links[n] // attribute value templates (XSLT 1.0, 7.6.2)
		f.Placeholder = f.Placeholder || strings.Contains(f.Ref, "{")
	}
}

// readFragment reads HTML inside another document.
func (r *xmlReader) readFragment(v *view, base string, isXML bool) {
	inner := newNestedReader(true, 1)
	inner.xml = isXML
	first := len(r.links)
	inner.begin(r.harvest, v)
	inner.read()
	if base == "" {
		return
	}
	at := r.keep([]byte(base))
	for i := first; i < len(r.links); i++ {
		if f := &r.links[i]; f.Base == "" {
			f.Base = at
		}
	}
}

// setMissingText sets the text of those links from first on that have none.
func (r *xmlReader) setMissingText(first int, title []byte) {
	if title = trimFolded(foldSpace(nil, title)); len(title) == 0 || first >= len(r.links) {
		return
	}
	at := r.keep(title)
	for i := first; i < len(r.links); i++ {
		if f := &r.links[i]; f.Text == "" {
			f.Text = at
		}
	}
}

// sortLinks sorts the links from first on by position.
func (r *xmlReader) sortLinks(first int) {
	slices.SortStableFunc(r.links[first:], func(a, b Link) int { return cmp.Compare(a.at, b.at) })
}
