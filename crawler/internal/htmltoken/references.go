package htmltoken

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// references finds the character references of a text, from front to back.
type references struct {
	text   []byte
	next   int             // the first '&' at or after some position, or the length of text
	names  map[string]bool // the complete names that were looked up
	errors *Errors
}

// check reports whether text[start:end] has an '&' that may begin a character reference,
// and finds the errors of character references there. It must be called from front to back.
func (r *references) check(start, end int, attribute bool) bool {
	if !r.has(start, end) {
		return false
	}
	if r.errors.wanted {
		for i := r.next; i < end; i = r.next {
			r.checkOne(i, attribute)
			r.next = indexFrom(r.text, i+1, '&')
		}
	}
	return true
}

// has reports whether text[start:end] has an '&'. It must be called from front to
// back.
func (r *references) has(start, end int) bool {
	if r.next < start {
		r.next = indexFrom(r.text, start, '&')
	}
	return r.next < end
}

// checkOne finds the errors of the character reference at amp (13.2.5.72).
func (r *references) checkOne(amp int, attribute bool) {
	text, start := r.text, amp+1
	if start < len(text) && text[start] == '#' {
		r.checkNumber(start + 1)
		return
	}
	end := start
	for end < len(text) && isAlphanumeric(text[end]) {
		end++
	}
	terminated := end < len(text) && text[end] == ';'
	if terminated && r.isName(text[start:end]) {
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
			r.errors.add("missing-semicolon-after-character-reference", after)
		}
		return
	}
	if terminated && end > start {
		r.errors.add("unknown-named-character-reference", end)
	}
}

// isName reports whether a name with a semicolon is a character reference.
func (r *references) isName(name []byte) bool {
	const longest = len("CounterClockwiseContourIntegral")
	if known := r.names[string(name)]; known || len(name) > longest {
		return known
	}
	// A name that is decoded in part, or not at all, leaves the semicolon.
	decoded := html.UnescapeString("&" + string(name) + ";")
	if len(decoded) > 1 && decoded[len(decoded)-1] == ';' || len(name) == 0 {
		return false
	}
	if r.names == nil {
		r.names = make(map[string]bool)
	}
	r.names[string(name)] = true
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
func (r *references) checkNumber(i int) {
	text, isDigit, base := r.text, isDecimal, rune(10)
	if i < len(text) && text[i]|0x20 == 'x' {
		i, isDigit, base = i+1, isHex, 16
	}
	start, code := i, rune(0)
	for ; i < len(text) && isDigit(text[i]); i++ {
		digit := rune(text[i] & 0xF)
		if text[i] >= 'A' {
			digit += 9
		}
		code = min(code*base+digit, utf8.MaxRune+1)
	}
	if i == start {
		r.errors.add("absence-of-digits-in-numeric-character-reference", i)
		return
	}
	if i == len(text) || text[i] != ';' {
		r.errors.add("missing-semicolon-after-character-reference", i)
	} else {
		i++
	}
	switch {
	case code == 0:
		r.errors.add("null-character-reference", i)
	case code > utf8.MaxRune:
		r.errors.add("character-reference-outside-unicode-range", i)
	case utf16.IsSurrogate(code):
		r.errors.add("surrogate-character-reference", i)
	case isNoncharacter(code):
		r.errors.add("noncharacter-character-reference", i)
	case code == '\r', code < ' ' && !isSpace(byte(code)), 0x7F <= code && code <= 0x9F:
		r.errors.add("control-character-reference", i)
	}
}
