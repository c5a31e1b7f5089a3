package extract

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"unicode/utf8"
)

// pieces reads a document of UTF-8 piece by piece, for a reader that lets go of what
// stands before a place it has come to.
type pieces struct {
	from  io.Reader
	size  int    // of a piece
	text  []byte // valid UTF-8: what was read and is not let go of
	raw   []byte // what was read behind it
	ended bool
}

// pieceSize is how much of a document is read at once, in bytes.
const pieceSize = 256 << 10

// inPieces reports whether a document may be read piece by piece: its head must say
// that it is UTF-8.
func (f *format) inPieces(in *Input) bool {
	if in.Rest == nil || in.Lots == nil || !f.pieces {
		return false
	}
	_, name := decode(in.Body[:min(len(in.Body), prescanned)], in.ContentType, prescan)
	return name == "utf-8"
}

func newPieces(in *Input) *pieces {
	start, _ := CutByteOrderMark(in.Body)
	p := &pieces{from: io.LimitReader(io.MultiReader(bytes.NewReader(start), in.Rest), MaxBody), size: cmp.Or(in.piece, pieceSize)}
	p.more(0)
	return p
}

// more reads on, as much as there is already or a piece, and lets go of the text before
// an offset; false, and nothing is let go of, where the document ends. A reader that
// fails ends it, too.
func (p *pieces) more(from int) bool {
	for !p.ended {
		had := len(p.raw)
		room := max(p.size, len(p.text)-from, had) // what was had is looked at once more
		p.raw = slices.Grow(p.raw, room)[:had+room]
		n, err := io.ReadFull(p.from, p.raw[had:])
		p.raw, p.ended = p.raw[:had+n], err != nil
		whole := len(p.raw)
		for !p.ended && whole > 0 && p.raw[whole-1] >= utf8.RuneSelf { // a character may go on
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

// wholeBody is a body with all that follows.
func wholeBody(in *Input) []byte {
	b := bytes.NewBuffer(make([]byte, 0, max(int64(len(in.Body)), min(in.Length, MaxBody))+bytes.MinRead))
	b.Write(in.Body)
	_, _ = b.ReadFrom(io.LimitReader(in.Rest, MaxBody+1))
	return b.Bytes()
}
