package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/client"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// checkOnServer runs the targets as a project of a server, and prints the report and exits as
// check does.
func checkOnServer(cmd *cobra.Command, s *settings, o *options, args []string) error {
	projectOptions, err := optionsForServer(s)
	if err != nil {
		return usageError("%w", err)
	}
	if len(args) == 0 || len(s.List("from")) > 0 {
		return usageError("--server: name the targets: URLs that the server can reach")
	}
	c, err := newServerClient(s)
	if err != nil {
		return err
	}
	console := newConsole(cmd.ErrOrStderr(), o.progress)
	ctx, stop := signal.NotifyContext(cmd.Context(), endingSignals()...)
	defer stop()
	shown := make([]string, len(args))
	for i, target := range args {
		shown[i] = urinorm.Redact(target)
	}
	project, kept, err := c.Project(ctx, projectName(args), args, shown, projectOptions)
	if err != nil {
		return serverError(err, projectOptions)
	}
	if kept {
		console.notef("the project on the server keeps its own headers and passwords, because only an administrator may replace them: they may differ from yours")
	}
	run, err := c.Start(ctx, project)
	if err != nil {
		return serverError(err, nil)
	}
	ended, err := c.Follow(ctx, run.ID, func(p api.Progress) {
		console.progress(result.Progress{Pages: p.Pages, Checked: p.Checked, Queued: p.Queued, Broken: p.Broken, Requests: p.Requests})
	})
	console.clear()
	switch {
	case ctx.Err() != nil:
		return unsound(fmt.Errorf("interrupted: run %s continues on the server", run.ID))
	case err != nil:
		return unsound(fmt.Errorf("follow run %s on the server: %w", run.ID, err))
	case ended.State == api.Failed:
		return unsound(fmt.Errorf("run %s failed on the server: %s", run.ID, ended.Error))
	}
	return reportFromServer(cmd, ctx, o, c, ended)
}

// reportFromServer prints the report of a run on a server. The server judges by its fail level,
// which is the one that was sent to it.
func reportFromServer(cmd *cobra.Command, ctx context.Context, o *options, c *client.Client, run *api.Run) error {
	var text bytes.Buffer
	if err := c.Report(ctx, run.ID, "json", o.shows().String(), &text); err != nil {
		return unsound(err)
	}
	saved, err := report.Read(&text)
	if err != nil {
		return unsound(err)
	}
	out, err := openReports(cmd, o, newConsole(cmd.ErrOrStderr(), "never").notef)
	if err != nil {
		return usageError("%w", err)
	}
	defer out.Close()
	if file := o.between.baseline; file != "" {
		known, err := readReport(cmd, file)
		if err != nil {
			return err
		}
		applyBaseline(report.NewBaseline(known), saved)
	}
	if err := saved.Write(out); err != nil {
		return unsound(err)
	}
	o.thread.update(ctx, o.failOn, &saved.Summary, newConsole(cmd.ErrOrStderr(), "never").notef)
	if code := o.failOn.Exit(&saved.Summary); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

func newServerClient(s *settings) (*client.Client, error) {
	if s.Text("token-file") == "" {
		return nil, usageError("--server: it needs --token-file FILE, with a token that `orbweaver serve token create` printed")
	}
	token, err := os.ReadFile(s.Text("token-file"))
	if err != nil {
		return nil, usageError("--token-file: read %s: %w", s.Text("token-file"), withoutPath(err))
	}
	c, err := client.New(s.Text("server"), strings.TrimSpace(string(token)), urinorm.IsLoopback)
	if err != nil {
		return nil, usageError("--server: %q is not allowed: %w", withoutPassword(s.Text("server")), err)
	}
	return c, nil
}

// optionsForServer returns the flags that were given as options of a project. What only this
// machine could do is an error.
func optionsForServer(s *settings) (map[string]any, error) {
	options := map[string]any{}
	var faults []error
	for _, f := range option.Of(option.Check) {
		switch {
		case !s.Given(f.Name) || f.Server == option.AtClient:
			continue
		case f.Form == nil:
			faults = append(faults, fmt.Errorf("%s: it cannot be used with --server: the server decides", s.Named(f.Name)))
			continue
		}
		options[f.Name] = s.Typed(f)
	}
	if len(s.rules)+len(s.plugins)+len(s.logins) > 0 || s.content != nil {
		faults = append(faults, errors.New("--server: rules, logins, plugins and content rules of a configuration file cannot be sent to a server: use --no-config"))
	}
	return options, errors.Join(faults...)
}

func projectName(targets []string) string {
	name := []rune(urinorm.Redact(targets[0]))
	const most = 200
	return string(name[:min(len(name), most)])
}

// serverError returns the error for an answer of the server: what is wrong with the command is
// wrong usage.
func serverError(err error, options map[string]any) error {
	var p *api.Problem
	if !errors.As(err, &p) {
		return unsound(fmt.Errorf("--server: %w", err))
	}
	var lines []string
	for _, f := range p.Errors {
		name, _ := strings.CutPrefix(f.Field, "options.")
		if _, option := options[name]; option {
			name = "--" + name
		}
		lines = append(lines, name+": "+f.Message)
	}
	if len(lines) == 0 {
		lines = []string{"--server: " + p.Detail}
	}
	return usageError("%s", strings.Join(lines, "\n"))
}
