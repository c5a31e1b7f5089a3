package verdicts

import (
	"encoding/binary"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// referenceList holds the references of a pair until its result is built. All the results of
// a run may have millions, so a list is bytes without pointers. Most references to a target
// are written alike, so a reference leaves out what it has in common with the one before:
//
//	flags     1 byte
//	page, line, column    varints; the page is a number of pageNames
//	[element, attribute] [raw] [text] [selector]    strings with their length before them
type referenceList struct {
	b       []byte
	count   int32
	element uint32 // where the last element and attribute are in b, plus one
	raw     uint32 // likewise
	text    uint32
}

// Flags of a reference in a list.
const (
	sameElement = 1 << iota // and attribute
	sameRaw
	sameText
	isRendered
)

// add adds a reference on a page.
func (l *referenceList) add(page uint32, r *frontier.RawLink) {
	at := len(l.b)
	l.b = append(l.b, 0)
	l.b = binary.AppendUvarint(l.b, uint64(page))
	l.b = binary.AppendVarint(l.b, int64(r.Line))
	l.b = binary.AppendVarint(l.b, int64(r.Column))
	if rest, ok := cutPrefix(l.b, l.element, r.Element); ok && hasPrefix(rest, r.Attribute) {
		l.b[at] |= sameElement
	} else {
		l.element = uint32(len(l.b)) + 1
		l.b = appendText(appendText(l.b, r.Element), r.Attribute)
	}
	if _, ok := cutPrefix(l.b, l.raw, r.Raw); ok {
		l.b[at] |= sameRaw
	} else {
		l.raw = uint32(len(l.b)) + 1
		l.b = appendText(l.b, r.Raw)
	}
	if _, ok := cutPrefix(l.b, l.text, r.Text); ok {
		l.b[at] |= sameText
	} else {
		l.text = uint32(len(l.b)) + 1
		l.b = appendText(l.b, r.Text)
	}
	if r.Mark&rules.MarkRendered != 0 {
		l.b[at] |= isRendered
		l.b = appendText(l.b, r.Selector)
	}
	l.count++
}

// appendText appends a text with its length before it.
func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// cutPrefix reports whether a text is at a position in b, and returns what follows it. The
// position is one more than the index, and 0 for none.
func cutPrefix[T string | []byte](b []byte, at uint32, s T) (rest []byte, ok bool) {
	if at == 0 {
		return nil, false
	}
	return cutText(b[at-1:], s)
}

// cutText reports whether b begins with a text, and returns what follows it.
func cutText[T string | []byte](b []byte, s T) (rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if n != uint64(len(s)) || string(b[size:size+int(n)]) != string(s) {
		return nil, false
	}
	return b[size+int(n):], true
}

// hasPrefix reports whether b begins with a text.
func hasPrefix[T string | []byte](b []byte, s T) bool {
	_, ok := cutText(b, s)
	return ok
}

// all returns the references in the order in which they were added.
func (l *referenceList) all(names *pageNames) []rules.Reference {
	if l.count == 0 {
		return nil
	}
	d := listReader{rest: l.b, text: string(l.b)}
	list := make([]rules.Reference, l.count)
	before := &rules.Reference{}
	for i := range list {
		r := &list[i]
		*r = *before
		flags := d.rest[0]
		d.rest = d.rest[1:]
		r.Page = names.of(uint32(d.uvarint()))
		r.Line, r.Column = int(d.varint()), int(d.varint())
		if flags&sameElement == 0 {
			r.Element, r.Attribute = d.string(), d.string()
		}
		if flags&sameRaw == 0 {
			r.Raw = d.string()
		}
		if flags&sameText == 0 {
			r.Text = d.string()
		}
		if r.Rendered, r.Selector = flags&isRendered != 0, ""; r.Rendered {
			r.Selector = d.string()
		}
		before = r
	}
	return list
}

// listReader reads from the start of rest what add wrote.
type listReader struct {
	rest []byte
	text string // the whole list, of which the strings are parts
}

func (d *listReader) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	d.rest = d.rest[size:]
	return n
}

func (d *listReader) varint() int64 {
	n, size := binary.Varint(d.rest)
	d.rest = d.rest[size:]
	return n
}

func (d *listReader) string() string {
	n := int(d.uvarint())
	from := len(d.text) - len(d.rest)
	d.rest = d.rest[n:]
	return d.text[from : from+n]
}

// pageNames are the printed names of pages, by the numbers that lists use. Page 0 is the
// command line.
type pageNames struct{ names []string }

// add returns the number of a new page.
func (p *pageNames) add(name string) uint32 {
	p.names = append(p.names, name)
	return uint32(len(p.names))
}

func (p *pageNames) of(number uint32) string {
	if number == 0 {
		return rules.CommandLine
	}
	return p.names[number-1]
}
