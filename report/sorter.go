package report

import (
	"cmp"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// sorter holds results and pages until the crawl ends, and then passes them, sorted, to
// each of its writers in turn. Many of them are held on disk. Writers that collect get results
// that arrive sorted by URL at once.
type sorter struct {
	writers    []Writer
	collectors []Writer
	same       []*result.Result // the last for the collectors, which have the same URL
	graph      bool             // a writer needs pages
	head       *Head
	results    result.Sorted[*result.Result]
	pages      result.Pages
}

func (s *sorter) Begin(h *Head) error {
	s.head = h
	return s.collect(func(w Writer) error { return w.Begin(h) })
}

// collect calls do with each of the writers that collect, even if it fails for one of them.
func (s *sorter) collect(do func(Writer) error) error {
	var errs []error
	for _, w := range s.collectors {
		errs = append(errs, do(w))
	}
	return errors.Join(errs...)
}

func (s *sorter) Result(r *result.Result) error {
	if len(s.writers) > 0 {
		s.results.Add(r)
	}
	if len(s.collectors) == 0 {
		return nil
	}
	var err error
	if len(s.same) > 0 && s.same[0].URL != r.URL {
		err = s.pass()
	}
	s.same = append(s.same, r)
	return err
}

// pass passes the results with the same URL to the writers that collect.
func (s *sorter) pass() error {
	slices.SortStableFunc(s.same, byURL)
	var errs []error
	for _, r := range s.same {
		errs = append(errs, s.collect(func(w Writer) error { return w.Result(r) }))
	}
	clear(s.same)
	s.same = s.same[:0]
	return errors.Join(errs...)
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
	errs := []error{s.pass(), s.collect(func(w Writer) error { return w.End(sum) })}
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

func (s *sorter) close() {
	s.results.Close()
	s.pages.Close()
}

type inOrder struct{ result.Kept }

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
