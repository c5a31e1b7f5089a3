package extract

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// places turns byte offsets of a document into lines and columns. Offsets are
// asked for in rising order almost always, so each byte is looked at once and a
// page of 10 MB on a single line costs one pass. The document is valid UTF-8.
type places struct {
	doc    []byte
	loneCR bool // some line ends with CR alone

	off       int // everything before it is counted
	line      int // line breaks before off
	lineStart int // where the line of off begins
	column    int // code points from lineStart to off
}

func newPlaces(doc []byte) places {
	p := places{doc: doc}
	if bytes.IndexByte(doc, '\r') >= 0 {
		p.loneCR = bytes.Count(doc, []byte{'\r'}) != bytes.Count(doc, []byte("\r\n"))
	}
	return p
}

// at returns the line and the column of an offset, both from 1, columns in code
// points.
func (p *places) at(off int) (line, column int) {
	if off < p.off {
		p.rewind(off)
	}
	if p.loneCR {
		p.walkLoneCR(off)
	} else if seg := p.doc[p.off:off]; len(seg) > 0 {
		if n := bytes.Count(seg, []byte{'\n'}); n > 0 {
			seg = lastLine(seg)
			p.line += n
			p.lineStart = off - len(seg)
			p.column = 0
		}
		p.column += codePoints(seg)
		p.off = off
	}
	return p.line + 1, p.column + 1
}

// lastLine is what stands behind the last LF of b, which there is. Lines are short:
// eight bytes at a time beat a call, and bytes.LastIndexByte looks at each.
func lastLine(b []byte) []byte {
	i := len(b)
	for ; i >= 8; i -= 8 {
		// With the bytes in reverse the lowest bit set, which alone is right, tells the last one.
		if found := zeroBytes(bits.ReverseBytes64(wordAt(b, i-8)) ^ '\n'*eachByte); found != 0 {
			return b[i-bits.TrailingZeros64(found)/8:]
		}
	}
	for b[i-1] != '\n' {
		i--
	}
	return b[i:]
}

// codePoints counts the code points of valid UTF-8: its bytes but for those that
// continue one, 10xxxxxx, eight at a time.
func codePoints(b []byte) int {
	const high = 0x80 * eachByte
	n := len(b)
	for ; len(b) >= 16; b = b[16:] {
		v, w := wordAt(b, 0), wordAt(b, 8)
		if (v|w)&high != 0 { // seldom
			n -= bits.OnesCount64(v&high&^(v<<1)) + bits.OnesCount64(w&high&^(w<<1))
		}
	}
	for _, c := range b {
		if c&0xC0 == 0x80 {
			n--
		}
	}
	return n
}

func (p *places) rewind(off int) {
	if off < p.lineStart {
		p.line, p.lineStart = 0, 0
	}
	p.off, p.column = p.lineStart, 0
}

// walkLoneCR is at's loop for documents in which a CR may be a line break of its own.
func (p *places) walkLoneCR(off int) {
	for p.off < off {
		c, size := p.doc[p.off], 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(p.doc[p.off:])
		}
		p.off += size
		p.column++
		if c == '\n' || c == '\r' && (p.off == len(p.doc) || p.doc[p.off] != '\n') {
			p.line++
			p.lineStart, p.column = p.off, 0
		}
	}
}

// isASCII reports whether b holds no byte above 0x7F.
func isASCII(b []byte) bool {
	const high = 0x80 * eachByte
	for ; len(b) >= 32; b = b[32:] {
		if (wordAt(b, 0)|wordAt(b, 8)|wordAt(b, 16)|wordAt(b, 24))&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c&0x80 != 0 {
			return false
		}
	}
	return true
}
