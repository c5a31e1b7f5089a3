package crawler

import (
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
