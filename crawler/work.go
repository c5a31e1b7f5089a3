package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Several processes can work on one crawl. They share a store (frontier.Shared), and one of
// them, the coordinator, keeps what the store logs in a state of its own, from which it
// reports. Each process calls Work, which visits targets; the coordinator calls enter
// before (Coordinator.Run), and reports from its state at the end:
//
//	enter ──► store ◄── Work, Work, Work …
//	            └─ log ─► state of the coordinator ──► report ──► Sink
//
// What a process would otherwise remember for itself is in the store, too: the pace of a
// host, robots.txt, cookies, the sites that start targets redirect to, the sitemaps that
// robots.txt names, the budgets of traps, the count of pages for --max-pages, cycles of
// redirects, and the answers to made-up addresses. What has to do with the machine
// (connections, resolved names, the number of workers that it can handle) stays in the
// process, and so does a session: each process signs in for itself.

// Worked is what one process did in a shared crawl.
type Worked struct {
	Pages    int
	Requests int
}

// enter enters the seeds of a shared crawl.
func enter(ctx context.Context, cfg *Config, seeds []Seed) error {
	r, err := newSharedRun(ctx, cfg, seeds, discard{})
	if err != nil {
		return err
	}
	return r.seeds.enter(ctx)
}

// Join lets this process take part in the crawl on a server, which must have begun, under a name and
// with a version of the program. It sets cfg.Keep for [Work]. why tells why nothing is given out
// to the process at the moment, "" if that has no particular reason.
func Join(ctx context.Context, cfg *Config, crawl *store.Shared, name, version string) (why func() string, err error) {
	h, err := crawl.Lead().Header(ctx)
	if err == nil && h == nil {
		err = frontier.ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	own := crawl.Lead().Store(h, name, version)
	own.Browser = cfg.Render.Renderer != nil
	cfg.Keep.Store, cfg.Keep.FingerprintBits, cfg.Keep.Lease = own, 0, h.Lease
	return own.Process().Why, own.Process().Join(ctx)
}

// Work visits targets of a shared crawl until the crawl is over, cfg.Stop is closed or ctx
// ends. The leases that this process still has at the end are given back. The sink gets only
// notes.
func Work(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (Worked, error) {
	r, err := newSharedRun(ctx, cfg, seeds, sink)
	if err != nil {
		return Worked{}, err
	}
	ctx = r.door.WithIssuers(ctx)
	r.seeds.ids = make([]frontier.ID, len(seeds)) // the coordinator has entered them
	if err := r.settling.signIn(ctx, newWorkspace(r.reader.slots)); err != nil {
		return Worked{}, err
	}
	err = r.crawl(ctx)
	if err == nil {
		err = r.frontier.Sharing().Ended()
	}
	if !errors.Is(err, frontier.ErrReplaced) && !errors.Is(err, frontier.ErrGone) && !errors.Is(err, frontier.ErrAway) {
		leaving, done := context.WithTimeout(r.always, 3*time.Second)
		defer done()
		err = errors.Join(err, cfg.shared().Process().Leave(leaving))
	}
	r.door.CloseIdle()
	r.door.Library.Close()
	return Worked{r.counts.of(stored.Pages), r.counts.of(stored.Requests)}, err
}

// newSharedRun returns a run over a shared store.
func newSharedRun(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*run, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.shared() == nil {
		return nil, errors.New("start a run: the store is not shared with other processes")
	}
	own := *cfg
	own.Deliver.Pages, own.Deliver.Stream, own.Keep.Cache = false, false, nil
	r := newRun(ctx, &own, seeds, sink)
	r.memory.Begin(r.clock.began)
	if own.Keep.Cookies != nil { // a store that fails reports that to the worker, too
		own.Keep.Cookies.ShareCookies(func(name string, value []byte) { _ = cfg.shared().Common().Publish(r.always, factCookie+name, value) })
	}
	return r, nil
}

// republish makes what the state of a coordinator tells known to all processes of a shared
// crawl that is filled from that state.
func republish(ctx context.Context, cfg *Config, seeds []Seed, to frontier.Shared) error {
	cfg = cfg.withDefaults()
	series := admit.Series{Traps: trap.New(trap.Limits{})}
	series.ShareTraps(ctx, to.Common())
	known, err := stored.Load(ctx, cfg.Keep.Store, cfg.newScope(seeds), series.Traps)
	if err != nil {
		return err
	}
	for _, key := range known.Sitemaps {
		if err := to.Common().Publish(ctx, factSitemap+key, nil); err != nil {
			return err
		}
	}
	for _, u := range known.Widened {
		if err := to.Common().Publish(ctx, factScope+u.String(), nil); err != nil {
			return err
		}
	}
	return known.CopyTo(ctx, to)
}

// renderMore queues pages of a shared crawl again that must be rendered because of a link to
// them, as far as the state of the coordinator tells, and reports whether there are any. It is
// called when nothing is queued.
func renderMore(ctx context.Context, cfg *Config, seeds []Seed, to frontier.Shared) (more bool, err error) {
	if cfg = cfg.withDefaults(); !cfg.Renders() {
		return false, nil
	}
	ids, err := stored.SeedIDs(ctx, frontier.New(cfg.Keep.Store, frontier.Politeness{}), seeds)
	if err != nil {
		return false, err
	}
	items, err := stored.ToRender(ctx, cfg.Keep.Store, cfg.newScope(seeds), cfg.Limits.MaxRedirects, seeds, ids)
	if err != nil || len(items) == 0 {
		return false, err
	}
	_, err = to.Add(ctx, items)
	return err == nil, err
}

// growthWatch finds the sites of a shared crawl that make up their pages. A process that visits
// some of the pages does not see how often the others link to a page, but the coordinator sees
// all of them in the log.
type growthWatch struct {
	state    frontier.Store
	maxPages int
	need     func(frontier.ID) (need frontier.Need, visited bool)
	to       frontier.Shared
	growth   trap.Growth
}

// watchGrowth returns a watch for the state of a coordinator. need returns the needs of a
// target, and whether it is one that is visited.
func watchGrowth(cfg *Config, state frontier.Store, need func(frontier.ID) (frontier.Need, bool), to frontier.Shared) *growthWatch {
	return &growthWatch{state: state, maxPages: cfg.Limits.MaxPages, need: need, to: to}
}

// Observe counts the pages that were settled, and lets all processes know of a site that is
// cut.
func (w *growthWatch) Observe(ctx context.Context, events []frontier.Event) error {
	if w.maxPages > 0 {
		return nil
	}
	for i := range events {
		e := &events[i]
		if e.Kind != frontier.EventSettled || len(e.Found) == 0 || e.Met&frontier.NeedLinks == 0 {
			continue
		}
		if glance, err := judging.GlanceAt(e.Done.Outcome); err != nil || !glance.HTML {
			continue
		}
		rec, err := w.state.Get(ctx, e.ID, frontier.PartJob|frontier.PartOutcome)
		if err != nil {
			return err
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", e.ID, err)
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			continue
		}
		var pages, others []uint32
		named := scope.IsLeafName([]byte(u.Path()))
		for _, id := range slices.Compact(slices.Sorted(slices.Values(e.Found))) {
			switch need, visited := w.need(id); {
			case !visited:
			case named || need&frontier.NeedLinks != 0:
				pages = append(pages, uint32(id))
			default:
				others = append(others, uint32(id))
			}
		}
		if site := admit.SiteOf(u); w.growth.Read(site, pages, others) {
			if err := w.to.Common().Publish(ctx, factCut+site, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// lostOutcome is the outcome of a target that was lost with three processes, as stores keep
// it.
func lostOutcome() []byte {
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

// discard is a Sink for what is reported elsewhere.
type discard struct{}

func (discard) Page(*result.Page) error     { return nil }
func (discard) Result(*result.Result) error { return nil }
func (discard) Note(result.Note) error      { return nil }
func (discard) Progress(result.Progress)    {}
