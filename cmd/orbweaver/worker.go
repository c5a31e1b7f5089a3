package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

func newWorkerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker --frontier ADDRESS [flags]",
		Short: "help with a crawl of several machines",
		Long: "Visits targets of the crawl that `orbweaver check --frontier ADDRESS` coordinates, until it is over. Workers may join and leave at any time. " +
			"The configuration comes from the coordinator, but secrets do not travel: give each worker the same --header, --user and the like. " +
			"Exit status: 0 the crawl is over, or the worker was told to end; 2 wrong usage, a refused server or a missing secret; 3 the server stayed away, or the crawl was deleted.",
		Example: `orbweaver worker --frontier 'redis://localhost:6379/0?crawl=docs'
orbweaver worker --frontier 'rediss://crawl@redis.example.com/0?crawl=docs' --frontier-password-file password --name a1`,
		Args: cobra.NoArgs,
	}
	s := addFlags(cmd, option.Worker)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return work(cmd, s) }
	return cmd
}

// crewmate is a worker as its messages show it.
type crewmate struct {
	name, crawl string
	console     *console
	patience    time.Duration
	maxTime     time.Duration // of this worker; 0 for no limit
	joined      bool

	mu   sync.Mutex
	told string // why it waits, as was printed last
}

// say prints a message about the worker.
func (w *crewmate) say(format string, args ...any) {
	w.console.writeLine("worker " + w.name + ": " + fmt.Sprintf(format, args...))
}

// waits prints why the worker waits, once for each reason; "" if it goes on.
func (w *crewmate) waits(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if why != "" && why != w.told {
		w.say("waiting: %s", why)
	}
	w.told = why
}

func work(cmd *cobra.Command, s *settings) error {
	listed := frontierText(s)
	if s.Set("frontier", "", frontierAddress(listed)); s.Text("frontier") == "" {
		return usageError("worker: name the crawl with --frontier 'redis://HOST:6379/0?crawl=NAME', or set %s", frontierVariable)
	}
	c := &compiler{settings: s}
	o := &frontierOptions{}
	o.read(c)
	if s.Given("concurrency") {
		read(c, "concurrency", atLeast(1))
	}
	maxTime := read(c, "max-time", quantity.ParseDuration)
	name := cmp.Or(s.Text("name"), processName())
	if len(name) > 200 || name == store.CoordinatorName || printable(name) != name {
		c.faults = append(c.faults, fmt.Errorf("--name: %q is not allowed: use up to 200 printable characters, and not %q", name, store.CoordinatorName))
	}
	if err := errors.Join(c.faults...); err != nil {
		return usageError("%w", err)
	}
	w := &crewmate{name: name, crawl: o.addresses[0].Crawl, console: newConsole(cmd.ErrOrStderr(), "never"),
		patience: o.patience, maxTime: maxTime}
	notePassword(listed, w.say)
	stop, ctx, done := interrupts(cmd.Context(), func(string, ...any) {})
	defer done()
	f := o.open(w.waits)
	defer f.Close()
	var failed error
	worked, why, err := w.join(ctx, cmd, s, f, stop)
	if err != nil {
		why = "interrupted"
		if ctx.Err() == nil && !closed(stop) || isFrontierRefusal(err) {
			failed = frontierError(err)
			var exit *exitError
			if !errors.As(failed, &exit) || exit.code == exitUsage && !w.joined {
				return failed
			}
			why = failed.Error()
			failed = &exitError{code: exit.code} // the last line of the worker tells the reason
		}
	}
	w.say("%d pages, %d requests; %s", worked.Pages, worked.Requests, why)
	return failed
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// soonAnew is how long a worker waits for a crawl that is over to be started anew, by a coordinator
// that was started with it.
const soonAnew = 3 * time.Second

// await waits for a crawl that runs, and returns what its coordinator lets workers know. The command is
// nil if the crawl is over, and why says so.
func (w *crewmate) await(ctx context.Context, f *store.Shared, stop <-chan struct{}) (command []byte, why string, err error) {
	if _, err := f.Check(ctx); err != nil {
		return nil, "", err
	}
	begun, told := time.Now(), false
	for {
		state, err := f.State(ctx)
		if err != nil {
			return nil, "", err
		}
		why := ""
		switch state {
		case "done", "drained":
			why = "the crawl is " + state
		case "filling", "absent":
		default:
			if command, err := f.Command(ctx, version()); err != nil || command != nil { // not one of before the state
				return command, "", err
			}
		}
		if !told {
			w.say("waiting for the crawl %s", w.crawl)
			told = true
		}
		patience := w.patience
		if why != "" {
			patience = min(patience, soonAnew)
		}
		switch {
		case time.Since(begun) <= patience:
		case why != "":
			return nil, why, nil
		default:
			return nil, "", fmt.Errorf("%s: there is no crawl %s: its coordinator has not begun it", f, w.crawl)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-stop:
			return nil, "", context.Canceled
		}
	}
}

// join takes part in the crawl until it is over. It returns why the worker ends.
func (w *crewmate) join(ctx context.Context, cmd *cobra.Command, s *settings, f *store.Shared, stop <-chan struct{}) (worked result.Summary, why string, err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a server that is away is not waited for after a signal
		select {
		case <-stop:
			cancel()
		case <-waiting.Done():
		}
	}()
	command, why, err := w.await(waiting, f, stop)
	if err != nil || command == nil {
		return worked, why, err
	}
	t := &travel{}
	if err := json.Unmarshal(command, t); err != nil {
		return worked, "", usageError("read the configuration of the crawl %s: %w", w.crawl, err)
	}
	own, remove, err := t.settings(w.crawl, s)
	defer remove()
	if err != nil {
		return worked, "", asUsage(err)
	}
	opts, err := compile(own, option.Check)
	if err != nil {
		return worked, "", asUsage(err)
	}
	reader := &targetReader{note: func(string, ...any) {}, commands: commandNames(cmd)}
	plan, err := planRun(ctx, opts, t.Targets, reader)
	if err != nil {
		return worked, "", err
	}
	defer plan.close()
	logins, err := planLogins(opts, plan, cmd.InOrStdin(), w.console, false)
	if err != nil {
		return worked, "", err
	}
	inspector, err := openInspector(ctx, opts, w.console)
	if err != nil {
		return worked, "", err
	}
	defer inspector.Close()
	none, err := report.Open(nil, nil, report.Options{})
	if err != nil {
		return worked, "", err
	}
	defer none.Close()
	cfg, web, err := wire(opts, plan, inspector, none, stop)
	if err != nil {
		return worked, "", asUsage(err)
	}
	defer web.Close()
	kept, err := keepEvidence(opts, plan, cfg, web, evidence.Options{Targets: t.Targets, Apart: true, Note: notes(w.say)})
	if err != nil {
		return worked, "", usageError("%w", err)
	}
	defer kept.Abandon()
	if t.Drift {
		cfg.Judging.Drift = &crawler.Drift{Below: crawler.DriftBelow}
	}
	closeRenderer, err := openRenderer(ctx, opts, cfg, w.console)
	if err != nil {
		return worked, "", err
	}
	defer closeRenderer()
	browser, closeBrowser, err := openLoginBrowser(ctx, opts, cfg.Render.Renderer)
	if err != nil {
		return worked, "", err
	}
	defer closeBrowser()
	cfg.Login.Browser = browser
	configureSessions(cfg, opts, plan, web, logins)
	cfg.Limits.MaxTime = w.maxTime
	joined, err := store.Join(ctx, f, w.name, version(), cfg.Render.Renderer != nil)
	if err != nil {
		return worked, "", err
	}
	cfg.Keep.Store, cfg.Keep.FingerprintBits, cfg.Keep.Lease = joined.Store, 0, joined.Lease
	w.joined = true
	w.say("joined the crawl %s", w.crawl)
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { w.watch(joined.Waits, over) })
	began := time.Now()
	sum, err := crawler.Run(ctx, cfg, plan.seeds, workerSink{w})
	if sum != nil {
		worked = *sum
	}
	err = errors.Join(err, opts.evidence.finish(kept, plan, &worked, true))
	close(over)
	watching.Wait()
	switch {
	case err != nil:
		return worked, "", err
	case closed(stop):
		return worked, "interrupted", nil
	case w.maxTime > 0 && time.Since(began) >= w.maxTime:
		return worked, "its --max-time is over", nil
	}
	state, err := f.State(ctx)
	if err == nil && (state == "draining" || state == "drained") {
		return worked, "the crawl is drained", nil
	}
	return worked, "the crawl is done", nil
}

// asUsage returns an error of usage, unless the error has an exit status already.
func asUsage(err error) error {
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	return usageError("%w", err)
}

// watch prints why nothing is given out to the worker.
func (w *crewmate) watch(waits func() string, over <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if why := waits(); why != last {
			last = why
			w.waits(why)
		}
	}
}

type workerSink struct{ w *crewmate }

// Page does nothing: the coordinator reports pages.
func (workerSink) Page(*result.Page) error { return nil }

// Result does nothing: the coordinator reports results.
func (workerSink) Result(*result.Result) error { return nil }

// Progress does nothing: the coordinator shows the progress of all.
func (workerSink) Progress(result.Progress) {}

func (s workerSink) Note(n result.Note) error {
	s.w.say("%s", n.Message)
	return nil
}
