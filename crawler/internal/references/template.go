package references

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// A file of HTML or XML may be a template from which pages are generated, such as a layout of
// a static site generator. The generator then fills in the placeholders in its links. In a
// generated page, however, a link that still contains {{ url }} is broken. Templates are
// recognized by their statements, which generated pages contain only as code.

// holdsTemplate reports whether a template engine replaces a part of a reference: {{ url }}
// of Go, Jinja, Liquid, Handlebars and others, {% url %}, <%= url %> or <?= url ?>, or the
// verb %q of a format string, which is not percent-encoding. The placeholder may extend
// beyond the reference, if it contains quotes.
func holdsTemplate(ref string) bool {
	if strings.IndexByte(ref, '{') < 0 && strings.IndexByte(ref, '<') < 0 && strings.IndexByte(ref, '%') < 0 {
		return false
	}
	for i := 0; i+1 < len(ref); i++ {
		switch ref[i : i+2] {
		case "{{", "{%", "<%", "<?", "%q", "%s", "%v":
			return true
		}
	}
	return false
}

// isTemplate reports whether a document, whose format is as returned by Readable, is a
// template of HTML or XML: it does not start like a page, as front matter and fragments do
// not, or it contains a statement of a template language outside of code. The time is linear
// in the document's length.
func isTemplate(format string, doc []byte) bool {
	if format != "html" && !extract.IsXML(format) {
		return false
	}
	if !beginsPage(doc) {
		return true
	}
	code := 0 // nesting depth of elements whose content is literal or code
	for {
		at := bytes.IndexAny(doc, "<{")
		if at < 0 {
			return false
		}
		inValue := at > 0 && bytes.IndexByte([]byte(`"'=/`), doc[at-1]) >= 0 // it may be a placeholder left in a page
		doc = doc[at:]
		if code == 0 && !inValue && beginsStatement(doc) {
			return true
		}
		if doc[0] == '<' {
			if name, ok := bytes.CutPrefix(doc[1:], []byte("/")); ok {
				if isCodeTag(name) && code > 0 {
					code--
				}
			} else if isCodeTag(name) {
				code++
			}
		}
		doc = doc[1:]
	}
}

// beginsPage reports whether a document starts with a document type, an html element or an
// XML declaration.
func beginsPage(doc []byte) bool {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	for {
		doc = bytes.TrimLeft(doc, " \t\r\n\f")
		if !bytes.HasPrefix(doc, []byte("<!--")) {
			break
		}
		end := bytes.Index(doc, []byte("-->"))
		if end < 0 {
			return false
		}
		doc = doc[end+len("-->"):]
	}
	begin := bytes.ToLower(doc[:min(len(doc), len("<!doctype"))])
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) || bytes.HasPrefix(begin, []byte("<?xml"))
}

// beginsStatement reports whether a text starts with a statement of a template language: a
// construct that produces no output itself, or cannot occur in a page.
func beginsStatement(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	switch string(b[:2]) {
	case "{%":
		return true
	case "<%":
		return b[2] != '=' && b[2] != '-'
	case "<?":
		return bytes.HasPrefix(b, []byte("<?php"))
	case "{{":
		if bytes.IndexByte([]byte("#/>^!"), b[2]) >= 0 {
			return true
		}
		b = bytes.TrimLeft(bytes.TrimPrefix(b[2:], []byte("-")), " \t\r\n")
		end := 0
		for end < len(b) && (isAlphanumeric(b[end]) || b[end] == '_') {
			end++
		}
		switch string(b[:end]) {
		case "if", "else", "end", "range", "with", "define", "template", "block", "partial":
			return true
		}
		return len(b) > 0 && b[0] == '$' // a Go template variable
	}
	return false
}

// isCodeTag reports whether b starts with the name of an element whose content template
// languages do not process.
func isCodeTag(b []byte) bool {
	end := 0
	for end < len(b) && end <= len("textarea") && isAlphanumeric(b[end]) {
		end++
	}
	switch string(bytes.ToLower(b[:end])) {
	case "pre", "code", "samp", "script", "style", "textarea", "xmp":
		return true
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
