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
	// hops gets the redirects of dropped results, by document; nil if nobody wants them.
	hops map[string]passedOn
}

// passedOn says where a document is redirected that no result of a report is about.
type passedOn struct {
	url, to  string // to is the document at the end
	statuses []int
	places   int // that link there
}

func (s *filter) Begin(h *Head) error {
	head := cleanHead(h)
	head.hops = s.hops
	return s.next.Begin(&head)
}

func (s *filter) Result(r *result.Result) error {
	if !s.show.Lists(r) {
		if s.hops != nil && len(r.Redirects) > 0 && r.FinalURL != "" {
			s.passOn(r)
		}
		return nil
	}
	out := cleanResult(r)
	if drop := func(w check.Warning) bool { return !s.show.ListsWarning(w) }; slices.ContainsFunc(out.Warnings, drop) {
		out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), drop)
	}
	return s.next.Result(out)
}

// passOn notes the redirects of a result that is not listed.
func (s *filter) passOn(r *result.Result) {
	from := clean(ownPage(r.URL))
	hop := s.hops[from]
	hop.url, hop.to, hop.places = clean(document(r.URL)), clean(ownPage(r.FinalURL)), hop.places+len(r.References)
	if hop.statuses == nil {
		for _, h := range r.Redirects {
			hop.statuses = append(hop.statuses, h.Status)
		}
	}
	s.hops[from] = hop
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
