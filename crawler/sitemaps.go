package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sitemapList is the list of sitemaps that robots.txt files name. A plain text sitemap,
// with one URL per line, is read, although such files are not read when a page links to
// them.
//
// It also limits what the sitemaps of a run list. A document is a sitemap if its content
// is one, whatever its name.
type sitemapList struct {
	// count, if it is not nil, adds to what the sitemaps of a crawl of several processes list,
	// and returns the sum.
	count func(what string, n int) (sum int, err error)

	mu   sync.Mutex
	keys map[string]bool

	indexed, asPages   trap.IDs // targets that sitemap indexes list, and that other sitemaps list
	sitemaps, urls     int      // how many were listed
	sitemapsAsPages    bool     // a sitemap lists another one as a page
	noMoreIndexed      bool     // what is in indexed is left out from now on
	noMoreListedAsPage bool     // so is what is in asPages
}

// Limits on what the sitemaps of a run list. One sitemap may list extract.MaxLocations.
const (
	maxSitemaps    = 2 * extract.MaxLocations  // by indexes, or by sitemaps that are listed as pages
	maxSitemapURLs = 40 * extract.MaxLocations // by other sitemaps
	// maxRobotsSitemaps limits the sitemaps of one robots.txt. Search engines accept 500
	// indexes of a site.
	maxRobotsSitemaps = 1000
)

// sitemapKind says what a document is as a sitemap.
type sitemapKind uint8

const (
	noSitemap sitemapKind = iota
	urlSitemap
	indexSitemap
)

// admit counts what a sitemap lists. If the limits do not admit that, it returns the
// reason.
func (l *sitemapList) admit(id frontier.ID, kind sitemapKind, locations int) (pattern string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asPage := l.asPages.Has(uint32(id)); asPage || kind == indexSitemap {
		l.sitemapsAsPages = l.sitemapsAsPages || asPage
		l.sitemaps = l.sum("sitemaps", l.sitemaps, locations)
	} else {
		l.urls = l.sum("urls", l.urls, locations)
	}
	l.noMoreListedAsPage = l.sitemapsAsPages && l.sitemaps > maxSitemaps
	l.noMoreIndexed = l.sitemaps > maxSitemaps || l.urls > maxSitemapURLs
	return l.reason(), !l.noMoreIndexed
}

// sum adds to what sitemaps list. A store that fails reports that to the worker, too.
func (l *sitemapList) sum(what string, before, n int) int {
	if l.count == nil {
		return before + n
	}
	if all, err := l.count(what, n); err == nil {
		return all
	}
	return before + n
}

// reason says which limit is exceeded. The caller holds mu.
func (l *sitemapList) reason() string {
	if l.sitemaps > maxSitemaps {
		return fmt.Sprintf("sitemaps that list more than %d sitemaps", maxSitemaps)
	}
	return fmt.Sprintf("sitemaps that list more than %d URLs", maxSitemapURLs)
}

// list remembers the targets that a sitemap lists.
func (l *sitemapList) list(kind sitemapKind, ids []frontier.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := &l.asPages
	if kind == indexSitemap {
		set = &l.indexed
	}
	for _, id := range ids {
		set.Add(uint32(id))
	}
}

// cut reports whether a target is left out because sitemaps list too much, and the
// reason.
func (l *sitemapList) cut(id frontier.ID) (pattern string, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noMoreIndexed && l.indexed.Has(uint32(id)) || l.noMoreListedAsPage && l.asPages.Has(uint32(id)) {
		return l.reason(), true
	}
	return "", false
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

// listSitemap adds a sitemap that robots.txt names, or that such a name redirects to.
func (v *visit) listSitemap(u urinorm.URL) {
	if key := string(urinorm.KeyOf(u)); v.run.sitemaps.add(key) {
		v.worker.tally.add(tallySitemap+key, 1)
		_ = v.run.shared.publish(factSitemap, key) // a store that fails reports that to the worker, too
	}
}

// listsSitemap reports whether the document of a URL is read as a sitemap because
// robots.txt names it.
func (r *run) listsSitemap(u urinorm.URL) bool { return r.cfg.Sitemaps && r.sitemaps.has(u) }

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
