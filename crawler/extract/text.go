package extract

import (
	"math/bits"
	"unicode/utf8"
)

// foldSpace appends src to dst with each run of white space as one blank and
// none in front, up to MaxText bytes in all from the start of dst. Text that is
// appended in pieces folds like text in one piece; trimFolded takes the blank at the end off.
func foldSpace(dst []byte, src []byte) []byte {
	for len(src) > 0 && len(dst) < MaxText {
		if n := visibleASCII(src[:min(len(src), MaxText-len(dst))]); n > 0 {
			dst = append(dst, src[:n]...)
			src = src[n:]
			continue
		}
		if c := src[0]; c < utf8.RuneSelf { // white space, or a control character
			dst = appendBlank(dst)
			src = src[1:]
			continue
		}
		r, n := utf8.DecodeRune(src)
		switch {
		case r == '\u00A0' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			dst = appendBlank(dst)
		case len(dst)+n > MaxText:
			// A character is not cut in two; nothing may follow it either.
			for len(dst) < MaxText {
				dst = append(dst, ' ')
			}
		default:
			dst = append(dst, src[:n]...)
		}
		src = src[n:]
	}
	return dst
}

// appendBlank appends a blank, unless there is one, or nothing, before it.
func appendBlank(dst []byte) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != ' ' {
		dst = append(dst, ' ')
	}
	return dst
}

// visibleASCII counts the bytes from '!' to '~' that b begins with.
func visibleASCII(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		// The lowest bit set is right: of a byte less than '!', of DEL, or of one above.
		w := wordAt(b, i)
		if other := ((w - '!'*eachByte) | (w + eachByte) | w) & (0x80 * eachByte); other != 0 {
			return i + bits.TrailingZeros64(other)/8
		}
	}
	for i < len(b) && '!' <= b[i] && b[i] <= '~' {
		i++
	}
	return i
}

// trimFolded takes trailing blanks off folded text.
func trimFolded(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
