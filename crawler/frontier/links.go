package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"
)

// Link is one reference of a page, as it is kept until every verdict is known.
type Link struct {
	Target             int // index into the page's found targets
	Fragment           []byte
	HasFragment        bool
	Hash               uint64 // of the fragment, by check.HashAnchor; 0 without one
	Line, Column       int
	Element, Attribute string
	Raw, Text          string
	Mark               uint64 // what the crawler remembers of it
	// Repeats, where it is not 0, is one more than the number of an earlier reference
	// of the page with the same fragment, Element, Attribute and Raw, counted from 0 as
	// they were added, without bare ones. SameText says that Text is the same, too.
	Repeats  int
	SameText bool
}

// A page's references are one block in two parts. What a verdict takes comes first
// and is never compressed: it is read for every reference. Where a reference stands
// and how it is written comes second: it is read for those that are shown.
//
//	length of the first part, as a varint
//	first part, per reference:
//	  target<<2 | has a mark<<1 | has a fragment, as a varint
//	  [mark, as a varint] [hash of the fragment, 8 bytes]
//	second part: not compressed (0), or by s2 (1); of the first encoding (0), or where some
//	repeat another (2); with bare ones among them (4)
//	second part, per reference, as varints and length-prefixed strings:
//	  of a bare one: zigzag of the difference of Tag, <<2 | the fragment follows<<1 | 1
//	  [fragment]; else, where such are among them, 0, and what follows:
//	  line: zigzag of the difference, <<3 | repeats an earlier reference<<2, and then
//	    same text<<1:
//	      column, how many references before, [text]
//	    else same element and attribute as before<<1 | fragment is what follows '#' in raw:
//	      column [element attribute] raw text [fragment]
//	of the first encoding: <<2, and none repeats another
//
// A store that outlives its process is given no bare references.
const (
	compressedPlaces = 1 << iota
	repeatingPlaces
	barePlaces
)

const (
	// compressFrom is the size in bytes from which compressing pays: of what is written
	// out, for numbers are as short as they can be.
	compressFrom = 512
	hashLength   = 8
)

// Links builds the block of a page. The zero value is ready; Reset reuses it.
type Links struct {
	briefs, places     []byte
	line               int
	element, attribute string
	count              int
	written            int // of them not bare
	tag                int32
	tags               int // bytes of places that tags take
	bare               bool
}

// Reset empties the block and keeps its memory. Bare says that references may come that
// are.
func (b *Links) Reset(bare bool) {
	*b = Links{briefs: b.briefs[:0], places: b.places[:0], bare: bare}
}

// Written is how many references were added that are not bare.
func (b *Links) Written() int { return b.written }

// Len is the number of references.
func (b *Links) Len() int { return b.count }

// Size is how many bytes of memory the block holds on to.
func (b *Links) Size() int { return cap(b.briefs) + cap(b.places) }

// Expect makes room for n references in all, if they are as long as those that were
// added so far.
func (b *Links) Expect(n int) {
	b.briefs = expect(b.briefs, b.count, n)
	b.places = expect(b.places, b.count, n)
}

// expect makes room for n entries in a list whose first so many it holds.
func expect(list []byte, have, n int) []byte {
	if have == 0 || n <= have {
		return list
	}
	rest := len(list) * (n - have) / have
	return slices.Grow(list, rest+rest/8)
}

// Add appends a reference.
func (b *Links) Add(l *Link) {
	b.brief(&Brief{Target: l.Target, HasFragment: l.HasFragment, Hash: l.Hash, Mark: l.Mark})
	if b.bare {
		b.places = append(b.places, 0)
	}
	b.place(l)
	b.written++
}

// AddBare appends a reference to a block that may have bare ones. The tag, which is not
// 0, is all that is kept of where and how it is written: extract.Link.Tag, by which it is
// found in the page once more. The fragment is its text, where that is kept all the same.
func (b *Links) AddBare(l *Brief, tag int32, fragment []byte) {
	b.brief(l)
	head, before := zigzag(int64(tag)-int64(b.tag))<<2|1, len(b.places)
	b.tag = tag
	if fragment != nil {
		b.places = binary.AppendUvarint(b.places, head|2)
		b.bytes(fragment)
	} else {
		b.places = binary.AppendUvarint(b.places, head)
	}
	b.tags += len(b.places) - before
}

func (b *Links) brief(l *Brief) {
	head := uint64(l.Target) << 2
	if l.HasFragment {
		head |= 1
	}
	if l.Mark != 0 {
		head |= 2
	}
	b.briefs = binary.AppendUvarint(b.briefs, head)
	if l.Mark != 0 {
		b.briefs = binary.AppendUvarint(b.briefs, l.Mark)
	}
	if l.HasFragment {
		b.briefs = binary.LittleEndian.AppendUint64(b.briefs, l.Hash)
	}
	b.count++
}

func zigzag(d int64) uint64 { return uint64(d)<<1 ^ uint64(d>>63) }

func (b *Links) place(l *Link) {
	head := zigzag(int64(l.Line-b.line)) << 3
	if l.Repeats > 0 {
		b.repeat(l, head|4)
		return
	}
	same := b.written > 0 && l.Element == b.element && l.Attribute == b.attribute
	if same {
		head |= 2
	}
	written := l.HasFragment && EndsInFragment(l.Raw, l.Fragment)
	if written {
		head |= 1
	}
	b.places = binary.AppendUvarint(b.places, head)
	b.places = binary.AppendUvarint(b.places, uint64(l.Column))
	if !same {
		b.string(l.Element)
		b.string(l.Attribute)
		b.element, b.attribute = l.Element, l.Attribute
	}
	b.string(l.Raw)
	b.string(l.Text)
	if l.HasFragment && !written {
		b.bytes(l.Fragment)
	}
	b.line = l.Line
}

// repeat writes a reference that repeats another.
func (b *Links) repeat(l *Link, head uint64) {
	if l.SameText {
		head |= 2
	}
	b.places = binary.AppendUvarint(b.places, head)
	b.places = binary.AppendUvarint(b.places, uint64(l.Column))
	b.places = binary.AppendUvarint(b.places, uint64(b.written-(l.Repeats-1)))
	if !l.SameText {
		b.string(l.Text)
	}
	b.line, b.element, b.attribute = l.Line, l.Element, l.Attribute
}

// EndsInFragment reports whether what follows the first '#' of a reference is the
// fragment, byte for byte.
func EndsInFragment(raw string, fragment []byte) bool {
	at := len(raw) - len(fragment) - 1
	return at >= 0 && raw[at+1:] == string(fragment) && strings.IndexByte(raw, '#') == at
}

func (b *Links) bytes(s []byte) {
	b.places = binary.AppendUvarint(b.places, uint64(len(s)))
	b.places = append(b.places, s...)
}

func (b *Links) string(s string) {
	b.places = binary.AppendUvarint(b.places, uint64(len(s)))
	b.places = append(b.places, s...)
}

// Encode appends the block's stored form to dst, compressed where that pays; an
// empty block adds nothing.
func (b *Links) Encode(dst []byte) []byte {
	if b.count == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.briefs)))
	dst = append(dst, b.briefs...)
	kind := byte(repeatingPlaces)
	if b.bare {
		kind |= barePlaces
	}
	if len(b.places)-b.tags < compressFrom {
		return append(append(dst, kind), b.places...)
	}
	dst = append(dst, kind|compressedPlaces)
	at := len(dst)
	dst = slices.Grow(dst, s2.MaxEncodedLen(len(b.places)))
	return dst[:at+len(s2.Encode(dst[at:cap(dst)], b.places))]
}

var errLinks = fmt.Errorf("read a page's references: %w", ErrMalformed)

// Brief is what a verdict takes of a reference.
type Brief struct {
	Target      int
	HasFragment bool
	Hash        uint64 // of the fragment, by check.HashAnchor
	Mark        uint64
}

// BriefReader reads the first part of a block. The zero value is at its end.
type BriefReader struct {
	briefs []byte
	at     int // how far they are read
	places []byte
}

// Reset starts to read a block.
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

// Next reads the next reference; false at the end of the block.
func (r *BriefReader) Next(b *Brief) (bool, error) {
	briefs, at := r.briefs, r.at
	if at >= len(briefs) {
		return false, nil
	}
	head := uint64(briefs[at])
	at++
	if head >= 0x80 { // most others take two bytes
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

// LinkReader reads a block reference by reference, each with its place.
type LinkReader struct {
	briefs             BriefReader
	rest               []byte
	opened             bool
	repeating, bare    bool // the layout of the second part
	line               int
	tag                int32
	element, attribute string
	all                []byte       // the second part
	before             []written    // what was read, for those that repeat it
	pairs              []namedPlace // of those
	unpacked           []byte
	names              map[string]string // of elements and attributes
}

// written is where a reference is written out.
type written struct {
	at         int32 // of its raw text in the second part
	place      int32 // in LinkReader.pairs
	inFragment bool  // its fragment is what follows '#' there
}

type namedPlace struct{ element, attribute string }

// Reset starts to read a block; the reader's memory is used again.
func (r *LinkReader) Reset(block []byte) error {
	*r = LinkReader{unpacked: r.unpacked, names: r.names, before: r.before[:0], pairs: r.pairs[:0]}
	return r.briefs.Reset(block)
}

// open unpacks the second part.
func (r *LinkReader) open() error {
	r.opened = true
	if r.names == nil || len(r.names) > maxNames {
		r.names = map[string]string{}
	}
	kind, block := r.briefs.places[0], r.briefs.places[1:]
	r.repeating, r.bare = kind&repeatingPlaces != 0, kind&barePlaces != 0
	switch kind &^ (repeatingPlaces | barePlaces) {
	case 0:
		r.all, r.rest = block, block
		return nil
	case compressedPlaces:
		n, err := s2.DecodedLen(block)
		if err != nil || n > 1<<30 {
			return errLinks
		}
		if cap(r.unpacked) < n {
			r.unpacked = make([]byte, n)
		}
		if r.rest, err = s2.Decode(r.unpacked[:cap(r.unpacked)], block); err != nil {
			return errLinks
		}
		r.all = r.rest
		return nil
	}
	return errLinks
}

// RawLink is a Link whose strings are still part of the block: good until the
// reader is reset.
type RawLink struct {
	Brief
	Fragment           []byte
	Line, Column       int
	Element, Attribute string
	Raw, Text          []byte
	Tag                int32 // of a bare one, which has nothing of the rest but a Fragment that was named
}

// Next reads the next reference; false at the end of the block.
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
	if r.bare && r.nextTag(l, &d) {
		l.Tag, r.rest = r.tag, d.b
		if d.failed || l.Tag <= 0 {
			return false, errLinks
		}
		return true, nil
	}
	head := d.uvarint()
	repeats := false
	if r.repeating {
		repeats = head&4 != 0
		head = head>>1&^3 | head&3
	}
	r.line += int(int64(head>>3) ^ -int64(head>>2&1))
	l.Line, l.Column = r.line, int(d.uvarint())
	if repeats {
		r.again(l, &d, head&2 != 0)
	} else {
		r.anew(l, &d, head)
	}
	if d.failed {
		return false, errLinks
	}
	r.rest = d.b
	return true, nil
}

// nextTag reads the tag of a bare reference, or that the next one is none.
func (r *LinkReader) nextTag(l *RawLink, d *decoder) (bare bool) {
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

// anew reads a reference that is written out.
func (r *LinkReader) anew(l *RawLink, d *decoder, head uint64) {
	if head&2 == 0 {
		r.element, r.attribute = r.name(d.bytes()), r.name(d.bytes())
	}
	if r.repeating {
		if n := len(r.pairs); n == 0 || r.pairs[n-1] != (namedPlace{r.element, r.attribute}) {
			r.pairs = append(r.pairs, namedPlace{r.element, r.attribute})
		}
		r.before = append(r.before, written{at: int32(len(r.all) - len(d.b)), place: int32(len(r.pairs) - 1), inFragment: head&1 != 0})
	}
	r.read(l, d, head&1 != 0)
}

// read reads what is written of a reference.
func (r *LinkReader) read(l *RawLink, d *decoder, inFragment bool) {
	l.Element, l.Attribute = r.element, r.attribute
	l.Raw = d.bytes()
	l.Text = d.bytes()
	l.Fragment = nil
	switch {
	case !l.HasFragment:
	case inFragment:
		l.Fragment = l.Raw[bytes.IndexByte(l.Raw, '#')+1:]
	default:
		l.Fragment = d.bytes()
	}
}

// again reads a reference that repeats an earlier one.
func (r *LinkReader) again(l *RawLink, d *decoder, sameText bool) {
	back := d.uvarint()
	if back == 0 || back > uint64(len(r.before)) {
		d.failed = true
		return
	}
	w := r.before[len(r.before)-int(back)]
	r.before = append(r.before, w)
	p := r.pairs[w.place]
	r.element, r.attribute = p.element, p.attribute
	first := decoder{b: r.all[w.at:]}
	r.read(l, &first, w.inFragment)
	d.failed = d.failed || first.failed
	if !sameText {
		l.Text = d.bytes()
	}
}

// maxNames bounds how many names of elements and attributes a reader remembers.
const maxNames = 1024

// name is an element's or attribute's name, of which there are few.
func (r *LinkReader) name(b []byte) string {
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	s := string(b)
	r.names[s] = s
	return s
}

type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	return uint64(d.took(int64(v), n))
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
