package htmltoken

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// references reports whether text[start:end] has an '&' that may begin a character reference,
// and finds the errors of character references there. It must be called from front to back.
func (z *Tokenizer) references(start, end int, attribute bool) bool {
	if !z.hasReference(start, end) {
		return false
	}
	if z.errors {
		for i := z.amp; i < end; i = z.amp {
			z.checkReference(i, attribute)
			z.amp = indexFrom(z.text, i+1, '&')
		}
	}
	return true
}

// hasReference reports whether text[start:end] has an '&'. It must be called from front to
// back.
func (z *Tokenizer) hasReference(start, end int) bool {
	if z.amp < start {
		z.amp = indexFrom(z.text, start, '&')
	}
	return z.amp < end
}

// checkReference finds the errors of the character reference at amp (13.2.5.72).
func (z *Tokenizer) checkReference(amp int, attribute bool) {
	text, start := z.text, amp+1
	if start < len(text) && text[start] == '#' {
		z.checkNumber(start + 1)
		return
	}
	end := start
	for end < len(text) && isAlphanumeric(text[end]) {
		end++
	}
	terminated := end < len(text) && text[end] == ';'
	if terminated && z.isName(text[start:end]) {
		return
	}
	// These names are the oldest: some need no semicolon, not even the end of the name.
	const longest = len("brvbar")
	for n := min(end-start, longest); n >= 2; n-- {
		if !needsNoSemicolon(text[start : start+n]) {
			continue
		}
		after := start + n
		if !attribute || after == len(text) || text[after] != '=' && !isAlphanumeric(text[after]) {
			z.fail("missing-semicolon-after-character-reference", after)
		}
		return
	}
	if terminated && end > start {
		z.fail("unknown-named-character-reference", end)
	}
}

// isName reports whether a name with a semicolon is a character reference.
func (z *Tokenizer) isName(name []byte) bool {
	const longest = len("CounterClockwiseContourIntegral")
	if known := z.names[string(name)]; known || len(name) > longest {
		return known
	}
	// A name that is decoded in part, or not at all, leaves the semicolon.
	decoded := html.UnescapeString("&" + string(name) + ";")
	if len(decoded) > 1 && decoded[len(decoded)-1] == ';' || len(name) == 0 {
		return false
	}
	if z.names == nil {
		z.names = make(map[string]bool)
	}
	z.names[string(name)] = true
	return true
}

// needsNoSemicolon reports whether a name is a character reference even without semicolon.
func needsNoSemicolon(name []byte) bool {
	if len(name) == 2 && string(name) != "lt" && string(name) != "gt" && string(name) != "LT" && string(name) != "GT" {
		return false
	}
	decoded := html.UnescapeString("&" + string(name))
	return !isAlphanumeric(decoded[len(decoded)-1])
}

// checkNumber finds the errors of the numeric character reference whose '#' is before i
// (13.2.5.75 to 13.2.5.80).
func (z *Tokenizer) checkNumber(i int) {
	text, isDigit, base := z.text, isDecimal, rune(10)
	if i < len(text) && text[i]|0x20 == 'x' {
		i, isDigit, base = i+1, isHex, 16
	}
	start, r := i, rune(0)
	for ; i < len(text) && isDigit(text[i]); i++ {
		digit := rune(text[i] & 0xF)
		if text[i] >= 'A' {
			digit += 9
		}
		r = min(r*base+digit, utf8.MaxRune+1)
	}
	if i == start {
		z.fail("absence-of-digits-in-numeric-character-reference", i)
		return
	}
	if i == len(text) || text[i] != ';' {
		z.fail("missing-semicolon-after-character-reference", i)
	} else {
		i++
	}
	switch {
	case r == 0:
		z.fail("null-character-reference", i)
	case r > utf8.MaxRune:
		z.fail("character-reference-outside-unicode-range", i)
	case utf16.IsSurrogate(r):
		z.fail("surrogate-character-reference", i)
	case isNoncharacter(r):
		z.fail("noncharacter-character-reference", i)
	case r == '\r', r < ' ' && !isSpace(byte(r)), 0x7F <= r && r <= 0x9F:
		z.fail("control-character-reference", i)
	}
}

// Data returns the content of a text, a comment or a CDATA section, with line endings
// normalized, NUL replaced by U+FFFD and character references decoded. It is a part of the
// source if it has none of these, and is valid until the next call of Next.
func (z *Tokenizer) Data() []byte {
	return z.decode(z.Token.DataStart, z.Token.DataEnd, z.Token.HasReferences, false)
}

// Value returns the value of an attribute of the current token, as Data does for a text.
func (z *Tokenizer) Value(a *Attribute) []byte {
	return z.decode(a.ValueStart, a.ValueEnd, a.HasReferences, true)
}

func (z *Tokenizer) decode(start, end int, references, attribute bool) []byte {
	src := z.text[start:end]
	if !references && bytes.IndexByte(src, '\r') < 0 && bytes.IndexByte(src, 0) < 0 {
		return src
	}
	from := len(z.buffer)
	if references {
		z.buffer = extract.AppendUnescaped(z.buffer, src, attribute)
		return z.buffer[from:len(z.buffer):len(z.buffer)]
	}
	for i, c := range src {
		switch {
		case c == 0:
			z.buffer = append(z.buffer, "\uFFFD"...)
		case c == '\r':
			z.buffer = append(z.buffer, '\n')
		case c != '\n' || i == 0 || src[i-1] != '\r':
			z.buffer = append(z.buffer, c)
		}
	}
	return z.buffer[from:len(z.buffer):len(z.buffer)]
}
