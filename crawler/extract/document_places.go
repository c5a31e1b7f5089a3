package extract

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// places converts byte offsets of a document to lines and columns. Offsets almost always come
// in ascending order, so each byte is read once, and even a 10 MB page on a single line takes
// one pass. The document is valid UTF-8.
type places struct {
	doc []byte
	breaks
	ascii int // doc[off:ascii] is ASCII

	lines, columns int // line breaks before doc, and code points before doc on its first line

	off       int // the bytes before it are counted
	line      int // line breaks before off
	lineStart int // start of the line that contains off
	lineEnd   int // doc[off:lineEnd] contains no line break
	column    int // code points from lineStart to off
}

// asciiAhead is how many bytes ahead at looks for non-ASCII bytes.
const asciiAhead = 4096

func newPlaces(doc []byte) places { return places{doc: doc, breaks: breaksOf(doc)} }

// Places converts byte offsets of a decoded text to lines and columns, which are those of
// [Link]. Offsets in ascending order cost one pass over the text.
type Places struct {
	text   []byte
	places places // empty until the first offset
}

// NewPlaces returns the places of a text, as [Decode] returns it.
func NewPlaces(text []byte) *Places { return &Places{text: text} }

// At returns the line and the column of an offset. Both count from 1; columns are code points.
func (p *Places) At(off int) (line, column int) {
	if p.places.doc == nil {
		p.places = newPlaces(p.text)
	}
	return p.places.at(off)
}

// breaks describes the line breaks of a document.
type breaks struct {
	loneCR bool // some line breaks are a lone CR
	clean  bool // the document contains neither CR nor NUL
}

func breaksOf(doc []byte) (b breaks) {
	if bytes.IndexByte(doc, '\r') >= 0 {
		b.loneCR = bytes.Count(doc, []byte{'\r'}) != bytes.Count(doc, []byte("\r\n"))
	} else {
		b.clean = bytes.IndexByte(doc, 0) < 0
	}
	return b
}

// newPlacesFrom returns the places of a document that starts at the given line and column.
func newPlacesFrom(doc []byte, line, column int) places {
	p := newPlaces(doc)
	p.lines, p.columns = line-1, column-1
	p.line, p.column = p.lines, p.columns
	return p
}

// at returns the line and the column of an offset. Both count from 1; columns are code
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
			p.column -= continuationBytes(seg)
			p.ascii = off + asciiLength(p.doc[off:min(off+asciiAhead, len(p.doc))])
		}
		p.off = off
	}
	return p.line + 1, p.column + 1
}

// lastLine returns the part of b after the last LF; b must contain one. Lines are short, so
// reading eight bytes at a time beats a call of bytes.LastIndexByte, which reads single
// bytes.
func lastLine(b []byte) []byte {
	i := len(b)
	for ; i >= 8; i -= 8 {
		// Only the lowest bit set is reliable. With the bytes reversed, it is that of the last LF.
		if found := zeroBytes(bits.ReverseBytes64(wordAt(b, i-8)) ^ '\n'*eachByte); found != 0 {
			return b[i-bits.TrailingZeros64(found)/8:]
		}
	}
	for b[i-1] != '\n' {
		i--
	}
	return b[i:]
}

// continuationBytes counts the bytes of the form 10xxxxxx, which continue a code point in
// UTF-8. It reads eight bytes at a time.
func continuationBytes(b []byte) (n int) {
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
			n += continuationBytesIn(v) + continuationBytesIn(w) + continuationBytesIn(x) + continuationBytesIn(y)
		}
	}
	for ; hasAt(b, i, 8); i += 8 {
		n += continuationBytesIn(wordAt(b, i))
	}
	// The last eight bytes, shifted so that bytes already counted drop out.
	return n + continuationBytesIn(wordAt(b, len(b)-8)>>(64-8*(len(b)-i)))
}

func continuationBytesIn(w uint64) int {
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

// walkLoneCR is the loop of at for documents in which a lone CR can be a line break.
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
