// Package csstoken splits style sheets and style attributes into tokens, as CSS Syntax Module
// Level 3 section 4 does.
//
// Tokens are spans of the source. Nothing is copied, and escapes are only decoded on request.
package csstoken

import (
	"bytes"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Other     Kind = iota // one character that is no other kind
	Name                  // an identifier
	Function              // an identifier and the parenthesis behind it
	URL                   // a whole url() without quotation marks
	BadURL                // a url() that needs quotation marks and has none
	AtKeyword             // an at sign and the identifier behind it, if there is one
	Hash
	Number // with its unit, but without a percent sign
	String
	BadString // a string that ends before a line break
	Comment   // a comment that lasts to the end of the text; other comments are no tokens
	HTMLMark  // <!-- or -->
	Colon
	Semicolon
	Bang // an exclamation mark
	OpenParenthesis
	OpenSquare
	OpenBrace
	CloseParenthesis
	CloseSquare
	CloseBrace
)

// Token is a token. Offsets are in bytes of the text.
type Token struct {
	Kind       Kind
	Start, End int
	// ValueStart and ValueEnd are the offsets of the value of a String or a URL, and of the
	// identifier in a Name, a Function or an AtKeyword. ValueEnd of a BadURL is what is wrong.
	ValueStart, ValueEnd int
	// Escaped reports whether the value of a String or a URL may differ from its source: see
	// AppendUnescaped.
	Escaped bool
	// Unclosed reports whether a String or a URL lasts to the end of the text without its end.
	Unclosed bool
}

// Tokenizer splits a text into tokens. It allocates nothing.
type Tokenizer struct {
	Token Token // the current token, valid after Next returned true
	src   []byte
	pos   int // the end of the current token
}

// Reset makes the tokenizer begin a text, which must be valid UTF-8.
func (z *Tokenizer) Reset(src []byte) { *z = Tokenizer{src: src} }

// Next reads the next token, without the white space and comments before it, and returns false
// at the end of the text.
func (z *Tokenizer) Next() bool {
	src, t := z.src, &z.Token
	start := z.pos
	for ; ; start = z.pos {
		start = skipSpace(src, start)
		if start == len(src) {
			z.pos = start
			return false
		}
		if src[start] != '/' || start+1 == len(src) || src[start+1] != '*' {
			break
		}
		n := bytes.Index(src[start+2:], []byte("*/"))
		if n < 0 {
			t.Kind, t.Start, t.End = Comment, start, len(src)
			z.pos = t.End
			return true
		}
		z.pos = start + 2 + n + 2
	}
	t.Kind, t.Start, t.End = Other, start, start+1
	switch c := classes[src[start]]; c {
	case nameStart:
		z.name()
	case digit:
		z.number()
	case sign, dot:
		switch {
		case startsNumber(src, start):
			z.number()
		case isMark(src[start:], "-->"):
			t.Kind, t.End = HTMLMark, start+len("-->")
		case startsName(src, start):
			z.name()
		}
	case escape:
		if startsName(src, start) {
			z.name()
		}
	case hash:
		t.Kind, t.End = Hash, skipName(src, start+1)
	case at:
		t.Kind, t.ValueStart = AtKeyword, start+1
		if startsName(src, t.End) {
			t.End = skipName(src, t.End)
		}
		t.ValueEnd = t.End
	case less:
		if isMark(src[start:], "<!--") {
			t.Kind, t.End = HTMLMark, start+len("<!--")
		}
	case quote:
		z.string()
	default:
		t.Kind = alone[c]
	}
	z.pos = t.End
	return true
}

// name reads an identifier, a function up to its parenthesis, or a whole url() without
// quotation marks.
func (z *Tokenizer) name() {
	src, t := z.src, &z.Token
	end := skipName(src, t.Start)
	t.Kind, t.End, t.ValueStart, t.ValueEnd = Name, end, t.Start, end
	if end == len(src) || src[end] != '(' {
		return
	}
	t.Kind, t.End = Function, end+1
	if IsName(src[t.Start:end], "url") {
		value := skipSpace(src, t.End)
		if value == len(src) || classes[src[value]] != quote {
			z.url(value)
		}
	}
}

// url reads the rest of a url() without quotation marks, from its value on (section 4.3.6).
func (z *Tokenizer) url(i int) {
	src, t := z.src, &z.Token
	t.Kind, t.ValueStart, t.ValueEnd, t.Escaped, t.Unclosed = URL, i, -1, false, false
	for i < len(src) {
		switch b := src[i]; {
		case b == ')':
			if t.ValueEnd < 0 {
				t.ValueEnd = i
			}
			t.End = i + 1
			return
		case classes[b] == space:
			t.ValueEnd = i
			if i = skipSpace(src, i); i == len(src) || src[i] == ')' {
				continue
			}
		case b == '\\' && isEscape(src, i):
			t.Escaped = true
			i = skipEscape(src, i)
			continue
		case classes[b] != quote && b != '(' && b != '\\' && (b >= ' ' || b == 0) && b != 0x7F:
			t.Escaped = t.Escaped || b == 0
			i++
			continue
		default:
			t.ValueEnd = i
		}
		t.Kind, t.End = BadURL, skipBadURL(src, i)
		return
	}
	if t.End, t.Unclosed = len(src), true; t.ValueEnd < 0 {
		t.ValueEnd = len(src)
	}
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
func (z *Tokenizer) string() {
	src, t := z.src, &z.Token
	ending, i := src[t.Start], t.Start+1
	t.Kind, t.ValueStart, t.Escaped, t.Unclosed = String, i, false, false
	for i < len(src) {
		switch b := src[i]; {
		case b == ending:
			t.ValueEnd, t.End = i, i+1
			return
		case isNewline(b):
			t.Kind, t.ValueEnd, t.End = BadString, i, i
			return
		case b == '\\' && i+1 == len(src): // it escapes nothing
			t.ValueEnd, t.End, t.Unclosed = i, i+1, true
			return
		case b == '\\':
			t.Escaped = true
			i = skipEscape(src, i)
		default:
			t.Escaped = t.Escaped || b == 0
			i++
		}
	}
	t.ValueEnd, t.End, t.Unclosed = i, i, true
}

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
	escape // \
	less   // <
	openParenthesis
	openSquare
	openBrace
	closeParenthesis
	closeSquare
	closeBrace
	colon
	semicolon
	bang
)

// alone are the kinds of tokens of one byte.
var alone = [...]Kind{
	bang: Bang, colon: Colon, semicolon: Semicolon, openParenthesis: OpenParenthesis, openSquare: OpenSquare, openBrace: OpenBrace,
	closeParenthesis: CloseParenthesis, closeSquare: CloseSquare, closeBrace: CloseBrace,
}

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
		'\\': escape, '<': less, ':': colon, ';': semicolon, '!': bang,
		'(': openParenthesis, '[': openSquare, '{': openBrace, '}': closeBrace, ')': closeParenthesis, ']': closeSquare,
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

// number reads a number with its unit.
func (z *Tokenizer) number() {
	src, i := z.src, z.Token.Start
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
	z.Token.Kind, z.Token.End = Number, i
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

// AppendUnescaped appends a value with its escapes decoded (section 4.3.7) and NUL replaced by
// U+FFFD.
func AppendUnescaped(dst, value []byte) []byte {
	for i := 0; i < len(value); {
		switch end := i + 1; {
		case value[i] == 0:
			dst = append(dst, "\uFFFD"...)
			i++
		case value[i] != '\\':
			dst = append(dst, value[i])
			i++
		case end < len(value) && isNewline(value[end]):
			i = skipOne(value, end)
		default:
			end = skipEscape(value, i)
			dst = utf8.AppendRune(dst, escaped(value[i+1:end]))
			i = end
		}
	}
	return dst
}

// IsName reports whether an identifier with its escapes means the given name, which is in
// lower case.
func IsName(source []byte, name string) bool {
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

// escaped returns the character that the text behind a backslash means.
func escaped(text []byte) (r rune) {
	if len(text) == 0 || !isHex(text[0]) {
		if r, _ = utf8.DecodeRune(text); r == 0 {
			return utf8.RuneError
		}
		return r
	}
	for _, b := range text {
		switch {
		case classes[b] == digit:
			r = r<<4 | rune(b-'0')
		case isHex(b):
			r = r<<4 | rune(b|0x20-'a'+10)
		}
	}
	if r == 0 || !utf8.ValidRune(r) {
		return utf8.RuneError
	}
	return r
}
