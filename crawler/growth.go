package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// A site that makes up its pages is cut (trap.Growth), unless --max-pages ends the run.
// Pages that sitemaps list are not counted; sitemaps have limits of their own
// (sitemaps.go).

// observeGrowth counts what a page that was read links to. ids are the numbers of the
// items.
func (v *visit) observeGrowth(items []frontier.Item, ids []frontier.ID) {
	run, w := v.run, v.worker
	if !v.t.Follow || run.cfg.MaxPages > 0 || run.door.Scope().SiteOf(v.u) != nil {
		return
	}
	if v.sitemap != admit.NoSitemap {
		run.door.Sitemaps.List(v.sitemap, ids)
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
	run.door.Growth.Read(admit.SiteOf(v.u), w.pageIDs, w.otherIDs)
}
