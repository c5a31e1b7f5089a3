package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/thread"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A ciThread keeps an issue or a comment up to date. A fault of it must not fail a run that
// would pass elsewhere: it is a note.
type ciThread struct {
	token  string
	system string
	report bytes.Buffer // in Markdown
}

// openThread returns what --ci-token-env wants, or nil.
func openThread(o *options, note func(string, ...any)) (*ciThread, error) {
	name := o.ciToken
	if name == "" {
		return nil, nil
	}
	system := (&ci{env: os.Getenv}).system(o.ci)
	if system == "none" {
		return nil, fmt.Errorf("--ci-token-env: it needs --ci github or --ci gitlab, or to run in one of them")
	}
	token := strings.TrimSpace(os.Getenv(name))
	if token == "" {
		note("no issue or comment is kept up to date: %s is not set", name)
		return nil, nil
	}
	return &ciThread{token: token, system: system}, nil
}

func (t *ciThread) output() []report.Output {
	if t == nil {
		return nil
	}
	return []report.Output{{Format: formatNamed("markdown"), To: &t.report}}
}

// update brings the issue or comment up to date after a run. A run that is not reliable
// changes it only if it has found something.
func (t *ciThread) update(ctx context.Context, policy report.Policy, s *result.Summary, note func(string, ...any)) {
	if t == nil {
		return
	}
	status := policy.Exit(s)
	if status == report.ExitUnsound {
		note("the issue or comment stays as it is, because the result is not reliable")
		return
	}
	targets := make([]string, len(s.Targets))
	for i, target := range s.Targets {
		targets[i] = urinorm.Redact(target)
	}
	nothingFails := policy == report.Policy{Internal: report.FailOnNothing, External: report.FailOnNothing}
	place, err := thread.Open(t.system, t.token, targets, os.Getenv, urinorm.IsLoopback)
	if err == nil {
		var done thread.Done
		done, err = place.Update(ctx, thread.Report{
			Title: "Broken links in " + strings.Join(targets, ", "), Text: t.report.String(),
			Broken: status == report.ExitFindings || nothingFails && s.Broken > 0,
		})
		if err == nil && done != thread.Nothing {
			note("%s the report at %s", done, t.system)
		}
	}
	if err != nil {
		note("the report at %s is not up to date: %v", t.system, err)
	}
}
