package frontier

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"
)

// Link is one reference of a page.
type Link struct {
	Target             int // index into the page's found targets
	Fragment           []byte
	HasFragment        bool
	Hash               uint64 // of the fragment, by judging.HashAnchor; 0 without one
	Line, Column       int
	Element, Attribute string
	Raw, Text          string
	Mark               uint64 // what the crawler notes about it
	Selector           string // of the element, if the mark has MarkRendered
	// Repeats, if not 0, is one more than the number of an earlier reference of the page
	// with the same fragment, Element, Attribute and Raw. The numbers count from 0 in the
	// order in which references were added, without bare ones. SameText reports whether
	// the texts are equal, too.
	Repeats  int
	SameText bool
}

// MarkRendered marks a reference that only scripts make. It has a selector, and no line.
const MarkRendered = 1 << 14

// Brief is the part of a reference that a verdict needs.
type Brief struct {
	Target      int
	HasFragment bool
	Hash        uint64 // of the fragment, by judging.HashAnchor
	Mark        uint64
}

// The references of a page are encoded as one block in two parts. The first part has what
// a verdict needs. It is never compressed, because it is read for every reference. The
// second part has the places and the texts. It is read for the references that are shown.
//
//	length of the first part: varint
//	first part, for each reference:
//	  target<<2 | has a mark<<1 | has a fragment: varint
//	  [mark: varint] [hash of the fragment: 8 bytes]
//	flags of the second part: 1 byte: compressed by s2 (1), references may repeat others
//	(2), references may be bare (4)
//	second part, for each reference, in varints and strings with their length before them:
//	  if references may be bare:
//	    a bare one: zigzag of the difference of the tags<<2 | has a fragment<<1 | 1
//	      [fragment]
//	    others: 0, and what follows
//	  one that repeats another:
//	    zigzag of the difference of the lines<<3 | 1<<2 | same text<<1
//	    column, number of written references back, [text]
//	  others:
//	    zigzag of the difference of the lines<<3 | same element and attribute as the one
//	    before<<1 | the fragment is what follows '#' in raw
//	    column, [element, attribute,] raw, text, [fragment,] [selector, if it is marked so]
//	  The first encoding has no references that repeat others, and shifts lines by 2.
//
// A block for a store that outlives its process must not have bare references.
const (
	flagCompressed = 1 << iota
	flagRepeats
	flagBare
)

const (
	// compressFrom is the size of the second part from which it is compressed, in bytes
	// without those of tags, which cannot be compressed.
	compressFrom = 512
	hashLength   = 8
)

// Links builds the block of a page. The zero value is an empty block.
type Links struct {
	briefs, places     []byte // the two parts
	line               int    // of the last reference, as are element, attribute and tag
	element, attribute string
	count              int // references
	written            int // references that are not bare
	tag                int32
	tagBytes           int // bytes of places that are tags
	bare               bool
}

// Reset empties the block and keeps its memory. bare allows AddBare.
func (b *Links) Reset(bare bool) {
	*b = Links{briefs: b.briefs[:0], places: b.places[:0], bare: bare}
}

// Written returns the number of references that are not bare.
func (b *Links) Written() int { return b.written }

// Len returns the number of references.
func (b *Links) Len() int { return b.count }

// Size returns the bytes of memory that the block holds.
func (b *Links) Size() int { return cap(b.briefs) + cap(b.places) }

// Grow makes room for n references in all, as long as those added so far.
func (b *Links) Grow(n int) {
	b.briefs = grow(b.briefs, b.count, n)
	b.places = grow(b.places, b.count, n)
}

// grow makes room for n entries in a list that has the first of them.
func grow(list []byte, have, n int) []byte {
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

// AddBare appends a bare reference, whose place and text are not kept. The tag is
// extract.Link.Tag, not 0, by which the reference is found when the page is read again.
// The fragment is kept if it is not nil.
func (b *Links) AddBare(l *Brief, tag int32, fragment []byte) {
	b.brief(l)
	head, size := zigzag(int64(tag)-int64(b.tag))<<2|1, len(b.places)
	b.tag = tag
	if fragment != nil {
		b.places = binary.AppendUvarint(b.places, head|2)
		b.bytes(fragment)
	} else {
		b.places = binary.AppendUvarint(b.places, head)
	}
	b.tagBytes += len(b.places) - size
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
	if l.Mark&MarkRendered != 0 {
		b.string(l.Selector)
	}
	b.line = l.Line
}

// repeat appends a reference that repeats another.
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

// EndsInFragment reports whether the bytes after the first '#' of a reference are the
// fragment.
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

// Load replaces the references with those of a block that has no bare ones.
func (b *Links) Load(block []byte) error {
	b.Reset(false)
	var r LinkReader
	if err := r.Reset(block); err != nil {
		return err
	}
	for {
		var l RawLink
		if more, err := r.Next(&l); !more || err != nil {
			return err
		}
		if l.Tag != 0 {
			return errLinks
		}
		b.Add(&Link{Target: l.Target, Fragment: l.Fragment, HasFragment: l.HasFragment, Hash: l.Hash, Mark: l.Mark, Line: l.Line, Column: l.Column,
			Element: l.Element, Attribute: l.Attribute, Raw: string(l.Raw), Text: string(l.Text), Selector: string(l.Selector)})
	}
}

// Encode appends the stored form of the block to dst. An empty block has none.
func (b *Links) Encode(dst []byte) []byte {
	if b.count == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.briefs)))
	dst = append(dst, b.briefs...)
	flags := byte(flagRepeats)
	if b.bare {
		flags |= flagBare
	}
	if len(b.places)-b.tagBytes < compressFrom {
		return append(append(dst, flags), b.places...)
	}
	dst = append(dst, flags|flagCompressed)
	at := len(dst)
	dst = slices.Grow(dst, s2.MaxEncodedLen(len(b.places)))
	return dst[:at+len(s2.Encode(dst[at:cap(dst)], b.places))]
}
