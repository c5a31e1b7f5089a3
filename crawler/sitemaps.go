package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxRobotsSitemaps limits the sitemaps of one robots.txt. Search engines accept 500
// indexes of a site.
const maxRobotsSitemaps = 1000

// listSitemap adds a sitemap that robots.txt names, or that such a name redirects to.
func (v *visit) listSitemap(u urinorm.URL) {
	if key := string(urinorm.KeyOf(u)); v.run.door.Sitemaps.Add(key) {
		v.worker.tally.add(tallySitemap+key, 1)
		_ = v.run.shared.publish(factSitemap, key) // a store that fails reports that to the worker, too
	}
}

// listsSitemap reports whether the document of a URL is read as a sitemap because
// robots.txt names it.
func (r *run) listsSitemap(u urinorm.URL) bool { return r.cfg.Sitemaps && r.door.Sitemaps.Has(u) }

// enterSitemaps enters the sitemaps that the robots.txt of a start page's host names
// (RFC 9309 2.2.4). They are read wherever they are; the pages they list are
// followed as far as the scope allows. Their place is the start page, with the
// element "robots.txt". A robots.txt that could not be fetched names none; if it will be requested
// again, enterSitemaps returns how long the visit of the start page must wait.
func (v *visit) enterSitemaps(ctx context.Context) (wait time.Duration, err error) {
	robotsTxt, wait, requests, err := v.run.door.RobotsTxt(ctx, &v.target)
	v.worker.tally.count(countRequests, requests)
	if _, local := errors.AsType[*fetch.Fault](err); local || ctx.Err() != nil {
		return 0, nil // the door has already decided what it means for the page itself
	}
	if err != nil || wait > 0 {
		return wait, err
	}
	page := v.finds()
	base, err := urinorm.NewBase(v.u, "")
	if err != nil {
		return 0, err
	}
	page.Against(base)
	for i, sitemap := range robotsTxt.Sitemaps() {
		if i == maxRobotsSitemaps {
			v.leaveOutTrap(fmt.Sprintf("robots.txt lists more than %d sitemaps", maxRobotsSitemaps))
			break
		}
		if u, _, err := urinorm.ParseWeb(sitemap); err == nil {
			v.listSitemap(u)
		}
		if err := page.AddSitemap(&extract.Link{Raw: sitemap, Ref: sitemap, Element: "robots.txt", Attribute: "sitemap", Kind: extract.Navigation}); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
