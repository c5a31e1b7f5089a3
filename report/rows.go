package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// row is one line of a table. ref is nil if the finding has no place.
type row struct {
	ref                   *result.Reference
	word, code, url, hint string
}

// place returns the line and column, or another description of the place.
func (r row) place() string {
	if r.ref == nil || r.ref.Line <= 0 {
		return cmp.Or(elementPlace(r.ref), "-")
	}
	return strconv.Itoa(r.ref.Line) + ":" + strconv.Itoa(r.ref.Column)
}

type pageRow struct {
	page string
	row
	order int // the order in which findings were added
}

// pageRows holds the rows of a listing, and returns them by page and place. A listing of
// everything has a row for each of millions of links, so all but some are in temporary files: in
// the order in which they were added, until all pages are known, and then by page.
type pageRows struct {
	count   int
	pages   []rowPage         // by their numbers
	numbers map[string]uint32 // of pages, by their names
	file    result.File       // for each row, the length of its record, the number of its page, and the record
	rest    []byte            // what follows the file
	record  []byte            // memory
}

type rowPage struct {
	name string
	size int // of the records, in bytes
}

const rowsInMemory = 64 << 10 // bytes of the rest

func (p *pageRows) add(r pageRow) {
	page, known := p.numbers[r.page]
	if !known {
		if p.numbers == nil {
			p.numbers = map[string]uint32{}
		}
		page = uint32(len(p.pages))
		p.numbers[r.page], p.pages = page, append(p.pages, rowPage{name: r.page})
	}
	p.count++
	p.record = appendRow(p.record[:0], &r)
	p.pages[page].size += len(p.record)
	p.rest = binary.AppendUvarint(binary.AppendUvarint(p.rest, uint64(len(p.record))), uint64(page))
	p.rest = append(p.rest, p.record...)
	if len(p.rest) >= rowsInMemory {
		if _, err := p.file.Write(p.rest); err == nil { // otherwise they stay in memory
			p.rest = p.rest[:0]
		}
	}
}

// each calls fn with the rows of each page, in order, up to a number of rows. fn must not keep
// the rows.
func (p *pageRows) each(most int, fn func(page string, rows []pageRow)) error {
	order := make([]uint32, len(p.pages))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(p.pages[a].name, p.pages[b].name) })
	spool := result.NewSpool(len(order), func(i int) int { return p.pages[order[i]].size })
	defer spool.Close()
	if err := p.moveTo(spool, order); err != nil {
		return err
	}
	var some someRows
	for i, number := range order {
		if most <= 0 {
			break
		}
		if err := some.load(spool, i); err != nil {
			return err
		}
		page := p.pages[number].name
		rows, err := some.of(i, page, most)
		if err != nil {
			return err
		}
		most -= len(rows)
		fn(page, rows)
	}
	return nil
}

// moveTo adds all rows to a spool, whose values are the pages in an order.
func (p *pageRows) moveTo(spool *result.Spool, order []uint32) error {
	places := make([]uint32, len(order))
	for i, number := range order {
		places[number] = uint32(i)
	}
	in := bufio.NewReaderSize(io.MultiReader(io.NewSectionReader(&p.file, 0, p.file.Size()), bytes.NewReader(p.rest)), rowsInMemory)
	for range p.count {
		length, err := binary.ReadUvarint(in)
		page, err1 := binary.ReadUvarint(in)
		if err = cmp.Or(err, err1); err == nil && (length > math.MaxInt32 || page >= uint64(len(places))) {
			return errDamagedRow
		}
		if err == nil {
			p.record = slices.Grow(p.record[:0], int(length))[:length]
			_, err = io.ReadFull(in, p.record)
		}
		if err != nil {
			return fmt.Errorf("read from a temporary file: %w", err)
		}
		spool.Add(places[page], p.record)
	}
	return nil
}

func (p *pageRows) close() {
	p.file.Close()
	*p = pageRows{}
}

// someRows holds the rows of some consecutive pages.
type someRows struct {
	records []byte
	keys    []rowKey // of those that are still to be returned
	text    string   // the records
	rows    []pageRow
	refs    []result.Reference // of the rows
}

// rowKey is what rows are ordered by: the page and the place. Rows at one place keep the order in
// which their findings were added, so a verdict comes before warnings.
type rowKey struct {
	page, line, column, pdfPage, order int
	from, texts, to                    int // offsets of the record and of its texts
}

func compareRowKeys(a, b rowKey) int {
	switch { // cmp.Or would compare all of them each time
	case a.page != b.page:
		return cmp.Compare(a.page, b.page)
	case a.line != b.line:
		return cmp.Compare(a.line, b.line)
	case a.column != b.column:
		return cmp.Compare(a.column, b.column)
	}
	return cmp.Or(cmp.Compare(a.pdfPage, b.pdfPage), cmp.Compare(a.order, b.order))
}

// load loads the rows of a page and of some that follow it, unless they are loaded already.
func (s *someRows) load(spool *result.Spool, page int) error {
	if len(s.keys) > 0 {
		return nil
	}
	s.records, s.text = s.records[:0], ""
	damaged := false
	err := spool.Load(page, func(page int, record []byte) {
		key := rowKey{page: page, from: len(s.records)}
		s.records = append(s.records, record...)
		d := rowReader{data: record}
		key.order, key.line, key.column, key.pdfPage = d.number(), d.number(), d.number(), d.number()
		key.texts, key.to = key.from+d.at, len(s.records)
		s.keys = append(s.keys, key)
		damaged = damaged || d.damaged
	})
	if damaged {
		err = cmp.Or(err, errDamagedRow)
	}
	slices.SortFunc(s.keys, compareRowKeys)
	s.text = string(s.records)
	return err
}

// of returns the rows of a page in order, as many as most, and removes them. They are valid until the
// next call.
func (s *someRows) of(page int, name string, most int) ([]pageRow, error) {
	n := 0
	for n < len(s.keys) && s.keys[n].page == page {
		n++
	}
	keys := s.keys[:min(n, most)]
	s.keys = s.keys[n:]
	s.rows, s.refs = slices.Grow(s.rows[:0], len(keys))[:len(keys)], slices.Grow(s.refs[:0], len(keys))[:len(keys)]
	for i, key := range keys {
		r := &s.rows[i]
		*r = pageRow{page: name, order: key.order}
		d := rowReader{data: s.records[:key.to], text: s.text, at: key.texts}
		r.word, r.code, r.url, r.hint = d.string(), d.string(), d.string(), d.string()
		element, text, folder := d.string(), d.string(), d.string()
		if key.line > 0 {
			r.ref = &s.refs[i]
			*r.ref = result.Reference{Page: name, Line: key.line - 1, Column: key.column, Element: element, Text: text, Folder: folder}
		}
		if d.damaged || d.at < key.to {
			return nil, errDamagedRow
		}
	}
	return s.rows, nil
}

// appendRow appends the record of a row:
//
//	order                                        a number, as a varint
//	line + 1, column, number of the PDF page     numbers; all 0 if there is no reference
//	word, code, url, hint                        strings with their length before them
//	element, text, folder                        strings; all empty if there is no reference
func appendRow(b []byte, r *pageRow) []byte {
	var ref result.Reference
	line := 0
	if r.ref != nil {
		ref = *r.ref
		line = max(ref.Line, 0) + 1
	}
	for _, n := range [...]int{r.order, line, max(ref.Column, 0), pdfPage(&ref)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range [...]string{r.word, r.code, r.url, r.hint, ref.Element, ref.Text, ref.Folder} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

type rowReader struct {
	data    []byte
	text    string // begins with data
	at      int
	damaged bool
}

func (d *rowReader) number() int {
	n, size := binary.Uvarint(d.data[d.at:])
	if d.damaged = d.damaged || size <= 0 || n > math.MaxInt; d.damaged {
		return 0
	}
	d.at += size
	return int(n)
}

func (d *rowReader) string() string {
	n := d.number()
	if d.damaged = d.damaged || n > len(d.data)-d.at; d.damaged {
		return ""
	}
	d.at += n
	return d.text[d.at-n : d.at]
}

var errDamagedRow = errors.New("read from a temporary file: a row is damaged")
