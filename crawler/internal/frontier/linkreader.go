package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var errLinks = fmt.Errorf("read the references of a page: %w", check.ErrMalformed)

// BriefReader reads the first part of a block. The zero value is at the end of one.
type BriefReader struct {
	briefs []byte
	at     int // of the next reference in briefs
	places []byte
}

// Reset starts at the beginning of a block.
func (r *BriefReader) Reset(block []byte) error {
	*r = BriefReader{}
	if len(block) == 0 {
		return nil
	}
	n, w := binary.Uvarint(block)
	if w <= 0 || n >= uint64(len(block)-w) {
		return errLinks
	}
	r.briefs, r.places = block[w:w+int(n)], block[w+int(n):]
	return nil
}

// Next reads the next reference, and returns false at the end of the block.
func (r *BriefReader) Next(b *Brief) (bool, error) {
	briefs, at := r.briefs, r.at
	if at >= len(briefs) {
		return false, nil
	}
	head := uint64(briefs[at])
	at++
	if head >= 0x80 { // most heads that are longer than a byte take two
		if at < len(briefs) && briefs[at] < 0x80 {
			head = head&0x7f | uint64(briefs[at])<<7
			at++
		} else {
			v, n := binary.Uvarint(briefs[at-1:])
			if n <= 0 || v>>2 > math.MaxInt32 {
				return false, errLinks
			}
			head, at = v, at-1+n
		}
	}
	var mark, hash uint64
	if head&2 != 0 {
		v, n := binary.Uvarint(briefs[at:])
		if n <= 0 {
			return false, errLinks
		}
		mark, at = v, at+n
	}
	if head&1 != 0 {
		if len(briefs)-at < hashLength {
			return false, errLinks
		}
		hash = binary.LittleEndian.Uint64(briefs[at:])
		at += hashLength
	}
	b.Target, b.HasFragment, b.Hash, b.Mark = int(head>>2), head&1 != 0, hash, mark
	r.at = at
	return true, nil
}

// LinkReader reads both parts of a block.
type LinkReader struct {
	briefs             BriefReader
	opened             bool   // places is decompressed
	places             []byte // the second part
	rest               []byte // of places, from the next reference on
	repeats, bare      bool   // flags of the second part
	line               int    // of the last reference, as are tag, element and attribute
	tag                int32
	element, attribute string
	written            []written          // references that others may repeat
	attributes         []elementAttribute // of those
	buffer             []byte             // for decompression
	names              map[string]string  // of elements and attributes
}

// written is a reference that others may repeat.
type written struct {
	at        int32 // position of its raw text in LinkReader.places
	attribute int32 // index into LinkReader.attributes
	inRaw     bool  // the fragment is what follows '#' in the raw text
}

type elementAttribute struct{ element, attribute string }

// Reset starts at the beginning of a block and keeps the memory of the reader.
func (r *LinkReader) Reset(block []byte) error {
	*r = LinkReader{buffer: r.buffer, names: r.names, written: r.written[:0], attributes: r.attributes[:0]}
	return r.briefs.Reset(block)
}

// open decompresses the second part.
func (r *LinkReader) open() error {
	r.opened = true
	if r.names == nil || len(r.names) > maxNames {
		r.names = map[string]string{}
	}
	flags, block := r.briefs.places[0], r.briefs.places[1:]
	r.repeats, r.bare = flags&flagRepeats != 0, flags&flagBare != 0
	switch flags &^ (flagRepeats | flagBare) {
	case 0:
		r.places, r.rest = block, block
		return nil
	case flagCompressed:
		n, err := s2.DecodedLen(block)
		if err != nil || n > 1<<30 {
			return errLinks
		}
		if cap(r.buffer) < n {
			r.buffer = make([]byte, n)
		}
		if r.rest, err = s2.Decode(r.buffer[:cap(r.buffer)], block); err != nil {
			return errLinks
		}
		r.places = r.rest
		return nil
	}
	return errLinks
}

// RawLink is a Link with byte slices in place of strings. The slices are valid until the
// reader is reset.
type RawLink struct {
	Brief
	Fragment           []byte
	Line, Column       int
	Element, Attribute string
	Raw, Text          []byte
	Selector           []byte
	Tag                int32 // of a bare reference, whose other fields but Brief and Fragment are not set
}

// Next reads the next reference, and returns false at the end of the block.
func (r *LinkReader) Next(l *RawLink) (bool, error) {
	if more, err := r.briefs.Next(&l.Brief); !more || err != nil {
		return false, err
	}
	if !r.opened {
		if err := r.open(); err != nil {
			return false, err
		}
	}
	d := decoder{b: r.rest}
	l.Tag = 0
	if r.bare && r.readBare(l, &d) {
		l.Tag, r.rest = r.tag, d.b
		if d.failed || l.Tag <= 0 {
			return false, errLinks
		}
		return true, nil
	}
	head := d.uvarint()
	again := false
	if r.repeats {
		again = head&4 != 0
		head = head>>1&^3 | head&3
	}
	r.line += int(int64(head>>3) ^ -int64(head>>2&1))
	l.Line, l.Column = r.line, int(d.uvarint())
	if again {
		r.readRepeat(l, &d, head&2 != 0)
	} else {
		r.readWritten(l, &d, head)
	}
	if d.failed {
		return false, errLinks
	}
	r.rest = d.b
	return true, nil
}

// readBare reads the tag and the fragment of a reference, and reports whether it is bare.
func (r *LinkReader) readBare(l *RawLink, d *decoder) (bare bool) {
	v := d.uvarint()
	if v&1 == 0 {
		return d.failed
	}
	if l.Fragment = nil; v&2 != 0 {
		l.Fragment = d.bytes()
	}
	r.tag += int32(int64(v>>3) ^ -int64(v>>2&1))
	return true
}

// readWritten reads a reference that repeats no other.
func (r *LinkReader) readWritten(l *RawLink, d *decoder, head uint64) {
	if head&2 == 0 {
		r.element, r.attribute = r.name(d.bytes()), r.name(d.bytes())
	}
	if r.repeats {
		if n := len(r.attributes); n == 0 || r.attributes[n-1] != (elementAttribute{r.element, r.attribute}) {
			r.attributes = append(r.attributes, elementAttribute{r.element, r.attribute})
		}
		r.written = append(r.written, written{at: int32(len(r.places) - len(d.b)), attribute: int32(len(r.attributes) - 1), inRaw: head&1 != 0})
	}
	r.readText(l, d, head&1 != 0)
}

// readText reads the raw text, the text and the fragment of a reference.
func (r *LinkReader) readText(l *RawLink, d *decoder, inRaw bool) {
	l.Element, l.Attribute = r.element, r.attribute
	l.Raw = d.bytes()
	l.Text = d.bytes()
	l.Fragment = nil
	switch {
	case !l.HasFragment:
	case inRaw:
		l.Fragment = l.Raw[bytes.IndexByte(l.Raw, '#')+1:]
	default:
		l.Fragment = d.bytes()
	}
	if l.Selector = nil; l.Mark&MarkRendered != 0 {
		l.Selector = d.bytes()
	}
}

// readRepeat reads a reference that repeats an earlier one.
func (r *LinkReader) readRepeat(l *RawLink, d *decoder, sameText bool) {
	back := d.uvarint()
	if back == 0 || back > uint64(len(r.written)) {
		d.failed = true
		return
	}
	w := r.written[len(r.written)-int(back)]
	r.written = append(r.written, w)
	p := r.attributes[w.attribute]
	r.element, r.attribute = p.element, p.attribute
	first := decoder{b: r.places[w.at:]}
	r.readText(l, &first, w.inRaw)
	d.failed = d.failed || first.failed
	if !sameText {
		l.Text = d.bytes()
	}
}

// maxNames is the most names of elements and attributes that a reader keeps.
const maxNames = 1024

// name returns the name of an element or attribute. There are few different ones, so
// they are kept.
func (r *LinkReader) name(b []byte) string {
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	s := string(b)
	r.names[s] = s
	return s
}

// decoder reads from the front of b. After the first failure it returns zero values.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
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
