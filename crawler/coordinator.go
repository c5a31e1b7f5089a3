package crawler

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// frontierID is the name of the value that identifies a state directory to a server.
const frontierID = "frontier id"

// Coordination says how a crawl of several machines is coordinated.
type Coordination struct {
	Crawl        *store.Shared // on the server
	Process      string        // name of this process
	Version      string        // of the program: workers must have the same
	Command      []byte        // what workers must know, in the caller's own form
	Lease        time.Duration // after which the targets of a silent worker are given to others; 0 means 60 s
	Patience     time.Duration // for a server that loses parts of the crawl while it is filled; 0 means 5 minutes
	Log          int64         // most bytes of the server's log; 0 means 256 MiB
	WorkersHere  int           // requests that this process may have in flight; 0 for none
	MaxTimeGiven bool          // Limits.MaxTime is of this session: it replaces that of the server
	Notef        func(format string, args ...any)
}

// Coordinator runs a crawl of several processes on a Redis server (store.Redis): it enters the seeds,
// applies the log of the server to its state, works itself, and reports. Each of the others calls
// [Join], then [Work].
//
//	address, err := store.ParseAddress("redis://localhost:6379/0?crawl=docs")
//	crawl := store.Redis(address, store.RedisOptions{Patience: time.Minute})
//	coordinator := crawler.NewCoordinator(crawler.Coordination{Crawl: crawl, Process: "main", Version: "1", ...})
//	defer coordinator.Close()
//	summary, err := coordinator.Run(ctx, cfg, seeds, sink)
type Coordinator struct {
	Coordination

	lead     redisstore.Lead
	state    diskstore.Replica
	header   *redisstore.Header
	position redisstore.Position
	cfg      *Config
	seeds    []Seed
	growth   *growthWatch
}

// TakenError says that the crawl on the server is that of another coordinator.
type TakenError struct {
	Process string // that coordinates it; "" for an unfinished crawl of another state
	During  bool   // it has taken over while this process coordinated the crawl
	Command []byte // Coordination.Command of that crawl; nil if it is unknown
}

// Error says whose the crawl is.
func (e *TakenError) Error() string {
	switch {
	case e.During:
		return fmt.Sprintf("another process, %s, coordinates the crawl now", e.Process)
	case e.Process != "":
		return "it is coordinated by another process, " + e.Process
	}
	return "it is unfinished, and belongs to another state"
}

// commandOf returns the command of a crawl on the server, nil if there is none.
func commandOf(h *redisstore.Header) []byte {
	if h == nil {
		return nil
	}
	return h.Command
}

// NewCoordinator returns the coordinator of a crawl.
func NewCoordinator(c Coordination) *Coordinator {
	c.Lease, c.Patience, c.Log = cmp.Or(c.Lease, time.Minute), cmp.Or(c.Patience, 5*time.Minute), cmp.Or(c.Log, 256<<20)
	return &Coordinator{Coordination: c, lead: c.Crawl.Lead()}
}

// Run runs the crawl of cfg and seeds, and reports it from the store of cfg, which must be that of a
// file. The error is a *TakenError if the crawl on the server is that of another coordinator.
func (c *Coordinator) Run(ctx context.Context, cfg *Config, seeds []Seed, out result.Sink) (*result.Summary, error) {
	state, ok := cfg.Keep.Store.(*diskstore.Store)
	if !ok {
		return nil, errors.New("start a run: the store of a coordinator must be that of a file")
	}
	own := *cfg
	own.Keep.Cache = nil
	c.state, c.seeds, c.cfg = diskstore.Replica{Store: state}, seeds, &own
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	c.growth = watchGrowth(&own, state, c.state.Needs, c.lead.Store(c.header, "", c.Version))
	stoppedBy, err := c.conduct(ctx, cfg.Stop, out)
	if err != nil {
		return nil, err
	}
	return judgeStore(ctx, &own, seeds, out, stoppedBy)
}

// Finish marks the crawl as done when its reports are written, and deletes it from the server if
// remove is set.
func (c *Coordinator) Finish(ctx context.Context, remove bool) error {
	if _, _, err := c.lead.Change(ctx, "done"); err != nil {
		return err
	}
	_ = c.lead.Resign(ctx, c.Process)
	if !remove {
		return c.lead.Clear(ctx)
	}
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) { // the workers learn that it is done
		if n, err := c.lead.Workers(ctx); err != nil || n == 0 {
			break
		}
	}
	_, _, err := c.lead.Delete(ctx, true)
	return err
}

// Close ends the role of the coordinator, and the connection to the server.
func (c *Coordinator) Close() error {
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if c.header != nil {
		_ = c.lead.Resign(ctx, c.Process) // it ends by itself after a lease
	}
	return c.lead.Close()
}

// begin makes the crawl on the server, or continues it.
func (c *Coordinator) begin(ctx context.Context) error {
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
		return &TakenError{Process: other, Command: commandOf(h)}
	}
	if h != nil && h.State != string(id) {
		state, err := c.lead.State(ctx)
		if err != nil {
			return err
		}
		if state != "done" {
			_ = c.lead.Resign(ctx, c.Process)
			return &TakenError{Command: commandOf(h)}
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
		return c.proceed(ctx)
	}
	return c.fill(ctx, string(id))
}

// continues reports whether the state directory goes with what the server has, and finds the
// position in the log.
func (c *Coordinator) continues(ctx context.Context) bool {
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
func (c *Coordinator) proceed(ctx context.Context) error {
	if _, _, err := c.lead.Change(ctx, "continue"); err != nil {
		return err
	}
	if err := c.lead.SetLog(ctx, c.Log); err != nil {
		return err
	}
	if c.MaxTimeGiven || c.cfg.Limits.MaxTime == 0 {
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
func (c *Coordinator) end(ctx context.Context) (time.Time, error) {
	if c.cfg.Limits.MaxTime == 0 {
		return time.Time{}, nil
	}
	at, err := stored.ReadSums(ctx, c.state)
	if err != nil || at.Began.IsZero() {
		return time.Time{}, err
	}
	now, err := c.lead.Now(ctx)
	return now.Add(c.cfg.Limits.MaxTime - time.Since(at.Began)), err
}

// fill makes the crawl on the server from the state directory, which may be new. A server that
// is restarted meanwhile, without its last second, is filled again, but not without limit.
func (c *Coordinator) fill(ctx context.Context, id string) error {
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
func (c *Coordinator) fillOnce(ctx context.Context, id string) (complete bool, err error) {
	key := c.state.FingerprintKey()
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Version: c.Version, State: id, Width: c.state.Width(),
		Key: key[:], Lease: c.Lease, Command: c.Command}
	ends, err := c.end(ctx)
	if err != nil {
		return false, err
	}
	if err := c.lead.Create(ctx, h, redisstore.Limits{Log: c.Log, Ends: ends, Lost: lostOutcome(), Renders: c.cfg.Renders()}); err != nil {
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
	entering := *c.cfg
	entering.Keep.Store, entering.Keep.FingerprintBits, entering.Keep.Lease = store, 0, c.Lease
	if err := enter(ctx, &entering, c.seeds); err != nil {
		return false, err
	}
	complete, err = store.Filled(ctx, n.Known)
	return complete, err
}

// refill gives the server what the state directory knows of the crawl.
func (c *Coordinator) refill(ctx context.Context, store *redisstore.Store) error {
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
	known := *c.cfg
	known.Keep.Store = c.state.Store
	return republish(ctx, &known, c.seeds, store)
}

// conduct runs the crawl until it ends, and returns why it ended early, "" if it did not.
func (c *Coordinator) conduct(ctx context.Context, stop <-chan struct{}, out result.Sink) (ended check.Gap, err error) {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var own sync.WaitGroup
	failed := make(chan error, 1)
	if c.WorkersHere > 0 {
		own.Go(func() {
			if err := c.work(working, out); err != nil && working.Err() == nil {
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
				return check.NoGap, &TakenError{Process: other, During: true}
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
			out.Progress(p)
		}
		if !lonely && c.WorkersHere == 0 && now.Sub(began) > 10*time.Second {
			if workers, err := c.lead.Workers(ctx); err == nil && workers == 0 {
				c.Notef("no worker has joined yet: orbweaver worker --frontier '%s'", c.lead.Address().WithoutPassword())
			}
			lonely = true
		}
	}
}

// renderMore queues the pages again that must be rendered because of a link to them. If there
// are none, the crawl ends.
func (c *Coordinator) renderMore(ctx context.Context) error {
	known := *c.cfg
	known.Keep.Store = c.state.Store
	more, err := renderMore(ctx, &known, c.seeds, c.lead.Store(c.header, "", c.Version))
	if err != nil || more {
		return err
	}
	return c.lead.EndRendering(ctx)
}

// appliedUntil reports whether the log is applied up to a time.
func (c *Coordinator) appliedUntil(ctx context.Context, at time.Time) bool {
	now, err := c.lead.Now(ctx)
	return err != nil || now.Sub(at) > redisstore.Lag+100*time.Millisecond
}

// ended ends the crawl on the server.
func (c *Coordinator) ended(ctx context.Context, why string) (ended check.Gap, err error) {
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
func (c *Coordinator) apply(ctx context.Context, lag time.Duration) (all bool, err error) {
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
		if err := c.growth.Observe(ctx, events); err != nil {
			return false, err
		}
		if err := c.lead.Log(c.header).Trim(ctx, at); err != nil {
			return false, err
		}
	}
	return false, nil
}

// work lets the coordinator visit targets, too. A server that has lost the crawl since it was filled
// is filled again by conduct.
func (c *Coordinator) work(ctx context.Context, out result.Sink) error {
	cfg := *c.cfg
	cfg.Politeness.Concurrency, cfg.Limits.MaxTime = c.WorkersHere, 0
	for {
		_, err := Join(ctx, &cfg, c.Crawl, redisstore.CoordinatorName, c.Version)
		if err == nil {
			break
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
	cfg.Keep.Lease = c.Lease
	_, err := Work(ctx, &cfg, c.seeds, notesOnly{out})
	return err
}

// notesOnly passes the notes of the engine to a sink.
type notesOnly struct{ out result.Sink }

// Page does nothing: pages are reported from the state directory.
func (notesOnly) Page(*result.Page) error { return nil }

// Result does nothing: so are results.
func (notesOnly) Result(*result.Result) error { return nil }

// Progress does nothing: the coordinator shows the progress of all.
func (notesOnly) Progress(result.Progress) {}

// Note passes a note.
func (n notesOnly) Note(note result.Note) error { return n.out.Note(note) }
