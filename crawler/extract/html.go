package extract

import (
	"bytes"
	"strings"
)

var htmlFormat = format{
	name:       "html",
	media:      []string{"text/html"},
	extensions: []string{"html", "htm", "shtml"},
	sniff:      sniffHTML,
	charset:    htmlCharset,
	read:       func(h *harvest, in *Input) { readHTML(h, in, asHTML) },
}

// xhtmlFormat is XHTML, read by the rules of HTML with these exceptions: "/>" closes any
// element, names are in lower case, elements are in a namespace, and the default encoding is
// UTF-8.
var xhtmlFormat = format{
	name:       "html",
	media:      []string{"application/xhtml+xml", "application/vnd.wap.xhtml+xml"},
	extensions: []string{"xhtml", "xht"},
	sniff:      sniffXHTML,
	charset:    xhtmlCharset,
	read:       func(h *harvest, in *Input) { readXHTML(h, in, asXML) },
}

// xhtmlNamespace is the namespace of the elements of HTML in XML.
const xhtmlNamespace = "http://www.w3.org/1999/xhtml"

// readXHTML reads XHTML. If the html element is not in the namespace of XHTML, its elements
// mean nothing to a browser, and only the ids count. A piece of a document, which another
// document includes, needs no namespace and no end.
func readXHTML(h *harvest, in *Input, as syntax) {
	if name, namespace := rootElement(h.src.text); name == "html" && namespace != xhtmlNamespace {
		h.fault("read XHTML: the html element is not in the namespace %s, so browsers show no links", xhtmlNamespace)
		in = &Input{AnchorsOnly: true}
	}
	readHTML(h, in, as)
}

// rootElement returns the name of the first element of an XML document and the default
// namespace that it declares.
func rootElement(text []byte) (name, namespace string) {
	t := xmlTokens{src: text}
	for {
		switch t.next() {
		case xmlEnd, xmlEndTag:
			return "", ""
		case xmlStartTag:
			attrs := xmlAttributes{source: &view{text: text}}
			attrs.read(&t)
			return string(text[t.name.start:t.name.end]), attrs.get("xmlns")
		}
	}
}

// syntax is the syntax in which elements of HTML are written.
type syntax uint8

const (
	asHTML syntax = iota
	asXML         // XML that browsers show only if it is well-formed
	asBook        // XML of a book, whose readers make of it what they can
)

func readHTML(h *harvest, in *Input, as syntax) {
	xml := as != asHTML
	h.doc.Static = true
	h.repeats.reset()
	h.bare = h.bare && !xml
	r := htmlReaders.Get().(*htmlReader)
	r.attributes.want, r.xml = !in.AnchorsOnly, xml
	r.known.documents++
	r.begin(h, &h.src)
	if as == asXML {
		r.broken = firstXMLFault(h.src.text)
		r.tokens.slowPath = r.tokens.slowPath || r.broken.cause != ""
	}
	if in.Outline != nil && !xml && h.src.parent == nil {
		r.tokens.marks = in.Outline(h.src.text, h.doc.Charset)
	}
	r.read()
	if r.base.found {
		h.doc.Base = r.base.href
	}
	if r.broken.ended {
		h.fault("read XML: unexpected end of document")
	}
	marked := r.ignore.marked
	r.release()
	if !in.AnchorsOnly && h.input.Options.ReadsMarkup() {
		h.expandBareRepeats()
		readHTMLOptions(h, &h.input.Options)
	}
	if marked || !in.Select.IsZero() || !in.IgnoreSelect.IsZero() {
		h.expandBareRepeats()
		h.applySelectors(in)
	}
}

// htmlSignatures identify HTML by its first bytes (MIME Sniffing 7.1). A space or '>' must
// follow. Unlike in the standard, a line break may also follow, and a byte order mark may
// come first.
var htmlSignatures = []string{
	"<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A",
	"<STYLE", "<TITLE", "<B", "<BODY", "<BR", "<P", "<!--",
}

func sniffHTML(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	head = head[skipSpace(head, 0):]
	for _, signature := range htmlSignatures {
		n := len(signature)
		if len(head) > n && (isSpace(head[n]) || head[n] == '>') && strings.EqualFold(string(head[:n]), signature) {
			return true
		}
	}
	return false
}

func sniffXHTML(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	return bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("<html"))
}
