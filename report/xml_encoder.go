package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// xmlEncoder writes XML 1.0 with one element a line, unless the element contains text. It
// holds at most a few kilobytes and the largest single string. It keeps the first error,
// which flush returns.
type xmlEncoder struct {
	w      io.Writer
	buf    []byte
	names  []string // names of the open elements
	inTag  bool     // the last start tag has no > yet
	inline bool     // the innermost element contains no element
	err    error
}

// xmlDeclaration is the first line of a document.
const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>`

func (x *xmlEncoder) declare() { x.buf = append(x.buf, xmlDeclaration...) }

// start opens an element. attributes are names and values in turn.
func (x *xmlEncoder) start(name string, attributes ...string) {
	x.closeTag()
	x.line()
	x.buf = append(append(x.buf, '<'), name...)
	for i := 0; i < len(attributes); i += 2 {
		x.attribute(attributes[i], attributes[i+1])
	}
	x.names = append(x.names, name)
	x.inTag, x.inline = true, true
}

// attribute adds an attribute to the start tag of the element that was opened last.
func (x *xmlEncoder) attribute(name, value string) {
	x.buf = append(append(append(x.buf, ' '), name...), `="`...)
	x.buf = appendXML(x.buf, value)
	x.buf = append(x.buf, '"')
}

func (x *xmlEncoder) text(s string) {
	if s == "" {
		return
	}
	x.closeTag()
	x.buf = appendXML(x.buf, s)
}

// end closes the innermost element.
func (x *xmlEncoder) end() {
	last := len(x.names) - 1
	name := x.names[last]
	x.names = x.names[:last]
	switch {
	case x.inTag:
		x.buf = append(x.buf, "/>"...)
	default:
		if !x.inline {
			x.line()
		}
		x.buf = append(append(append(x.buf, "</"...), name...), '>')
	}
	x.inTag, x.inline = false, false
	if len(x.buf) >= jsonBuffer {
		x.flush()
	}
}

// leaf writes an element that contains only text.
func (x *xmlEncoder) leaf(name, text string, attributes ...string) {
	x.start(name, attributes...)
	x.text(text)
	x.end()
}

// optional writes a leaf, unless text is empty.
func (x *xmlEncoder) optional(name, text string) {
	if text != "" {
		x.leaf(name, text)
	}
}

func (x *xmlEncoder) closeTag() {
	if x.inTag {
		x.buf = append(x.buf, '>')
		x.inTag = false
	}
}

func (x *xmlEncoder) line() {
	x.buf = append(x.buf, '\n')
	for range x.names {
		x.buf = append(x.buf, "  "...)
	}
}

func (x *xmlEncoder) newline() { x.buf = append(x.buf, '\n') }

// finish ends a document, whatever is still open.
func (x *xmlEncoder) finish() error {
	for len(x.names) > 0 {
		x.end()
	}
	x.newline()
	return x.flush()
}

func (x *xmlEncoder) flush() error {
	if x.err == nil && len(x.buf) > 0 {
		_, x.err = x.w.Write(x.buf)
	}
	x.buf = x.buf[:0]
	return x.err
}

// appendXML appends s as character data or as the value of an attribute (XML 1.0 sections
// 2.2 to 2.4). Unseen characters and commands for CI systems become character
// references. Characters that XML forbids are escaped, as in \u0000. A byte that is not
// UTF-8 becomes U+FFFD.
func appendXML(dst []byte, s string) []byte {
	start := 0
	for i := harmlessPrefix(s); i < len(s); i += harmlessPrefix(s[i:]) {
		c := s[i]
		if c >= ' ' && c < 0x7F && c != '<' && c != '>' && c != '&' && c != '"' && !(c == '#' && isCommand(s[i+1:])) {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && !unseen(s, i, r, size) && r != 0xFFFE && r != 0xFFFF {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r == utf8.RuneError:
			dst = append(dst, "\uFFFD"...)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, "&#%d;", r)
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

// given adds an attribute, unless its value is empty.
func (x *xmlEncoder) given(name, value string) {
	if value != "" {
		x.attribute(name, value)
	}
}

// count adds an attribute, unless n is 0.
func (x *xmlEncoder) count(name string, n int) {
	if n > 0 {
		x.attribute(name, strconv.Itoa(n))
	}
}

// flag adds an attribute, unless b is false.
func (x *xmlEncoder) flag(name string, b bool) {
	if b {
		x.attribute(name, "true")
	}
}

// comment writes an XML comment. It separates two adjacent hyphens, which a comment must
// not contain.
func (x *xmlEncoder) comment(s string) {
	x.closeTag()
	x.line()
	x.buf = append(x.buf, "<!-- "...)
	x.buf = append(x.buf, strings.ReplaceAll(strings.ReplaceAll(visible(s), "--", "- -"), "--", "- -")...)
	x.buf = append(x.buf, " -->"...)
}
