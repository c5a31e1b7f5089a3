package extract

import (
	"bytes"
	"unicode/utf8"
)

// A cssScanner finds the URLs of a style sheet or of a style attribute. It splits the text
// into tokens as CSS Syntax Level 3 section 4 does, because nothing less distinguishes a URL
// from a comment, a string or a name with escapes. Of the grammar above the tokens it tracks
// only what a URL needs: the function that a string is in, and the current at-rule.
type cssScanner struct {
	src []byte
	pos int
	// onPage is set if the style sheet is part of the page that it styles. Then a URL that is
	// only a fragment is a link. reset keeps it.
	onPage bool
	// value is the last URL or name that contained escapes, decoded.
	value []byte
	// functions has an entry for each open parenthesis: true if strings inside are URLs.
	functions []bool
	prelude   prelude
	fontFace  bool // in an @font-face rule
}

// prelude says what the first URL or string of the current at-rule means.
type prelude uint8

const (
	preludeNone    prelude = iota
	preludeImport          // the style sheet to import
	preludeNothing         // a name or pattern, up to ';' or '{': @namespace, @document
)

// cssURL is a URL of a style sheet. text is its value, valid until the next URL is read.
type cssURL struct {
	at       span
	text     []byte
	imported bool // by @import
	font     bool // by @font-face
}

// cssNesting is the maximum number of open parentheses tracked. Strings in deeper ones are
// not URLs.
const cssNesting = 1024

func (s *cssScanner) reset(src []byte) {
	s.src, s.pos, s.functions, s.prelude, s.fontFace = src, 0, s.functions[:0], preludeNone, false
}

// mayHoldURL reports whether a style sheet or a style attribute contains anything that can
// introduce a URL. Most do not, and need not be split into tokens.
func mayHoldURL(css []byte) bool {
	if bytes.IndexByte(css, '\\') >= 0 {
		return true // any name may be written with escapes
	}
	const rule = "import"
	for i := indexFrom(css, 0, '@') + 1; i < len(css); i = indexFrom(css, i, '@') + 1 {
		if len(css)-i > len(rule) && equalFold(css[i:i+len(rule)], rule) {
			return true
		}
	}
	for i := indexFrom(css, 0, '('); i < len(css); i = indexFrom(css, i+1, '(') {
		if name := css[max(0, i-len("url")):i]; equalFold(name, "url") || equalFold(name, "src") || equalFold(name, "set") { // image-set
			return true
		}
	}
	return false
}

// next returns the next URL. ok is false at the end.
func (s *cssScanner) next() (u cssURL, ok bool) {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '/' && s.peek(1) == '*':
			s.comment()
		case c == '"' || c == '\'':
			u, ok = s.string()
			if !ok {
				continue
			}
			if s.prelude == preludeImport {
				s.prelude = preludeNone
				u.imported = true
				return u, true
			}
			if n := len(s.functions); n > 0 && s.functions[n-1] && s.prelude == preludeNone {
				return u, true
			}
		case c == '@':
			s.pos++
			s.atRule()
		case c == '#':
			s.pos++
			s.name()
		case isDecimal(c) || (c == '.' || c == '+' || c == '-') && isDecimal(s.peek(1)) ||
			(c == '+' || c == '-') && s.peek(1) == '.' && isDecimal(s.peek(2)):
			s.number()
		case s.startsName():
			if u, ok = s.nameOrFunction(); ok {
				return u, true
			}
		case c == '(':
			s.pos++
			s.open(false)
		case c == ')':
			s.pos++
			if n := len(s.functions); n > 0 {
				s.functions = s.functions[:n-1]
			}
		case c == ';' || c == '{' || c == '}':
			s.pos++
			s.prelude = preludeNone
			s.functions = s.functions[:0]
			s.fontFace = s.fontFace && c != '}'
		default:
			s.pos++
		}
	}
	return cssURL{}, false
}

func (s *cssScanner) peek(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

func (s *cssScanner) comment() {
	n := bytes.Index(s.src[s.pos+2:], []byte("*/"))
	if n < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += 2 + n + 2
}

func (s *cssScanner) open(urls bool) {
	if len(s.functions) < cssNesting {
		s.functions = append(s.functions, urls)
	}
}

func (s *cssScanner) atRule() {
	if !s.startsName() {
		return
	}
	name := s.name()
	s.fontFace = equalFold(name, "font-face")
	switch {
	case equalFold(name, "import"):
		s.prelude = preludeImport
	case equalFold(name, "namespace"), equalFold(name, "document"), equalFold(name, "-moz-document"), equalFold(name, "charset"):
		s.prelude = preludeNothing
	default:
		s.prelude = preludeNone
	}
}

// nameOrFunction reads an identifier. If a parenthesis follows, it also notes what strings
// mean inside that function; url() is read completely.
func (s *cssScanner) nameOrFunction() (u cssURL, ok bool) {
	name := s.name()
	if s.peek(0) != '(' {
		return u, false
	}
	s.pos++
	switch {
	case equalFold(name, "url"):
		s.pos = skipSpace(s.src, s.pos)
		if c := s.peek(0); c == '"' || c == '\'' {
			return s.argument()
		}
		return s.unquoted()
	case equalFold(name, "src"):
		s.pos = skipSpace(s.src, s.pos)
		return s.argument()
	case equalFold(name, "image-set"), equalFold(name, "-webkit-image-set"):
		s.open(true)
	default:
		s.open(false)
	}
	return u, false
}

// argument reads the string of url("…") or src("…"). The modifiers after it and the closing
// parenthesis are left for next.
func (s *cssScanner) argument() (u cssURL, ok bool) {
	s.open(false)
	if c := s.peek(0); c != '"' && c != '\'' {
		return u, false // src(var(--x)): only known when the page is shown
	}
	if u, ok = s.string(); !ok {
		return u, false
	}
	return s.found(u)
}

// found applies the meaning of the current at-rule to a URL from url() or src().
func (s *cssScanner) found(u cssURL) (cssURL, bool) {
	if s.prelude == preludeNothing {
		return u, false
	}
	u.imported, u.font = s.prelude == preludeImport, s.fontFace
	s.prelude = preludeNone
	return u, true
}

// string reads a quoted string. ok is false if the string is empty or not closed on its line.
func (s *cssScanner) string() (u cssURL, ok bool) {
	quote := s.src[s.pos]
	s.pos++
	start, escaped := s.pos, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == quote:
			u.at = span{start, s.pos}
			u.text = s.src[start:s.pos]
			if escaped {
				u.text = s.decode(start, s.pos)
			}
			s.pos++
			return u, len(u.text) > 0
		case isNewline(c):
			return u, false
		case c == '\\' && s.pos+1 == len(s.src):
			s.src = s.src[:s.pos] // it escapes nothing
		case c == '\\':
			escaped = true
			s.skipEscape()
		default:
			escaped = escaped || c == 0
			s.pos++
		}
	}
	// The end of the sheet closes a string.
	u.at = span{start, s.pos}
	u.text = s.src[start:s.pos]
	if escaped {
		u.text = s.decode(start, s.pos)
	}
	return u, len(u.text) > 0
}

// unquoted reads the rest of an unquoted url() up to its parenthesis. A quote, a parenthesis
// or white space inside makes it a bad URL, which browsers do not load.
func (s *cssScanner) unquoted() (u cssURL, ok bool) {
	start, escaped := s.pos, false
	end := -1
	for end < 0 && s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ')':
			end = s.pos
		case isSpace(c):
			end = s.pos
			s.pos = skipSpace(s.src, s.pos)
			if s.pos < len(s.src) && s.src[s.pos] != ')' {
				s.badURL()
				return u, false
			}
		case c == '"', c == '\'', c == '(', c < ' ' && c != 0, c == 0x7F:
			s.badURL()
			return u, false
		case c == '\\':
			if isNewline(s.peek(1)) {
				s.badURL()
				return u, false
			}
			escaped = true
			s.skipEscape()
		default:
			escaped = escaped || c == 0
			s.pos++
		}
	}
	if end < 0 {
		end = len(s.src)
	}
	s.pos = min(s.pos+1, len(s.src))
	u.at = span{start, end}
	u.text = s.src[start:end]
	if escaped {
		u.text = s.decode(start, end)
	}
	if len(u.text) == 0 {
		return u, false
	}
	return s.found(u)
}

func (s *cssScanner) badURL() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		s.pos++
		if c == ')' {
			return
		}
		if c == '\\' && s.pos < len(s.src) {
			s.pos++
		}
	}
}

// startsName reports whether an identifier begins here.
func (s *cssScanner) startsName() bool {
	c := s.peek(0)
	if c == '-' {
		next := s.peek(1)
		return isNameStart(next) || next == '-' || next == '\\' && !isNewline(s.peek(2)) && s.pos+2 < len(s.src)
	}
	return isNameStart(c) || c == '\\' && !isNewline(s.peek(1)) && s.pos+1 < len(s.src)
}

// name reads an identifier. The result is valid until the next value is decoded.
func (s *cssScanner) name() []byte {
	start, escaped := s.pos, false
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if c == '\\' && s.pos+1 < len(s.src) && !isNewline(s.src[s.pos+1]) {
			escaped = true
			s.skipEscape()
			continue
		}
		if !isNameStart(c) && !isDecimal(c) && c != '-' {
			break
		}
		s.pos++
	}
	if escaped {
		return s.decode(start, s.pos)
	}
	return s.src[start:s.pos]
}

// number reads a number and its unit.
func (s *cssScanner) number() {
	s.pos++
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if !isDecimal(c) && (c != '.' || !isDecimal(s.peek(1))) {
			break
		}
		s.pos++
	}
	if s.startsName() {
		s.name()
	}
}

// skipEscape skips an escape: a hexadecimal one with the white space character that ends it,
// an escaped line break, or a backslash with the next character.
func (s *cssScanner) skipEscape() {
	s.pos++
	switch c := s.peek(0); {
	case isNewline(c):
		s.newline()
	case isHex(c):
		for i := 0; i < 6 && isHex(s.peek(0)); i++ {
			s.pos++
		}
		if isSpace(s.peek(0)) {
			s.newline()
		}
	default:
		s.pos = min(s.pos+1, len(s.src)) // the rest of a longer character contains no delimiter
	}
}

// decode stores src[start:end] in value, with its escapes decoded.
func (s *cssScanner) decode(start, end int) []byte {
	after := s.pos
	s.value = s.value[:0]
	for s.pos = start; s.pos < end; {
		switch c := s.src[s.pos]; c {
		case '\\':
			s.value = s.escape(s.value)
		case 0:
			s.value = append(s.value, "\uFFFD"...)
			s.pos++
		default:
			s.value = append(s.value, c)
			s.pos++
		}
	}
	s.pos = after
	return s.value
}

// escape reads an escape and appends the result: the code point for up to six hexadecimal
// digits and one white space character, nothing for an escaped line break, otherwise the next
// character. A NUL and the end of the sheet are read as U+FFFD.
func (s *cssScanner) escape(dst []byte) []byte {
	s.pos++
	c := s.peek(0)
	if c == 0 {
		s.pos = min(s.pos+1, len(s.src))
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	if isNewline(c) {
		s.newline()
		return dst
	}
	if !isHex(c) {
		_, n := utf8.DecodeRune(s.src[s.pos:])
		dst = append(dst, s.src[s.pos:s.pos+n]...)
		s.pos += n
		return dst
	}
	r := rune(0)
	for i := 0; i < 6 && s.pos < len(s.src) && isHex(s.src[s.pos]); i++ {
		r = r<<4 | rune(hexValue(s.src[s.pos]))
		s.pos++
	}
	if isSpace(s.peek(0)) {
		s.newline()
	}
	if r == 0 || r > utf8.MaxRune || 0xD800 <= r && r <= 0xDFFF {
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r)
}

// newline skips one white space character; CRLF counts as one.
func (s *cssScanner) newline() {
	if s.src[s.pos] == '\r' && s.peek(1) == '\n' {
		s.pos++
	}
	s.pos++
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

func isNameStart(c byte) bool { return isLetter(c) || c == '_' || c >= utf8.RuneSelf }
