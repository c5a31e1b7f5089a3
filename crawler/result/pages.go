package result

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// Pages keeps pages with their links, beyond a megabyte in a temporary file, and returns them
// in the order of their URLs. Pages with the same URL keep the order in which they were added.
// The zero value is ready for use, by one goroutine at a time.
type Pages struct {
	index []pageEntry
	file  File
	rest  []byte // records that follow those of the file
}

// pageEntry says where the record of a page is: in the file, or as if rest followed there.
type pageEntry struct {
	url    string
	from   int64
	length int
}

const pagesInMemory = 1 << 20

// Add adds a page. It keeps nothing of it.
func (s *Pages) Add(p *Page) {
	before := len(s.rest)
	s.rest = appendPage(s.rest, p)
	s.index = append(s.index, pageEntry{p.URL, s.file.Size() + int64(before), len(s.rest) - before})
	if len(s.rest) >= pagesInMemory {
		if _, err := s.file.Write(s.rest); err == nil { // otherwise they stay in memory
			s.rest = s.rest[:0]
		}
	}
}

// Each calls fn with each page in order. It may be called more than once; each call passes
// other copies of the pages. Equal strings of these pages are in memory only once: a site has
// millions of links, and most of their strings occur on many pages.
func (s *Pages) Each(fn func(*Page) error) error {
	slices.SortStableFunc(s.index, func(a, b pageEntry) int { return cmp.Compare(a.url, b.url) })
	var buffer []byte
	shared := sharedStrings{}
	for _, e := range s.index {
		var record []byte
		if at := e.from - s.file.Size(); at >= 0 {
			record = s.rest[at:][:e.length]
		} else {
			buffer = slices.Grow(buffer[:0], e.length)[:e.length]
			if _, err := s.file.ReadAt(buffer, e.from); err != nil {
				return fmt.Errorf("read pages from a temporary file: %w", err)
			}
			record = buffer
		}
		p, err := decodePage(record, shared)
		if err != nil {
			return fmt.Errorf("read pages from a temporary file: %w", err)
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the file and the pages.
func (s *Pages) Close() {
	s.file.Close()
	*s = Pages{}
}

// appendPage appends the encoded form of a page.
func appendPage(b []byte, p *Page) []byte {
	e := encoder{b}
	e.strings(p.URL, p.Title, p.Format, p.Canonical)
	e.bool(p.NoIndex)
	e.time(p.Modified)
	for _, n := range [...]int64{int64(p.Depth), int64(p.Status), int64(p.Elapsed), p.Size, int64(len(p.Links))} {
		e.int(n)
	}
	for i := range p.Links {
		e.strings(p.Links[i].URL, p.Links[i].Text)
	}
	return e.b
}

// sharedStrings has strings that several pages may share.
type sharedStrings map[string]string

// of returns the string of some bytes.
func (s sharedStrings) of(b []byte) string {
	if text, known := s[string(b)]; known {
		return text
	}
	text := string(b)
	s[text] = text
	return text
}

// decodePage is the inverse of appendPage. The page does not refer to data.
func decodePage(data []byte, shared sharedStrings) (*Page, error) {
	d := decoder{record.Reader{Rest: data}}
	p := &Page{URL: shared.of(d.Bytes()), Title: string(d.Bytes()), Format: shared.of(d.Bytes()), Canonical: shared.of(d.Bytes())}
	p.NoIndex, p.Modified = d.Bool(), d.time()
	p.Depth, p.Status, p.Elapsed, p.Size = int(d.Varint()), int(d.Varint()), time.Duration(d.Varint()), d.Varint()
	p.Links = make([]Edge, d.count())
	for i := range p.Links {
		p.Links[i] = Edge{URL: shared.of(d.Bytes()), Text: shared.of(d.Bytes())}
	}
	if !d.Done() {
		return nil, errDamaged
	}
	return p, nil
}
