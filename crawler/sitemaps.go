package crawler

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sitemapList is the list of sitemaps that robots.txt files name. A plain text sitemap,
// with one URL per line, is read, although such files are not read when a page links to
// them.
type sitemapList struct {
	mu   sync.Mutex
	keys map[string]bool
}

// add adds a sitemap by its key and reports whether it was not in the list.
func (l *sitemapList) add(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys[key] {
		return false
	}
	if l.keys == nil {
		l.keys = map[string]bool{}
	}
	l.keys[key] = true
	return true
}

func (l *sitemapList) has(u urinorm.URL) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys) > 0 && l.keys[string(urinorm.KeyOf(u))]
}

// enterSitemaps enters the sitemaps that the robots.txt of a start page's host names
// (RFC 9309 2.2.4). They are read wherever they are; the pages they list are
// followed as far as the scope allows. Their place is the start page, with the
// element "robots.txt". A robots.txt that could not be fetched names none; if it will be requested
// again, enterSitemaps returns how long the visit of the start page must wait.
func (v *visit) enterSitemaps(ctx context.Context) (wait time.Duration, err error) {
	robotsTxt, wait, err := v.robotsTxt(ctx)
	if _, local := errors.AsType[*fetch.Fault](err); local || ctx.Err() != nil {
		return 0, nil // the gate has already decided what it means for the page itself
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
	for _, sitemap := range robotsTxt.Sitemaps() {
		if u, _, err := urinorm.ParseWeb(sitemap); err == nil {
			if key := string(urinorm.KeyOf(u)); v.run.sitemaps.add(key) {
				v.worker.tally.add(tallySitemap+key, 1)
			}
		}
		page.AddSitemap(&extract.Link{Raw: sitemap, Ref: sitemap, Element: "robots.txt", Attribute: "sitemap", Kind: extract.Navigation})
	}
	return 0, nil
}
