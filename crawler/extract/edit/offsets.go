package edit

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// offsets leads from offsets of a decoded document to those of its source.
type offsets struct {
	skipped int // the byte order mark
	text    []byte
	// encoded returns the length of a stretch of the text in the source; nil where
	// both are the same bytes.
	encoded func(text []byte) (int, error)
	encoder *encoding.Encoder // nil where text is written as it is
	off     int               // of the text, counted up to here
	source  int
}

func newOffsets(body, text []byte, name string) (*offsets, error) {
	rest, _ := extract.CutByteOrderMark(body)
	o := &offsets{skipped: len(body) - len(rest), text: text}
	if bytes.Equal(rest, text) {
		return o, nil
	}
	if name == "utf-8" {
		o.encoded = (&faultyUTF8{source: rest}).length
		return o, nil
	}
	e, _ := charset.Lookup(name)
	if e == nil {
		return nil, fmt.Errorf("its encoding, %s, cannot be kept", name)
	}
	// Only where encoding the text gives the very source, its parts stand where
	// their encoded lengths say; one with a state, or a fault, gives something else.
	back, err := e.NewEncoder().Bytes(text)
	if err != nil || !bytes.Equal(back, rest) {
		return nil, fmt.Errorf("not every byte of it is valid %s", name)
	}
	o.encoder = e.NewEncoder()
	o.encoded = func(part []byte) (int, error) {
		b, err := e.NewEncoder().Bytes(part)
		return len(b), err
	}
	return o, nil
}

// at asks for offsets in rising order.
func (o *offsets) at(off int) int {
	if o.encoded == nil {
		return o.skipped + off
	}
	n, err := o.encoded(o.text[o.off:off])
	if err == nil { // the whole could be encoded
		o.off, o.source = off, o.source+n
	}
	return o.skipped + o.source
}

// faultyUTF8 is a source in which bytes that are no UTF-8 stand where the text has
// U+FFFD.
type faultyUTF8 struct{ source []byte }

// length steps over a stretch of the text; the error is always nil.
func (f *faultyUTF8) length(text []byte) (int, error) {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		source := f.source[n:]
		if _, faulty := utf8.DecodeRune(source); r == utf8.RuneError && faulty == 1 {
			// The beginning of a character, as far as it goes, is one fault.
			for size = 1; size < len(source) && !utf8.FullRune(source[:size+1]); size++ {
			}
		}
		n += size
	}
	f.source = f.source[n:]
	return n, nil
}

// encode writes text as the source has it.
func (o *offsets) encode(text string) ([]byte, error) {
	if o.encoder == nil {
		return []byte(text), nil
	}
	return o.encoder.Bytes([]byte(text))
}
