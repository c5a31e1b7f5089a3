package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Searches that read eight bytes at a time as one word. A loop over single bytes whose end
// the processor mispredicts costs more than the work inside it.

// eachByte is a word with the value 1 in each byte.
const eachByte = 0x0101010101010101

// hasAt reports whether doc[i:] has at least n bytes. Written this way, the check lets the
// compiler omit bounds checks; i+n <= len(doc) does not.
func hasAt(doc []byte, i, n int) bool { return i >= 0 && i <= len(doc)-n }

// wordAt returns eight bytes of a document as a word, the first byte lowest.
func wordAt(doc []byte, i int) uint64 { return binary.LittleEndian.Uint64(doc[i:]) }

// zeroBytes sets the highest bit of each zero byte of w. Bytes above the first zero byte may
// be marked wrongly.
func zeroBytes(w uint64) uint64 { return (w - eachByte) &^ w & (0x80 * eachByte) }

// indexFrom returns the index of c in doc at or after i, or the length of doc if there is
// none. It is fast if c is at i or soon after.
func indexFrom(doc []byte, i int, c byte) int {
	if hasAt(doc, i, 8) {
		if found := zeroBytes(wordAt(doc, i) ^ uint64(c)*eachByte); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	if n := bytes.IndexByte(doc[i:], c); n >= 0 {
		return i + n
	}
	return len(doc)
}
