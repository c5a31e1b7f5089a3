// Package crew lets several processes work on one crawl. They share a store (frontier.Shared), and one
// of them, the coordinator, keeps what the store logs in a state of its own, from which it reports. The
// state has a file for each server of the store, and each file a recorder, which follows its server:
//
//	enter ──► store ◄── work, work, work …
//	            └─ logs ─► recorders ─► files of the state ──► report ──► Sink
//
// What a process would otherwise remember for itself is in the store, too: the pace of a
// host, robots.txt, cookies, the sites that start targets redirect to, the sitemaps that
// robots.txt names, the budgets of traps, the count of pages for --max-pages, cycles of
// redirects, and the answers to made-up addresses. What has to do with the machine
// (connections, resolved names, the number of workers that it can handle) stays in the
// process, and so does a session: each process signs in for itself.
//
//	coordinator.go  begins, conducts and ends a crawl
//	fill.go         gives servers what the state knows: at the beginning, and what they have lost
//	recorder.go     applies what a server logs to a file of the state
//	growth.go       finds endless sites
//	facts.go        what all processes know
package crew

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/shards"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// frontierID is the name of the value that identifies a state directory to a server.
const frontierID = "frontier id"

// Engine is what a coordinator needs of the engine that crawls.
type Engine struct {
	State        *shards.State // of this process
	Seeds        []scope.Seed
	Scope        *scope.Scope
	MaxTime      time.Duration // 0 for no limit
	MaxPages     int           // 0 for no limit
	MaxRedirects int
	Renders      bool
	Browser      bool            // there is a browser that renders
	Stop         <-chan struct{} // closed when the run is to end
	Sink         result.Sink
	// Enter enters the seeds in a store.
	Enter func(ctx context.Context, to frontier.Shared, lease time.Duration) error
	// Work visits targets of a store until the crawl is over.
	Work func(ctx context.Context, on *store.Joined) error
}

// coordinator runs a crawl of several processes.
type coordinator struct {
	store.Coordination
	Engine

	lead    redisstore.Lead
	state   *shards.State
	id      string // of the state directory
	servers []*recorder
	store   *redisstore.Store // of the coordination
	rests   int               // how often lost targets were entered again
}

func newCoordinator(c *store.Coordination, e Engine) *coordinator {
	l := &coordinator{Coordination: *c, Engine: e, lead: c.Crawl.Lead(), state: e.State}
	l.Lease, l.Patience, l.Log = cmp.Or(c.Lease, time.Minute), cmp.Or(c.Patience, 5*time.Minute), cmp.Or(c.Log, 256<<20)
	return l
}

// Coordinate runs a crawl until it ends, and returns why it ended early. All of it is in the state of
// the engine then. The error is a *store.TakenError if the crawl on the server is that of another
// coordinator.
func Coordinate(ctx context.Context, c *store.Coordination, e Engine) (ended gap.Kind, err error) {
	l := newCoordinator(c, e)
	if err := l.begin(ctx); err != nil {
		return gap.None, err
	}
	ended, err = l.conduct(ctx)
	l.state.Refresh()
	return ended, err
}

// commandOf returns the command of a crawl on the server, nil if there is none.
func commandOf(h *redisstore.Header) []byte {
	if h == nil {
		return nil
	}
	return h.Command
}

// begin makes the crawl on the server, or continues it.
func (c *coordinator) begin(ctx context.Context) error {
	files, servers := c.state.Files(), c.lead.Shards()
	if len(files) != len(servers) {
		return fmt.Errorf("the state has the files of a crawl on another number of servers: %d instead of %d; continue it with the same servers, or begin a new one in another directory", len(files), len(servers))
	}
	for i, s := range servers {
		c.servers = append(c.servers, &recorder{Shard: s, state: diskstore.Replica{Store: files[i]}})
	}
	id, err := c.state.Value(frontierID)
	if err == nil && id == nil {
		id = []byte(rand.Text())
		err = c.state.SetValue(frontierID, id)
	}
	if err != nil {
		return err
	}
	c.id = string(id)
	if err := c.take(ctx); err != nil {
		return err
	}
	if err := startClock(ctx, c.state); err != nil {
		return err
	}
	var lost []*recorder
	for _, s := range c.servers {
		continues := false
		if s.header != nil {
			if continues, err = s.continues(ctx); err != nil {
				return err
			}
		}
		if !continues {
			lost = append(lost, s)
		}
	}
	if len(lost) > 0 {
		err = c.fill(ctx, lost)
	}
	if err == nil && len(lost) < len(c.servers) {
		err = c.proceed(ctx)
	}
	if err != nil {
		return err
	}
	c.store = c.lead.Store(c.servers[0].header, "", c.Version)
	if c.MaxPages == 0 {
		for _, s := range c.servers {
			s.growth = &growthWatch{state: s.state, to: c.store}
		}
	}
	return nil
}

// take takes the role of the coordinator on each server, and reads the headers of those that have the
// crawl of this state.
func (c *coordinator) take(ctx context.Context) error {
	first, lease := (*redisstore.Header)(nil), c.Lease
	for _, s := range c.servers {
		h, err := s.Header(ctx)
		if err != nil {
			return err
		}
		if s.header = h; first == nil {
			first = h
		}
	}
	if first != nil && first.State == c.id {
		lease = 0 // the directory is locked: no other process can coordinate the crawl any more
	}
	other, err := c.lead.Coordinate(ctx, c.Process, lease, true)
	if err != nil {
		return err
	}
	if other != "" {
		return &store.TakenError{Process: other, Command: commandOf(first)}
	}
	for _, s := range c.servers {
		if s.header == nil {
			continue
		}
		if s.header.State != c.id {
			state, err := s.State(ctx)
			if err != nil {
				return err
			}
			if state != "done" {
				_ = c.lead.Resign(ctx, c.Process)
				return &store.TakenError{Command: commandOf(s.header)}
			}
			s.header = nil
			continue
		}
		if err := s.header.Fits(c.Version); err != nil {
			return err
		}
	}
	return nil
}

// proceed continues the crawl that the server has.
func (c *coordinator) proceed(ctx context.Context) error {
	if _, _, err := c.lead.Change(ctx, "continue"); err != nil {
		return err
	}
	if err := c.lead.SetLog(ctx, c.Log); err != nil {
		return err
	}
	if c.MaxTimeGiven || c.MaxTime == 0 {
		ends, err := c.end(ctx)
		if err == nil {
			err = c.lead.SetEnd(ctx, ends)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// end returns when the crawl ends by --max-time, which counts from its first start.
func (c *coordinator) end(ctx context.Context) (time.Time, error) {
	if c.MaxTime == 0 {
		return time.Time{}, nil
	}
	at, err := stored.ReadSums(ctx, c.state)
	if err != nil || at.Began.IsZero() {
		return time.Time{}, err
	}
	now, err := c.lead.Now(ctx)
	return now.Add(c.MaxTime - time.Since(at.Began)), err
}

// conduct runs the crawl until it ends, and returns why it ended early, "" if it did not.
func (c *coordinator) conduct(ctx context.Context) (ended gap.Kind, err error) {
	visiting, failed, end := c.start(ctx)
	defer end()
	r := routine{began: time.Now(), kept: time.Now()}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	stop := c.Stop
	var ending time.Time // when a signal came, by the clock of the server
	for {
		select {
		case <-tick.C:
		case err := <-failed:
			return gap.None, err
		case <-stop:
			stop = nil
			visiting.Wait()
			if ending, err = c.lead.Now(ctx); err != nil {
				return gap.None, err
			}
		case <-ctx.Done():
			return gap.None, ctx.Err()
		}
		if err := c.keepUp(ctx, &r); err != nil {
			return gap.None, err
		}
		why, err := c.store.Tick(ctx)
		if err != nil {
			return gap.None, err
		}
		n, err := c.lead.Count(ctx)
		if err != nil {
			return gap.None, err
		}
		over := (why == "end" || why == "over" || why == "drained" || why == "idle") && n.Leased == 0
		caught := false
		if over { // nobody enters anything any more
			if caught, err = c.applyAll(ctx, 0); err != nil {
				return gap.None, err
			}
		}
		lost, err := c.lost(ctx, why == "absent")
		if err == nil && len(lost) > 0 {
			if err = c.fill(ctx, lost); err == nil {
				continue
			}
		}
		if err != nil {
			return gap.None, err
		}
		if over && caught && why == "idle" {
			if err := c.enterRest(ctx); err != nil {
				return gap.None, err
			}
			continue
		}
		if over && caught {
			if err := stored.AddTime(ctx, c.state, time.Since(r.kept)); err != nil {
				return gap.None, err
			}
			return c.ended(ctx, why)
		}
		if !ending.IsZero() {
			switch applied, err := c.appliedUntil(ctx, ending); {
			case err != nil:
				return gap.None, err
			case applied:
				return gap.Interrupt, stored.AddTime(ctx, c.state, time.Since(r.kept))
			}
		}
	}
}

// start starts what goes on all the time. end ends it; visiting only waits for the visits of this process.
func (c *coordinator) start(ctx context.Context) (visiting *sync.WaitGroup, failed <-chan error, end func()) {
	working, cancel := context.WithCancel(ctx)
	visiting = &sync.WaitGroup{}
	var recording sync.WaitGroup
	errs := make(chan error, 2+len(c.servers))
	start := func(group *sync.WaitGroup, do func(context.Context) error) {
		group.Go(func() {
			if err := do(working); err != nil && working.Err() == nil {
				errs <- err
			}
		})
	}
	if c.WorkersHere > 0 {
		start(visiting, c.workHere)
	}
	start(&recording, c.store.Process().Relay)
	for _, r := range c.servers {
		start(&recording, r.record)
	}
	return visiting, errs, func() { cancel(); visiting.Wait(); recording.Wait() }
}

// routine is when a coordinator did what it does from time to time.
type routine struct {
	began, beaten, kept, shown time.Time
	looked                     bool // for workers
}

// keepUp keeps the role of the coordinator and the time of the crawl, and shows its progress.
func (c *coordinator) keepUp(ctx context.Context, r *routine) error {
	now := time.Now()
	if now.Sub(r.beaten) >= min(c.Lease/3, time.Second) {
		r.beaten = now
		if other, err := c.lead.Coordinate(ctx, c.Process, c.Lease, false); err != nil {
			return err
		} else if other != "" {
			return &store.TakenError{Process: other, During: true}
		}
	}
	if now.Sub(r.kept) >= 2*time.Second {
		if err := stored.AddTime(ctx, c.state, now.Sub(r.kept)); err != nil {
			return err
		}
		r.kept = now
	}
	if now.Sub(r.shown) >= 500*time.Millisecond {
		r.shown = now
		p, err := progressOf(ctx, c.store, r.began)
		if err != nil {
			return err
		}
		c.Sink.Progress(p)
	}
	if !r.looked && c.WorkersHere == 0 && now.Sub(r.began) > 10*time.Second {
		if workers, err := c.lead.Workers(ctx); err == nil && workers == 0 {
			fmt.Fprintf(c.Notes, "no worker has joined yet: orbweaver worker --frontier '%s'\n", c.Crawl.Places())
		}
		r.looked = true
	}
	return nil
}

// ended ends the crawl on the server.
func (c *coordinator) ended(ctx context.Context, why string) (ended gap.Kind, err error) {
	if why == "drained" {
		n, err := c.lead.Count(ctx)
		if err == nil {
			_, _, err = c.lead.Change(ctx, "drained")
		}
		if err != nil || n.Queued == 0 {
			return gap.None, err
		}
		return gap.Drain, nil
	}
	why, err = c.lead.StoppedBy(ctx)
	return gap.Named(why), err
}

// workHere lets the coordinator visit targets, too. A server that has lost the crawl since it was filled
// is filled again by conduct.
func (c *coordinator) workHere(ctx context.Context) error {
	for {
		joined, err := store.Join(ctx, c.Crawl, redisstore.CoordinatorName, c.Version, c.Browser)
		if err == nil {
			joined.Lease = c.Lease
			return c.Work(ctx, joined)
		}
		if !errors.Is(err, frontier.ErrAbsent) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// LostOutcome is the outcome of a target that was lost with three processes, as stores keep it.
func LostOutcome() []byte {
	return judging.AppendOutcome(nil, scope.Skip(judging.CodeWorkerLost, "three processes that visited it ended or fell silent"))
}

// progressOf returns the progress of a shared crawl.
func progressOf(ctx context.Context, store frontier.Store, since time.Time) (result.Progress, error) {
	c, err := store.Count(ctx)
	if err != nil {
		return result.Progress{}, err
	}
	sums, err := stored.ReadSums(ctx, store)
	if err != nil {
		return result.Progress{}, err
	}
	return result.Progress{Elapsed: time.Since(since), Pages: sums.Of[stored.Pages], Checked: sums.Of[stored.Checked], Queued: c.Queued, InFlight: c.Leased,
		Broken: sums.Of[stored.Broken], Requests: sums.Of[stored.Requests]}, nil
}

// startClock records in a store when its crawl began, unless it has done so.
func startClock(ctx context.Context, store frontier.Store) error {
	sums, err := stored.ReadSums(ctx, store)
	if err != nil || !sums.Began.IsZero() {
		return err
	}
	return stored.Begin(ctx, store, time.Now())
}
