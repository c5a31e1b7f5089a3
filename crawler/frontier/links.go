package frontier

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/s2"
)

// Link is one reference of a page, as it is kept until every verdict is known.
type Link struct {
	Target             int // index into the page's found targets
	Fragment           string
	HasFragment        bool
	Line, Column       int
	Element, Attribute string
	Raw, Text          string
	Mark               uint64 // what the crawler remembers of it
}

// A page's references are one block: most share their element, and many their
// text, with the one before, and nothing reads them before the crawl is over.
//
//	0: not compressed, 1: s2
//	per link, as varints and length-prefixed strings:
//	  target<<2 | same element and attribute as before<<1 | has fragment
//	  line: zigzag of the difference · column · mark
//	  [element attribute] [fragment] raw text
const (
	plainLinks      = 0
	compressedLinks = 1
	// compressFrom is the size in bytes from which compressing pays.
	compressFrom = 512
)

// Links builds the block of a page. The zero value is ready; Reset reuses it.
type Links struct {
	buf                []byte
	line               int
	element, attribute string
	count              int
}

// Reset empties the block and keeps its memory.
func (b *Links) Reset() { *b = Links{buf: b.buf[:0]} }

// Len is the number of references.
func (b *Links) Len() int { return b.count }

// Add appends a reference.
func (b *Links) Add(l *Link) {
	head := uint64(l.Target) << 2
	same := b.count > 0 && l.Element == b.element && l.Attribute == b.attribute
	if same {
		head |= 2
	}
	if l.HasFragment {
		head |= 1
	}
	b.buf = binary.AppendUvarint(b.buf, head)
	b.buf = binary.AppendVarint(b.buf, int64(l.Line-b.line))
	b.buf = binary.AppendUvarint(b.buf, uint64(l.Column))
	b.buf = binary.AppendUvarint(b.buf, l.Mark)
	if !same {
		b.string(l.Element)
		b.string(l.Attribute)
	}
	if l.HasFragment {
		b.string(l.Fragment)
	}
	b.string(l.Raw)
	b.string(l.Text)
	b.line, b.element, b.attribute = l.Line, l.Element, l.Attribute
	b.count++
}

func (b *Links) string(s string) {
	b.buf = binary.AppendUvarint(b.buf, uint64(len(s)))
	b.buf = append(b.buf, s...)
}

// Encode returns the block's stored form, compressed where that pays; nil when it is empty.
func (b *Links) Encode() []byte {
	switch {
	case b.count == 0:
		return nil
	case len(b.buf) < compressFrom:
		return append([]byte{plainLinks}, b.buf...)
	}
	out := make([]byte, 1, 1+s2.MaxEncodedLen(len(b.buf)))
	out[0] = compressedLinks
	return append(out, s2.Encode(out[1:cap(out)], b.buf)...)
}

var errLinks = errors.New("read a page's references: the block is damaged")

// LinkReader reads a block reference by reference.
type LinkReader struct {
	rest               []byte
	line               int
	element, attribute string
	unpacked           []byte
}

// Reset starts to read a block; the reader's memory is used again.
func (r *LinkReader) Reset(block []byte) error {
	*r = LinkReader{unpacked: r.unpacked}
	if len(block) == 0 {
		return nil
	}
	switch block[0] {
	case plainLinks:
		r.rest = block[1:]
		return nil
	case compressedLinks:
		n, err := s2.DecodedLen(block[1:])
		if err != nil || n > 1<<30 {
			return errLinks
		}
		if cap(r.unpacked) < n {
			r.unpacked = make([]byte, n)
		}
		r.rest, err = s2.Decode(r.unpacked[:cap(r.unpacked)], block[1:])
		if err != nil {
			return errLinks
		}
		return nil
	}
	return errLinks
}

// RawLink is a Link whose strings are still part of the block: good until the
// reader is reset.
type RawLink struct {
	Target             int
	Fragment           []byte
	HasFragment        bool
	Line, Column       int
	Element, Attribute string
	Raw, Text          []byte
	Mark               uint64
}

// Next reads the next reference; false at the end of the block.
func (r *LinkReader) Next(l *RawLink) (bool, error) {
	if len(r.rest) == 0 {
		return false, nil
	}
	d := decoder{b: r.rest}
	head := d.uvarint()
	r.line += int(d.varint())
	*l = RawLink{Target: int(head >> 2), HasFragment: head&1 != 0, Line: r.line, Column: int(d.uvarint()), Mark: d.uvarint()}
	if head&2 == 0 {
		r.element, r.attribute = string(d.bytes()), string(d.bytes())
	}
	l.Element, l.Attribute = r.element, r.attribute
	if l.HasFragment {
		l.Fragment = d.bytes()
	}
	l.Raw = d.bytes()
	l.Text = d.bytes()
	if d.failed {
		return false, errLinks
	}
	r.rest = d.b
	return true, nil
}

type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	return uint64(d.took(int64(v), n))
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	return d.took(v, n)
}

func (d *decoder) took(v int64, n int) int64 {
	if n <= 0 {
		d.failed, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.failed, d.b = true, nil
		return nil
	}
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}
