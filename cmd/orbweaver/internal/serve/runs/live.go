package runs

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// live shows a run while it is executed. Its progress goes to its events. Now and then the state
// of the crawl is judged as it is: what is known goes to a file of findings, and new findings to
// the events.
type live struct {
	x       *execution
	events  *Events
	emitted map[string]bool // fingerprints of findings that are events already
	stored  api.Progress
	judged  api.Progress // the progress when the state was judged last

	rendered bool        // a browser may add anchors
	fail     func(error) // ends the crawl
	cancel   context.CancelFunc
	ended    sync.WaitGroup
}

const (
	// progressEvery is the time between two events of progress.
	progressEvery = 500 * time.Millisecond
	// storeEvery is the time between two moments at which the progress is stored.
	storeEvery = time.Second
	// judgePauses is the time between two judgements, as a multiple of what the last one took: judging
	// must not take the time of the crawl.
	judgePauses = 10
	// maxJudged is the number of targets of a crawl that is judged before it has ended.
	maxJudged = 50_000
)

func (x *execution) openLive(ctx context.Context, job *Job, fail func(error)) (*live, error) {
	m, id := x.manager, x.run.ID
	spent := time.Duration(x.run.Progress.ElapsedMS) * time.Millisecond
	x.pace = newPace(spent, time.Now())
	l := &live{x: x, rendered: job.Options["render"] != nil, fail: fail}
	var err error
	if l.emitted, err = emitted(m.paths.events(id)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	l.events, err = m.eventsOf(id)
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	// Once the crawl is resumed, findings that were final before may change.
	m.files.forget(m.paths.findings(id))
	if err := os.Rename(m.paths.findings(id), m.paths.live(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ctx, l.cancel = context.WithCancel(ctx)
	l.ended.Go(func() { l.watch(ctx) })
	return l, nil
}

// watch stores the progress and judges the state until ctx ends. It ends the crawl if the disk is full,
// which a crawl that waits for a site would not find out.
func (l *live) watch(ctx context.Context) {
	clock := time.NewTicker(storeEvery)
	defer clock.Stop()
	next, looked := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
		if time.Since(looked) >= lookEvery {
			looked = time.Now()
			if err := l.x.manager.Disk.Writable(); err != nil {
				l.fail(err)
				return
			}
		}
		p := l.x.latest.Load()
		if p == nil {
			continue
		}
		err := l.store(ctx, p)
		if err == nil && time.Now().After(next) && p.Counts() != l.judged && p.Checked+p.Queued <= maxJudged {
			l.judged = p.Counts()
			began := time.Now()
			err = l.judge(ctx)
			next = time.Now().Add(judgePauses * time.Since(began))
		}
		if err != nil && ctx.Err() == nil {
			l.x.manager.config.Log("run %s: %v", l.x.run.ID, err)
		}
	}
}

func (l *live) store(ctx context.Context, p *api.Progress) error {
	if *p == l.stored {
		return nil
	}
	l.stored = *p
	return l.x.manager.config.Store.SetProgress(ctx, l.x.run.ID, *p)
}

// judge shows what the crawl has found so far.
func (l *live) judge(ctx context.Context) error {
	m, id := l.x.manager, l.x.run.ID
	config, err := l.x.indexConfig(ctx)
	if err != nil {
		return err
	}
	b, err := findings.Create(m.paths.live(id), config)
	if err != nil {
		return err
	}
	if _, err := m.config.Engine.Judge(ctx, m.paths.state(id), b); err != nil {
		b.Discard()
		return err
	}
	return l.tell(ctx, m.paths.live(id), false)
}

// tell makes the findings of a file events that are not yet. Before the crawl has ended, those are
// left out that another request may still disprove.
func (l *live) tell(ctx context.Context, file string, final bool) error {
	x, err := findings.Open(file)
	if err != nil {
		return err
	}
	defer x.Close()
	marks := store.Marks{Store: l.x.manager.config.Store}
	q := &findings.Query{Limit: 1000}
	for {
		list, err := x.Findings(ctx, q, false)
		if err != nil {
			return err
		}
		for _, f := range list.Items {
			if l.emitted[f.Fingerprint] || !final && l.mayChange(&f) {
				continue
			}
			mark, err := marks.Get(ctx, l.x.run.Project, f.Fingerprint)
			if errors.Is(err, store.ErrNotFound) || err == nil && !mark.InForce(time.Now()) {
				mark, err = marks.Get(ctx, l.x.run.Project, f.Issue)
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err == nil && mark.InForce(time.Now()) {
				f.Known = mark
			}
			if err := l.events.Append("finding", f); err != nil {
				return err
			}
			l.emitted[f.Fingerprint] = true
		}
		if list.Next == nil {
			return nil
		}
		q.After = *list.Next
	}
}

// mayChange reports whether a finding may not be one at the end of the crawl: the request is
// repeated, or pages that are not read yet decide.
func (l *live) mayChange(f *api.Finding) bool {
	code := check.Code(f.Code)
	return f.Verdict != check.Broken.String() || code.Retryable() || l.rendered && code == check.CodeFragmentMissing
}

func (l *live) progress(p result.Progress) {
	at := time.Now()
	now := api.Progress{Pages: p.Pages, Queued: p.Queued + p.InFlight, Checked: p.Checked, Requests: p.Requests, Broken: p.Broken}
	l.x.pace.measure(at, &now)
	l.x.latest.Store(&now)
	if err := errors.Join(l.events.AppendProgress(now), l.x.manager.All.progress(&l.x.run.Run, now, at)); err != nil {
		l.x.manager.config.Log("run %s: %v", l.x.run.ID, err)
	}
}

// close ends it. What is known stays visible.
func (l *live) close() {
	l.cancel()
	l.ended.Wait()
}
