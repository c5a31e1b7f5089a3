package htmltoken

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Searches that read eight bytes at a time as one word. A loop over single bytes whose end
// the processor mispredicts costs more than the work inside it.

const (
	eachByte = 0x0101010101010101 // the value 1 in each byte
	eachHigh = 0x80 * eachByte    // the highest bit of each byte
)

// hasAt reports whether text[i:] has at least n bytes. Written this way, the check lets the
// compiler omit bounds checks.
func hasAt(text []byte, i, n int) bool { return i >= 0 && i <= len(text)-n }

func wordAt(text []byte, i int) uint64 { return binary.LittleEndian.Uint64(text[i:]) }

// zeroBytes sets the highest bit of each zero byte of w. Bytes above the first zero byte may
// be marked wrongly.
func zeroBytes(w uint64) uint64 { return (w - eachByte) &^ w & eachHigh }

// indexFrom returns the index of c in text at or after i, or the length of text if there is
// none. It is fast if c is at i or soon after.
func indexFrom(text []byte, i int, c byte) int {
	each := uint64(c) * eachByte
	for near := i + 3*8; i < near && hasAt(text, i, 8); i += 8 {
		if found := zeroBytes(wordAt(text, i) ^ each); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	if n := bytes.IndexByte(text[i:], c); n >= 0 {
		return i + n
	}
	return len(text)
}

// plainName reads the name at text[i:] as far as it has lower-case letters, digits, '-', ':'
// and '_', and returns its key and its end.
func plainName(text []byte, i int) (key uint64, end int) {
	if !hasAt(text, i, 8) {
		end = plainNameEnd(text, i)
		return keyOf(text[i:end]), end
	}
	w := wordAt(text, i)
	stop := notPlain(w)
	if stop == 0 {
		return w, plainNameEnd(text, i+8)
	}
	n := bits.TrailingZeros64(stop) &^ 7
	return w & (1<<n - 1), i + n/8
}

func plainNameEnd(text []byte, i int) int {
	for ; hasAt(text, i, 8); i += 8 {
		if stop := notPlain(wordAt(text, i)); stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(text) && notPlain(uint64(text[i]))&0x80 == 0 {
		i++
	}
	return i
}

// notPlain sets the highest bit of each byte that is not a lower-case letter, a digit, ':',
// '-', or one of '_', '`', '{', '|', '}', '~' and DEL, which names may have as well.
func notPlain(w uint64) uint64 {
	low := w &^ eachHigh
	letter := low + (0x80-'_')*eachByte
	digit := (low + (0x80-'0')*eachByte) &^ (low + (0x80-':'-1)*eachByte)
	dash := ^((low ^ '-'*eachByte) + 0x7F*eachByte)
	return (^(letter | digit | dash) | w) & eachHigh
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDecimal(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDecimal(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isAlphanumeric(c byte) bool { return isLetter(c) || isDecimal(c) }

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}
