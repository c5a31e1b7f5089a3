package verdicts

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

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

// all returns the references in the order in which they were added, and the numbers of their pages.
// unaffected returns, for the mark of a reference that is unlike, what rules.Reference has under
// that name. l may be nil.
func (l *referenceList) all(names *pageNames, unaffected func(mark uint64) string) (list []result.Reference, pages []uint32) {
	if l == nil {
		return nil, nil
	}
	d := record.NewReader(l.records, string(l.records))
	list, pages = make([]result.Reference, l.count), make([]uint32, l.count)
	for i := range list {
		r := &list[i]
		flags := d.Byte()
		pages[i] = uint32(d.Uvarint())
		r.Page = names.of(pages[i])
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
	return list, pages
}

// pageNames are the printed names of pages, by the numbers that lists use. Page 0 is the
// command line.
type pageNames struct {
	names []string
	ranks []uint32 // of the names in their order, from 1; nil until sort is called
}

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

// rank returns the places of the names in their order. Equal names have the same one.
func (p *pageNames) rank() []uint32 {
	if len(p.ranks) == len(p.names) {
		return p.ranks
	}
	order := make([]uint32, len(p.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(p.names[a], p.names[b]) })
	p.ranks = make([]uint32, len(p.names))
	for i, at := range order {
		if p.ranks[at] = uint32(i + 1); i > 0 && p.names[at] == p.names[order[i-1]] {
			p.ranks[at] = p.ranks[order[i-1]]
		}
	}
	return p.ranks
}

// sort sorts references by their positions. pages are the numbers of their pages: a link that all
// pages have has as many references, whose names would be compared and moved many times.
func (p *pageNames) sort(list []result.Reference, pages []uint32) {
	type place struct{ rank, at uint32 }
	ranks, places := p.rank(), make([]place, len(list))
	for i, page := range pages {
		if places[i].at = uint32(i); page > 0 {
			places[i].rank = ranks[page-1]
		}
	}
	inOrder := func(a, b place) int {
		if a.rank != b.rank && a.rank > 0 && b.rank > 0 {
			return cmp.Compare(a.rank, b.rank)
		}
		return cmp.Or(byPlace(&list[a.at], &list[b.at]), cmp.Compare(a.at, b.at))
	}
	if slices.IsSortedFunc(places, inOrder) {
		return
	}
	slices.SortFunc(places, inOrder)
	for i := range places { // each cycle of references that take each other's places
		first := list[i]
		for to := uint32(i); ; {
			from := places[to].at
			if places[to].at = to; from == uint32(i) || from == to {
				list[to] = first
				break
			}
			list[to], to = list[from], from
		}
	}
}

// byPlace compares references by their positions.
func byPlace(a, b *result.Reference) int {
	if n := strings.Compare(a.Page, b.Page); n != 0 {
		return n // the usual case
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		strings.Compare(a.Element, b.Element), strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.Raw, b.Raw), strings.Compare(a.Selector, b.Selector))
}
