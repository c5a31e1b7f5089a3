package crawler

import (
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// GrowthWatch finds the sites of a shared crawl that make up their pages. A process that visits
// some of the pages does not see how often the others link to a page, but the coordinator sees
// all of them in the log.
type GrowthWatch struct {
	run  *run
	need func(frontier.ID) (need frontier.Need, visited bool)
	to   frontier.Shared
}

// WatchGrowth returns a watch for the state of a coordinator. need returns the needs of a
// target, and whether it is one that is visited.
func WatchGrowth(ctx context.Context, cfg *Config, seeds []Seed, need func(frontier.ID) (frontier.Need, bool), to frontier.Shared) *GrowthWatch {
	return &GrowthWatch{newRun(ctx, cfg, seeds, discard{}), need, to}
}

// Observe counts the pages that were settled, and lets all processes know of a site that is
// cut.
func (w *GrowthWatch) Observe(ctx context.Context, events []frontier.Event) error {
	if w.run.cfg.MaxPages > 0 {
		return nil
	}
	for i := range events {
		e := &events[i]
		if e.Kind != frontier.EventSettled || len(e.Found) == 0 || e.Met&frontier.NeedLinks == 0 {
			continue
		}
		if glance, err := check.GlanceAt(e.Done.Outcome); err != nil || !glance.HTML {
			continue
		}
		rec, err := w.run.cfg.Store.Get(ctx, e.ID)
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
		named := rules.IsLeafName([]byte(u.Path()))
		for _, id := range slices.Compact(slices.Sorted(slices.Values(e.Found))) {
			switch need, visited := w.need(id); {
			case !visited:
			case named || need&frontier.NeedLinks != 0:
				pages = append(pages, uint32(id))
			default:
				others = append(others, uint32(id))
			}
		}
		if site := siteOf(u); w.run.growth.Read(site, pages, others) {
			if err := w.to.Common().Publish(ctx, factCut+site, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
