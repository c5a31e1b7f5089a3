package extract

import (
	"bytes"
	"strings"
)

// A file of HTML or XML may be a template, of which pages are made, as the layouts of a
// site's generator are. What stands in the braces of its links is then for the generator
// to fill in. A page that was made, and still has {{ url }} in a link, is another matter:
// no reader can follow that. The two are told apart by the statements of a template,
// which no page shows that was made of one, unless as code.

// HoldsTemplate reports whether a part of a reference is for a template to fill in:
// {{ url }} of Go, Jinja, Liquid, Handlebars and others, {% url %}, <%= url %> or
// <?= url ?>; or the %q of a format, which is no percent-encoding. What begins there may
// end behind the reference, where quotes stand in it.
func HoldsTemplate(ref string) bool {
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

// IsTemplate reports whether a document, of a format as Readable names it, is HTML or XML
// and a template: whether it does not begin as a page does, which front matter and parts
// of pages don't, or holds a statement of a template language outside of what it shows as
// code. It takes time in proportion to the document's length.
func IsTemplate(format string, doc []byte) bool {
	if format != "html" && !IsXML(format) {
		return false
	}
	if !beginsPage(doc) {
		return true
	}
	code := 0 // elements whose content is shown or run as it is, one in another
	for {
		at := bytes.IndexAny(doc, "<{")
		if at < 0 {
			return false
		}
		inValue := at > 0 && bytes.IndexByte([]byte(`"'=/`), doc[at-1]) >= 0 // it may be what was forgotten
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

// beginsPage reports whether a document begins with a document type, an html element or
// an XML declaration.
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
	var buffer [16]byte
	begin := appendLower(buffer[:0], doc[:min(len(doc), len("<!doctype"))])
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) || bytes.HasPrefix(begin, []byte("<?xml"))
}

// beginsStatement reports whether a statement of a template language begins a text: what
// writes nothing by itself, or could not stand in a page.
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
		return len(b) > 0 && b[0] == '$' // a variable of Go's
	}
	return false
}

// isCodeTag reports whether a tag's name and what follows it are those of an element
// whose content no template language would have a part in.
func isCodeTag(b []byte) bool {
	end := 0
	for end < len(b) && end <= len("textarea") && isAlphanumeric(b[end]) {
		end++
	}
	var buffer [16]byte
	switch string(appendLower(buffer[:0], b[:end])) {
	case "pre", "code", "samp", "script", "style", "textarea", "xmp":
		return true
	}
	return false
}
