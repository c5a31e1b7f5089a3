// Package crew lets several processes work on one crawl. They share a store (frontier.Shared), and one
// of them, the coordinator, keeps what the store logs in a state of its own, from which it reports:
//
//	enter ──► store ◄── work, work, work …
//	            └─ log ─► state of the coordinator ──► report ──► Sink
//
// What a process would otherwise remember for itself is in the store, too: the pace of a
// host, robots.txt, cookies, the sites that start targets redirect to, the sitemaps that
// robots.txt names, the budgets of traps, the count of pages for --max-pages, cycles of
// redirects, and the answers to made-up addresses. What has to do with the machine
// (connections, resolved names, the number of workers that it can handle) stays in the
// process, and so does a session: each process signs in for itself.
package crew

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// frontierID is the name of the value that identifies a state directory to a server.
const frontierID = "frontier id"

// Engine is what a coordinator needs of the engine that crawls.
type Engine struct {
	State        *diskstore.Store // of this process
	Seeds        []scope.Seed
	Scope        func() *scope.Scope // new
	MaxTime      time.Duration       // 0 for no limit
	MaxPages     int                 // 0 for no limit
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

	lead     redisstore.Lead
	state    diskstore.Replica
	header   *redisstore.Header
	position redisstore.Position
	growth   *growthWatch // nil with a limit of pages
}

func newCoordinator(c *store.Coordination, e Engine) *coordinator {
	l := &coordinator{Coordination: *c, Engine: e, lead: c.Crawl.Lead(), state: diskstore.Replica{Store: e.State}}
	l.Lease, l.Patience, l.Log = cmp.Or(c.Lease, time.Minute), cmp.Or(c.Patience, 5*time.Minute), cmp.Or(c.Log, 256<<20)
	return l
}

// Coordinate runs a crawl until it ends, and returns why it ended early. All of it is in the state of
// the engine then. The error is a *store.TakenError if the crawl on the server is that of another
// coordinator.
func Coordinate(ctx context.Context, c *store.Coordination, e Engine) (ended check.Gap, err error) {
	l := newCoordinator(c, e)
	if err := l.begin(ctx); err != nil {
		return check.NoGap, err
	}
	return l.conduct(ctx)
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
	id, err := c.state.Value(frontierID)
	if err == nil && id == nil {
		id = []byte(rand.Text())
		err = c.state.SetValue(frontierID, id)
	}
	if err != nil {
		return err
	}
	h, err := c.lead.Header(ctx)
	if err != nil {
		return err
	}
	lease := c.Lease
	if h != nil && h.State == string(id) {
		lease = 0 // the directory is locked: no other process can coordinate the crawl any more
	}
	other, err := c.lead.Coordinate(ctx, c.Process, lease, true)
	if err != nil {
		return err
	}
	if other != "" {
		return &store.TakenError{Process: other, Command: commandOf(h)}
	}
	if h != nil && h.State != string(id) {
		state, err := c.lead.State(ctx)
		if err != nil {
			return err
		}
		if state != "done" {
			_ = c.lead.Resign(ctx, c.Process)
			return &store.TakenError{Command: commandOf(h)}
		}
		h = nil
	}
	if h != nil {
		if err := h.Fits(c.Version); err != nil {
			return err
		}
	}
	if err := startClock(ctx, c.state.Store); err != nil {
		return err
	}
	c.header = h
	if h != nil && c.continues(ctx) {
		err = c.proceed(ctx)
	} else {
		err = c.fill(ctx, string(id))
	}
	if err == nil && c.MaxPages == 0 {
		c.growth = &growthWatch{state: c.state, need: c.state.Needs, to: c.lead.Store(c.header, "", c.Version)}
	}
	return err
}

// continues reports whether the state directory goes with what the server has, and finds the
// position in the log.
func (c *coordinator) continues(ctx context.Context) bool {
	text, err := c.state.Applied()
	if err != nil {
		return false
	}
	at, ok := redisstore.ParsePosition(text)
	if !ok || at.Epoch != c.header.Epoch {
		return false
	}
	state, err := c.lead.State(ctx)
	if err != nil || state == "filling" || state == "absent" || state == "deleted" || state == "done" {
		return false
	}
	if _, _, err := c.lead.Log(c.header).Read(ctx, at, redisstore.Lag); err != nil {
		return false
	}
	c.position = at
	return true
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

// fill makes the crawl on the server from the state directory, which may be new. A server that
// is restarted meanwhile, without its last second, is filled again, but not without limit.
func (c *coordinator) fill(ctx context.Context, id string) error {
	began, again := time.Now(), c.position.Epoch != ""
	for {
		if c.position.Epoch != "" { // the server had the crawl
			deleted, err := c.header.Deleted(ctx, c.lead)
			if err != nil {
				return err
			}
			if deleted {
				return frontier.ErrGone
			}
		}
		if again {
			c.Notef("the server has lost a part of the crawl: filling it again from the state directory")
			again = false
		}
		complete, err := c.fillOnce(ctx, id)
		if complete || err != nil && !errors.Is(err, frontier.ErrAbsent) {
			return err
		}
		if time.Since(began) > c.Patience {
			return fmt.Errorf("%s: the server has lost parts of the crawl again and again while it was filled", c.lead.Address())
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fillOnce is one attempt of fill. It returns false, or frontier.ErrAbsent, if the server has lost
// something meanwhile.
func (c *coordinator) fillOnce(ctx context.Context, id string) (complete bool, err error) {
	key := c.state.FingerprintKey()
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Version: c.Version, State: id, Width: c.state.Width(),
		Key: key[:], Lease: c.Lease, Command: c.Command}
	ends, err := c.end(ctx)
	if err != nil {
		return false, err
	}
	if err := c.lead.Create(ctx, h, redisstore.Limits{Log: c.Log, Ends: ends, Lost: LostOutcome(), Renders: c.Renders}); err != nil {
		return false, err
	}
	if _, err := c.lead.Coordinate(ctx, c.Process, c.Lease, true); err != nil {
		return false, err
	}
	c.header, c.position = h, h.First()
	if err := c.state.Apply(nil, c.position.String()); err != nil {
		return false, err
	}
	store := c.lead.Store(h, "", c.Version)
	n, err := c.state.Count(ctx)
	if err != nil {
		return false, err
	}
	if n.Known > 0 {
		if err := c.refill(ctx, store); err != nil {
			return false, err
		}
	}
	if err := c.Enter(ctx, store, c.Lease); err != nil {
		return false, err
	}
	complete, err = store.Filled(ctx, n.Known)
	return complete, err
}

// refill gives the server what the state directory knows of the crawl.
func (c *coordinator) refill(ctx context.Context, store *redisstore.Store) error {
	add, flush := c.lead.Fill(ctx, c.header)
	if err := c.state.Each(ctx, add); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	paces := map[string]frontier.Pace{}
	if err := c.state.Paces(ctx, func(host string, p frontier.Pace) error {
		if p.Interval > 0 || p.NotBefore.After(time.Now()) {
			paces[host] = p
		}
		return nil
	}); err != nil {
		return err
	}
	for host, p := range paces {
		if err := store.SetPace(ctx, host, p); err != nil {
			return err
		}
	}
	return c.republish(ctx, store)
}

// republish makes what the state tells known to all processes of a crawl that is filled from it.
func (c *coordinator) republish(ctx context.Context, to frontier.Shared) error {
	series := admit.Series{Traps: trap.New(trap.Limits{})}
	series.ShareTraps(ctx, to.Common())
	known, err := stored.Load(ctx, c.state, c.Scope(), series.Traps)
	if err != nil {
		return err
	}
	facts := Facts{ctx, to.Common()}
	for _, key := range known.Sitemaps {
		if err := facts.Publish(FactSitemap, key); err != nil {
			return err
		}
	}
	for _, u := range known.Widened {
		if err := facts.Publish(FactScope, u.String()); err != nil {
			return err
		}
	}
	return known.CopyTo(ctx, to)
}

// conduct runs the crawl until it ends, and returns why it ended early, "" if it did not.
func (c *coordinator) conduct(ctx context.Context) (ended check.Gap, err error) {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var own sync.WaitGroup
	failed := make(chan error, 1)
	if c.WorkersHere > 0 {
		own.Go(func() {
			if err := c.workHere(working); err != nil && working.Err() == nil {
				failed <- err
			}
		})
	}
	defer own.Wait()
	defer cancel()
	began := time.Now()
	kept := began
	var beaten, shown time.Time
	lonely := false
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	stop := c.Stop
	var ending time.Time // when a signal came, by the clock of the server
	for {
		select {
		case <-tick.C:
		case err := <-failed:
			return check.NoGap, err
		case <-stop:
			stop = nil
			own.Wait()
			if ending, err = c.lead.Now(ctx); err != nil {
				return check.NoGap, err
			}
		case <-ctx.Done():
			return check.NoGap, ctx.Err()
		}
		now := time.Now()
		if now.Sub(beaten) >= min(c.Lease/3, time.Second) {
			beaten = now
			if other, err := c.lead.Coordinate(ctx, c.Process, c.Lease, false); err != nil {
				return check.NoGap, err
			} else if other != "" {
				return check.NoGap, &store.TakenError{Process: other, During: true}
			}
		}
		if now.Sub(kept) >= 2*time.Second {
			if err := stored.AddTime(ctx, c.state, now.Sub(kept)); err != nil {
				return check.NoGap, err
			}
			kept = now
		}
		why, err := c.lead.Tick(ctx)
		if err != nil {
			return check.NoGap, err
		}
		n, err := c.lead.Count(ctx)
		if err != nil {
			return check.NoGap, err
		}
		over := (why == "end" || why == "drained" || why == "idle") && n.Leased == 0
		lag := redisstore.Lag
		if over {
			lag = 0 // nobody enters anything any more
		}
		caught, err := c.apply(ctx, lag)
		if errors.Is(err, redisstore.ErrRewound) || err == nil && why == "absent" {
			if err = c.fill(ctx, c.header.State); err == nil {
				continue
			}
		}
		if err != nil {
			return check.NoGap, err
		}
		if over && caught && why == "idle" {
			if err := c.renderMore(ctx); err != nil {
				return check.NoGap, err
			}
			continue
		}
		if over && caught {
			if err := stored.AddTime(ctx, c.state, time.Since(kept)); err != nil {
				return check.NoGap, err
			}
			return c.ended(ctx, why)
		}
		if !ending.IsZero() && !c.appliedUntil(ctx, ending) {
			continue
		}
		if !ending.IsZero() {
			return check.GapInterrupt, stored.AddTime(ctx, c.state, time.Since(kept))
		}
		if now.Sub(shown) >= 500*time.Millisecond {
			shown = now
			p, err := progressOf(ctx, c.lead.Store(c.header, "", ""), began)
			if err != nil {
				return check.NoGap, err
			}
			c.Sink.Progress(p)
		}
		if !lonely && c.WorkersHere == 0 && now.Sub(began) > 10*time.Second {
			if workers, err := c.lead.Workers(ctx); err == nil && workers == 0 {
				c.Notef("no worker has joined yet: orbweaver worker --frontier '%s'", c.lead.Address().WithoutPassword())
			}
			lonely = true
		}
	}
}

// renderMore queues the pages again that must be rendered because of a link to them, as far as the
// state tells. If there are none, the crawl ends. It is called when nothing is queued.
func (c *coordinator) renderMore(ctx context.Context) error {
	if !c.Renders {
		return c.lead.EndRendering(ctx)
	}
	ids, err := stored.SeedIDs(ctx, frontier.New(c.state, frontier.Politeness{}), c.Seeds)
	if err != nil {
		return err
	}
	items, err := stored.ToRender(ctx, c.state, c.Scope(), c.MaxRedirects, c.Seeds, ids)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return c.lead.EndRendering(ctx)
	}
	_, err = c.lead.Store(c.header, "", c.Version).Add(ctx, items)
	return err
}

// appliedUntil reports whether the log is applied up to a time.
func (c *coordinator) appliedUntil(ctx context.Context, at time.Time) bool {
	now, err := c.lead.Now(ctx)
	return err != nil || now.Sub(at) > redisstore.Lag+100*time.Millisecond
}

// ended ends the crawl on the server.
func (c *coordinator) ended(ctx context.Context, why string) (ended check.Gap, err error) {
	if why == "drained" {
		n, err := c.lead.Count(ctx)
		if err == nil {
			_, _, err = c.lead.Change(ctx, "drained")
		}
		if err != nil || n.Queued == 0 {
			return check.NoGap, err
		}
		return check.GapDrain, nil
	}
	why, err = c.lead.StoppedBy(ctx)
	return check.GapNamed(why), err
}

// apply applies entries of the log to the state directory. It returns true when there are no
// more.
func (c *coordinator) apply(ctx context.Context, lag time.Duration) (all bool, err error) {
	for range 50 { // then the coordinator shows that it is alive
		events, at, err := c.lead.Log(c.header).Read(ctx, c.position, lag)
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return true, nil
		}
		if err := c.state.Apply(events, at.String()); err != nil {
			return false, err
		}
		c.position = at
		if c.growth != nil {
			if err := c.growth.observe(ctx, events); err != nil {
				return false, err
			}
		}
		if err := c.lead.Log(c.header).Trim(ctx, at); err != nil {
			return false, err
		}
	}
	return false, nil
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
	return judging.AppendOutcome(nil, scope.Skip(check.CodeWorkerLost, "three processes that visited it ended or fell silent"))
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
