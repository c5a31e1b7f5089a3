package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// sieve is the first station of every report: it drops what is not shown, and
// makes what is shown fit to print. It changes copies only, and copies only what
// has to change, for nearly nothing does.
type sieve struct {
	next Writer
	show Show
}

func (s *sieve) Begin(h *Head) error {
	head := cleanHead(h)
	return s.next.Begin(&head)
}

func (s *sieve) Result(r *crawler.Result) error {
	if !s.show.result(r) {
		return nil
	}
	out := cleanResult(r)
	if drop := func(w check.Warning) bool { return !s.show.warning(w) }; slices.ContainsFunc(out.Warnings, drop) {
		out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), drop)
	}
	return s.next.Result(out)
}

func (s *sieve) Page(p *crawler.Page) error {
	next, ok := s.next.(PageWriter)
	if !ok {
		return nil
	}
	out := *p
	out.URL, out.Title = clean(p.URL), clean(p.Title)
	out.Format, out.Canonical = clean(p.Format), clean(p.Canonical)
	out.Links = cleanAll(p.Links, func(e crawler.Edge) crawler.Edge {
		return crawler.Edge{URL: clean(e.URL), Text: clean(e.Text)}
	})
	return next.Page(&out)
}

func (s *sieve) End(sum *crawler.Summary) error { return s.next.End(cleanSummary(sum)) }
