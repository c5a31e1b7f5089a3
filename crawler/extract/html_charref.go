package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// Character references are decoded so that each decoded byte can be traced back to its position
// in the source.

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
			dst, size = htmltoken.AppendReference(dst, src[i:], attribute)
		}
		i += size
		marks = append(marks, mark{len(dst), i})
	}
	return dst, marks
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
