package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/seeds"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
)

// describer tells verdicts what a run knows.
type describer struct {
	cfg      *Config
	reader   *reading.Reader
	seeds    *seeds.Targets
	clock    *account.Clock
	counts   *account.Counts
	windowed int // anchors that the join holds at once; 0 for the usual number
}

// crawl returns the crawl as the verdicts need it, except for what the outlet knows.
func (j *describer) crawl() *verdicts.Crawl {
	door := j.reader.Door
	c := crawlOf(j.cfg, door)
	c.Seeds, c.SeedIDs, c.MaxAnchors = j.seeds.Seeds, j.seeds.IDs, j.windowed
	c.Sums, c.LocalLimit = j.counts.Sums(), j.counts.LocalLimit()
	c.Began, c.Started = j.clock.Began, j.clock.Started
	c.Own.Base, c.Own.Pages, c.Own.Listed = j.reader.OwnBase()
	c.Own.From, c.Own.To = j.reader.Moved()
	return c
}

// crawlOf returns the crawl of a store to be judged, without what it has counted.
func crawlOf(cfg *Config, door *admit.Door) *verdicts.Crawl {
	scope, d, p := door.Scope(), cfg.Deliver, cfg.Politeness
	return &verdicts.Crawl{Judging: &scope.Judging, Scope: scope, Print: scope.Print, Store: cfg.Keep.Store, Cache: cfg.Keep.Cache, Door: door, Settings: verdicts.Settings{
		Show: d.Show, ReportsPages: d.Pages, Watched: d.Watched, Watch: d.Watch, ReadAgain: cfg.Reading.ReadAgain, Anchors: extract.Input{Options: cfg.Reading.Options, Publisher: cfg.Reading.Publisher, AnchorsOnly: true}, Logins: cfg.Login.Logins,
		MaxRedirects: cfg.Limits.MaxRedirects, Stop: cfg.Stop, MaxTime: cfg.Limits.MaxTime,
		Rate: p.Rate, Delay: p.Delay, Retries: p.Retries, Backoff: p.Backoff, MaxWait: p.MaxWait,
	}}
}

// pagesRead returns the crawl to be judged once no page is outstanding, and nil until
// then.
func (j *describer) pagesRead(ctx context.Context) (*verdicts.Crawl, error) {
	c, err := j.cfg.Keep.Store.Count(ctx)
	if err != nil || c.Pages > 0 {
		return nil, err
	}
	j.release()
	return j.crawl(), nil
}

// release releases what only visits of pages need: most memory is used while verdicts are given.
func (j *describer) release() {
	j.reader.Shrink()
	local.CollectGarbage()
}
