package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sitemaps enters the sitemaps that the robots.txt of a start page's host names
// (RFC 9309 2.2.4). They are read wherever they lie; the pages they list are
// followed as far as the scope goes. Their place is the start page, with the
// element "robots.txt". A robots.txt that cannot be had names none.
func (w *worker) sitemaps(ctx context.Context, u urinorm.URL) error {
	robotsTxt, err := w.robots.Rules(ctx, u, w.askRobots)
	if err != nil {
		return nil // what it means for the page itself is said by refused
	}
	page := w.finds()
	base, err := urinorm.NewBase(u, "")
	if err != nil {
		return err
	}
	page.Against(base)
	for _, sitemap := range robotsTxt.Sitemaps() {
		w.list(sitemap)
		page.AddSitemap(&extract.Link{Raw: sitemap, Ref: sitemap, Element: "robots.txt", Attribute: "sitemap", Kind: extract.Navigation})
	}
	return nil
}

// list remembers that robots.txt names a sitemap: one in plain text, a URL a line, is
// read although such files are not when a page links to them.
func (w *worker) list(sitemap string) {
	u, _, err := urinorm.ParseWeb(sitemap)
	if err != nil {
		return
	}
	key := string(urinorm.KeyOf(u))
	w.mu.Lock()
	known := w.listed[key]
	w.listed[key] = true
	w.mu.Unlock()
	if !known {
		w.tally.add(tallySitemap+key, 1)
	}
}

// isListed reports whether robots.txt names a sitemap.
func (w *worker) isListed(u urinorm.URL) bool {
	if !w.cfg.Sitemaps {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.listed[string(urinorm.KeyOf(u))]
}
