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
	doc []byte
	breaks
	ascii int // from off to here all is ASCII

	lines, columns int // line breaks before doc, and code points of its first line before it

	off       int // everything before it is counted
	line      int // line breaks before off
	lineStart int // where the line of off begins
	lineEnd   int // no line ends from off to here
	column    int // code points from lineStart to off
}

// asciiAhead is how far ahead at looks for what is not ASCII.
const asciiAhead = 4096

func newPlaces(doc []byte) places { return places{doc: doc, breaks: breaksOf(doc)} }

// breaks says what the lines of a document end with.
type breaks struct {
	loneCR bool // some with CR alone
	clean  bool // it holds neither CR nor NUL
}

func breaksOf(doc []byte) (b breaks) {
	if bytes.IndexByte(doc, '\r') >= 0 {
		b.loneCR = bytes.Count(doc, []byte{'\r'}) != bytes.Count(doc, []byte("\r\n"))
	} else {
		b.clean = bytes.IndexByte(doc, 0) < 0
	}
	return b
}

// newPlacesFrom is newPlaces of what stands behind a place.
func newPlacesFrom(doc []byte, line, column int) places {
	p := newPlaces(doc)
	p.lines, p.columns = line-1, column-1
	p.line, p.column = p.lines, p.columns
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
		if off > p.lineEnd {
			if n := bytes.Count(seg, []byte{'\n'}); n == 0 {
				p.lineEnd = indexFrom(p.doc, off, '\n') // lines are long here
			} else {
				seg = lastLine(seg)
				p.line += n
				p.lineStart = off - len(seg)
				p.column = 0
			}
		}
		if p.column += len(seg); off > p.ascii {
			p.column -= continued(seg)
			p.ascii = off + asciiLength(p.doc[off:min(off+asciiAhead, len(p.doc))])
		}
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

// continued counts the bytes of UTF-8 that continue a code point, 10xxxxxx, eight at
// a time.
func continued(b []byte) (n int) {
	if len(b) < 8 {
		for _, c := range b {
			if c&0xC0 == 0x80 {
				n++
			}
		}
		return n
	}
	i := 0
	for ; hasAt(b, i, 32); i += 32 {
		v, w, x, y := wordAt(b, i), wordAt(b, i+8), wordAt(b, i+16), wordAt(b, i+24)
		if (v|w|x|y)&(0x80*eachByte) != 0 {
			n += continuedIn(v) + continuedIn(w) + continuedIn(x) + continuedIn(y)
		}
	}
	for ; hasAt(b, i, 8); i += 8 {
		n += continuedIn(wordAt(b, i))
	}
	// The last eight bytes, without those that were counted; nothing for none.
	return n + continuedIn(wordAt(b, len(b)-8)>>(64-8*(len(b)-i)))
}

func continuedIn(w uint64) int {
	if w &= 0x80 * eachByte &^ (w << 1); w == 0 { // nearly always
		return 0
	}
	return bits.OnesCount64(w)
}

func (p *places) rewind(off int) {
	if off < p.lineStart {
		p.line, p.lineStart = p.lines, 0
	}
	p.off, p.column, p.ascii, p.lineEnd = p.lineStart, 0, p.lineStart, 0
	if p.lineStart == 0 {
		p.column = p.columns
	}
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
