package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// filter is the first step of every report. It drops results that are not shown, and
// cleans the others. It changes copies only, and it copies only what changes: almost no
// result does.
type filter struct {
	next Writer
	show Show
	// hops gets the documents that redirects of dropped results lead to; nil if nobody
	// wants them.
	hops map[string]string
}

func (s *filter) Begin(h *Head) error {
	head := cleanHead(h)
	head.hops = s.hops
	return s.next.Begin(&head)
}

func (s *filter) Result(r *result.Result) error {
	if !s.show.result(r) {
		if s.hops != nil && len(r.Redirects) > 0 && r.FinalURL != "" {
			s.hops[clean(ownPage(r.URL))] = clean(ownPage(r.FinalURL))
		}
		return nil
	}
	out := cleanResult(r)
	if drop := func(w check.Warning) bool { return !s.show.warning(w) }; slices.ContainsFunc(out.Warnings, drop) {
		out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), drop)
	}
	return s.next.Result(out)
}

func (s *filter) Page(p *result.Page) error {
	next, ok := s.next.(PageWriter)
	if !ok {
		return nil
	}
	out := *p
	out.URL, out.Title = clean(p.URL), clean(p.Title)
	out.Format, out.Canonical = clean(p.Format), clean(p.Canonical)
	out.Links = cleanAll(p.Links, func(e result.Edge) result.Edge {
		return result.Edge{URL: clean(e.URL), Text: clean(e.Text)}
	})
	return next.Page(&out)
}

func (s *filter) End(sum *result.Summary) error { return s.next.End(cleanSummary(sum)) }
