package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// A crawl whose store knows targets from an earlier session is resumed from there.
// Most of a run is in the store: targets, outcomes, references, retries, counts,
// the pace of hosts. What else a run knows is either computed again from that (the
// budgets of traps, the sites that seeds were redirected to: package stored), or requested
// again (robots.txt, cookies, the answers to made-up addresses).

// resume restores what the store knows about earlier sessions.
func (r *run) resume() error {
	known, err := stored.Load(r.always, r.cfg.Keep.Store, r.door.Scope(), r.door.Traps)
	if err != nil {
		return err
	}
	known.Recall(r.door, r.door.Scope().Uses)
	r.counts.Recall(known.Sums)
	r.clock.Recall(known.Sums)
	r.out.Recall(known.Sums)
	r.door.Pages.Resume(known.Of[stored.Pages])
	for _, key := range known.Sitemaps {
		r.door.Sitemaps.Add(key)
	}
	r.memory.Begin(r.clock.Began)
	if known.Targets.Known > 0 {
		if err := r.frontier.Hosts().Resume(r.always, known.Interval); err != nil {
			return err
		}
		if r.cfg.Deliver.Pages {
			if err := stored.PagesRead(r.always, r.cfg.Keep.Store, r.print, r.settling.reportPage); err != nil {
				return err
			}
		}
		if err := r.memory.RecallWays(r.always, r.door.Scope()); err != nil {
			return err
		}
	}
	if r.memory.Any() {
		r.env.Earlier = r.memory
	}
	if err := r.clock.KeepStart(r.always); err != nil {
		return err
	}
	return stored.SetInterval(r.always, r.cfg.Keep.Store, known.Interval, r.door.Interval())
}

// Report reports what a store knows of a crawl, without sending a request: cfg and seeds
// are those of the crawl. A crawl that has not ended is reported as interrupted. If the store
// is a frontier.Sealer, it can only be read from then on.
func Report(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*result.Summary, error) {
	asking := *cfg
	asking.Judging.Archive = nil
	return judgeStore(ctx, &asking, seeds, sink, gap.None)
}

// judgeStore judges and reports what a store knows of a crawl. stoppedBy is why the crawl ended
// early, if the caller knows.
func judgeStore(ctx context.Context, given *Config, seeds []Seed, sink result.Sink, stoppedBy gap.Kind) (*result.Summary, error) {
	if err := given.Validate(); err != nil {
		return nil, err
	}
	cfg := given.withDefaults()
	door := newDoor(cfg, seeds)
	ctx = door.WithIssuers(ctx)
	always := context.WithoutCancel(ctx)
	f := frontier.New(cfg.Keep.Store, door)
	door.Open(always, f, nil)
	defer door.Library.Close()
	known, err := stored.Load(always, cfg.Keep.Store, door.Scope(), nil)
	if err != nil {
		return nil, err
	}
	known.Recall(door, door.Scope().Uses)
	ids, err := stored.SeedIDs(always, f, seeds)
	if err != nil {
		return nil, err
	}
	started, out := time.Now(), account.NewOutlet(sink)
	out.Recall(known.Sums)
	if cfg.Deliver.Pages {
		if err := stored.PagesRead(always, cfg.Keep.Store, door.Scope().Print, func(p *result.Page) { out.Page(p) }); err != nil {
			return nil, err
		}
		if err := out.Failed(); err != nil {
			return nil, err
		}
	}
	switch {
	case stoppedBy != gap.None:
		out.End(stoppedBy)
	case known.Targets.Queued+known.Targets.Leased > 0 && known.Finished && cfg.Limits.MaxTime > 0:
		out.End(gap.MaxTime) // a crawl that was interrupted is never finished
	case known.Targets.Queued+known.Targets.Leased > 0:
		out.End(gap.Interrupt)
	}
	if s, ok := cfg.Keep.Store.(frontier.Sealer); ok {
		s.Seal()
	}
	local.CollectGarbage()
	c := crawlOf(cfg, door)
	c.Seeds, c.SeedIDs = seeds, ids
	c.Sums, c.Started = *known.Sums, started
	if c.Began.IsZero() {
		c.Began = started
	}
	sum, err := out.Report(ctx, c)
	if err != nil {
		return nil, err
	}
	sum.Elapsed = known.Elapsed
	return sum, nil
}
