package admit

import (
	"context"
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Sitemaps is the list of sitemaps that robots.txt files name. A plain text sitemap,
// with one URL per line, is read, although such files are not read when a page links to
// them.
//
// It also limits what the sitemaps of a run list. A document is a sitemap if its content
// is one, whatever its name.
type Sitemaps struct {
	always context.Context
	common frontier.Common // what several processes share; nil for a crawl of one

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
)

// SitemapKind says what a document is as a sitemap.
type SitemapKind uint8

const (
	NoSitemap SitemapKind = iota
	URLSitemap
	IndexSitemap
)

// Admit counts what a sitemap lists. If the limits do not admit that, it returns the
// reason.
func (l *Sitemaps) Admit(id frontier.ID, kind SitemapKind, locations int) (pattern string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asPage := l.asPages.Has(uint32(id)); asPage || kind == IndexSitemap {
		l.sitemapsAsPages = l.sitemapsAsPages || asPage
		l.sitemaps = l.sum("sitemaps", l.sitemaps, locations)
	} else {
		l.urls = l.sum("urls", l.urls, locations)
	}
	l.noMoreListedAsPage = l.sitemapsAsPages && l.sitemaps > maxSitemaps
	l.noMoreIndexed = l.sitemaps > maxSitemaps || l.urls > maxSitemapURLs
	return l.reason(), !l.noMoreIndexed
}

// share lets the processes of a crawl count together.
func (l *Sitemaps) share(always context.Context, common frontier.Common) {
	l.always, l.common = always, common
}

// sum adds to what sitemaps list. A store that fails reports that to the worker, too.
func (l *Sitemaps) sum(what string, before, n int) int {
	if l.common != nil {
		counts, err := l.common.CountUp(l.always, []frontier.Count{{Name: "sitemap " + what, By: n, Most: -1}})
		if err == nil {
			return counts[0]
		}
	}
	return before + n
}

// reason says which limit is exceeded. The caller holds mu.
func (l *Sitemaps) reason() string {
	if l.sitemaps > maxSitemaps {
		return fmt.Sprintf("sitemaps that list more than %d sitemaps", maxSitemaps)
	}
	return fmt.Sprintf("sitemaps that list more than %d URLs", maxSitemapURLs)
}

// List remembers the targets that a sitemap lists.
func (l *Sitemaps) List(kind SitemapKind, ids []frontier.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := &l.asPages
	if kind == IndexSitemap {
		set = &l.indexed
	}
	for _, id := range ids {
		set.Add(uint32(id))
	}
}

// cut reports whether a target is left out because sitemaps list too much, and the
// reason.
func (l *Sitemaps) cut(id frontier.ID) (pattern string, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noMoreIndexed && l.indexed.Has(uint32(id)) || l.noMoreListedAsPage && l.asPages.Has(uint32(id)) {
		return l.reason(), true
	}
	return "", false
}

// Add adds a sitemap by its key and reports whether it was not in the list.
func (l *Sitemaps) Add(key string) bool {
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

func (l *Sitemaps) Has(u urinorm.URL) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys) > 0 && l.keys[string(urinorm.KeyOf(u))]
}
