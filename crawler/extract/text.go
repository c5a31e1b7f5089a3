package extract

import "unicode/utf8"

// foldSpace appends src to dst with each run of white space as one blank and
// none in front, up to MaxText bytes in all from the start of dst. Text that is
// appended in pieces folds like text in one piece; trimFolded takes the blank at the end off.
func foldSpace(dst []byte, src []byte) []byte {
	for i := 0; i < len(src) && len(dst) < MaxText; {
		c := src[i]
		if c <= ' ' || c == 0x7F {
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if r == '\u00A0' || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
		} else if len(dst)+n > MaxText {
			// A character is not cut in two; nothing may follow it either.
			for len(dst) < MaxText {
				dst = append(dst, ' ')
			}
		} else {
			dst = append(dst, src[i:i+n]...)
		}
		i += n
	}
	return dst
}

// trimFolded takes trailing blanks off folded text.
func trimFolded(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
