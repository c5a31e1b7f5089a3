package extract

import (
	"bytes"
	"unicode/utf8"
)

// places turns byte offsets of a document into lines and columns. Offsets are
// asked for in rising order almost always, so each byte is looked at once and a
// page of 10 MB on a single line costs one pass.
type places struct {
	doc    []byte
	ascii  bool // every byte is a column
	loneCR bool // some line ends with CR alone

	off       int // everything before it is counted
	line      int // line breaks before off
	lineStart int // where the line of off begins
	column    int // code points from lineStart to off; not counted when ascii
}

func newPlaces(doc []byte) places {
	return places{
		doc:    doc,
		ascii:  isASCII(doc),
		loneCR: bytes.Count(doc, []byte{'\r'}) != bytes.Count(doc, []byte("\r\n")),
	}
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
		if last := bytes.LastIndexByte(seg, '\n'); last >= 0 {
			p.line += 1 + bytes.Count(seg[:last], []byte{'\n'})
			p.lineStart = p.off + last + 1
			p.column = 0
			seg = seg[last+1:]
		}
		if !p.ascii {
			p.column += utf8.RuneCount(seg)
		}
		p.off = off
	}
	if p.ascii {
		return p.line + 1, off - p.lineStart + 1
	}
	return p.line + 1, p.column + 1
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
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c&0x80 != 0 {
			return false
		}
	}
	return true
}
