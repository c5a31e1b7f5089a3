package report

import (
	"cmp"
	"encoding/binary"
	"errors"
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

// pageRow is a finding at one place.
type pageRow struct {
	page string
	row
	order int // the order in which findings were added
}

// pageRows holds the rows of a listing, and returns them by page and place. A listing of
// everything has a row for each of millions of links, so all but some are in a temporary file.
type pageRows struct {
	sorted *result.Sorted[pageRow]
	count  int
}

func (p *pageRows) add(r pageRow) {
	if p.sorted == nil {
		p.sorted = &result.Sorted[pageRow]{Order: &rowOrder{numbers: map[string]int{}}}
	}
	p.count++
	p.sorted.Add(r)
}

// each calls fn with the rows of each page, in order, up to a number of rows. fn must not keep
// the rows.
func (p *pageRows) each(most int, fn func(page string, rows []pageRow)) error {
	if p.sorted == nil {
		return nil
	}
	var rows []pageRow
	end := func() {
		if len(rows) > 0 {
			fn(rows[0].page, rows)
			clear(rows)
			rows = rows[:0]
		}
	}
	err := p.sorted.Each(func(r pageRow) error {
		if most--; most < 0 {
			return errEnough
		}
		if len(rows) > 0 && rows[0].page != r.page {
			end()
		}
		rows = append(rows, r)
		return nil
	})
	end()
	if err == errEnough {
		return nil
	}
	return err
}

var errEnough = errors.New("enough rows")

// close removes the rows.
func (p *pageRows) close() {
	if p.sorted != nil {
		p.sorted.Close()
	}
	*p = pageRows{}
}

// rowOrder is the order of rows, and how they are kept in the file.
type rowOrder struct {
	names   []string       // of the pages of rows in the file, by their numbers
	numbers map[string]int // of these pages
}

// Compare orders rows by page, and those of one page by place. Rows at one place keep
// their order, so a verdict comes before warnings.
func (*rowOrder) Compare(a, b pageRow) int {
	if a.page != b.page {
		return cmp.Compare(a.page, b.page)
	}
	return cmp.Or(comparePlaces(a.ref, b.ref), cmp.Compare(a.order, b.order))
}

// Size returns about how many bytes of memory a row takes.
func (*rowOrder) Size(r pageRow) int {
	const of, place = 96, 224
	if r.ref == nil {
		return of
	}
	return of + place
}

// Append appends the encoded form of a row:
//
//	page, order                           numbers, as varints
//	word, code, url, hint                 strings with their length before them
//	line + 1, column                      numbers; a single 0 if there is no reference
//	element, text, folder                 strings
func (k *rowOrder) Append(b []byte, r pageRow) []byte {
	page, known := k.numbers[r.page]
	if !known {
		page = len(k.names)
		k.names, k.numbers[r.page] = append(k.names, r.page), page
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(page)), uint64(r.order))
	texts := func(all ...string) {
		for _, s := range all {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	texts(r.word, r.code, r.url, r.hint)
	if r.ref == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(max(r.ref.Line, 0))+1), uint64(max(r.ref.Column, 0)))
	texts(r.ref.Element, r.ref.Text, r.ref.Folder)
	return b
}

// Decode is the inverse of Append. Of the reference, it returns what a row shows.
func (k *rowOrder) Decode(data []byte) (pageRow, error) {
	rest, damaged := string(data), false
	number := func() int {
		n, size := binary.Uvarint(data[len(data)-len(rest):])
		if damaged = damaged || size <= 0 || n > 1<<62; damaged {
			return 0
		}
		rest = rest[size:]
		return int(n)
	}
	text := func() string {
		n := number()
		if damaged = damaged || n > len(rest); damaged {
			return ""
		}
		s := rest[:n]
		rest = rest[n:]
		return s
	}
	var r pageRow
	page := number()
	r.order = number()
	r.word, r.code, r.url, r.hint = text(), text(), text(), text()
	if line := number(); line > 0 {
		r.ref = &result.Reference{Line: line - 1, Column: number(), Element: text(), Text: text(), Folder: text()}
	}
	if damaged || len(rest) > 0 || page >= len(k.names) {
		return pageRow{}, errors.New("a row is damaged")
	}
	r.page = k.names[page]
	if r.ref != nil {
		r.ref.Page = r.page
	}
	return r, nil
}
