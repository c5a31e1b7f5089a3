package web

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/api"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

// Limits of an export with filters, which is made in memory.
const (
	maxExported   = 100_000 // findings
	maxReferences = 500_000 // in the run
)

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
	if sum := summaryOf(&c.Run.Run); sum != nil && sum.References > maxReferences {
		return api.Invalid(api.Fault{Field: "format", Message: "the run has more than 500,000 links: get the whole report of the run, and filter that"})
	}
	all, total, err := collect(c, f.query(), maxExported)
	if err != nil {
		return err
	}
	if total > len(all) {
		return api.Invalid(api.Fault{Field: "format", Message: "there are more than 100,000 findings: narrow the filters, or get the report of the run"})
	}
	var text bytes.Buffer
	if err := s.Runs.WriteReport(c.Context(), c.Run, "json", "all", &text); err != nil {
		return err
	}
	whole, err := report.Read(&text)
	if err != nil {
		return err
	}
	keep(whole, all)
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
	return whole.Write(out)
}

// keep reduces a report to findings, and counts them.
func keep(whole *report.Report, all []api.Finding) {
	selected := map[string][]string{} // codes by URL
	for _, f := range all {
		selected[f.URL] = append(selected[f.URL], f.Code)
	}
	s := &whole.Summary
	s.OK, s.Broken, s.Unverified, s.Skipped, s.Warnings, s.Results, s.References = 0, 0, 0, 0, 0, 0, 0
	s.ByCode, s.Internal, s.External = map[check.Code]int{}, crawler.Tally{}, crawler.Tally{}
	kept := whole.Results[:0]
	for _, r := range whole.Results {
		codes := selected[r.URL]
		own := slices.Contains(codes, string(r.Code))
		r.Warnings = slices.DeleteFunc(r.Warnings, func(w check.Warning) bool { return !slices.Contains(codes, string(w.Code)) })
		if !own && len(r.Warnings) == 0 {
			continue
		}
		kept = append(kept, r)
		s.References += len(r.References)
		s.Count(r.Internal, &check.Judgement{Verdict: r.Verdict, Code: r.Code, Warnings: r.Warnings}, 1)
	}
	whole.Results = kept
}
