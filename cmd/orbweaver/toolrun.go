package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/sources"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// toolRun is a run for an agent or an editor, which want results and no report. It is the sink of the
// engine.
type toolRun struct {
	options  *options
	plan     *plan
	seeds    []crawler.Seed
	gate     *fetch.Gate // nil if requests are not counted
	note     func(string, ...any)
	progress func(result.Progress)               // may be nil
	deliver  func(*result.Result)                // may be nil: results are then kept
	annotate func(*result.Result) *result.Result // adds what earlier runs know
	sources  *sources.Tree                       // what the pages were built from; nil if that is not known
	results  []*result.Result
	summary  *result.Summary
}

// crawl runs it. When ctx ends, the run does, and is interrupted. What check would refuse to begin with is a
// usage error.
func (r *toolRun) crawl(ctx context.Context, narrow func(*crawler.Config) error) error {
	o := r.options
	console := newConsole(noteWriter(r.note), "never")
	out, err := report.Open(nil, nil, report.Options{Show: o.show})
	if err != nil {
		return err
	}
	defer out.Close()
	running := context.WithoutCancel(ctx)
	if r.sources, err = openSources(o, r.plan); err != nil {
		return err
	}
	inspector, err := openInspector(running, o, newConsole(io.Discard, "never"))
	if err != nil {
		return err
	}
	defer inspector.Close()
	cfg, web, err := wire(o, r.plan, inspector, out, ctx.Done())
	if err != nil {
		return usageError("%w", err)
	}
	defer web.Close()
	cfg.Deliver.Show.SkipPageReferences = false
	closeRenderer, err := openRenderer(running, o, cfg, console)
	if err != nil {
		return err
	}
	defer closeRenderer()
	earlier, err := openEarlierRuns(&cobra.Command{}, o, r.note)
	if err != nil {
		return usageError("%w", err)
	}
	defer earlier.close()
	earlier.configure(cfg)
	r.annotate = earlier.annotate
	if r.gate != nil {
		cfg.Limits.Spent = r.gate.Spent()
		running = fetch.WithGate(running, r.gate)
	}
	if narrow != nil {
		if err := narrow(cfg); err != nil {
			return err
		}
	}
	if err := cfg.Validate(); err != nil {
		return usageError("%w", err)
	}
	if r.summary, err = crawler.Run(running, cfg, r.seeds, r); err == nil {
		earlier.subtractKnown(r.summary)
	}
	return err
}

func (r *toolRun) Result(res *result.Result) error {
	if r.sources != nil {
		r.sources.Map(res)
	}
	res = r.annotate(res)
	if r.deliver != nil {
		r.deliver(res)
		return nil
	}
	r.results = append(r.results, res)
	return nil
}

func (r *toolRun) Page(*result.Page) error { return nil }

func (r *toolRun) Note(n result.Note) error {
	r.note("%s", n.Message)
	return nil
}

func (r *toolRun) Progress(p result.Progress) {
	if r.progress != nil {
		r.progress(p)
	}
}
