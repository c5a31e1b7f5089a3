package main

import (
	"context"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// recheck requests one target again, by a run that has no other target: it follows the same
// redirects, reads the same fragments and gives the same verdict as the run that found it.
type recheck struct {
	options *options
	plan    *plan  // of the target alone
	url     string // as printed
	result  *result.Result
}

// maxRecheck limits the time of a recheck.
const maxRecheck = time.Minute

func (r *recheck) run(ctx context.Context) (outcome api.Outcome, err error) {
	o := r.options
	o.show = report.ShowAll
	out, err := report.Open(nil, nil, report.Options{Show: o.show})
	if err != nil {
		return outcome, err
	}
	defer out.Close()
	cfg, web, err := wire(o, r.plan, nil, out, nil)
	if err != nil {
		return outcome, err
	}
	defer web.Close()
	cfg.Limits.MaxTime = maxRecheck
	renders := cfg.Renders()
	cfg.Render.Mode = crawler.RenderNever
	if _, err := crawler.Run(ctx, cfg, r.plan.seeds, r); err != nil {
		return outcome, err
	}
	if r.result == nil {
		return outcome, fmt.Errorf("%s: it was not requested in %v", r.url, maxRecheck)
	}
	if renders && r.result.Code == check.CodeFragmentMissing { // scripts were not run
		return api.Outcome{Verdict: check.Unverified.String(), Code: string(check.CodeFragmentUnverified), Status: r.result.Status,
			Message: "the page without its scripts does not have the anchor; only a run opens a browser"}, nil
	}
	return api.Outcome{Verdict: r.result.Verdict.String(), Code: string(r.result.Code), Message: r.result.Message, Status: r.result.Status}, nil
}

// Result keeps the result for the target. Its page may have other findings.
func (r *recheck) Result(res *result.Result) error {
	if res.Kind == result.KindTarget && (r.result == nil || res.URL == r.url) && res.Code != check.CodeExcluded {
		r.result = res
	}
	return nil
}

func (r *recheck) Page(*result.Page) error  { return nil }
func (r *recheck) Note(result.Note) error   { return nil }
func (r *recheck) Progress(result.Progress) {}
