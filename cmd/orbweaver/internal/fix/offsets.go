package fix

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// offsets converts offsets in a decoded document to offsets in its source.
type offsets struct {
	skipped int // the length of the byte order mark
	text    []byte
	// encodedLength returns the length in the source of a part of the text. It is nil if
	// the source and the text are the same bytes.
	encodedLength func(text []byte) (int, error)
	encoder       *encoding.Encoder // nil if text is written as UTF-8
	off, source   int               // the last offset in the text, and in the source
}

// newOffsets returns the offsets of body, which was decoded to text from the encoding with
// a name. It fails if the encoding does not allow offsets to be converted.
func newOffsets(body, text []byte, name string) (*offsets, error) {
	rest, _ := extract.CutByteOrderMark(body)
	o := &offsets{skipped: len(body) - len(rest), text: text}
	if bytes.Equal(rest, text) {
		return o, nil
	}
	if name == "utf-8" {
		o.encodedLength = (&invalidUTF8{source: rest}).length
		return o, nil
	}
	e, _ := charset.Lookup(name)
	if e == nil {
		return nil, fmt.Errorf("its encoding, %s, cannot be preserved", name)
	}
	// Encoded lengths give correct offsets only if encoding the text reproduces the
	// source. It does not for stateful encodings and for invalid bytes.
	back, err := e.NewEncoder().Bytes(text)
	if err != nil || !bytes.Equal(back, rest) {
		return nil, fmt.Errorf("some of its bytes are not valid %s", name)
	}
	o.encoder = e.NewEncoder()
	o.encodedLength = func(part []byte) (int, error) {
		b, err := e.NewEncoder().Bytes(part)
		return len(b), err
	}
	return o, nil
}

// at returns the offset in the source of an offset in the text. Calls must be in ascending
// order.
func (o *offsets) at(off int) int {
	if o.encodedLength == nil {
		return o.skipped + off
	}
	n, err := o.encodedLength(o.text[o.off:off])
	if err == nil { // always, because the whole text could be encoded
		o.off, o.source = off, o.source+n
	}
	return o.skipped + o.source
}

// invalidUTF8 is a source that contains invalid UTF-8, which the text replaces with U+FFFD.
type invalidUTF8 struct{ source []byte }

// length returns the length in the source of the next part of the text. The error is
// always nil.
func (f *invalidUTF8) length(text []byte) (int, error) {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		source := f.source[n:]
		if _, width := utf8.DecodeRune(source); r == utf8.RuneError && width == 1 {
			// An incomplete character is decoded to a single U+FFFD.
			for size = 1; size < len(source) && !utf8.FullRune(source[:size+1]); size++ {
			}
		}
		n += size
	}
	f.source = f.source[n:]
	return n, nil
}

func (o *offsets) encode(text string) ([]byte, error) {
	if o.encoder == nil {
		return []byte(text), nil
	}
	return o.encoder.Bytes([]byte(text))
}
