package verdicts

import (
	"encoding/binary"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// referenceList holds the references of a pair until its result is built, one record after
// the other.
type referenceList struct {
	records []byte
	count   uint32
}

// hold adds the record of a reference to those of the pair.
func (p *pair) hold(record []byte) {
	if p.references == nil { // most records of a pair are about as long as the first one
		p.references = &referenceList{records: make([]byte, 0, len(record)*max(1, int(p.cites)))}
	}
	p.references.records = append(p.references.records, record...)
	p.references.count++
}

// Flags of a record.
const (
	isRendered = 1 << iota
	isUnlike
)

// appendReference appends the record of a pair's reference on a page, which has a number of
// pageNames:
//
//	flags                                1 byte
//	page, line, column                   varints
//	element, attribute, raw, text        strings with their length before them
//	selector                             likewise, if isRendered
//	mark                                 a varint, if isUnlike
//
// A reference is unlike if its mark differs from the union of all marks of its pair, so that
// some warnings may not be about it.
func appendReference(b []byte, page uint32, r *frontier.RawLink, p *pair) []byte {
	mark, flags := r.Mark&^scope.NeutralMarks, byte(0)
	if r.Mark&scope.MarkRendered != 0 {
		flags |= isRendered
	}
	if p.differs(mark) {
		flags |= isUnlike
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(page))
	b = binary.AppendVarint(b, int64(r.Line))
	b = binary.AppendVarint(b, int64(r.Column))
	b = record.AppendString(record.AppendString(b, r.Element), r.Attribute)
	b = record.AppendString(record.AppendString(b, r.Raw), r.Text)
	if flags&isRendered != 0 {
		b = record.AppendString(b, r.Selector)
	}
	if flags&isUnlike != 0 {
		b = binary.AppendUvarint(b, mark)
	}
	return b
}

// all returns the references in the order in which they were added. unaffected returns, for
// the mark of a reference that is unlike, what rules.Reference has under that name. l may be nil.
func (l *referenceList) all(names *pageNames, unaffected func(mark uint64) string) []result.Reference {
	if l == nil {
		return nil
	}
	d := record.NewReader(l.records, string(l.records))
	list := make([]result.Reference, l.count)
	for i := range list {
		r := &list[i]
		flags := d.Byte()
		r.Page = names.of(uint32(d.Uvarint()))
		r.Line, r.Column = int(d.Varint()), int(d.Varint())
		r.Element, r.Attribute = d.String(), d.String()
		r.Raw, r.Text = d.String(), d.String()
		if r.Rendered = flags&isRendered != 0; r.Rendered {
			r.Selector = d.String()
		}
		if flags&isUnlike != 0 {
			r.Unaffected = unaffected(d.Uvarint())
		}
	}
	return list
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
		return result.CommandLine
	}
	return p.names[number-1]
}
