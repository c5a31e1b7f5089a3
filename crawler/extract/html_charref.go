package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"golang.org/x/net/html"
)

// Character references (HTML standard 13.2.5.72), decoded so that each decoded byte can be
// traced back to its position in the source. The table of names is that of
// golang.org/x/net/html, whose UnescapeString follows the rules for text. The stricter rules
// for attribute values are in appendCharRef.

// unescape appends src to dst with line endings normalized to LF, NUL replaced by U+FFFD and
// character references decoded, and appends the marks. attribute selects the rules for
// attribute values instead of those for text.
func unescape(dst []byte, marks []mark, src []byte, attribute bool) ([]byte, []mark) {
	for i := 0; i < len(src); {
		n := indexEscape(src[i:])
		dst = append(dst, src[i:i+n]...)
		i += n
		if i == len(src) {
			break
		}
		size := 1
		switch src[i] {
		case '\r':
			dst = append(dst, '\n')
			if i+1 < len(src) && src[i+1] == '\n' {
				size = 2
			}
		case 0:
			dst = append(dst, "\uFFFD"...)
		default:
			dst, size = appendCharRef(dst, src[i:], attribute)
		}
		i += size
		marks = append(marks, mark{len(dst), i})
	}
	return dst, marks
}

// AppendUnescaped appends src to dst with line endings normalized to LF, NUL replaced by U+FFFD
// and character references decoded. attribute selects the rules for attribute values instead
// of those for text.
func AppendUnescaped(dst, src []byte, attribute bool) []byte {
	dst, _ = unescape(dst, nil, src, attribute)
	return dst
}

// needsUnescape reports whether unescape would change b.
func needsUnescape(b []byte) bool { return indexEscape(b) < len(b) }

// indexEscape returns the index of the first byte that decoding changes, or the length of b.
func indexEscape(b []byte) int {
	if len(b) >= 256 {
		// For longer texts, three vectorized searches beat a loop.
		n := len(b)
		for _, c := range [...]byte{'&', '\r', 0} {
			if i := bytes.IndexByte(b[:n], c); i >= 0 {
				n = i
			}
		}
		return n
	}
	i := 0
	for ; hasAt(b, i, 8); i += 8 {
		// A byte of w^x is zero where the byte of w is the one sought. The lowest bit set
		// marks the first one.
		w := binary.LittleEndian.Uint64(b[i:])
		if found := zeroBytes(w^'&'*eachByte) | zeroBytes(w^'\r'*eachByte) | zeroBytes(w); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '&' || c == '\r' || c == 0 {
			return i
		}
	}
	return len(b)
}

// longestName is the length of the longest name including its semicolon:
// "CounterClockwiseContourIntegral;".
const longestName = 32

// appendCharRef decodes the character reference at the start of src and returns its length.
// If there is none, it appends the '&'.
func appendCharRef(dst, src []byte, attribute bool) ([]byte, int) {
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
	for n < len(src) && n <= longestName && isAlphanumeric(src[n]) {
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
