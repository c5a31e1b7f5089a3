package report

import (
	"cmp"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
)

// sorter holds results and pages until the crawl ends, and then passes them, sorted, to
// each of its writers in turn. It holds pointers, so the memory for the results does not
// grow with the number of reports.
type sorter struct {
	writers []Writer
	graph   bool // a writer needs pages
	head    *Head
	results []*crawler.Result
	pages   []*crawler.Page
	strings map[string]string
}

func (s *sorter) Begin(h *Head) error {
	s.head = h
	return nil
}

func (s *sorter) Result(r *crawler.Result) error {
	s.results = append(s.results, r)
	return nil
}

func (s *sorter) Page(p *crawler.Page) error {
	if s.graph {
		p.Links = s.compact(p.Links)
		s.pages = append(s.pages, p)
	}
	return nil
}

// compact copies the links of a page and stores each string only once for the whole site:
// most links occur on many pages.
func (s *sorter) compact(links []crawler.Edge) []crawler.Edge {
	if s.strings == nil {
		s.strings = map[string]string{}
	}
	once := func(text string) string {
		if kept, ok := s.strings[text]; ok {
			return kept
		}
		s.strings[text] = text
		return text
	}
	kept := make([]crawler.Edge, len(links))
	for i, l := range links {
		kept[i] = crawler.Edge{URL: once(l.URL), Text: once(l.Text)}
	}
	return kept
}

// End writes every report, even if one of them fails.
func (s *sorter) End(sum *crawler.Summary) error {
	s.strings = nil
	slices.SortStableFunc(s.results, byURL)
	slices.SortStableFunc(s.pages, func(a, b *crawler.Page) int { return cmp.Compare(a.URL, b.URL) })
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
		for _, p := range s.pages {
			if err := w.Page(p); err != nil {
				return err
			}
		}
	}
	for _, r := range s.results {
		if err := w.Result(r); err != nil {
			return err
		}
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
