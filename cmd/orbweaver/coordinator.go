package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// storedFrontierID is the name of the value that identifies a state directory to a frontier.
const storedFrontierID = "frontier id"

// coordinator runs a shared crawl: it enters the seeds, applies the log of the frontier to
// its state directory, works itself, and reports. A nil *coordinator is for a crawl of one
// process.
type coordinator struct {
	options *frontierOptions
	crawl   *redisstore.Crawl
	process string
	note    func(string, ...any)

	disk     diskstore.Replica
	header   *redisstore.Header
	position redisstore.Position
	settings *command // of this crawl
	travel   *travel  // what workers must know
	cfg      *crawler.Config
	seeds    []crawler.Seed
	maxTime  time.Duration
	growth   *crawler.GrowthWatch
}

// newCoordinator connects to the server and checks it. It returns nil without --frontier.
func newCoordinator(f *frontierOptions, s *settings, asked *command, note func(string, ...any)) (*coordinator, error) {
	if f == nil {
		return nil, nil
	}
	c := &coordinator{options: f, process: processName(), note: note, settings: asked}
	var err error
	if c.travel, err = newTravel(s); err != nil {
		return nil, usageError("%w", err)
	}
	c.crawl = f.open(waitNotes(note, f.address.String))
	server, err := checkServer(c.crawl, note)
	if err == nil && server.Volatile {
		note("the server has appendonly no: if it is restarted, the crawl is filled again from the state directory")
	}
	if err != nil {
		c.crawl.Close()
		return nil, frontierError(err)
	}
	return c, nil
}

// visits reports whether the coordinator works itself.
func (c *coordinator) visits() bool { return c.options.workersHere > 0 }

// close ends the role of the coordinator.
func (c *coordinator) close() {
	if c == nil {
		return
	}
	ctx, done := context.WithTimeout(noContext, time.Second)
	defer done()
	if c.header != nil {
		_ = c.crawl.Resign(ctx, c.process) // it ends by itself after a lease
	}
	_ = c.crawl.Close()
}

// run runs the crawl and reports it from the state directory. The summary is nil if there is
// no report.
func (c *coordinator) run(ctx context.Context, cfg *crawler.Config, seeds []crawler.Seed, disk *diskstore.Store, out result.Sink) (*result.Summary, error) {
	c.disk, c.seeds, c.maxTime = diskstore.Replica{Store: disk}, seeds, cfg.Limits.MaxTime
	if err := c.travel.withTargets(seeds); err != nil {
		return nil, err
	}
	own := *cfg
	own.Keep.Cache = nil
	c.cfg = &own
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	c.growth = crawler.WatchGrowth(&own, disk, c.disk.Needs, c.crawl.Store(c.header, "", version()))
	stoppedBy, err := c.conduct(ctx, cfg.Stop, out)
	if err != nil {
		return nil, err
	}
	return crawler.Conclude(ctx, &own, seeds, out, stoppedBy)
}

// begin makes the crawl on the server, or continues it.
func (c *coordinator) begin(ctx context.Context) error {
	id, err := c.disk.Value(storedFrontierID)
	if err == nil && id == nil {
		id = []byte(rand.Text())
		err = c.disk.SetValue(storedFrontierID, id)
	}
	if err != nil {
		return err
	}
	h, err := c.crawl.Header(ctx)
	if err != nil {
		return frontierError(err)
	}
	lease := c.options.lease
	if h != nil && h.State == string(id) {
		lease = 0 // the directory is locked: no other process can coordinate the crawl any more
	}
	other, err := c.crawl.Coordinate(ctx, c.process, lease, true)
	if err != nil {
		return frontierError(err)
	}
	if other != "" {
		return usageError("the crawl %s is coordinated by another process, %s%s", c.options.address, other, c.hint(h))
	}
	if h != nil && h.State != string(id) {
		state, err := c.crawl.State(ctx)
		if err != nil {
			return frontierError(err)
		}
		if state != "done" {
			_ = c.crawl.Resign(ctx, c.process)
			return usageError("the unfinished crawl %s belongs to another state directory; name another crawl, or delete it: orbweaver frontier delete '%s'%s",
				c.options.address, c.options.address.WithoutPassword(), c.hint(h))
		}
		h = nil
	}
	if h != nil {
		if err := h.Fits(version()); err != nil {
			return frontierError(err)
		}
	}
	if err := crawler.StartClock(ctx, c.disk.Store); err != nil {
		return err
	}
	c.header = h
	if h != nil && c.continues(ctx) {
		return c.proceed(ctx)
	}
	return c.fill(ctx, string(id))
}

// hint lists how the settings of another crawl differ from those of this one.
func (c *coordinator) hint(h *redisstore.Header) string {
	t := &travel{}
	if h == nil || json.Unmarshal(h.Command, t) != nil {
		return ""
	}
	if lines := differingSettings(t.Command, c.settings); lines != "" {
		return "\nit was started with other settings:\n  " + lines
	}
	return ""
}

// continues reports whether the state directory goes with what the server has, and finds the
// position in the log.
func (c *coordinator) continues(ctx context.Context) bool {
	text, err := c.disk.Applied()
	if err != nil {
		return false
	}
	at, ok := redisstore.ParsePosition(text)
	if !ok || at.Epoch != c.header.Epoch {
		return false
	}
	state, err := c.crawl.State(ctx)
	if err != nil || state == "filling" || state == "absent" || state == "deleted" || state == "done" {
		return false
	}
	if _, _, err := c.crawl.Log(c.header).Read(ctx, at, redisstore.Lag); err != nil {
		return false
	}
	c.position = at
	return true
}

// proceed continues the crawl that the server has.
func (c *coordinator) proceed(ctx context.Context) error {
	if _, _, err := c.crawl.Change(ctx, "continue"); err != nil {
		return frontierError(err)
	}
	if err := c.crawl.SetLog(ctx, c.options.log); err != nil {
		return frontierError(err)
	}
	if c.options.maxTime || c.maxTime == 0 {
		ends, err := c.end(ctx)
		if err == nil {
			err = c.crawl.SetEnd(ctx, ends)
		}
		if err != nil {
			return frontierError(err)
		}
	}
	return nil
}

// end returns when the crawl ends by --max-time, which counts from its first start.
func (c *coordinator) end(ctx context.Context) (time.Time, error) {
	if c.maxTime == 0 {
		return time.Time{}, nil
	}
	at, err := crawler.StandingOf(ctx, c.disk)
	if err != nil || at.Started.IsZero() {
		return time.Time{}, err
	}
	now, err := c.crawl.Now(ctx)
	return now.Add(c.maxTime - time.Since(at.Started)), err
}

// fill makes the crawl on the server from the state directory, which may be new. A server that
// is restarted meanwhile, without its last second, is filled again, but not without limit.
func (c *coordinator) fill(ctx context.Context, id string) error {
	began, again := time.Now(), c.position.Epoch != ""
	for {
		if c.position.Epoch != "" { // the server had the crawl
			deleted, err := c.header.Deleted(ctx, c.crawl)
			if err != nil {
				return frontierError(err)
			}
			if deleted {
				return unsound(frontier.ErrGone)
			}
		}
		if again {
			c.note("the server has lost a part of the crawl: filling it again from the state directory")
			again = false
		}
		complete, err := c.fillOnce(ctx, id)
		if complete || err != nil && !errors.Is(err, frontier.ErrAbsent) {
			return err
		}
		if time.Since(began) > c.options.patience {
			return unsound(errors.New(c.options.address.String() + ": the server has lost parts of the crawl again and again while it was filled"))
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
	key := c.disk.FingerprintKey()
	travel := *c.travel
	travel.Command = c.settings
	config, err := travel.marshal()
	if err != nil {
		return false, err
	}
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Version: version(), State: id, Width: c.disk.Width(),
		Key: key[:], Lease: c.options.lease, Command: config}
	ends, err := c.end(ctx)
	if err != nil {
		return false, frontierError(err)
	}
	if err := c.crawl.Create(ctx, h, redisstore.Limits{Log: c.options.log, Ends: ends, Lost: crawler.LostOutcome(), Renders: c.cfg.Renders()}); err != nil {
		return false, frontierError(err)
	}
	if _, err := c.crawl.Coordinate(ctx, c.process, c.options.lease, true); err != nil {
		return false, frontierError(err)
	}
	c.header, c.position = h, h.First()
	if err := c.disk.Apply(nil, c.position.String()); err != nil {
		return false, err
	}
	store := c.crawl.Store(h, "", version())
	n, err := c.disk.Count(ctx)
	if err != nil {
		return false, err
	}
	if n.Known > 0 {
		if err := c.refill(ctx, store); err != nil {
			return false, frontierError(err)
		}
	}
	entering := *c.cfg
	entering.Keep.Store, entering.Keep.FingerprintBits, entering.Keep.Lease = store, 0, c.options.lease
	if err := crawler.Enter(ctx, &entering, c.seeds); err != nil {
		return false, frontierError(err)
	}
	complete, err = store.Filled(ctx, n.Known)
	return complete, frontierError(err)
}

// refill gives the server what the state directory knows of the crawl.
func (c *coordinator) refill(ctx context.Context, store *redisstore.Store) error {
	add, flush := c.crawl.Fill(ctx, c.header)
	if err := c.disk.Each(ctx, add); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	paces := map[string]frontier.Pace{}
	if err := c.disk.Paces(ctx, func(host string, p frontier.Pace) error {
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
	known.Keep.Store = c.disk.Store
	return crawler.Republish(ctx, &known, c.seeds, store)
}

// conduct runs the crawl until it ends, and returns why it ended early, "" if it did not.
func (c *coordinator) conduct(ctx context.Context, stop <-chan struct{}, out result.Sink) (ended check.Gap, err error) {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var own sync.WaitGroup
	failed := make(chan error, 1)
	if c.options.workersHere > 0 {
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
			return check.NoGap, frontierError(err)
		case <-stop:
			stop = nil
			own.Wait()
			if ending, err = c.crawl.Now(ctx); err != nil {
				return check.NoGap, frontierError(err)
			}
		case <-ctx.Done():
			return check.NoGap, ctx.Err()
		}
		now := time.Now()
		if now.Sub(beaten) >= min(c.options.lease/3, time.Second) {
			beaten = now
			if other, err := c.crawl.Coordinate(ctx, c.process, c.options.lease, false); err != nil {
				return check.NoGap, frontierError(err)
			} else if other != "" {
				return check.NoGap, usageError("another process, %s, coordinates the crawl now", other)
			}
		}
		if now.Sub(kept) >= 2*time.Second {
			if err := crawler.AddTime(ctx, c.disk, now.Sub(kept)); err != nil {
				return check.NoGap, err
			}
			kept = now
		}
		why, err := c.crawl.Tick(ctx)
		if err != nil {
			return check.NoGap, frontierError(err)
		}
		n, err := c.crawl.Count(ctx)
		if err != nil {
			return check.NoGap, frontierError(err)
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
			return check.NoGap, frontierError(err)
		}
		if over && caught && why == "idle" {
			if err := c.renderMore(ctx); err != nil {
				return check.NoGap, frontierError(err)
			}
			continue
		}
		if over && caught {
			if err := crawler.AddTime(ctx, c.disk, time.Since(kept)); err != nil {
				return check.NoGap, err
			}
			return c.ended(ctx, why)
		}
		if !ending.IsZero() && !c.appliedUntil(ctx, ending) {
			continue
		}
		if !ending.IsZero() {
			return check.GapInterrupt, crawler.AddTime(ctx, c.disk, time.Since(kept))
		}
		if now.Sub(shown) >= 500*time.Millisecond {
			shown = now
			p, err := crawler.ProgressOf(ctx, c.crawl.Store(c.header, "", ""), began)
			if err != nil {
				return check.NoGap, frontierError(err)
			}
			out.Progress(p)
		}
		if !lonely && c.options.workersHere == 0 && now.Sub(began) > 10*time.Second {
			if workers, err := c.crawl.Workers(ctx); err == nil && workers == 0 {
				c.note("no worker has joined yet: orbweaver worker --frontier '%s'", c.options.address.WithoutPassword())
			}
			lonely = true
		}
	}
}

// renderMore queues the pages again that must be rendered because of a link to them. If there
// are none, the crawl ends.
func (c *coordinator) renderMore(ctx context.Context) error {
	known := *c.cfg
	known.Keep.Store = c.disk.Store
	more, err := crawler.RenderMore(ctx, &known, c.seeds, c.crawl.Store(c.header, "", version()))
	if err != nil || more {
		return err
	}
	return c.crawl.EndRendering(ctx)
}

// appliedUntil reports whether the log is applied up to a time.
func (c *coordinator) appliedUntil(ctx context.Context, at time.Time) bool {
	now, err := c.crawl.Now(ctx)
	return err != nil || now.Sub(at) > redisstore.Lag+100*time.Millisecond
}

// ended ends the crawl on the server.
func (c *coordinator) ended(ctx context.Context, why string) (ended check.Gap, err error) {
	if why == "drained" {
		n, err := c.crawl.Count(ctx)
		if err == nil {
			_, _, err = c.crawl.Change(ctx, "drained")
		}
		if err != nil || n.Queued == 0 {
			return check.NoGap, frontierError(err)
		}
		return check.GapDrain, nil
	}
	why, err = c.crawl.StoppedBy(ctx)
	return check.GapNamed(why), frontierError(err)
}

// apply applies entries of the log to the state directory. It returns true when there are no
// more.
func (c *coordinator) apply(ctx context.Context, lag time.Duration) (all bool, err error) {
	for range 50 { // then the coordinator shows that it is alive
		events, at, err := c.crawl.Log(c.header).Read(ctx, c.position, lag)
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return true, nil
		}
		if err := c.disk.Apply(events, at.String()); err != nil {
			return false, err
		}
		c.position = at
		if err := c.growth.Observe(ctx, events); err != nil {
			return false, err
		}
		if err := c.crawl.Log(c.header).Trim(ctx, at); err != nil {
			return false, err
		}
	}
	return false, nil
}

// work lets the coordinator visit targets, too.
func (c *coordinator) work(ctx context.Context, out result.Sink) error {
	cfg := *c.cfg
	cfg.Politeness.Concurrency = c.options.workersHere
	store := c.crawl.Store(c.header, redisstore.CoordinatorName, version())
	store.Browser = cfg.Render.Renderer != nil
	cfg.Keep.Store, cfg.Keep.FingerprintBits, cfg.Keep.Lease, cfg.Limits.MaxTime = store, 0, c.options.lease, 0
	if err := store.Process().Join(ctx); err != nil {
		return err
	}
	_, err := crawler.Work(ctx, &cfg, c.seeds, notesOnly{out})
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

// finish marks the crawl as done when its reports are written, or deletes it.
func (c *coordinator) finish() error {
	if c == nil {
		return nil
	}
	if _, _, err := c.crawl.Change(noContext, "done"); err != nil {
		return err
	}
	_ = c.crawl.Resign(noContext, c.process)
	if !c.options.delete {
		return c.crawl.Clear(noContext)
	}
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) { // the workers learn that it is done
		if n, err := c.crawl.Workers(noContext); err != nil || n == 0 {
			break
		}
	}
	_, _, err := c.crawl.Delete(noContext, true)
	return err
}

// differingSettings lists how the settings of two crawls differ.
func differingSettings(then, now *command) string {
	if then == nil || now == nil {
		return ""
	}
	return strings.Join(then.differences(now), "\n  ")
}
