package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

type execution struct {
	manager *Manager
	run     *store.Run

	mu   sync.Mutex
	by   string // what ends it early: stop or shutdown
	stop chan struct{}

	latest atomic.Pointer[api.Progress]
	pace   *pace // set before the crawl begins
}

// end ends the run early. The first reason counts, but a person's wish counts more than a
// shutdown.
func (x *execution) end(by string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == "" {
		close(x.stop)
	}
	if x.by == "" || by == "stop" {
		x.by = by
	}
}

func (x *execution) endedBy() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.by
}

// execute executes the run and stores how it ended.
func (x *execution) execute(ctx context.Context) {
	m, id := x.manager, x.run.ID
	result, by, err := x.crawl(ctx)
	c := store.Change{Progress: x.latest.Load()}
	switch {
	case err != nil:
		c.To, c.Error = api.Failed, m.Disk.explain(err).Error()
	case result.Over:
		c.To = api.Done
	default:
		c.To, c.InterruptedBy = api.Interrupted, by
	}
	if err == nil {
		if c.Progress, err = finalProgress(result, cmp.Or(x.latest.Load(), &x.run.Progress)); err != nil {
			m.config.Log("run %s: %v", id, err)
		}
		c.Progress.ElapsedMS = x.pace.elapsed(time.Now())
		c.ExitStatus, c.Summary, c.UnsoundBecause = &result.ExitStatus, result.Summary, result.Because
	}
	indexed := c.To == api.Done || c.To == api.Interrupted && by == "stop"
	c.Indexed = &indexed
	now := time.Now()
	c.Finished = &now
	if c.Counts, err = m.recount(ctx, x.run); err != nil {
		m.config.Log("run %s: count: %v", id, err) // a reader counts again
	}
	ended, err := m.changed(ctx, id, []api.State{api.Running, api.Stopping}, c)
	if errors.Is(err, store.ErrState) || errors.Is(err, store.ErrNotFound) {
		m.config.Log("end run %s: %v", id, err)
		return
	}
	if err != nil {
		m.config.Log("end run %s: %v", id, err)
		m.hold(x.run, store.Change{To: api.Failed, Error: m.Disk.explain(err).Error(), Progress: c.Progress, Finished: c.Finished})
		return
	}
	if indexed {
		if err := findings.Remove(m.paths.live(id)); err != nil {
			m.config.Log("run %s: %v", id, err)
		}
	}
	if ended.State == api.Done || ended.State == api.Failed {
		m.config.Ended(ctx, ended)
	}
	m.Retain(ctx)
}

// finalProgress returns the progress of a crawl that has ended: its summary counts more than the
// last progress, which is some time old.
func finalProgress(r *Result, last *api.Progress) (*api.Progress, error) {
	p := *last
	p.Rate, p.RemainingMS = 0, nil
	var s struct{ Pages, Targets, Requests, Broken int }
	if err := json.Unmarshal(r.Summary, &s); err != nil {
		return last, fmt.Errorf("read the summary: %w", err)
	}
	p.Pages, p.Requests, p.Broken = s.Pages, s.Requests, s.Broken
	if r.Over {
		p.Queued, p.Checked = 0, s.Targets
	}
	return &p, nil
}

// crawl executes the crawl, shows what is known of it meanwhile, and indexes what it found. by is
// what ended it early.
func (x *execution) crawl(ctx context.Context) (result *Result, by string, err error) {
	m, id := x.manager, x.run.ID
	job, err := m.config.Job(ctx, x.run)
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(m.paths.state(id), 0o700); err != nil {
		return nil, "", err
	}
	crawling, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	live, err := x.openLive(ctx, job, fail)
	if err != nil {
		return nil, "", err
	}
	result, err = m.config.Engine.Crawl(crawling, &Request{Dir: m.paths.state(id), Job: job, Stop: x.stop, Progress: live.progress})
	live.close()
	if cause := context.Cause(crawling); cause != nil {
		return nil, "", cause
	}
	by = x.endedBy()
	if err == nil && (by != "shutdown" || result.Over) { // else the next process continues it
		if err = x.index(ctx, result); err == nil {
			err = live.tell(ctx, m.paths.findings(id), true)
		}
	}
	return result, by, err
}

// indexConfig returns what the findings of the run are compared with.
func (x *execution) indexConfig(ctx context.Context) (findings.Config, error) {
	m, r := x.manager, x.run
	started := r.Started
	c := findings.Config{Project: r.Project, Started: *started, New: map[string]bool{},
		FirstSeen: func(fingerprints []string) (map[string]time.Time, error) {
			return m.config.Store.FirstSeen(ctx, r.Project, fingerprints)
		},
		See: func(fingerprints []string) error {
			return m.config.Store.See(ctx, r.Project, fingerprints, *started)
		},
	}
	before, err := m.config.Store.SoundBefore(ctx, r.Project, r.Number)
	if errors.Is(err, store.ErrNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if _, err := os.Stat(m.paths.findings(before.ID)); err == nil {
		c.Before = m.paths.findings(before.ID)
	}
	marks, err := store.Marks{Store: m.config.Store}.All(ctx, r.Project)
	now := time.Now()
	for _, mark := range marks {
		if mark.Until != nil && before.Finished != nil && mark.Until.After(*before.Finished) && !mark.InForce(now) {
			c.New[mark.Fingerprint] = true
		}
	}
	return c, err
}

// index makes the file of all findings from the state.
func (x *execution) index(ctx context.Context, result *Result) error {
	m, id := x.manager, x.run.ID
	config, err := x.indexConfig(ctx)
	if err != nil {
		return err
	}
	b, err := findings.Create(m.paths.findings(id), config)
	if err != nil {
		return err
	}
	judged, err := m.config.Engine.Judge(ctx, m.paths.state(id), b)
	if err != nil {
		b.Discard()
		return fmt.Errorf("read the state of the run: %w", err)
	}
	result.Summary, result.Because = judged.Summary, judged.Because
	m.files.forget(m.paths.findings(id))
	return nil
}
