package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

// A state directory can be used as a report: the observations in it are judged whenever
// it is read, even while another process continues the crawl.

// judgeState judges the targets in a state file and writes the results to a report. show
// is the value of --show. The error for a file that cannot be used tells what to do.
func judgeState(cmd *cobra.Command, file, show string, out *report.Multi) (*result.Summary, error) {
	sum, err := judgeFile(cmd, file, show, out)
	if err == nil || !unusable(err) {
		return sum, err
	}
	code := exitUsage
	if exit := (*exitError)(nil); errors.As(err, &exit) {
		code = exit.code
	}
	return nil, &exitError{code, fmt.Errorf("%w\n%s", err, unusableHint(err, file))}
}

func judgeFile(cmd *cobra.Command, file, show string, out *report.Multi) (sum *result.Summary, err error) {
	defer limitGarbage()()
	kept, err := store.OpenReadOnly(file)
	if err != nil {
		return nil, usageError("%w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	c, err := readCommand(kept)
	switch {
	case err != nil:
		return nil, usageError("%w", err)
	case c == nil:
		return nil, usageError("open the state %s: %w: no crawl was started in it", file, store.ErrDamaged)
	}
	c.Withheld = nil // no secrets are needed, because nothing is requested
	file, err = filepath.Abs(file)
	if err != nil {
		return nil, usageError("%s: %w", file, err)
	}
	err = c.inDirectory(func() error {
		o, _, err := c.options([]option.Given{{Name: "show", Text: show}, {Name: "state", Text: filepath.Dir(file)}})
		if err == nil {
			sum, err = c.judge(cmd, o, kept, out)
		}
		return err
	})
	return sum, err
}

func (c *command) judge(cmd *cobra.Command, o *options, kept *store.File, out *report.Multi) (*result.Summary, error) {
	console := newConsole(cmd.ErrOrStderr(), "never")
	stdin, err := kept.Value(storedStdin)
	if err != nil {
		return nil, usageError("%w", err)
	}
	reader := &targetReader{stdin: bytes.NewReader(stdin), note: func(string, ...any) {}}
	plan, err := planRun(cmd.Context(), o, c.Targets, reader)
	if err != nil {
		return nil, err
	}
	defer plan.close()
	made, err := openSources(o, plan)
	if err != nil {
		return nil, err
	}
	cfg, web, err := wire(o, plan, inspect.Recall(o.checks), out, nil)
	if err != nil {
		return nil, usageError("%w", err)
	}
	defer web.Close()
	if err := restoreFiles(kept, plan.sites); err != nil {
		return nil, err
	}
	cfg.Keep.Store, cfg.Keep.FingerprintBits = kept.Store(), 0 // the store's
	at, err := standing(kept)
	if err != nil {
		return nil, err
	}
	used, err := usedPrograms(kept)
	if err != nil {
		return nil, err
	}
	head := &report.Head{Tool: report.Tool{Name: "orbweaver", Version: version(), Clamd: used.Clamd}, Started: at.Started, Targets: plan.names(c.Targets, o.from), Codes: used.Codes,
		Command: c.words(), Settings: c.listSettings()}
	if err := out.Begin(head); err != nil {
		return nil, unsound(err)
	}
	sum, err := crawler.Report(cmd.Context(), cfg, plan.seeds, &sink{Multi: out, console: console, earlier: &earlierRuns{}, sources: made})
	if err != nil {
		return nil, unsound(err)
	}
	if err := reportKept(&o.listing, sum, out); err != nil {
		return nil, unsound(err)
	}
	sum.Targets = head.Targets
	if err := out.End(sum); err != nil {
		return nil, unsound(err)
	}
	return sum, nil
}

func readState(cmd *cobra.Command, file string) (*report.Report, error) {
	var text bytes.Buffer
	format, err := report.ByName("json")
	if err != nil {
		return nil, unsound(err)
	}
	out, err := report.Open([]report.Output{{Format: format, To: &text}}, nil, report.Options{Show: report.ShowDefault})
	if err != nil {
		return nil, unsound(err)
	}
	defer out.Close()
	if _, err := judgeState(cmd, file, "broken,unverified,warning", out); err != nil {
		return nil, err
	}
	saved, err := report.Read(&text)
	if err != nil {
		return nil, unsound(err)
	}
	return saved, nil
}
