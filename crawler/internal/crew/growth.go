package crew

import (
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// growthWatch finds the sites of a shared crawl that make up their pages. A process that visits
// some of the pages does not see how often the others link to a page, but the coordinator sees
// all of them in the log: a site is on one server.
type growthWatch struct {
	state  frontier.Store
	to     frontier.Shared
	growth trap.Growth
}

// observe counts the pages that were settled, and lets all processes know of a site that is
// cut. needs returns what is needed of a target; visited is false for one that never is.
func (w *growthWatch) observe(ctx context.Context, events []frontier.Event, needs func(frontier.ID) (need frontier.Need, visited bool)) error {
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
			switch need, visited := needs(id); {
			case !visited:
			case named || need&frontier.NeedLinks != 0:
				pages = append(pages, uint32(id))
			default:
				others = append(others, uint32(id))
			}
		}
		if site := admit.SiteOf(u); w.growth.Read(site, pages, others) {
			if err := w.to.Common().Publish(ctx, FactCut+site, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
