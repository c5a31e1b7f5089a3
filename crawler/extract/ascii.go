package extract

import (
	"bytes"
	"unicode/utf8"
)

// Comparisons of ASCII text: names in HTML, URLs and mail headers.

// equalFold reports whether b equals a string in lower case, ignoring the case of ASCII
// letters.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if lowerByte(c) != lower[i] {
			return false
		}
	}
	return true
}

func appendLower(dst, src []byte) []byte {
	for _, c := range src {
		dst = append(dst, lowerByte(c))
	}
	return dst
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func isAlphanumeric(c byte) bool { return isLetter(c) || isDecimal(c) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func hasUpper(b []byte) bool {
	return bytes.ContainsFunc(b, func(r rune) bool { return 'A' <= r && r <= 'Z' })
}

func isDecimal(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDecimal(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func hexValue(c byte) byte {
	if isDecimal(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// isASCII reports whether b holds no byte above 0x7F.
func isASCII(b []byte) bool { return asciiLength(b) == len(b) }

// asciiLength returns the number of ASCII bytes at the start of b, or up to 63 fewer.
func asciiLength(b []byte) int {
	const high = 0x80 * eachByte
	i := 0
	for ; hasAt(b, i, 64); i += 64 {
		w := b[i : i+64]
		if (wordAt(w, 0)|wordAt(w, 8)|wordAt(w, 16)|wordAt(w, 24)|wordAt(w, 32)|wordAt(w, 40)|wordAt(w, 48)|wordAt(w, 56))&high != 0 {
			return i
		}
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}
