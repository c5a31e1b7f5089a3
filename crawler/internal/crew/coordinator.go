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
	"slices"
	"strings"
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

	lead    redisstore.Lead
	state   diskstore.Replica
	id      string // of the state directory
	servers []*followed
	store   *redisstore.Store // of the coordination
	rests   int               // how often lost targets were entered again
	growth  *growthWatch      // nil with a limit of pages
}

// followed is a server whose log is applied to the state.
type followed struct {
	redisstore.Shard
	header   *redisstore.Header
	position redisstore.Position // up to which the log is applied
}

func newCoordinator(c *store.Coordination, e Engine) *coordinator {
	l := &coordinator{Coordination: *c, Engine: e, lead: c.Crawl.Lead(), state: diskstore.Replica{Store: e.State}}
	for _, shard := range l.lead.Shards() {
		l.servers = append(l.servers, &followed{Shard: shard})
	}
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
	c.id = string(id)
	if err := c.take(ctx); err != nil {
		return err
	}
	if err := startClock(ctx, c.state.Store); err != nil {
		return err
	}
	at, err := c.applied()
	if err != nil {
		return err
	}
	var lost []*followed
	for i, s := range c.servers {
		if s.header == nil || !s.continues(ctx, at[i]) {
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
		c.growth = &growthWatch{state: c.state, need: c.state.Needs, to: c.store}
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

// applied returns the positions in the logs that the state has, as many as there are servers.
func (c *coordinator) applied() ([]redisstore.Position, error) {
	text, err := c.state.Applied()
	at := make([]redisstore.Position, len(c.servers))
	for i, one := range strings.Split(text, ";") {
		if i < len(at) {
			at[i], _ = redisstore.ParsePosition(one)
		}
	}
	return at, err
}

// positions returns the stored form of the positions in the logs.
func (c *coordinator) positions() string {
	list := make([]string, len(c.servers))
	for i, s := range c.servers {
		list[i] = s.position.String()
	}
	return strings.Join(list, ";")
}

// continues reports whether the state directory goes with what the server has. Then the log is read
// from a position.
func (s *followed) continues(ctx context.Context, at redisstore.Position) bool {
	if at.Epoch == "" || at.Epoch != s.header.Epoch {
		return false
	}
	state, err := s.State(ctx)
	if err != nil || state == "filling" || state == "absent" || state == "deleted" || state == "done" {
		return false
	}
	if _, _, err := s.Log(s.header).Read(ctx, at, redisstore.Lag); err != nil {
		return false
	}
	s.position = at
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

// fill makes the crawl on servers from the state directory, which may be new. A server that
// is restarted meanwhile, without its last second, is filled again, but not without limit. The first
// server comes last: workers join when it is filled.
func (c *coordinator) fill(ctx context.Context, servers []*followed) error {
	for _, s := range slices.Backward(servers) {
		if err := c.fillServer(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *coordinator) fillServer(ctx context.Context, s *followed) error {
	began, again := time.Now(), s.position.Epoch != ""
	for {
		if s.position.Epoch != "" { // the server had the crawl
			deleted, err := s.Deleted(ctx, s.header)
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
		complete, err := c.fillOnce(ctx, s)
		if complete || err != nil && !errors.Is(err, frontier.ErrAbsent) {
			return err
		}
		if time.Since(began) > c.Patience {
			return fmt.Errorf("%s: the server has lost parts of the crawl again and again while it was filled", s.Address())
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fillOnce is one attempt of fillServer. It returns false, or frontier.ErrAbsent, if the server has lost
// something meanwhile.
func (c *coordinator) fillOnce(ctx context.Context, s *followed) (complete bool, err error) {
	key := c.state.FingerprintKey()
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Version: c.Version, State: c.id, Width: c.state.Width(),
		Key: key[:], Lease: c.Lease, Command: c.Command}
	ends, err := c.end(ctx)
	if err != nil {
		return false, err
	}
	if err := s.Create(ctx, h, redisstore.Limits{Log: c.Log, Ends: ends, Lost: LostOutcome(), Renders: c.Renders}); err != nil {
		return false, err
	}
	if _, err := c.lead.Coordinate(ctx, c.Process, c.Lease, true); err != nil {
		return false, err
	}
	s.header, s.position = h, h.First()
	if err := c.state.Apply(nil, c.positions()); err != nil {
		return false, err
	}
	store := c.lead.Store(h, "", c.Version)
	n, err := c.state.Count(ctx)
	if err != nil {
		return false, err
	}
	restored := 0
	if n.Known > 0 {
		if restored, err = c.refill(ctx, s, store); err != nil {
			return false, err
		}
	}
	if s == c.servers[0] || c.servers[0].header != nil {
		if err := c.Enter(ctx, store, c.Lease); err != nil {
			return false, err
		}
	}
	return store.Filled(ctx, s.Number(), restored)
}

// refill gives a server what the state directory knows of its part of the crawl. It returns the number
// of targets.
func (c *coordinator) refill(ctx context.Context, s *followed, store *redisstore.Store) (restored int, err error) {
	add, flush := s.Fill(ctx, s.header)
	if err := c.state.Each(ctx, func(k *frontier.Kept) error {
		if !s.Has(k.Host) {
			return nil
		}
		return add(k)
	}); err != nil {
		return 0, err
	}
	if restored, err = flush(); err != nil {
		return 0, err
	}
	paces := map[string]frontier.Pace{}
	if err := c.state.Paces(ctx, func(host string, p frontier.Pace) error {
		if s.Has(host) && (p.Interval > 0 || p.NotBefore.After(time.Now())) {
			paces[host] = p
		}
		return nil
	}); err != nil {
		return 0, err
	}
	for host, p := range paces {
		if err := store.SetPace(ctx, host, p); err != nil {
			return 0, err
		}
	}
	return restored, c.republish(ctx, s, store)
}

// republish makes what the state tells known to all processes of a crawl that is filled from it. The
// sums and the budgets of traps are on the first server.
func (c *coordinator) republish(ctx context.Context, s *followed, to frontier.Shared) error {
	series := admit.Series{Traps: trap.New(trap.Limits{})}
	if s == c.servers[0] {
		series.ShareTraps(ctx, to.Common())
	}
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
	if s != c.servers[0] {
		return nil
	}
	return known.CopyTo(ctx, to)
}

// conduct runs the crawl until it ends, and returns why it ended early, "" if it did not.
func (c *coordinator) conduct(ctx context.Context) (ended check.Gap, err error) {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var own sync.WaitGroup
	failed := make(chan error, 2)
	if c.WorkersHere > 0 {
		own.Go(func() {
			if err := c.workHere(working); err != nil && working.Err() == nil {
				failed <- err
			}
		})
	}
	own.Go(func() {
		if err := c.store.Process().Relay(working); err != nil && working.Err() == nil {
			failed <- err
		}
	})
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
		why, err := c.store.Tick(ctx)
		if err != nil {
			return check.NoGap, err
		}
		n, err := c.lead.Count(ctx)
		if err != nil {
			return check.NoGap, err
		}
		over := (why == "end" || why == "over" || why == "drained" || why == "idle") && n.Leased == 0
		lag := redisstore.Lag
		if over {
			lag = 0 // nobody enters anything any more
		}
		caught, lost, err := c.applyAll(ctx, lag)
		if err == nil && why == "absent" {
			lost, err = c.absent(ctx, lost)
		}
		if err == nil && len(lost) > 0 {
			if err = c.fill(ctx, lost); err == nil {
				continue
			}
		}
		if err != nil {
			return check.NoGap, err
		}
		if over && caught && why == "idle" {
			if err := c.enterRest(ctx); err != nil {
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
			p, err := progressOf(ctx, c.store, began)
			if err != nil {
				return check.NoGap, err
			}
			c.Sink.Progress(p)
		}
		if !lonely && c.WorkersHere == 0 && now.Sub(began) > 10*time.Second {
			if workers, err := c.lead.Workers(ctx); err == nil && workers == 0 {
				c.Notef("no worker has joined yet: orbweaver worker --frontier '%s'", c.Crawl.Places())
			}
			lonely = true
		}
	}
}

// enterRest is called when nothing is queued. It enters what a server has lost that others knew of
// already, and queues the pages again that must be rendered because of a link to them, as far as the
// state tells. If there is none of these, the crawl ends.
func (c *coordinator) enterRest(ctx context.Context) error {
	wanted := map[frontier.ID]frontier.Need{}
	n, err := c.state.Count(ctx)
	if err != nil {
		return err
	}
	if len(c.servers) > 1 && n.Queued > 0 {
		if c.rests++; c.rests > maxRests {
			return fmt.Errorf("%d targets of the state are unsettled, which the frontier has settled", n.Queued)
		}
		c.Notef("a server has lost %d targets: entering them again", n.Queued)
		return c.enter(ctx, wanted)
	}
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
	for _, it := range items {
		wanted[it.ID] = it.Need
	}
	return c.enter(ctx, wanted)
}

// maxRests is how often targets may be entered again that a server has lost.
const maxRests = 20

// enter enters targets of the state: those of which something more is needed, or if there are none of these,
// those that are not settled. The servers have other numbers for them.
func (c *coordinator) enter(ctx context.Context, wanted map[frontier.ID]frontier.Need) error {
	var items []frontier.Item
	if err := c.state.Each(ctx, func(k *frontier.Kept) error {
		need, wants := wanted[k.ID]
		it := frontier.Item{Fingerprint: k.Fingerprint, Host: []byte(k.Host), Wave: frontier.Leaves, Need: need, Job: slices.Clone(k.Job)}
		switch {
		case len(wanted) == 0 && !k.Settled:
			it.Wave, it.Need = k.Lowest, k.Need
		case !wants:
			return nil
		}
		items = append(items, it)
		return nil
	}); err != nil {
		return err
	}
	_, err := c.store.Add(ctx, items)
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

// applyAll applies entries of all logs to the state directory. It returns true when there are no more,
// and the servers that have lost steps which were applied already.
func (c *coordinator) applyAll(ctx context.Context, lag time.Duration) (caught bool, lost []*followed, err error) {
	caught = true
	for _, s := range c.servers {
		all, err := c.apply(ctx, s, lag)
		if errors.Is(err, redisstore.ErrRewound) {
			lost = append(lost, s)
			continue
		}
		if err != nil {
			return false, lost, err
		}
		caught = caught && all
	}
	return caught && len(lost) == 0, lost, nil
}

// absent adds the servers without the crawl to those that have lost it.
func (c *coordinator) absent(ctx context.Context, lost []*followed) ([]*followed, error) {
	for _, s := range c.servers {
		state, err := s.State(ctx)
		if err != nil {
			return lost, err
		}
		if (state == "absent" || state == "filling") && !slices.Contains(lost, s) {
			lost = append(lost, s)
		}
	}
	return lost, nil
}

// apply applies entries of the log of a server to the state directory. It returns true when there are no
// more.
func (c *coordinator) apply(ctx context.Context, s *followed, lag time.Duration) (all bool, err error) {
	for range 50 { // then the coordinator shows that it is alive
		events, at, err := s.Log(s.header).Read(ctx, s.position, lag)
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return true, nil
		}
		before := s.position
		s.position = at
		if err := c.state.Apply(events, c.positions()); err != nil {
			s.position = before
			return false, err
		}
		if c.growth != nil {
			if err := c.growth.observe(ctx, events); err != nil {
				return false, err
			}
		}
		if err := s.Log(s.header).Trim(ctx, at); err != nil {
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
