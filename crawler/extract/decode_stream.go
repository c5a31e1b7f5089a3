package extract

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"unicode/utf8"
)

// pieces reads a UTF-8 document in pieces, for a reader that can drop the text before its
// current position.
type pieces struct {
	from  io.Reader
	size  int    // of a piece
	text  []byte // valid UTF-8: the text read and not yet dropped
	raw   []byte // bytes read that follow text
	ended bool
}

// pieceSize is the number of bytes read at a time.
const pieceSize = 256 << 10

// inPieces reports whether a document can be read in pieces: its head must declare that it is
// UTF-8.
func (f *format) inPieces(in *Input) bool {
	if in.Rest == nil || in.Batch == nil || !f.pieces {
		return false
	}
	_, name := decode(in.Body[:min(len(in.Body), prescanLength)], in.ContentType, prescan)
	return name == "utf-8"
}

func newPieces(in *Input) *pieces {
	start, _ := CutByteOrderMark(in.Body)
	p := &pieces{from: io.LimitReader(io.MultiReader(bytes.NewReader(start), in.Rest), MaxBody), size: cmp.Or(in.piece, pieceSize)}
	p.more(0)
	return p
}

// more drops the text before the offset from and appends as much text as there is already,
// but at least a piece. At the end of the document it drops nothing and returns false. A read
// error also ends the document.
func (p *pieces) more(from int) bool {
	for !p.ended {
		had := len(p.raw)
		room := max(p.size, len(p.text)-from, had) // at least had, so that rescanning the leftover bytes takes linear time
		p.raw = slices.Grow(p.raw, room)[:had+room]
		n, err := io.ReadFull(p.from, p.raw[had:])
		p.raw, p.ended = p.raw[:had+n], err != nil
		whole := len(p.raw)
		for !p.ended && whole > 0 && p.raw[whole-1] >= utf8.RuneSelf { // a character may be incomplete
			whole--
		}
		if whole > 0 {
			p.text = append(p.text[:copy(p.text, p.text[from:])], validUTF8(p.raw[:whole])...)
			p.raw = p.raw[:copy(p.raw, p.raw[whole:])]
			return true
		}
	}
	return false
}

// wholeBody returns Body together with all that follows it.
func wholeBody(in *Input) []byte {
	b := bytes.NewBuffer(make([]byte, 0, max(int64(len(in.Body)), min(in.Length, MaxBody))+bytes.MinRead))
	b.Write(in.Body)
	_, _ = b.ReadFrom(io.LimitReader(in.Rest, MaxBody+1))
	return b.Bytes()
}
