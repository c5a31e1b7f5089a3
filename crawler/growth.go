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

// A site that makes up its pages is cut (trap.Growth), unless --max-pages ends the run.
// Pages that sitemaps list are not counted; sitemaps have limits of their own
// (sitemaps.go).

// siteOf returns the name of the site of a URL: its registrable domain, as a site may
// make up its hosts, or the authority of a host without one.
func siteOf(u urinorm.URL) string {
	if domain := urinorm.RegistrableDomain(u.Host()); domain != "" {
		return domain
	}
	return u.Authority()
}

// observeGrowth counts what a page that was read links to. ids are the numbers of the
// items.
func (v *visit) observeGrowth(items []frontier.Item, ids []frontier.ID) {
	run, w := v.run, v.worker
	if !v.t.Follow || run.cfg.MaxPages > 0 || run.requests.scope().SiteOf(v.u) != nil {
		return
	}
	if v.sitemap != noSitemap {
		run.sitemaps.list(v.sitemap, ids)
		return
	}
	if run.frontier.Sharing() != nil { // see GrowthWatch
		return
	}
	w.pageIDs, w.otherIDs = w.pageIDs[:0], w.otherIDs[:0]
	// Where this page has the name of an image, the images that it links to may be pages.
	named := rules.IsLeafName([]byte(v.u.Path()))
	for i, id := range ids {
		switch {
		case items[i].Outcome != nil:
		case named || items[i].Need&frontier.NeedLinks != 0:
			w.pageIDs = append(w.pageIDs, uint32(id))
		default:
			w.otherIDs = append(w.otherIDs, uint32(id))
		}
	}
	run.growth.Read(siteOf(v.u), w.pageIDs, w.otherIDs)
}

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

// cut reports whether a target is left out because its site was cut, and the reason.
func (g gate) cut() (pattern string, cut bool) {
	v := g.visit
	if v.t.Seed || v.t.Tries > 0 || !v.t.Internal {
		return "", false
	}
	if pattern, cut = v.run.sitemaps.cut(v.t.ID()); cut {
		return pattern, true
	}
	return v.run.growth.Cut(func() string { return siteOf(v.u) }, v.t.Follow)
}
