package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/report/sources"
)

// checkLinks is the main job: it finds out what the targets are, runs the crawl
// and writes the reports. Its error carries the exit status.
func checkLinks(cmd *cobra.Command, o *options, args []string) error {
	console := newConsole(cmd.ErrOrStderr(), o.progress)
	st, err := stateFor(o, console)
	if err != nil {
		return err
	}
	defer st.close()
	if st == nil { // a state has seen to it before it was opened
		defer tendHeap()()
	}
	stdin, err := st.stdin(cmd.InOrStdin())
	if err != nil {
		return err
	}
	reader := &targetReader{stdin: stdin, note: console.notef}
	targets, err := reader.read(args, o.from)
	if err != nil {
		return err
	}
	var clean *cleaning
	if o.writeClean != "" {
		if clean, err = newCleaning(o.writeClean, targets); err != nil {
			return err
		}
	}
	if o.since != "" {
		changed, err := changesSince(cmd.Context(), o.since, targets)
		if err != nil {
			return usageError("%w", err)
		}
		o.crawl.Changed = changed.Has
		console.notef("since %s: %v", o.since, changed)
	}
	plan, err := prepare(o, targets, stdin)
	if err != nil {
		return err
	}
	defer plan.close()
	if plan.long() {
		expectMuch()
	}
	for _, hint := range plan.hints {
		console.notef("%s", hint)
	}

	var made *sources.Tree
	if o.sources != "" {
		if made, err = sources.Open(o.sources, plan.workingDir, plan.siteDirs()); err != nil {
			return usageError("--sources: %w", err)
		}
	}
	var edits *editing
	if o.fix {
		edits = &editing{write: o.write, note: console.notef}
	}
	out, err := openReports(cmd, o, console.notef)
	if err != nil {
		return usageError("%w", err)
	}
	defer out.Close()

	mem, err := openMemory(cmd, o, console.notef)
	if err != nil {
		return usageError("%w", err)
	}
	defer mem.close()

	stop, ctx, done := interrupts(cmd.Context(), console.notef)
	defer done()
	cfg, web, err := wire(o, plan, out, stop)
	if err != nil {
		return usageError("%w", err)
	}
	defer web.Close()
	mem.prepare(cfg)
	if err := cfg.Validate(); err != nil {
		return usageError("%w", err)
	}
	if err := st.begin(o.asked, o.crawl.FingerprintBits); err != nil {
		return err
	}
	st.serve(cfg)
	head := &report.Head{Tool: report.Tool{Name: "orbweaver", Version: version}, Started: st.started(), Targets: targetNames(args, o.from, targets)}
	if err := out.Begin(head); err != nil {
		return unsound(err)
	}
	summary, err := crawler.Run(ctx, cfg, plan.seeds, &sink{Multi: out, console: console, clean: clean, memory: mem, edits: edits, made: made})
	console.clear()
	if hint := st.parting(err); hint != "" && summary == nil {
		return unsound(fmt.Errorf("%w\n%s", err, hint))
	} else if hint != "" {
		console.notef("%s", hint)
	}
	if summary == nil {
		return unsound(err)
	}
	summary.Targets = head.Targets
	mem.spare(summary)
	if err := errors.Join(err, out.End(summary)); err != nil {
		return unsound(err)
	}
	var lost error
	if st.over() { // else the run goes on, and counts once
		lost = mem.keep(summary)
	}
	if clean != nil {
		removed, err := clean.write()
		if err != nil {
			return unsound(err)
		}
		if removed > 0 {
			console.notef("%s: left out %s", o.writeClean, counted(removed, "broken bookmark"))
		}
	}
	if edits != nil {
		if _, err := edits.finish(cmd.OutOrStdout()); err != nil {
			return unsound(err)
		}
	}
	verdict := verdictOf(o.failOn, summary, console)
	if verdict == nil && lost != nil {
		return unsound(lost)
	}
	if lost != nil {
		console.notef("%v", lost)
	}
	return verdict
}

// verdictOf turns a run into its exit status, and says in a sentence why a run is
// not sound where the report does not.
func verdictOf(policy report.Policy, s *crawler.Summary, console *console) error {
	code := policy.Exit(s)
	if why := whyNothing(s); code == report.ExitUnsound && s.Complete && len(s.StartFailed) == 0 && why != "" {
		console.notef("nothing was checked: %s", why)
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// whyNothing says why a run that went well is no proof of anything, where the
// engine has not said it.
func whyNothing(s *crawler.Summary) string {
	switch {
	case s.Pages == 0:
		return "no document that can be read for links was found"
	case s.Skipped == s.Results && s.Results > 0:
		return "every link was excluded by a rule; --show all names the rules"
	}
	return ""
}

// unsound is an error that ended a run: its report, if any, cannot be trusted.
func unsound(err error) error { return &exitError{code: report.ExitUnsound, err: err} }

// sink is what the engine speaks to: results go to the reports, words to the console.
type sink struct {
	*report.Multi
	console *console
	clean   *cleaning // nil when no copy is asked for
	memory  *memory
	edits   *editing      // nil when no edit is asked for
	made    *sources.Tree // nil when no sources are named
}

// Result finds the sources of a result, and hands it to the reports, to the copy of the bookmarks and to the edits.
func (s *sink) Result(r *crawler.Result) error {
	if s.made != nil {
		s.made.Map(r)
	}
	if s.clean != nil {
		s.clean.result(r)
	}
	if s.edits != nil {
		s.edits.result(r)
	}
	return s.Multi.Result(s.memory.result(r))
}

// Note tells something about the run as a whole.
func (s *sink) Note(n crawler.Note) error {
	s.console.notef("%s", n.Message)
	return nil
}

// Progress shows how far the run has come.
func (s *sink) Progress(p crawler.Progress) {
	s.console.progress(p)
}

// interrupts turns the first interrupt into a soft end, for which the channel is
// closed, and the second into a hard one, for which the context is cancelled. A
// third kills the process as if we had never listened.
func interrupts(parent context.Context, note func(string, ...any)) (stop <-chan struct{}, ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(parent)
	soft := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for count := 1; ; count++ {
			select {
			case <-ended:
				return
			case <-signals:
			}
			if count == 1 {
				note("interrupted: finishing the requests in flight; interrupt again to stop at once")
				close(soft)
				continue
			}
			signal.Stop(signals)
			cancel()
			return
		}
	}()
	return soft, ctx, func() {
		signal.Stop(signals)
		close(ended)
		<-finished
		cancel()
	}
}

// openReports makes the writers of all reports: the one on standard output, those
// in files, and what the CI system shows.
func openReports(cmd *cobra.Command, o *options, note func(string, ...any)) (*report.Multi, error) {
	stdout := cmd.OutOrStdout()
	if o.patches() {
		stdout = cmd.ErrOrStderr()
	}
	outputs := append([]report.Output{{Format: o.format, File: report.Stdout}}, o.outputs...)
	system := &ci{env: os.Getenv, stdout: stdout, stderr: cmd.ErrOrStderr(), note: note}
	outputs = append(outputs, system.outputs(o.ci, outputs)...)
	return report.Open(outputs, stdout, reportOptions(o, stdout))
}

// reportOptions say how reports are written.
func reportOptions(o *options, stdout io.Writer) report.Options {
	wd, err := os.Getwd()
	if err != nil {
		wd = ""
	}
	return report.Options{
		Show: o.show, FailOn: o.failOn, MarkdownSize: o.markdownSize, Prefix: repositoryPrefix(wd, os.Getenv),
		Baseline: o.between.baseline != "",
		Color:    colored(o.color, stdout, os.Getenv), Width: terminalWidth(stdout),
	}
}

// targetNames are what the user pointed at, as written.
func targetNames(args, from []string, targets []target) []string {
	if len(from) == 0 {
		return args
	}
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.raw
	}
	return names
}
