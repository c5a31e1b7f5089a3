package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// xmlText writes XML 1.0, an element a line unless it holds text. It keeps no more
// than a few kilobytes and the largest single string. The first error sticks and
// is returned by flush.
type xmlText struct {
	w      io.Writer
	buf    []byte
	names  []string // of the elements that are open
	inTag  bool     // the last start tag lacks its >
	inline bool     // the innermost element holds text or nothing
	err    error
}

// xmlDeclaration begins a document.
const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>`

func (x *xmlText) declare() { x.buf = append(x.buf, xmlDeclaration...) }

// start opens an element; attributes are names and values in turn.
func (x *xmlText) start(name string, attributes ...string) {
	x.closeTag()
	x.line()
	x.buf = append(append(x.buf, '<'), name...)
	for i := 0; i < len(attributes); i += 2 {
		x.attribute(attributes[i], attributes[i+1])
	}
	x.names = append(x.names, name)
	x.inTag, x.inline = true, true
}

// attribute adds to the start tag that was begun last.
func (x *xmlText) attribute(name, value string) {
	x.buf = append(append(append(x.buf, ' '), name...), `="`...)
	x.buf = appendXML(x.buf, value)
	x.buf = append(x.buf, '"')
}

func (x *xmlText) text(s string) {
	if s == "" {
		return
	}
	x.closeTag()
	x.buf = appendXML(x.buf, s)
}

// end closes the innermost element.
func (x *xmlText) end() {
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

// leaf is an element with text alone.
func (x *xmlText) leaf(name, text string, attributes ...string) {
	x.start(name, attributes...)
	x.text(text)
	x.end()
}

// optional is a leaf that is left out when it is empty.
func (x *xmlText) optional(name, text string) {
	if text != "" {
		x.leaf(name, text)
	}
}

func (x *xmlText) closeTag() {
	if x.inTag {
		x.buf = append(x.buf, '>')
		x.inTag = false
	}
}

func (x *xmlText) line() {
	x.buf = append(x.buf, '\n')
	for range x.names {
		x.buf = append(x.buf, "  "...)
	}
}

func (x *xmlText) newline() { x.buf = append(x.buf, '\n') }

func (x *xmlText) flush() error {
	if x.err == nil && len(x.buf) > 0 {
		_, x.err = x.w.Write(x.buf)
	}
	x.buf = x.buf[:0]
	return x.err
}

// appendXML appends s as character data or an attribute's value (XML 1.0 sections
// 2.2 to 2.4). What acts instead of being seen, and what a CI system would take for
// a command, becomes a character reference; what no XML document may hold is
// written out as in \u0000. A byte that is not UTF-8 becomes U+FFFD.
func appendXML(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7F && c != '<' && c != '>' && c != '&' && c != '"' && !(c == '#' && isCommand(s[i+1:])) {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && !unseen(r) && r != 0xFFFE && r != 0xFFFF {
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

// count is an attribute that is left out when it is 0, as JSON has it.
func (x *xmlText) count(name string, n int) {
	if n > 0 {
		x.attribute(name, strconv.Itoa(n))
	}
}

// flag is an attribute that is left out when it is false.
func (x *xmlText) flag(name string, b bool) {
	if b {
		x.attribute(name, "true")
	}
}

// comment writes an XML comment, in which two hyphens may not stand together.
func (x *xmlText) comment(s string) {
	x.closeTag()
	x.line()
	x.buf = append(x.buf, "<!-- "...)
	x.buf = append(x.buf, strings.ReplaceAll(strings.ReplaceAll(visible(s), "--", "- -"), "--", "- -")...)
	x.buf = append(x.buf, " -->"...)
}
