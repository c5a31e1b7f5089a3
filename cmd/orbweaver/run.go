package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// checkLinks checks the links of the targets in args and writes the reports. If st is not
// nil, it keeps the crawl. The error carries the exit status.
func checkLinks(cmd *cobra.Command, o *options, args []string, st *state) error {
	if st == nil { // otherwise openState has done it
		defer limitGarbage()()
	}
	console := newConsole(cmd.ErrOrStderr(), o.progress)
	stdin, err := st.stdin(cmd.InOrStdin())
	if err != nil {
		return err
	}
	reader := &targetReader{stdin: stdin, note: console.notef, types: o.crawl.Reading.Types, preprocess: o.preprocess, noIgnore: o.noIgnore, commands: commandNames(cmd)}
	plan, err := planRun(cmd.Context(), o, args, reader)
	if err != nil {
		return err
	}
	defer plan.close()
	if plan.large() {
		prepareLargeHeap()
	}
	logins, err := planLogins(o, plan, cmd.InOrStdin(), console, false)
	if err != nil {
		return err
	}
	out, err := openSink(cmd, o, plan, console)
	if err != nil {
		return err
	}
	defer out.close()

	stop, ctx, done := interrupts(cmd.Context(), console.notef)
	defer done()
	inspector, err := openInspector(ctx, o, console)
	if err != nil {
		return err
	}
	defer inspector.Close()
	cfg, web, err := wire(o, plan, inspector, out.Multi, stop)
	if err != nil {
		return usageError("%w", err)
	}
	defer web.Close()
	replayEvidence(o, plan, cfg, web)
	if out.kept, err = keepEvidence(o, plan, cfg, web, st.evidence(plan.names(args, o.from), console.notef)); err != nil {
		return usageError("%w", err)
	}
	defer out.kept.Abandon()
	if o.net.DenyPrivate && web.UsesProxy() {
		console.notef("%s", proxyNote)
	}
	if m, ok := cfg.Fetch.(fetch.Mux); ok && o.verbose {
		cfg.Fetch = fetch.Logged(m, console)
	}
	if st.visits() {
		closeRenderer, err := openRenderer(ctx, o, cfg, console)
		if err != nil {
			return err
		}
		defer closeRenderer()
		browser, closeBrowser, err := openLoginBrowser(ctx, o, cfg.Render.Renderer)
		if err != nil {
			return err
		}
		defer closeBrowser()
		cfg.Login.Browser = browser
	}
	if o.evidence.archive == nil {
		configureSessions(cfg, o, plan, web, logins)
	}
	out.earlier.configure(cfg)
	if err := cfg.Validate(); err != nil {
		return usageError("%w", err)
	}
	used := programsOf(inspector)
	if err := st.begin(cfg, used, o.between.cache); err != nil {
		return err
	}
	head := &report.Head{Tool: report.Tool{Name: "orbweaver", Version: version(), Clamd: used.Clamd}, Started: st.started(), Targets: plan.names(args, o.from), Codes: used.Codes,
		Command: o.given.words(), Settings: o.given.listSettings(), Baseline: out.earlier.baseline}
	if err := out.Begin(head); err != nil {
		return unsound(err)
	}
	summary, err := st.crawl(ctx, cfg, plan.seeds, out)
	console.clear()
	if summary == nil {
		if exit := (*exitError)(nil); errors.As(err, &exit) && exit.code == exitUsage {
			return errors.Join(err, st.forget())
		}
		return unsound(st.withHint(err))
	}
	if _, why := inspector.Lost(); why != nil {
		console.notef("%v", why)
	}
	over := err == nil && !summary.Soundness.Ended()
	if !over {
		st.printHint(err, console.notef)
	}
	o.archive.checked(summary)
	if note := o.login.limitNote(summary); note != "" {
		console.notef("%s", note)
	}
	summary.Targets = head.Targets
	wrote := out.writeFiles(cmd.OutOrStdout(), summary)
	out.earlier.subtractKnown(summary)
	if err := errors.Join(err, out.End(summary)); err != nil {
		return unsound(st.withHint(err))
	}
	var lost error // what the next run will miss
	o.evidence.noteReplay(console.notef)
	evidenceLost := o.evidence.finish(out.kept, plan, summary, over && wrote == nil)
	if st == nil || over { // an incomplete crawl is not counted
		lost = out.earlier.record(st.run(), summary)
	}
	if wrote != nil {
		return unsound(st.withHint(wrote))
	}
	if over && lost == nil {
		if err := st.finish(); err != nil {
			return unsound(err)
		}
	}
	lost = errors.Join(lost, out.earlier.close(), evidenceLost)
	o.thread.update(cmd.Context(), o.failOn, summary, console.notef)
	status := exitStatus(o.failOn, summary, console)
	switch {
	case lost == nil:
	case status == nil || summary.Broken == 0:
		return unsound(st.withHint(lost))
	default:
		console.notef("%v", lost)
		st.printHint(lost, console.notef)
	}
	return status
}

// exitStatus returns the exit status of a run as an error, or nil for 0. If the result is
// not reliable, and no note of the engine says so, it prints the reason, which a report in a
// file does not show.
func exitStatus(policy report.Policy, s *result.Summary, console *console) error {
	code := policy.Exit(s)
	noted := len(s.StartFailed) > 0 || s.NoLinks()
	if why := s.Soundness.Why; code == report.ExitUnsound && s.Soundness.Complete() && !noted && why != "" {
		console.notef("%s", why)
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}
