package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// maxFailures is the number of pages in a row that end a plugin if it fails on them.
const maxFailures = 5

// Plugin is a program of the user that checks pages, in one or more processes. Its methods
// may be called by several goroutines.
type Plugin struct {
	config   Config
	launch   func() (*program, error)
	declared []Declared
	codes    map[check.Code]Declared

	free  chan *worker  // workers without a page
	ended chan struct{} // closed when no page is sent any more

	mu       sync.Mutex
	failures int   // in a row
	lost     error // set by the last of maxFailures
	endOnce  sync.Once
	logging  sync.Mutex
}

// worker has the process that gets one page at a time, nil after a failure.
type worker struct{ process *process }

// Start starts plugins and asks each process for its codes. An error names the plugin and
// the cause; nothing is running then. The context limits the start only.
func Start(ctx context.Context, configs []Config) ([]*Plugin, error) {
	if err := Validate(configs); err != nil {
		return nil, err
	}
	var plugins []*Plugin
	for _, c := range configs {
		p := newPlugin(c)
		p.launch = func() (*program, error) { return launch(c.Command, c.Env) }
		plugins = append(plugins, p)
	}
	if err := startAll(ctx, plugins); err != nil {
		return nil, err
	}
	return plugins, nil
}

func newPlugin(c Config) *Plugin {
	c = c.withDefaults()
	return &Plugin{config: c, free: make(chan *worker, c.Workers), ended: make(chan struct{})}
}

// startAll starts plugins side by side.
func startAll(ctx context.Context, plugins []*Plugin) error {
	faults := make([]error, len(plugins))
	var starts sync.WaitGroup
	for i, p := range plugins {
		starts.Go(func() {
			if err := p.start(ctx); err != nil {
				faults[i] = fmt.Errorf("plugin %s: %w", p.config.Name, err)
			}
		})
	}
	starts.Wait()
	owner := map[check.Code]string{}
	for i, p := range plugins {
		for _, d := range p.declared {
			if other := owner[d.Code]; other != "" && faults[i] == nil {
				faults[i] = fmt.Errorf("plugin %s: the code %s is also declared by plugin %s", p.config.Name, d.Code, other)
			}
			owner[d.Code] = p.config.Name
		}
	}
	err := errors.Join(faults...)
	if err != nil {
		for _, p := range plugins {
			starts.Go(p.Close)
		}
		starts.Wait()
	}
	return err
}

// start starts the processes of a plugin. All of them must declare the same codes.
func (p *Plugin) start(ctx context.Context) error {
	type started struct {
		process  *process
		declared []Declared
		err      error
	}
	processes := make([]started, p.config.Workers)
	var starts sync.WaitGroup
	for i := range processes {
		starts.Go(func() {
			s := &processes[i]
			s.process, s.declared, s.err = p.startProcess(ctx)
		})
	}
	starts.Wait()
	p.declared = processes[0].declared
	p.codes = make(map[check.Code]Declared, len(p.declared))
	for _, d := range p.declared {
		p.codes[d.Code] = d
	}
	var fault error
	for _, s := range processes {
		if fault == nil {
			if fault = s.err; fault == nil && !slices.Equal(s.declared, p.declared) {
				fault = errOtherCodes
			}
		}
		p.free <- &worker{s.process}
	}
	return fault
}

var errOtherCodes = errors.New("two of its processes declared different codes")

// startProcess starts a process and reads its answer to hello.
func (p *Plugin) startProcess(ctx context.Context) (*process, []Declared, error) {
	running, err := p.launch()
	if err != nil {
		return nil, nil, fmt.Errorf("the program cannot be started: %w", err)
	}
	started := newProcess(running, p.log)
	hello := appendJSON(nil, greeting{protocol, greetingHello{p.config.Name, p.config.Config}})
	answer, err := started.exchange(ctx, append(hello, '\n'), p.config.Timeout)
	if err != nil {
		started.stop()
		return nil, nil, fmt.Errorf("hello: %w", err)
	}
	declared, err := parseHello(answer, p.config.Name)
	if err != nil {
		started.stop()
		return nil, nil, err
	}
	return started, declared, nil
}

// log hands on a line of standard error.
func (p *Plugin) log(line string) {
	if p.config.Stderr == nil {
		return
	}
	p.logging.Lock()
	defer p.logging.Unlock()
	fmt.Fprintf(p.config.Stderr, "%s: %s\n", p.config.Name, line)
}

// Name returns the name of the plugin.
func (p *Plugin) Name() string { return p.config.Name }

// Declared returns the codes that the plugin may report, sorted.
func (p *Plugin) Declared() []Declared { return slices.Clone(p.declared) }

// Wants reports whether the plugin checks a page, by its type and its URL.
func (p *Plugin) Wants(pg *page.Page) bool { return p.config.wants(pg) }

// Reads reports whether the plugin checks pages with a media type, without parameters.
func (p *Plugin) Reads(contentType string) bool { return p.config.reads(contentType) }

// Check waits for a free process and sends it a page, whether Wants it or not. If the plugin
// fails on the page, the finding plugin-failed is the whole answer. After Close, and when the
// plugin is lost, the answer is empty. The error is that of the context; the answer is empty
// then as well.
func (p *Plugin) Check(ctx context.Context, pg *page.Page) (Answer, error) {
	var w *worker
	select {
	case w = <-p.free:
	case <-p.ended:
		return Answer{}, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	defer func() { p.free <- w }()
	select { // both may have happened while a process became free
	case <-p.ended:
		return Answer{}, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	default:
	}
	answer, err := p.send(ctx, w, pg)
	if err != nil && w.process != nil {
		w.process.stop()
		w.process = nil
	}
	if err != nil && ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	p.count(err)
	if err != nil {
		answer = Answer{Findings: []judging.Finding{{Code: judging.CodePluginFailed, Rule: p.config.Name, Message: err.Error()}}}
	}
	return answer, nil
}

// send gives a page to the process of a worker, which is started if there is none.
func (p *Plugin) send(ctx context.Context, w *worker, pg *page.Page) (Answer, error) {
	if w.process == nil {
		started, declared, err := p.startProcess(ctx)
		if err != nil {
			return Answer{}, fmt.Errorf("it was to be started again: %w", err)
		}
		w.process = started
		if !slices.Equal(declared, p.declared) {
			return Answer{}, errOtherCodes
		}
	}
	text, err := w.process.exchangePage(ctx, pg, p.config.MaxBody, p.config.Timeout)
	if err != nil {
		return Answer{}, err
	}
	return parseAnswer(text, w.process.pages, p.codes)
}

// count counts the failures in a row.
func (p *Plugin) count(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.failures = 0
		return
	}
	if p.failures++; p.failures == maxFailures && p.lost == nil {
		p.lost = fmt.Errorf("plugin %s failed on %d pages in a row and gets no more: %w", p.config.Name, maxFailures, err)
		p.end()
	}
}

// end makes sure that no page is sent any more.
func (p *Plugin) end() { p.endOnce.Do(func() { close(p.ended) }) }

// Lost returns why no page is sent to the plugin any more: it failed on five pages in a row.
// It returns nil for a plugin that works.
func (p *Plugin) Lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// Close waits for the pages that are out, and ends all processes. They get two seconds after
// the end of their standard input; then they are killed. Close may be called twice, but not
// by two goroutines.
func (p *Plugin) Close() {
	p.end()
	var ends sync.WaitGroup
	for range p.config.Workers {
		w := <-p.free
		if w.process != nil {
			ends.Go(w.process.close)
		}
	}
	ends.Wait()
	for range p.config.Workers {
		p.free <- &worker{}
	}
}
