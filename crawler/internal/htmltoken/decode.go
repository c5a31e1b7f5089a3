package htmltoken

import (
	"bytes"

	"golang.org/x/net/html"
)

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
	z.buffer = appendDecoded(z.buffer, src, references, attribute)
	return z.buffer[from:len(z.buffer):len(z.buffer)]
}

// AppendUnescaped appends src to dst with line endings normalized to LF, NUL replaced by U+FFFD
// and character references decoded. attribute selects the rules for attribute values instead
// of those for text.
func AppendUnescaped(dst, src []byte, attribute bool) []byte {
	return appendDecoded(dst, src, true, attribute)
}

func appendDecoded(dst, src []byte, references, attribute bool) []byte {
	for i := 0; i < len(src); {
		size := 1
		switch c := src[i]; {
		case c == '&' && references:
			dst, size = AppendReference(dst, src[i:], attribute)
		case c == 0:
			dst = append(dst, "\uFFFD"...)
		case c == '\r':
			dst = append(dst, '\n')
			if i+1 < len(src) && src[i+1] == '\n' {
				size = 2
			}
		default:
			dst = append(dst, c)
		}
		i += size
	}
	return dst
}

// Character references (HTML standard 13.2.5.72). The table of names is that of
// golang.org/x/net/html, whose UnescapeString follows the rules for text. The stricter rules
// for attribute values are in AppendReference.

// longestReference is the length of the longest name including its semicolon:
// "CounterClockwiseContourIntegral;".
const longestReference = 32

// AppendReference decodes the character reference at the start of src, appends it and returns its
// length in src. If there is none, it appends the '&'. attribute selects the rules for attribute
// values instead of those for text.
func AppendReference(dst, src []byte, attribute bool) ([]byte, int) {
	if bytes.HasPrefix(src, []byte("&amp;")) {
		return append(dst, '&'), len("&amp;")
	}
	if len(src) > 1 && src[1] == '#' {
		n := numericLength(src)
		if n == 0 {
			return append(dst, '&'), 1
		}
		return append(dst, html.UnescapeString(string(src[:n]))...), n
	}
	n := 1
	for n < len(src) && n <= longestReference && isAlphanumeric(src[n]) {
		n++
	}
	terminated := n < len(src) && src[n] == ';'
	if n == 1 || attribute && !terminated && n < len(src) && (src[n] == '=' || isAlphanumeric(src[n])) {
		return append(dst, '&'), 1
	}
	if terminated {
		n++
	}
	written := string(src[:n])
	read := html.UnescapeString(written)
	if read == written {
		return append(dst, '&'), 1
	}
	if attribute {
		// In an attribute only a complete name counts: &copyright stays as it is, while text
		// decodes it to ©right. If UnescapeString left a part of the name, it decoded only a
		// prefix.
		last := read[len(read)-1]
		partial := isAlphanumeric(last)
		if terminated {
			partial = last == ';' && len(read) > 1
		}
		if partial {
			return append(dst, '&'), 1
		}
	}
	return append(dst, read...), n
}

// numericLength returns the length of the numeric character reference at the start of src, or
// 0 if it has no digits.
func numericLength(src []byte) int {
	n, isDigit := 2, isDecimal
	if n < len(src) && src[n]|0x20 == 'x' {
		n, isDigit = 3, isHex
	}
	first := n
	for n < len(src) && isDigit(src[n]) {
		n++
	}
	if n == first {
		return 0
	}
	if n < len(src) && src[n] == ';' {
		n++
	}
	return n
}
