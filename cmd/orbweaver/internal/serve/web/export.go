package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// maxExported limits the findings of an export with filters.
const maxExported = 100_000

// export writes the findings that a list shows, as a report in any format.
func export(c *Call) error {
	f := filters{c.URL.Query()}
	s := c.Site.Service
	format, err := s.Runs.ReportFormat(f.Get("format"), "all")
	if err != nil {
		return err
	}
	if err := s.Runs.HasState(c.Run); err != nil {
		return err
	}
	q := f.query()
	all, total, err := collect(c, q, maxExported)
	if err != nil {
		return err
	}
	if total > len(all) {
		return api.Invalid(api.Fault{Field: "format", Message: "there are more than 100,000 findings: narrow the filters, or get the report of the run"})
	}
	from := c.Run
	if q.Change == "fixed" { // these are findings of the run before
		from, err = c.Site.Store.SoundBefore(c.Context(), c.Run.Project, c.Run.Number)
		if errors.Is(err, store.ErrNotFound) {
			from, err = c.Run, nil
		}
		if err != nil {
			return err
		}
	}
	out, err := report.Open([]report.Output{{Format: format, To: c.W}}, nil, report.Options{Show: report.ShowAll})
	if err != nil {
		return err
	}
	defer out.Close()
	h := c.W.Header()
	extension := ".txt"
	if len(format.Extensions) > 0 {
		extension = format.Extensions[0]
	}
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'")
	h.Set("Content-Disposition", `attachment; filename="orbweaver-`+c.Run.ID+extension+`"`)
	if c.Method == http.MethodHead {
		c.W.WriteHeader(http.StatusOK)
		return nil
	}
	return s.Runs.Judge(c.Context(), from, newSelection(out, all))
}

// selection passes the results of some findings to a report, and counts them.
type selection struct {
	*report.Multi
	codes  map[string][]string // by URL
	counts result.Summary
}

func newSelection(out *report.Multi, all []api.Finding) *selection {
	s := &selection{Multi: out, codes: map[string][]string{}, counts: result.Summary{ByCode: map[check.Code]int{}}}
	for _, f := range all {
		s.codes[f.URL] = append(s.codes[f.URL], f.Code)
	}
	return s
}

// Result passes a result on, without the warnings that are not selected.
func (s *selection) Result(whole *result.Result) error {
	codes := s.codes[whole.URL]
	r := *whole
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w check.Warning) bool { return !slices.Contains(codes, string(w.Code)) })
	if !slices.Contains(codes, string(r.Code)) && len(r.Warnings) == 0 {
		return nil
	}
	s.counts.References += len(r.References)
	s.counts.Count(r.Internal, r.Verdict, r.Code, r.Warnings, 1)
	return s.Multi.Result(&r)
}

// End ends the report with the counts of the selection.
func (s *selection) End(whole *result.Summary) error {
	sum, n := *whole, &s.counts
	sum.OK, sum.Broken, sum.Unverified, sum.Skipped, sum.Warnings = n.OK, n.Broken, n.Unverified, n.Skipped, n.Warnings
	sum.Results, sum.References, sum.ByCode, sum.Internal, sum.External = n.Results, n.References, n.ByCode, n.Internal, n.External
	return s.Multi.End(&sum)
}
