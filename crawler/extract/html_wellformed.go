package extract

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"maps"
	"strings"
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
		l.Kind, l.Element, l.Text, l.Flaw = Metadata, "html", f.cause[:min(len(f.cause), MaxText)], FlawMalformed
	}
}

// firstXMLFault returns the first fault of an XHTML document, which is in UTF-8 here whatever its
// declaration says. It does not look for prefixes of namespaces that are not declared. Of SVG, it
// only tells whether it ended; a piece of a page has no faults.
func firstXMLFault(text []byte) xmlFault {
	skipped := 0
	if declared := bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")); bytes.HasPrefix(declared, []byte("<?xml ")) {
		skipped = len(text) - len(declared) + max(0, bytes.Index(declared, []byte("?>")))
	}
	d := xml.NewDecoder(bytes.NewReader(text[skipped:]))
	root := ""
	for depth, roots := 0, 0; ; {
		start := skipped + int(d.InputOffset())
		token, err := d.Token()
		end := skipped + int(d.InputOffset())
		switch token := token.(type) {
		case nil:
			var syntax *xml.SyntaxError
			ended := errors.As(err, &syntax) && syntax.Msg == "unexpected EOF"
			if syntax == nil || root != "html" && !(root == "svg" && ended) {
				return xmlFault{}
			}
			return xmlFault{cause: syntax.Msg, ended: ended, at: faultAt(text, start, end, syntax.Msg)}
		case xml.Directive:
			d.Entity = entitiesOf(token)
		case xml.StartElement:
			if depth == 0 {
				root = cmp.Or(root, token.Name.Local)
				roots++
			}
			if depth++; roots > 1 {
				return xmlFault{cause: "a second root element", at: faultAt(text, start, end, "")}
			}
			if name := repeatedAttribute(token.Attr); name != "" {
				return xmlFault{cause: "the attribute " + name + " is repeated", at: faultAt(text, start, end, "")}
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && roots > 0 && len(trimSpace(token)) > 0 {
				return xmlFault{cause: "text after the root element", at: faultAt(text, start, end, "")}
			}
		}
	}
}

// faultAt returns the source text of a fault in the token from start to end: the beginning of a tag,
// and in text the last character reference, or the last character.
func faultAt(text []byte, start, end int, cause string) span {
	if start < len(text) && text[start] == '<' {
		end = len(text) // the decoder may have stopped inside of the tag
		if n := bytes.IndexByte(text[start:], '>'); n >= 0 {
			end = start + n + 1
		}
	} else if start < end {
		_, size := utf8.DecodeLastRune(text[start:end])
		last := end - size
		if strings.Contains(cause, "entity") {
			last = start + max(0, bytes.LastIndexByte(text[start:end], '&'))
		}
		start = last
	}
	end = min(end, start+maxFaultText)
	if line := bytes.IndexAny(text[start:end], "\r\n"); line > 0 {
		end = start + line
	}
	for end > start && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return span{start, end}
}

// repeatedAttribute returns the name of an attribute that a tag has twice, or "" (XML 1.0 section
// 3.1, Unique Att Spec).
func repeatedAttribute(attributes []xml.Attr) string {
	if len(attributes) < 2 {
		return ""
	}
	seen := make(map[xml.Name]bool, len(attributes))
	for _, a := range attributes {
		if seen[a.Name] {
			return a.Name.Local
		}
		seen[a.Name] = true
	}
	return ""
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
