package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Searches that read eight bytes at a time, as one word: a loop over single bytes whose
// end the processor cannot guess costs more than what is done in it.

// eachByte has a one in each byte of a word.
const eachByte = 0x0101010101010101

// hasAt reports whether n bytes stand at doc[i:]. Where it is asked, the compiler knows
// that they do and need not check that again, as it must after i+n <= len(doc).
func hasAt(doc []byte, i, n int) bool { return i >= 0 && i <= len(doc)-n }

// wordAt is eight bytes of a document, the first one lowest.
func wordAt(doc []byte, i int) uint64 { return binary.LittleEndian.Uint64(doc[i:]) }

// zeroBytes sets the highest bit of the bytes of w that are zero, and perhaps of
// some above the first of them.
func zeroBytes(w uint64) uint64 { return (w - eachByte) &^ w & (0x80 * eachByte) }

// indexFrom returns where a byte stands that is often at i, or soon behind it; the
// document's length where it does not.
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
