package report

import (
	"cmp"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/results"
)

// sorter holds results and pages until the crawl ends, and then passes them, sorted, to
// each of its writers in turn. Many results are held on disk.
type sorter struct {
	writers []Writer
	graph   bool // a writer needs pages
	head    *Head
	results results.Sorted
	pages   []heldPage
	numbers map[string]uint32 // of strings
	strings []string
}

// heldPage is a page with its links as numbers of strings: a site has millions of links, and
// most strings occur on many pages.
type heldPage struct {
	*crawler.Page
	links []heldEdge
}

// heldEdge is a link by the numbers of its strings.
type heldEdge struct{ url, text uint32 }

func (s *sorter) Begin(h *Head) error {
	s.head = h
	return nil
}

func (s *sorter) Result(r *crawler.Result) error {
	s.results.Add(r)
	return nil
}

func (s *sorter) Page(p *crawler.Page) error {
	if !s.graph {
		return nil
	}
	held := heldPage{p, make([]heldEdge, len(p.Links))}
	for i, l := range p.Links {
		held.links[i] = heldEdge{s.number(l.URL), s.number(l.Text)}
	}
	p.Links = nil
	s.pages = append(s.pages, held)
	return nil
}

// number returns the number of a string, which is stored only once for the whole site.
func (s *sorter) number(text string) uint32 {
	n, known := s.numbers[text]
	if known {
		return n
	}
	if s.numbers == nil {
		s.numbers = map[string]uint32{}
	}
	n = uint32(len(s.strings))
	s.strings = append(s.strings, text)
	s.numbers[text] = n
	return n
}

// page returns a page with its links.
func (s *sorter) page(held *heldPage) *crawler.Page {
	p := *held.Page
	p.Links = make([]crawler.Edge, len(held.links))
	for i, l := range held.links {
		p.Links[i] = crawler.Edge{URL: s.strings[l.url], Text: s.strings[l.text]}
	}
	return &p
}

// End writes every report, even if one of them fails.
func (s *sorter) End(sum *crawler.Summary) error {
	s.numbers = nil
	defer s.results.Close()
	slices.SortStableFunc(s.pages, func(a, b heldPage) int { return cmp.Compare(a.URL, b.URL) })
	head := *s.head
	head.Summary = sum
	var errs []error
	for _, w := range s.writers {
		errs = append(errs, s.replay(w, &head, sum))
	}
	return errors.Join(errs...)
}

func (s *sorter) replay(w Writer, head *Head, sum *crawler.Summary) error {
	if err := w.Begin(head); err != nil {
		return err
	}
	if w, ok := w.(PageWriter); ok {
		for i := range s.pages {
			if err := w.Page(s.page(&s.pages[i])); err != nil {
				return err
			}
		}
	}
	if err := s.results.Each(w.Result); err != nil {
		return err
	}
	return w.End(sum)
}

// byURL orders results by the bytes of their URLs. The findings about a page follow the
// target, in the order of their places. Two targets that cannot be parsed may have the same
// printed URL; the other fields order these.
func byURL(a, b *crawler.Result) int {
	if c := cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind)); c != 0 {
		return c
	}
	if a.Kind == crawler.KindPage {
		return cmp.Or(
			comparePlaces(&a.References[0], &b.References[0]),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
			byPlace(a.References[0], b.References[0]),
		)
	}
	return cmp.Or(
		cmp.Compare(a.Verdict, b.Verdict),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
		slices.CompareFunc(a.References, b.References, byPlace),
	)
}
