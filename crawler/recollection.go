package crawler

import (
	"context"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// newMemory returns what a run knows from earlier ones, nil without a cache.
func newMemory(r *run) *recall.Memory {
	cfg := r.cfg
	fetcher, ok := cfg.Fetch.(fetch.CacheableFetcher)
	if cfg.Cache == nil || !ok {
		return nil
	}
	return recall.New(recall.Sources{Cache: cfg.Cache, Previous: cfg.Previous, Fetcher: fetcher, Rules: r.door.Rules, Frontier: r.frontier, Print: r.print},
		recall.Settings{MaxAge: cfg.MaxAge, MaxRedirects: cfg.MaxRedirects, MaxBody: cfg.MaxBody,
			RobotsFirst: cfg.Robots == RobotsStrict, Inspects: cfg.Inspector != nil, Scans: cfg.Inspector.Scans(false), CheckHTTPS: cfg.CheckHTTPS,
			Remaps: len(cfg.Remaps) > 0, ReportsLinks: cfg.Pages || cfg.Changed != nil, LimitsDepth: cfg.LimitsDepth(), Renders: r.rendering != nil,
			PagesInStore: cfg.KeepPages, ReadsSitemaps: cfg.Sitemaps, Fragment: check.Question{IgnoreFragment: cfg.IgnoresFragment}}, r.clock.started)
}

// recollection connects a visit with what earlier runs observed (package recall).
type recollection struct{ *visit }

// rendered says how a browser renders a target, for what is kept for later runs.
func (r *run) rendered(t *frontier.Target, u urinorm.URL) string {
	if r.memory == nil || r.rendering == nil || !t.Follow {
		return ""
	}
	mode := r.cfg.RenderModeOf(r.print.URL(u))
	if mode <= rules.RenderNever {
		return ""
	}
	return fmt.Sprint(mode, "\x00", r.cfg.RenderedBy)
}

// stands returns the outcome that replaces the request, nil if it must be sent. It enters the
// target of a redirect.
func (v recollection) stands() (*check.Outcome, error) {
	o, way := v.run.memory.Stands(&v.target, v.run.door.Scope())
	if way == nil {
		return o, nil
	}
	v.finds().Enter(way.To, way.Href, way.Job, way.Fate)
	if sound, err := v.follows(way); !sound || err != nil {
		v.restart(v.page)
		return nil, err
	}
	return o, nil
}

// follows notes that the target is a redirect, so that a visit to where it leads, the first of
// the targets found, can find the redirects before it. It reports whether everything known about
// the rest of the way is as it was before.
func (v recollection) follows(way *recall.Way) (sound bool, err error) {
	run := v.run
	ids, err := run.frontier.Refer(run.always, v.finds().Targets())
	if err != nil {
		return false, err
	}
	back, sound, err := run.memory.Follow(run.always, way, ids[0], run.door.Scope())
	if err == nil {
		err = run.refer(back)
	}
	return sound, err
}

// refer queues targets, if there are any.
func (r *run) refer(items []frontier.Item) error {
	if len(items) == 0 {
		return nil
	}
	_, err := r.frontier.Refer(r.always, items)
	return err
}

// suffices reports whether the visit needs nothing of the content of a document that is not known
// from an earlier state.
func (v recollection) suffices(ctx context.Context, known *recall.Entry) bool {
	inspector := v.run.cfg.Inspector
	if !inspector.Knows(&known.Outcome, v.t.Internal) || v.t.Seed && inspector.NeedsIcons() {
		return false
	}
	return !v.t.Follow || v.run.rendering == nil || !v.t.Internal || v.rendersAlike(ctx, known.Page)
}

// rendersAlike reports whether no browser may need the content of a document that has not changed:
// it is loaded by no page, and if it was to be rendered, nothing has changed that it loads.
func (v recollection) rendersAlike(ctx context.Context, p *recall.Page) bool {
	switch {
	case p.Format != "html":
		return false
	case !p.Rendered:
		return !v.t.Render && v.run.cfg.RenderModeOf(v.run.print.URL(v.u)) != rules.RenderAlways
	}
	for i := range p.Loaded {
		unchanged, requests := v.run.rendering.unchanged(ctx, &p.Loaded[i])
		v.worker.tally.count(countRequests, requests)
		if !unchanged {
			return false
		}
	}
	return true
}

// restore fills in the outcome and the links of a document that has not changed.
func (v recollection) restore(a *answer) error {
	known := a.recalled.Known
	a.unchanged = true
	*a.o = v.run.memory.Restore(known, a.o)
	if !v.t.Follow {
		return nil
	}
	p := known.Page
	read := reading{v.visit, &document.Document{Target: document.Target{URL: v.u}, Outcome: *a.o}}
	if !read.admitsSitemap(p.Format, p.SitemapIndex, p.Listed) {
		return nil
	}
	if err := references.TakeOver(v.finds(), p.Targets, p.References); err != nil {
		return fmt.Errorf("visit target %d: %w", v.t.ID(), err)
	}
	read.conclude(p)
	if v.run.cfg.Inspector != nil {
		found, _ := inspect.Reuse(a.o.Inspection) // the cache has checked that it is not damaged
		read.Wants = document.Wants(&found, v.run.door.Scope(), a.resp)
		read.wantContent()
	}
	return nil
}
