package runs

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/store"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/report"
)

// live shows a run while it is executed: results go to its file of findings, and findings
// and progress to its events. The engine calls its methods one at a time.
type live struct {
	x       *execution
	events  *Events
	builder *findings.Builder // nil if an earlier session has left findings
	emitted map[string]bool   // fingerprints of findings that are events already
	stored  api.Progress
	pending bool

	mu     sync.Mutex
	closed chan struct{}
	ended  sync.WaitGroup
}

// Times between two events of progress, and between two moments at which readers of the
// findings see more.
const (
	progressEvery   = 500 * time.Millisecond
	checkpointEvery = time.Second
)

func (x *execution) openLive(ctx context.Context) (*live, error) {
	m, id := x.manager, x.run.ID
	l := &live{x: x, closed: make(chan struct{})}
	var err error
	if l.emitted, err = emitted(m.eventsFile(id)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	l.events, err = m.eventsOf(id)
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	config, err := x.indexConfig(ctx)
	if err != nil {
		return nil, err
	}
	config.Added = l.added
	if l.builder, err = findings.CreateLive(m.liveFile(id), config); err != nil {
		return nil, err
	}
	// Once the crawl is resumed, findings that were final before may change.
	m.files.forget(m.findingsFile(id))
	if err := removeIfThere(m.findingsFile(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		l.close()
		return nil, err
	}
	l.ended.Go(l.tick)
	return l, nil
}

// tick makes what the engine has delivered visible now and then, also while it is silent.
func (l *live) tick() {
	clock := time.NewTicker(checkpointEvery)
	defer clock.Stop()
	for {
		select {
		case <-l.closed:
			return
		case <-clock.C:
			l.mu.Lock()
			err := l.checkpoint()
			l.mu.Unlock()
			if err != nil {
				l.x.manager.config.Log("run %s: %v", l.x.run.ID, err)
			}
		}
	}
}

// checkpoint stores the progress and makes findings visible. The caller holds mu.
func (l *live) checkpoint() error {
	m := l.x.manager
	if p := l.x.latest.Load(); p != nil && *p != l.stored {
		l.stored = *p
		if err := m.config.Store.SetProgress(context.Background(), l.x.run.ID, *p); err != nil {
			return err
		}
	}
	if !l.pending {
		return nil
	}
	l.pending = false
	return l.builder.Checkpoint()
}

// added makes a finding an event.
func (l *live) added(f api.Finding) error {
	if l.emitted[f.Fingerprint] {
		return nil
	}
	l.emitted[f.Fingerprint] = true
	mark, err := store.Marks{Store: l.x.manager.config.Store}.Get(context.Background(), l.x.run.Project, f.Fingerprint)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil && mark.InForce(time.Now()) {
		f.Known = mark
	}
	return l.events.Append("finding", f)
}

// Begin implements report.Writer.
func (l *live) Begin(*report.Head) error { return nil }

// Result implements report.Writer.
func (l *live) Result(r *crawler.Result) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = true
	return l.builder.Result(r)
}

// Page implements report.PageWriter.
func (l *live) Page(p *crawler.Page) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = true
	return l.builder.Page(p)
}

// End implements report.Writer.
func (l *live) End(*crawler.Summary) error { return nil }

// progress shows the progress.
func (l *live) progress(p crawler.Progress) {
	now := api.Progress{Pages: p.Pages, Queued: p.Queued + p.InFlight, Checked: p.Checked, Requests: p.Requests, Broken: p.Broken}
	l.x.latest.Store(&now)
	if err := l.events.AppendProgress(now); err != nil {
		l.x.manager.config.Log("run %s: %v", l.x.run.ID, err)
	}
}

// close ends it. What is known stays visible.
func (l *live) close() {
	close(l.closed)
	l.ended.Wait()
	if l.builder != nil {
		if err := l.builder.Close(); err != nil {
			l.x.manager.config.Log("run %s: %v", l.x.run.ID, err)
		}
	}
}
