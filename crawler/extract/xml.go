package extract

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// xmlFormat is XML of any vocabulary. The root element determines the vocabulary. In an
// unknown one, only the general rules apply: XLink, XInclude, xml:base, xml:id, and embedded
// XHTML and SVG.
var xmlFormat = format{
	name: "xml",
	media: []string{"application/xml", "text/xml", "application/rss+xml", "application/x-rss+xml", "application/atom+xml", "application/rdf+xml",
		"text/x-opml", "text/x-opml+xml", "application/opml+xml", "image/svg+xml", "application/docbook+xml",
		"application/xslt+xml", "application/mathml+xml"},
	extensions: []string{"xml", "rss", "atom", "rdf", "opml", "svg", "xsl", "xslt", "dbk", "docbook"},
	sniff:      func(head []byte) bool { return bytes.HasPrefix(trimByteOrderMark(head), []byte("<?xml")) },
	charset:    xhtmlCharset,
	read:       readXML,
}

// xmlVocabulary is a vocabulary that is recognized by its root element.
type xmlVocabulary struct {
	roots []string // in lower case, without prefix
	// start and end are called for each element; nil means there is nothing to do.
	start, end func(*xmlReader, *xmlElement)
	// exclusive turns off the general rules, for the parts of archives.
	exclusive bool
}

// xmlVocabularies are the vocabularies by the name of their format.
var xmlVocabularies = map[string]*xmlVocabulary{
	"sitemap": &sitemapVocabulary, "rss": &rssVocabulary, "atom": &atomVocabulary, "opml": &opmlVocabulary,
}

// IsXML reports whether documents of a format, as returned by Readable, are written in XML.
func IsXML(format string) bool {
	switch format {
	case "xml", "xhtml", "sitemap", "rss", "atom", "opml", "svg":
		return true
	}
	return false
}

// xmlDialectFormat returns the format for XML with one of the given root elements.
func xmlDialectFormat(name string, media, extensions []string, roots ...string) format {
	return format{
		name: name, media: append(media, "application/xml", "text/xml"), extensions: append(extensions, "xml"),
		sniff:     func(head []byte) bool { return slices.Contains(roots, rootOf(head)) },
		mustSniff: true, charset: xhtmlCharset, read: readXML,
	}
}

var (
	sitemapFormat = xmlDialectFormat("sitemap", nil, nil, sitemapVocabulary.roots...)
	rssFormat     = xmlDialectFormat("rss", []string{"application/rss+xml", "application/x-rss+xml", "application/rdf+xml"}, []string{"rss", "rdf"}, rssVocabulary.roots...)
	atomFormat    = xmlDialectFormat("atom", []string{"application/atom+xml"}, []string{"atom"}, atomVocabulary.roots...)
	opmlFormat    = xmlDialectFormat("opml", []string{"text/x-opml", "text/x-opml+xml", "application/opml+xml"}, []string{"opml"}, opmlVocabulary.roots...)
	svgFormat     = xmlDialectFormat("svg", []string{"image/svg+xml"}, []string{"svg"}, "svg")
)

// rootOf returns the name of the root element, in lower case and without prefix. It returns
// "" if the root element is not within the first bytes or if they are not XML.
func rootOf(head []byte) string {
	head = trimByteOrderMark(head)
	if head = head[skipSpace(head, 0):]; len(head) == 0 || head[0] != '<' {
		return ""
	}
	t := xmlTokens{src: head}
	for {
		switch t.next() {
		case xmlEnd, xmlEndTag:
			return ""
		case xmlText:
			if len(trimSpace(head[t.text.start:t.text.end])) > 0 {
				return ""
			}
		case xmlStartTag:
			_, local := localName(head[t.name.start:t.name.end])
			return strings.ToLower(string(local))
		}
	}
}

// maxXMLNesting is the maximum depth to which elements may be nested.
const maxXMLNesting = 1000

// xmlReader reads an XML document in one pass over its tokens.
type xmlReader struct {
	*harvest
	in         *Input
	want       bool
	tokens     xmlTokens
	vocabulary *xmlVocabulary // nil if unknown
	stack      []xmlElement
	names      []byte // of the elements in stack, as written
	namespaces xmlNamespaces
	attrs      xmlAttributes // of the current start tag
	captured   xmlCapture
	island     xmlIsland
	rooted     bool // a root element was found
	templates  bool // an element of XSLT was found: braces in attributes hold expressions
	feed       feedState
	locations  int // of a sitemap
}

// xmlElement is an open element.
type xmlElement struct {
	name     string // without prefix, in lower case
	written  string // with prefix, in lower case, as in a Link
	space    xmlSpace
	base     string // current xml:base, "" if none
	source   span   // of the name in xmlReader.names, to match the end tag
	bindings int    // number of namespace bindings outside the element
	link     int    // the link that gets its text, -1 if none
	html     bool   // its text is HTML
}

func readXML(h *harvest, in *Input) {
	r := &xmlReader{harvest: h, in: in, want: !in.AnchorsOnly}
	h.doc.Static = true
	r.read()
}

func (r *xmlReader) read() {
	h := r.harvest
	r.tokens.reset(h.src.text)
	r.attrs.source = &h.src
	for {
		switch r.next() {
		case xmlEnd:
			switch {
			case r.tokens.fault != "":
				h.fault("read XML: %s", r.tokens.fault)
			case len(r.stack) > 0 || !r.rooted && !declaresOnly(h.src.text):
				h.fault("read XML: unexpected end of document")
			}
			for len(r.stack) > 0 {
				r.close(len(h.src.text))
			}
			return
		case xmlInstruction:
			r.instruction()
		case xmlText:
			r.text()
		case xmlStartTag:
			if len(r.stack) == 0 && r.root() {
				return
			}
			r.rooted = true
			if len(r.stack) == maxXMLNesting {
				h.fault("read XML: elements are nested deeper than %d", maxXMLNesting)
				return
			}
			r.startTag()
		case xmlEndTag:
			r.endTag()
		}
	}
}

// next returns the next event. If the document is read in pieces, it drops what precedes the
// event and reads on until the event is complete; only text comes in parts.
func (r *xmlReader) next() xmlEvent {
	t := &r.tokens
	if r.pieces == nil {
		return t.next()
	}
	for {
		start := t.pos
		e := t.next()
		if t.pos < len(t.src) {
			return e
		}
		if e == xmlText && !t.literal {
			if cut := withoutPartialReference(t.src[start:]); cut >= xmlPieceSize/2 {
				t.pos = start + cut
				t.end, t.text.end = t.pos, t.pos
				return e
			}
		}
		if len(t.src)-start > maxXMLToken {
			t.fault = fmt.Sprintf("a tag or a comment is longer than %d bytes; the rest is ignored", maxXMLToken)
			return xmlEnd
		}
		text, more := r.more(start)
		if !more {
			return e
		}
		t.reset(text)
	}
}

// withoutPartialReference returns the length of a text without a character reference at its
// end that may continue.
func withoutPartialReference(text []byte) int {
	const longest = 64
	if i := bytes.LastIndexByte(text[max(0, len(text)-longest):], '&'); i >= 0 {
		return max(0, len(text)-longest) + i
	}
	return len(text)
}

// maxXMLName is the number of bytes of a name that count.
const maxXMLName = 1000

// tagName returns the name of the current tag.
func (t *xmlTokens) tagName() []byte {
	return t.src[t.name.start:min(t.name.end, t.name.start+maxXMLName)]
}

// declaresOnly reports whether XML without an element is nevertheless complete, because it
// contains declarations of a document type that other documents refer to (XML 1.0 section
// 2.8, extSubset).
func declaresOnly(text []byte) bool {
	if bytes.Contains(text, []byte("<!DOCTYPE")) {
		return false
	}
	for _, declaration := range []string{"<!ELEMENT", "<!ATTLIST", "<!ENTITY", "<!NOTATION"} {
		if bytes.Contains(text, []byte(declaration)) {
			return true
		}
	}
	return false
}

// root handles the root element. It returns true if it has read the document with the HTML
// reader, as for XHTML and SVG.
func (r *xmlReader) root() bool {
	if r.vocabulary != nil && r.vocabulary.exclusive {
		return false
	}
	_, local := localName(r.src.text[r.tokens.name.start:r.tokens.name.end])
	name := strings.ToLower(string(local))
	prefixed := len(local) < r.tokens.name.end-r.tokens.name.start
	if (name == "html" || name == "svg") && !prefixed {
		r.doc.Format = name
		if string(local) == "html" {
			readXHTML(r.harvest, r.in, asXML)
		} else {
			readHTML(r.harvest, r.in, asXML)
		}
		return true
	}
	r.doc.Format = "xml"
	for format, v := range xmlVocabularies {
		if slices.Contains(v.roots, name) {
			r.doc.Format, r.vocabulary = format, v
		}
	}
	return false
}

// instruction reads <?xml-stylesheet href="…" type="…"?> (Associating Style
// Sheets with XML documents 1.0).
func (r *xmlReader) instruction() {
	if string(r.src.text[r.tokens.name.start:r.tokens.name.end]) != "xml-stylesheet" || !r.want {
		return
	}
	r.attrs.read(&r.tokens)
	kind, expect := Resource, ExpectAny
	if t := r.attrs.get("type"); t == "" || strings.EqualFold(t, "text/css") {
		kind, expect = Stylesheet, ExpectStyle
	}
	if f := r.attributeLink(spaceNone, "href", kind, expect); f != nil {
		f.Element = "xml-stylesheet"
		f.SameDocument = strings.HasPrefix(f.Ref, "#")
	}
}

func (r *xmlReader) startTag() {
	r.attrs.read(&r.tokens)
	e := r.open()
	r.stack = append(r.stack, e)
	at := &r.stack[len(r.stack)-1]
	r.templates = r.templates || at.space == spaceXSLT
	whole := r.vocabulary != nil && r.vocabulary.exclusive
	if r.island.open() {
		r.island.depth++
	} else if whole {
	} else if at.space == spaceXHTML || at.space == spaceSVG {
		if r.vocabulary == nil || r.vocabulary.start == nil || at.name != "link" {
			r.island = xmlIsland{start: r.tokens.start, depth: 1, base: at.base}
		}
	}
	if r.vocabulary == nil {
		r.ids()
	}
	if r.want && !r.island.open() {
		if !whole {
			r.generalLinks(at)
		}
		if r.vocabulary != nil && r.vocabulary.start != nil {
			r.vocabulary.start(r, at)
		}
	}
	if r.tokens.selfClosing {
		r.close(r.tokens.end)
	}
}

// open returns the element of the current start tag.
func (r *xmlReader) open() xmlElement {
	name := r.tokens.tagName()
	e := xmlElement{bindings: len(r.namespaces), source: span{len(r.names), len(r.names) + len(name)}, link: -1}
	r.names = append(r.names, name...)
	if n := len(r.stack); n > 0 {
		e.base = r.stack[n-1].base
	}
	r.namespaces.declare(&r.attrs)
	prefix, local := localName(name)
	e.space = r.namespaces.resolve(prefix)
	e.name = lowerLocalName(local)
	e.written = e.name
	if len(prefix) > 0 {
		e.written = strings.ToLower(string(prefix)) + ":" + e.name
	}
	for i := range r.attrs.list {
		a := &r.attrs.list[i]
		a.space, a.name = r.namespaces.attributeName(a.name)
		if a.space == spaceXML && a.name == "base" {
			e.base = joinBase(e.base, string(trimSpace(r.attrs.value(a).text)))
		}
	}
	return e
}

func (r *xmlReader) endTag() {
	name := r.tokens.tagName()
	for i := len(r.stack) - 1; i >= 0; i-- {
		if s := r.stack[i].source; bytes.Equal(r.names[s.start:s.end], name) {
			if i < len(r.stack)-1 {
				r.fault("read XML: not all elements are closed")
			}
			for len(r.stack) > i {
				r.close(r.tokens.start)
			}
			return
		}
	}
	r.fault("read XML: an end tag has no start tag")
}

// close closes the innermost element, whose content ends at the offset end.
func (r *xmlReader) close(end int) {
	e := &r.stack[len(r.stack)-1]
	if r.island.open() {
		if r.island.depth--; r.island.depth == 0 {
			r.island.end(r, end)
		}
	} else if r.want && r.vocabulary != nil && r.vocabulary.end != nil {
		r.vocabulary.end(r, e)
	}
	if r.captured.depth == len(r.stack) {
		if e.link >= 0 && e.link < len(r.links) {
			if text := trimFolded(foldSpace(nil, r.captured.text)); len(text) > 0 {
				r.links[e.link].Text = r.keep(text)
			}
		}
		r.captured.depth = 0
	}
	r.namespaces = r.namespaces[:e.bindings]
	r.names = r.names[:e.source.start]
	r.stack = r.stack[:len(r.stack)-1]
}

// parent returns the name of the parent of the innermost element.
func (r *xmlReader) parent() string {
	if n := len(r.stack); n > 1 {
		return r.stack[n-2].name
	}
	return ""
}

// generalLinks reads links that have the same meaning in every vocabulary.
func (r *xmlReader) generalLinks(e *xmlElement) {
	kind := Navigation
	if show := r.attrs.find(spaceXLink, "show"); show != nil && string(r.attrs.value(show).text) == "embed" {
		kind = Resource
	}
	f := r.attributeLink(spaceXLink, "href", kind, ExpectAny)
	switch {
	case f != nil:
	case e.space == spaceXInclude && e.name == "include", e.space == spaceXSLT && (e.name == "include" || e.name == "import"):
		f = r.attributeLink(spaceNone, "href", Resource, ExpectAny)
	case r.vocabulary == nil && e.name == "ulink": // DocBook 4
		f = r.attributeLink(spaceNone, "url", Navigation, ExpectAny)
	}
	if f != nil {
		f.SameDocument = strings.HasPrefix(f.Ref, "#")
		r.capture()
		e.link = len(r.links) - 1
	}
}

// ids adds anchors: xml:id, and id, which most vocabularies declare as an ID.
func (r *xmlReader) ids() {
	for i := range r.attrs.list {
		a := &r.attrs.list[i]
		if (a.space == spaceXML || a.space == spaceNone) && a.name == "id" {
			r.id(r.attrs.value(a).text, a.at.start)
		}
	}
}
