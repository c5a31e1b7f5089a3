package extract

import (
	"math/bits"
	"unicode/utf8"
)

// foldSpace appends src to dst, with each run of white space replaced by one space and
// leading white space removed, as long as dst is at most MaxText bytes long. Appending a text
// in parts gives the same result as appending it at once. trimFolded removes the trailing
// space.
func foldSpace(dst []byte, src []byte) []byte {
	for len(src) > 0 && len(dst) < maxText {
		blank := len(dst) == 0 || dst[len(dst)-1] == ' '
		if n := foldedLength(src[:min(len(src), maxText-len(dst))], blank); n > 0 {
			dst = append(dst, src[:n]...)
			src = src[n:]
			continue
		}
		if c := src[0]; c < utf8.RuneSelf { // white space, or a control character
			if !blank {
				dst = append(dst, ' ')
			}
			src = src[1:]
			continue
		}
		r, n := utf8.DecodeRune(src)
		switch {
		case r == '\u00A0' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			if !blank {
				dst = append(dst, ' ')
			}
		case len(dst)+n > maxText:
			// The character does not fit. Fill dst, so that nothing is appended after it.
			for len(dst) < maxText {
				dst = append(dst, ' ')
			}
		default:
			dst = append(dst, src[:n]...)
		}
		src = src[n:]
	}
	return dst
}

// foldedLength returns the length of the prefix of b that folding leaves unchanged: printable
// ASCII without a space after another space. blank reports whether the prefix is preceded by
// a space or by nothing.
func foldedLength(b []byte, blank bool) int {
	const high = 0x80 * eachByte
	i, before := 0, uint64(0) // 0x80 if the preceding byte is a space
	if blank {
		before = 0x80
	}
	for ; hasAt(b, i, 8); i += 8 {
		// The lowest bit set marks a byte below ' ', DEL or a byte above; higher bits may be wrong.
		w := wordAt(b, i)
		other := ((w - ' '*eachByte) | (w + eachByte) | w) & high
		blanks := w ^ ' '*eachByte
		blanks = ^((blanks&^high + high - eachByte) | blanks) & high
		if other |= blanks & (blanks<<8 | before); other != 0 {
			return i + bits.TrailingZeros64(other)/8
		}
		before = blanks >> 56
	}
	for ; i < len(b); i++ {
		c := b[i]
		if c < ' ' || c > '~' || c == ' ' && before != 0 {
			return i
		}
		if before = 0; c == ' ' {
			before = 0x80
		}
	}
	return i
}

// trimFolded removes trailing spaces from folded text.
func trimFolded(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// isSpace reports whether c is ASCII white space as defined by the HTML standard.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func trimSpan(b []byte, at span) span {
	for at.start < at.end && isSpace(b[at.start]) {
		at.start++
	}
	for at.start < at.end && isSpace(b[at.end-1]) {
		at.end--
	}
	return at
}

func trimSpace(b []byte) []byte {
	at := trimSpan(b, span{0, len(b)})
	return b[at.start:at.end]
}

func trimSpaceRight(b []byte) []byte {
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// hasToken reports whether a list separated by white space contains a token, ignoring case.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		var t []byte
		if t, list = nextToken(list); equalFold(t, token) {
			return true
		}
	}
	return false
}

// nextToken splits the first token off a list separated by white space.
func nextToken(list []byte) (token, rest []byte) {
	i := 0
	for i < len(list) && isSpace(list[i]) {
		i++
	}
	start := i
	for i < len(list) && !isSpace(list[i]) {
		i++
	}
	return list[start:i], list[i:]
}
