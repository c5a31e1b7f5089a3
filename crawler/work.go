package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/shards"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// Several processes can work on one crawl: see package crew.

// coordinate runs a crawl that this process coordinates, and reports it.
func coordinate(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*result.Summary, error) {
	state := shards.Of(cfg.Keep.Store)
	if state == nil {
		return nil, errors.New("start a run: the store of a coordinator must be that of a file")
	}
	full := cfg.withDefaults()
	stoppedBy, err := crew.Coordinate(ctx, cfg.Keep.Coordination, crew.Engine{
		State: state, Seeds: seeds, Scope: full.newScope(seeds),
		MaxTime: cfg.Limits.MaxTime, MaxPages: cfg.Limits.MaxPages, MaxRedirects: full.Limits.MaxRedirects,
		Renders: cfg.Renders(), Browser: cfg.Render.Renderer != nil, Stop: cfg.Stop, Sink: sink,
		Enter: func(ctx context.Context, to frontier.Shared, lease time.Duration) error {
			return enter(ctx, cfg.over(to, lease), seeds)
		},
		Work: func(ctx context.Context, on *store.Joined) error {
			own := cfg.over(on.Store, on.Lease)
			own.Politeness.Concurrency, own.Limits.MaxTime = cfg.Keep.Coordination.WorkersHere, 0
			_, err := takePart(ctx, own, seeds, sink)
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return judgeStore(ctx, cfg, seeds, sink, stoppedBy)
}

// over returns the configuration for a store that other processes share.
func (c Config) over(shared store.Store, lease time.Duration) *Config {
	c.Keep.Store, c.Keep.FingerprintBits, c.Keep.Lease = shared, 0, lease
	return &c
}

// enter enters the seeds of a shared crawl.
func enter(ctx context.Context, cfg *Config, seeds []Seed) error {
	r, err := newSharedRun(ctx, cfg, seeds, result.Func(func(*result.Result) error { return nil }))
	if err != nil {
		return err
	}
	return r.seeds.Enter(ctx)
}

// takePart visits targets of a shared crawl until the crawl is over, cfg.Stop is closed or ctx
// ends. The leases that this process still has at the end are given back.
func takePart(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*result.Summary, error) {
	r, err := newSharedRun(ctx, cfg, seeds, sink)
	if err != nil {
		return nil, err
	}
	ctx = r.door.WithIssuers(ctx)
	r.seeds.IDs = make([]frontier.ID, len(seeds)) // the coordinator has entered them
	if err := r.settling.signIn(ctx, newWorkspace(r.reader.Slots)); err != nil {
		return nil, err
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
	return &result.Summary{Pages: r.counts.Of(stored.Pages), Requests: r.counts.Of(stored.Requests)}, err
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
	r.memory.Begin(r.clock.Began)
	return r, nil
}
