package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// A site that makes up its pages is cut (trap.Growth), unless --max-pages ends the run.
// Pages that sitemaps list are not counted; sitemaps have limits of their own
// (sitemaps.go).

// observeGrowth counts what a page that was read links to. ids are the numbers of the
// items.
func (f *settling) observeGrowth(w *workspace, s *settlement, items []frontier.Item, ids []frontier.ID) {
	t := s.Target
	if !t.Follow || f.maxPages > 0 || f.door.Scope().SiteOf(t.At) != nil {
		return
	}
	if s.Sitemap != admit.NoSitemap {
		f.door.Sitemaps.List(s.Sitemap, ids)
		return
	}
	if f.frontier.Sharing() != nil { // see growthWatch
		return
	}
	w.pageIDs, w.otherIDs = w.pageIDs[:0], w.otherIDs[:0]
	// Where this page has the name of an image, the images that it links to may be pages.
	named := scope.IsLeafName([]byte(t.At.Path()))
	for i, id := range ids {
		switch {
		case items[i].Outcome != nil:
		case named || items[i].Need&frontier.NeedLinks != 0:
			w.pageIDs = append(w.pageIDs, uint32(id))
		default:
			w.otherIDs = append(w.otherIDs, uint32(id))
		}
	}
	f.door.Growth.Read(admit.SiteOf(t.At), w.pageIDs, w.otherIDs)
}
