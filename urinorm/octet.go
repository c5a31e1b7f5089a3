package urinorm

import "strings"

// Classes of octets (RFC 3986 2.2 and 2.3), for repairs and keys.
const (
	octetUnreserved = 1 << iota
	octetHex
	octetIllegal     // ASCII that must be encoded in every component other than the host
	octetEndsSegment // '/', '?', '#'
	octetBackslash
)

var octetClasses = buildOctetClasses()

func buildOctetClasses() (classes [256]uint8) {
	for c := range classes {
		switch {
		case '0' <= c && c <= '9':
			classes[c] = octetUnreserved | octetHex
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			classes[c] = octetUnreserved | octetHex
		case 'g' <= c && c <= 'z' || 'G' <= c && c <= 'Z', c == '-', c == '.', c == '_', c == '~':
			classes[c] = octetUnreserved
		case c < 0x20 || c == 0x7F:
			classes[c] = octetIllegal
		}
	}
	for _, c := range []byte("\"<>[\\]^`{|}") {
		classes[c] = octetIllegal
	}
	for _, c := range []byte("/?#") {
		classes[c] |= octetEndsSegment
	}
	classes['\\'] |= octetBackslash
	return classes
}

func isHexDigit(c byte) bool { return octetClasses[c]&octetHex != 0 }

const upperHex = "0123456789ABCDEF"

// hexValue returns the value of a hexadecimal digit.
func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// appendPercent appends one octet percent-encoded.
func appendPercent(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c + 'A' - 'a'
	}
	return c
}

// hexByte returns the byte that two hexadecimal digits denote.
func hexByte(hi, lo byte) byte { return hexValue(hi)<<4 | hexValue(lo) }

// isEscape reports whether s, which begins with '%', begins with a
// percent-encoded octet.
func isEscape(s string) bool { return len(s) >= 3 && isHexDigit(s[1]) && isHexDigit(s[2]) }

// percentDecode decodes every percent-encoding. A '%' without two hexadecimal
// digits is kept, as in the percent-decode algorithm of the URL Standard (1.3).
func percentDecode(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		if s[i] == '%' && isEscape(s[i:]) {
			out = append(out, hexByte(s[i+1], s[i+2]))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
