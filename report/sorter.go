package report

import (
	"cmp"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// sorter holds results and pages until the crawl ends, and then passes them, sorted, to
// each of its writers in turn. Many of them are held on disk.
type sorter struct {
	writers []Writer
	graph   bool // a writer needs pages
	head    *Head
	results result.Sorted[*result.Result]
	pages   result.Pages
}

func (s *sorter) Begin(h *Head) error {
	s.head = h
	return nil
}

func (s *sorter) Result(r *result.Result) error {
	s.results.Add(r)
	return nil
}

func (s *sorter) Page(p *result.Page) error {
	if s.graph {
		s.pages.Add(p)
	}
	return nil
}

// End writes every report, even if one of them fails.
func (s *sorter) End(sum *result.Summary) error {
	defer s.close()
	head := *s.head
	head.Summary = sum
	var errs []error
	for _, w := range s.writers {
		errs = append(errs, s.replay(w, &head, sum))
	}
	return errors.Join(errs...)
}

func (s *sorter) replay(w Writer, head *Head, sum *result.Summary) error {
	if err := w.Begin(head); err != nil {
		return err
	}
	if w, ok := w.(PageWriter); ok {
		if err := s.pages.Each(w.Page); err != nil {
			return err
		}
	}
	if err := s.results.Each(w.Result); err != nil {
		return err
	}
	return w.End(sum)
}

// close removes the temporary files.
func (s *sorter) close() {
	s.results.Close()
	s.pages.Close()
}

// inOrder keeps the results of a report.
type inOrder struct{ result.Kept }

// Compare is [byURL].
func (inOrder) Compare(a, b *result.Result) int { return byURL(a, b) }

// byURL orders results by the bytes of their URLs. The findings about a page follow the
// target, in the order of their places. Two targets that cannot be parsed may have the same
// printed URL; the other fields order these.
func byURL(a, b *result.Result) int {
	if c := cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind)); c != 0 {
		return c
	}
	if a.Kind == result.KindPage {
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
