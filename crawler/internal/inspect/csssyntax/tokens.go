package csssyntax

import (
	"bytes"
	"unicode/utf8"
)

// class is the kind of token that a byte begins.
type class uint8

const (
	other class = iota
	space
	nameStart
	digit
	quote
	sign   // + -
	dot    // .
	hash   // #
	at     // @
	slash  // /
	escape // \
	less   // <
	openParenthesis
	openSquare
	openBrace
	closeBracket // ) ]
	closeBrace
	colon
	semicolon
	bang
)

var classes = func() (t [256]class) {
	for b := range t {
		if b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b >= utf8.RuneSelf {
			t[b] = nameStart
		}
		if '0' <= b && b <= '9' {
			t[b] = digit
		}
	}
	for b, c := range map[byte]class{
		' ': space, '\t': space, '\n': space, '\r': space, '\f': space,
		'"': quote, '\'': quote, '+': sign, '-': sign, '.': dot, '#': hash, '@': at,
		'/': slash, '\\': escape, '<': less, ':': colon, ';': semicolon, '!': bang,
		'(': openParenthesis, '[': openSquare, '{': openBrace, '}': closeBrace, ')': closeBracket, ']': closeBracket,
	} {
		t[b] = c
	}
	return t
}()

// inName says which bytes continue a name, besides escapes.
var inName = func() (t [256]bool) {
	for b := range t {
		t[b] = classes[b] == nameStart || classes[b] == digit || b == '-'
	}
	return t
}()

// read reads the text to its end, token by token.
func (c *Checker) read() {
	src := c.src
	for c.pos < len(src) {
		start := c.pos
		switch classes[src[start]] {
		case space:
			c.pos++
		case nameStart:
			c.name()
		case digit:
			c.number()
		case sign, dot:
			switch {
			case startsNumber(src, start):
				c.number()
			case isMark(src[start:], "-->"):
				c.htmlMark(len("-->"))
			case startsName(src, start):
				c.name()
			default:
				c.delimiter(tokenOther)
			}
		case hash:
			c.pos = skipName(src, start+1)
			c.token(tokenOther, start)
		case at:
			c.pos++
			if startsName(src, c.pos) {
				c.pos = skipName(src, c.pos)
			}
			c.token(tokenOther, start)
		case escape:
			if startsName(src, start) {
				c.name()
			} else {
				c.delimiter(tokenOther)
			}
		case slash:
			if start+1 < len(src) && src[start+1] == '*' {
				c.comment()
			} else {
				c.delimiter(tokenOther)
			}
		case less:
			if isMark(src[start:], "<!--") {
				c.htmlMark(len("<!--"))
			} else {
				c.delimiter(tokenOther)
			}
		case quote:
			c.string()
		case openParenthesis:
			c.delimiter(tokenOther)
			c.push(start, parenthesis)
		case openSquare:
			c.delimiter(tokenOther)
			c.push(start, square)
		case openBrace:
			c.openBrace()
		case closeBrace:
			c.closeBrace()
		case closeBracket:
			c.closeBracket()
		case colon:
			c.delimiter(tokenColon)
		case bang:
			c.delimiter(tokenBang)
		case semicolon:
			if c.inItems {
				c.endItem(start)
			}
			c.pos++
		default:
			c.delimiter(tokenOther)
		}
	}
}

// delimiter reads a token of one byte.
func (c *Checker) delimiter(t token) {
	start := c.pos
	c.pos++
	c.token(t, start)
}

// htmlMark reads <!-- or -->, which are ignored between the rules of a sheet.
func (c *Checker) htmlMark(length int) {
	start := c.pos
	c.pos += length
	if len(c.open) > 0 || c.listOnly || c.item != itemEmpty {
		c.token(tokenOther, start)
	}
}

func (c *Checker) comment() {
	start := c.pos
	n := bytes.Index(c.src[start+2:], []byte("*/"))
	if n < 0 {
		c.pos = len(c.src)
		c.fault(UnclosedComment, start, c.pos, "the comment is not closed")
		return
	}
	c.pos += 2 + n + 2
}

// name reads an identifier, a function up to its parenthesis, or a whole url() without
// quotation marks.
func (c *Checker) name() {
	src, start := c.src, c.pos
	c.pos = skipName(src, start)
	if c.pos == len(src) || src[c.pos] != '(' {
		c.token(tokenName, start)
		return
	}
	isURL := isName(src[start:c.pos], "url")
	c.pos++
	c.token(tokenOther, start)
	if isURL {
		value := skipSpace(src, c.pos)
		if value == len(src) || classes[src[value]] != quote {
			c.url(start, value)
			return
		}
	}
	c.push(start, function)
}

// url reads the rest of a url() without quotation marks (section 4.3.6). Its name begins at
// start, its value at value.
func (c *Checker) url(start, value int) {
	src := c.src
	for i := value; i < len(src); {
		why := ""
		switch b := src[i]; {
		case b == ')':
			c.pos = i + 1
			return
		case classes[b] == space:
			i = skipSpace(src, i)
			if i == len(src) || src[i] == ')' {
				continue
			}
			why = "white space in a URL without quotation marks"
		case classes[b] == quote:
			why = "a quotation mark within a URL"
		case b == '(':
			why = "a parenthesis in a URL without quotation marks"
		case b < ' ' && b != 0, b == 0x7F:
			why = "a control character in a URL without quotation marks"
		case b == '\\':
			if isEscape(src, i) {
				i = skipEscape(src, i)
				continue
			}
			why = "a backslash before a line break in a URL"
		default:
			i++
			continue
		}
		c.pos = skipBadURL(src, i)
		c.fault(BadURL, start, c.pos, why)
		return
	}
	c.pos = len(src)
	c.fault(UnclosedURL, start, c.pos, "the parenthesis of url() is not closed")
}

// skipBadURL returns the end of a url() that is broken at i (section 4.3.14).
func skipBadURL(src []byte, i int) int {
	for i < len(src) {
		switch {
		case src[i] == ')':
			return i + 1
		case isEscape(src, i):
			i = skipEscape(src, i)
		default:
			i++
		}
	}
	return i
}

// string reads a quoted string (section 4.3.5).
func (c *Checker) string() {
	src, start := c.src, c.pos
	ending := src[start]
	for i := start + 1; i < len(src); {
		switch b := src[i]; {
		case b == ending:
			c.pos = i + 1
			c.token(tokenOther, start)
			return
		case isNewline(b):
			c.pos = i
			c.token(tokenOther, start)
			c.fault(BadString, start, i, "the string is not closed on its line")
			return
		case b == '\\' && i+1 < len(src):
			i = skipEscape(src, i)
		default:
			i++
		}
	}
	c.pos = len(src)
	c.token(tokenOther, start)
	c.fault(UnclosedString, start, c.pos, "the string is not closed")
}

// number reads a number with its unit or percent sign.
func (c *Checker) number() {
	src, start := c.src, c.pos
	i := start
	if classes[src[i]] == sign {
		i++
	}
	i = skipDigits(src, i)
	if i+1 < len(src) && src[i] == '.' && classes[src[i+1]] == digit {
		i = skipDigits(src, i+1)
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		exponent := i + 1
		if exponent < len(src) && classes[src[exponent]] == sign {
			exponent++
		}
		if end := skipDigits(src, exponent); end > exponent {
			i = end
		}
	}
	if startsName(src, i) {
		i = skipName(src, i)
	}
	c.pos = i
	c.token(tokenOther, start)
}

// startsNumber reports whether a number begins at i (section 4.3.10).
func startsNumber(src []byte, i int) bool {
	if i < len(src) && classes[src[i]] == sign {
		i++
	}
	if i < len(src) && src[i] == '.' {
		i++
	}
	return i < len(src) && classes[src[i]] == digit
}

// startsName reports whether an identifier begins at i (section 4.3.9).
func startsName(src []byte, i int) bool {
	if i < len(src) && src[i] == '-' {
		i++
		if i < len(src) && src[i] == '-' {
			return true
		}
	}
	return i < len(src) && classes[src[i]] == nameStart || isEscape(src, i)
}

// skipName returns the end of the name at i.
func skipName(src []byte, i int) int {
	for i < len(src) {
		switch {
		case inName[src[i]]:
			i++
		case isEscape(src, i):
			i = skipEscape(src, i)
		default:
			return i
		}
	}
	return i
}

func skipDigits(src []byte, i int) int {
	for i < len(src) && classes[src[i]] == digit {
		i++
	}
	return i
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && classes[src[i]] == space {
		i++
	}
	return i
}

// isEscape reports whether a valid escape begins at i (section 4.3.8).
func isEscape(src []byte, i int) bool {
	return i < len(src) && src[i] == '\\' && (i+1 == len(src) || !isNewline(src[i+1]))
}

// skipEscape returns the end of the escape at i: up to six hexadecimal digits and a white
// space character, or any other character. An escaped line break ends after the line break.
func skipEscape(src []byte, i int) int {
	i++
	if i < len(src) && !isHex(src[i]) {
		return skipOne(src, i)
	}
	for n := 0; n < 6 && i < len(src) && isHex(src[i]); n++ {
		i++
	}
	if i < len(src) && classes[src[i]] == space {
		i = skipOne(src, i)
	}
	return i
}

// skipOne returns the end of the character at i. CRLF is one.
func skipOne(src []byte, i int) int {
	if src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n' {
		return i + 2
	}
	for i++; i < len(src) && !utf8.RuneStart(src[i]); {
		i++
	}
	return i
}

func isNewline(b byte) bool { return b == '\n' || b == '\r' || b == '\f' }

func isHex(b byte) bool { return classes[b] == digit || b|0x20 >= 'a' && b|0x20 <= 'f' }

func isMark(src []byte, mark string) bool {
	return len(src) >= len(mark) && string(src[:len(mark)]) == mark
}

// isName reports whether an identifier with its escapes means the given name, which is in
// lower case.
func isName(source []byte, name string) bool {
	i := 0
	for n := range len(name) {
		if i == len(source) {
			return false
		}
		r := rune(source[i])
		if source[i] != '\\' {
			i++
		} else {
			end := skipEscape(source, i)
			r = escaped(source[i+1 : end])
			i = end
		}
		if 'A' <= r && r <= 'Z' {
			r |= 0x20
		}
		if r != rune(name[n]) {
			return false
		}
	}
	return i == len(source)
}

// escaped returns the character that the text behind a backslash means, as far as it is ASCII.
func escaped(text []byte) rune {
	if len(text) == 0 || !isHex(text[0]) {
		r, _ := utf8.DecodeRune(text)
		return r
	}
	var r rune
	for _, b := range text {
		switch {
		case classes[b] == digit:
			r = r<<4 | rune(b-'0')
		case isHex(b):
			r = r<<4 | rune(b|0x20-'a'+10)
		}
	}
	return r
}
