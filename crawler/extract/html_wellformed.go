package extract

import (
	"bytes"
	"encoding/xml"
	"maps"
	"strconv"
	"unicode/utf8"
)

// An xmlFault is the first place where a document is not well-formed XML. Browsers show an error
// instead of the rest of the document, or of all of it.
type xmlFault struct {
	cause string // "" if there is none
	ended bool   // the document ends before its root element does
	at    span   // the source text at which the document goes wrong
}

// maxFaultText is the number of bytes of a faulty tag that are shown.
const maxFaultText = 60

// maxEntityName is the number of bytes of a declaration in which the name of an entity is found.
const maxEntityName = 1000

// report adds the fault to the links, unless the document only ends early.
func (f *xmlFault) report(h *harvest) {
	if f.ended {
		return
	}
	if l := h.add(&h.src, f.at, nil); l != nil {
		l.Kind, l.Element, l.Flaw = Metadata, "html", &Flaw{flawMalformed, f.cause[:min(len(f.cause), maxText)]}
	}
}

// firstXMLFault returns the first fault of an XHTML document, which is in UTF-8 here whatever its
// declaration says. It does not look for prefixes of namespaces that are not declared. Of SVG, it
// only tells whether it ended; a piece of a page has no faults.
func firstXMLFault(text []byte) xmlFault {
	c := xmlChecker{text: text, legal: firstIllegalXML(text)}
	if declared := bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")); bytes.HasPrefix(declared, []byte("<?xml ")) {
		c.at = len(text) - len(declared) + max(0, bytes.Index(declared, []byte("?>")))
	}
	cause := ""
	for cause == "" && c.at < c.legal {
		c.start = c.at
		if text[c.at] == '<' {
			cause = c.markup()
		} else {
			cause = c.characters()
		}
	}
	switch {
	case cause == "" && c.legal < len(text):
		_, size := utf8.DecodeRune(text[c.legal:])
		cause, c.start, c.at = "a character that XML does not have", c.legal, c.legal+size
	case cause == "" && len(c.open) > 0:
		cause = xmlEnded
	}
	ended := cause == xmlEnded
	if cause == "" || c.root != "html" && !(c.root == "svg" && ended) {
		return xmlFault{}
	}
	return xmlFault{cause: cause, ended: ended, at: c.place()}
}

// xmlEnded is the fault of a document that ends before its root element, or within a tag.
const xmlEnded = "unexpected end"

// An xmlChecker reads an XML document token by token (XML 1.0 section 2). Its methods return the fault of
// a token, "" if there is none.
type xmlChecker struct {
	text      []byte
	legal     int // the end of what can be read
	start, at int // of the token, and the end of what was read of it
	open      []span
	roots     int
	root      string // local name of the first root element
	entities  map[string]string
	names     [][]byte // the attributes of a tag
}

// firstIllegalXML returns where the first byte is that is no part of a character of XML (section 2.2).
func firstIllegalXML(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if size == 1 || r == 0xFFFE || r == 0xFFFF {
				return i
			}
			i += size - 1
		case b < ' ' && b != '\t' && b != '\n' && b != '\r':
			return i
		}
	}
	return len(text)
}

// rest returns what can be read from here on.
func (c *xmlChecker) rest() []byte { return c.text[c.at:c.legal] }

// after moves behind the next occurrence of a text and reports whether there is one.
func (c *xmlChecker) after(end string) bool {
	n := bytes.Index(c.rest(), []byte(end))
	if n < 0 {
		c.at = c.legal
		return false
	}
	c.at += n + len(end)
	return true
}

// characters reads text up to the next markup.
func (c *xmlChecker) characters() string {
	text := c.rest()
	if n := bytes.IndexByte(text, '<'); n >= 0 {
		text = text[:n]
	}
	if len(c.open) == 0 && c.roots > 0 && len(trimSpace(text)) > 0 {
		c.at += len(text)
		return "text after the root element"
	}
	if n := bytes.Index(text, []byte("]]>")); n >= 0 {
		c.at += n + len("]]>")
		return "unescaped ]]> not in CDATA section"
	}
	from := c.at
	c.at += len(text)
	return c.references(text, from)
}

// references checks the character references of a text that begins at from (section 4.1).
func (c *xmlChecker) references(text []byte, from int) string {
	for {
		n := bytes.IndexByte(text, '&')
		if n < 0 {
			return ""
		}
		text, from = text[n+1:], from+n+1
		size := 0
		for size < len(text) && (isXMLName(text[size]) || text[size] == '#' && size == 0) {
			size++
		}
		name := string(text[:min(size, maxFaultText)])
		switch {
		case size == len(text) || text[size] != ';':
			return c.reference(from, size, "invalid character entity &"+name+" (no semicolon)")
		case !c.isEntity(name):
			return c.reference(from, size+1, "invalid character entity &"+name+";")
		}
	}
}

// reference ends the token at a faulty reference in text.
func (c *xmlChecker) reference(from, size int, cause string) string {
	if c.text[c.start] != '<' {
		c.start, c.at = from-1, from+size
	}
	return cause
}

// isEntity reports whether a reference is to a character or to an entity that is declared.
func (c *xmlChecker) isEntity(name string) bool {
	if digits, ok := bytes.CutPrefix([]byte(name), []byte("#")); ok {
		base := 10
		if hex, ok := bytes.CutPrefix(digits, []byte("x")); ok {
			digits, base = hex, 16
		}
		n, err := strconv.ParseUint(string(digits), base, 32)
		character := utf8.AppendRune(nil, rune(min(n, utf8.MaxRune+1)))
		return err == nil && n <= utf8.MaxRune && (n < 0xD800 || n > 0xDFFF) && firstIllegalXML(character) == len(character)
	}
	switch name {
	case "amp", "lt", "gt", "quot", "apos":
		return true
	}
	_, ok := c.entities[name]
	return ok
}

// markup reads what begins with '<'.
func (c *xmlChecker) markup() string {
	for _, kind := range [...]struct{ begin, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if !bytes.HasPrefix(c.rest(), []byte(kind.begin)) {
			continue
		}
		c.at += len(kind.begin)
		if kind.begin == "<?" && len(c.name()) == 0 {
			return "expected target name after <?"
		}
		inside := c.at
		if !c.after(kind.end) {
			return xmlEnded
		}
		if comment := c.text[inside : c.at-1]; kind.begin == "<!--" && bytes.Index(comment, []byte("--")) != len(comment)-2 {
			return `invalid sequence "--" not allowed in comments`
		}
		return ""
	}
	switch {
	case bytes.HasPrefix(c.rest(), []byte("<!")):
		return c.doctype()
	case bytes.HasPrefix(c.rest(), []byte("</")):
		return c.endTag()
	}
	return c.startTag()
}

// doctype reads a document type with its internal subset (section 2.8).
func (c *xmlChecker) doctype() string {
	quote, depth := byte(0), 0
	for c.at++; c.at < c.legal; c.at++ {
		switch b := c.text[c.at]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case bytes.HasPrefix(c.rest(), []byte("<!--")):
			if !c.after("-->") {
				return xmlEnded
			}
			c.at--
		case b == '<':
			depth++
		case b == '>' && depth > 0:
			depth--
		case b == '>':
			c.at++
			c.entities = entitiesOf(c.text[c.start+2 : c.at-1])
			return ""
		}
	}
	return xmlEnded
}

// name reads a name, which is empty if there is none.
func (c *xmlChecker) name() []byte {
	from := c.at
	for c.at < c.legal && isXMLName(c.text[c.at]) {
		c.at++
	}
	name := c.text[from:c.at]
	if len(name) > 0 && (name[0] == '-' || name[0] == '.' || '0' <= name[0] && name[0] <= '9') {
		return nil
	}
	return name
}

// isXMLName reports whether a byte may be part of a name. All characters beyond ASCII may (section 2.3 leaves
// out few of them).
func isXMLName(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '_' || b == ':' || b == '-' || b == '.' || b >= utf8.RuneSelf
}

// space passes white space and reports whether there was any.
func (c *xmlChecker) space() bool {
	from := c.at
	for c.at < c.legal && (c.text[c.at] == ' ' || c.text[c.at] == '\n' || c.text[c.at] == '\t' || c.text[c.at] == '\r') {
		c.at++
	}
	return c.at > from
}

// accept passes a text and reports whether it is here.
func (c *xmlChecker) accept(text string) bool {
	ok := bytes.HasPrefix(c.rest(), []byte(text))
	if ok {
		c.at += len(text)
	}
	return ok
}

// or returns a fault, or that the document has ended.
func (c *xmlChecker) or(cause string) string {
	if c.at >= c.legal {
		return xmlEnded
	}
	return cause
}

func (c *xmlChecker) endTag() string {
	c.at += len("</")
	name := c.name()
	c.space()
	switch {
	case len(name) == 0:
		return c.or("expected element name after </")
	case !c.accept(">"):
		return c.or("invalid characters between </" + faultName(name) + " and >")
	case len(c.open) == 0:
		return "unexpected end element </" + faultName(name) + ">"
	}
	last := c.open[len(c.open)-1]
	if want := c.text[last.start:last.end]; !bytes.Equal(name, want) {
		return "element <" + faultName(want) + "> closed by </" + faultName(name) + ">"
	}
	c.open = c.open[:len(c.open)-1]
	return ""
}

// faultName returns a name as messages show it.
func faultName(name []byte) string { return string(name[:min(len(name), maxFaultText)]) }

func (c *xmlChecker) startTag() string {
	c.at++
	from := c.at
	name := c.name()
	if len(name) == 0 {
		return c.or("expected element name after <")
	}
	c.names = c.names[:0]
	for {
		spaced := c.space()
		if c.accept("/>") {
			return c.begun(name, span{})
		}
		if c.accept(">") {
			return c.begun(name, span{from, from + len(name)})
		}
		if !spaced {
			return c.or("expected white space before an attribute")
		}
		if cause := c.attribute(); cause != "" {
			return cause
		}
	}
}

// begun notes an element; open is the place of its name, the zero value if it is empty.
func (c *xmlChecker) begun(name []byte, open span) string {
	if len(c.open) == 0 {
		if c.roots++; c.roots > 1 {
			return "a second root element"
		}
		c.root = string(name[bytes.LastIndexByte(name, ':')+1:])
	}
	if open.end > 0 {
		c.open = append(c.open, open)
	}
	return ""
}

// attribute reads an attribute, which a tag has once (section 3.1).
func (c *xmlChecker) attribute() string {
	name := c.name()
	if len(name) == 0 {
		return c.or("expected attribute name in element")
	}
	c.space()
	if !c.accept("=") {
		return c.or("attribute name without = in element")
	}
	c.space()
	quote := c.rest()
	if !c.accept(`"`) && !c.accept("'") {
		return c.or("unquoted or missing attribute value in element")
	}
	from := c.at
	if !c.after(string(quote[:1])) {
		return xmlEnded
	}
	value := c.text[from : c.at-1]
	if n := bytes.IndexByte(value, '<'); n >= 0 {
		return "unescaped < inside quoted string"
	}
	if cause := c.references(value, from); cause != "" {
		return cause
	}
	for _, other := range c.names {
		if bytes.Equal(name, other) {
			return "the attribute " + faultName(name) + " is repeated"
		}
	}
	if len(c.names) < maxNamesOfTag {
		c.names = append(c.names, name)
	}
	return ""
}

// maxNamesOfTag is the number of attributes of a tag that are compared with each other.
const maxNamesOfTag = 100

// place returns the source text of a fault: the beginning of a tag, and in text its last character.
func (c *xmlChecker) place() span {
	start, end := c.start, c.at
	if start < len(c.text) && c.text[start] == '<' {
		end = len(c.text) // the fault may be inside of the tag
		if n := bytes.IndexByte(c.text[start:], '>'); n >= 0 {
			end = start + n + 1
		}
	} else if start < end && c.text[start] != '&' {
		_, size := utf8.DecodeLastRune(c.text[start:end])
		start = end - size
	}
	end = min(end, start+maxFaultText)
	if line := bytes.IndexAny(c.text[start:end], "\r\n"); line > 0 {
		end = start + line
	}
	for end > start+1 && end < len(c.text) && !utf8.RuneStart(c.text[end]) {
		end--
	}
	return span{start, end}
}

// entitiesOf returns the entities that a document type declares: those of HTML if it has a public
// identifier, as browsers do, and those of its internal subset.
func entitiesOf(doctype []byte) map[string]string {
	entities := map[string]string{}
	if bytes.Contains(doctype, []byte("PUBLIC")) {
		entities = xml.HTMLEntity
	}
	_, subset, declares := bytes.Cut(doctype, []byte{'['})
	if !declares {
		return entities
	}
	own := maps.Clone(entities)
	for declaration := range bytes.SplitSeq(subset, []byte("<!ENTITY")) {
		if fields := bytes.Fields(declaration[:min(len(declaration), maxEntityName)]); len(fields) > 0 {
			own[string(fields[0])] = ""
		}
	}
	return own
}
