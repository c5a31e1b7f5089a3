package crawler

import (
	"context"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxRobotsSitemaps limits the sitemaps of one robots.txt. Search engines accept 500
// indexes of a site.
const maxRobotsSitemaps = 1000

// listSitemap adds a sitemap that robots.txt names, or that such a name redirects to.
func (v *visitor) listSitemap(c *stored.Counts, u urinorm.URL) {
	if key := string(urinorm.KeyOf(u)); v.door.Sitemaps.Add(key) {
		c.Sitemaps = append(c.Sitemaps, key)
		_ = v.facts.Publish(crew.FactSitemap, key) // a store that fails reports that to the worker, too
	}
}

// enterSitemaps enters the sitemaps that the robots.txt of a start page's host names
// (RFC 9309 2.2.4). They are read wherever they are; the pages they list are
// followed as far as the scope allows. Their place is the start page, with the
// element "robots.txt". A robots.txt that could not be fetched names none; if it will be requested
// again, the answer says how long the visit of the start page must wait.
func (v *visitor) enterSitemaps(ctx context.Context, t *admit.Target, a answer) (answer, error) {
	robotsTxt, wait, requests, err := v.door.RobotsTxt(ctx, t)
	a.beside += requests
	if _, local := errors.AsType[*fetch.Fault](err); local || ctx.Err() != nil {
		return a, nil // the door has already decided what it means for the page itself
	}
	if a.wait = wait; err != nil || wait > 0 {
		return a, err
	}
	page := v.reader.Page(&a.Content, t)
	base, err := urinorm.NewBase(t.At, "")
	if err != nil {
		return a, err
	}
	page.Against(base)
	for i, sitemap := range robotsTxt.Sitemaps() {
		if i == maxRobotsSitemaps {
			a.LeaveOut(fmt.Sprintf("robots.txt lists more than %d sitemaps", maxRobotsSitemaps))
			break
		}
		if u, _, err := urinorm.ParseWeb(sitemap); err == nil {
			v.listSitemap(&a.Counts, u)
		}
		if err := page.AddSitemap(&extract.Link{Raw: sitemap, Ref: sitemap, Element: "robots.txt", Attribute: "sitemap", Kind: extract.Navigation}); err != nil {
			return a, err
		}
	}
	return a, nil
}
