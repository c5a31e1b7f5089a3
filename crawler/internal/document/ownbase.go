package document

import (
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

// OwnBases are the URLs at which pages of directories say that they are published, and at which the
// start page of a website says that its site is.
type OwnBases struct {
	mu    sync.Mutex
	pages map[string]int // by base, according to canonical links
	lists map[string]int // by base, according to sitemaps

	from, to string // a website, and what it calls itself: scheme, host and port
}

// NoteStart notes what the start page of a website calls its site.
func (o *OwnBases) NoteStart(u, named urinorm.URL) {
	if s := named.Scheme(); s != "http" && s != "https" || named.Authority() == u.Authority() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.from, o.to = u.Scheme()+"://"+u.Authority(), named.Scheme()+"://"+named.Authority()
}

// Moved returns the site of a start page, and what that page calls it if that is another.
func (o *OwnBases) Moved() (from, to string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.from, o.to
}

// Note notes where a document with a canonical URL says that its directory is published. The site is
// nil for a document that is in none.
func (o *OwnBases) Note(site *disk.Site, u, canonical urinorm.URL) {
	if site == nil || !site.Synthetic() || canonical.IsZero() {
		return
	}
	if path, ok := strings.CutPrefix(u.String(), site.Base().String()); ok && !site.Answers(canonical) {
		o.add(path, canonical)
	}
}

// NoteSitemap notes where a sitemap says that its directory is published.
func (o *OwnBases) NoteSitemap(site *disk.Site, doc *extract.Document) {
	if site != nil && site.Synthetic() && !doc.SitemapIndex {
		o.addSitemap(site, doc.Links)
	}
}

// add notes that a page, at a path below its directory, has a canonical URL.
func (o *OwnBases) add(path string, canonical urinorm.URL) {
	if s := canonical.Scheme(); s != "http" && s != "https" {
		return
	}
	address, _, _ := strings.Cut(canonical.String(), "#")
	address, _, _ = strings.Cut(address, "?")
	for _, name := range [...]string{path, strings.TrimSuffix(path, "index.html"), strings.TrimSuffix(path, ".html")} {
		base, ok := strings.CutSuffix(address, name)
		if !ok || !strings.HasSuffix(base, "/") || strings.HasSuffix(base, "//") {
			continue
		}
		o.count(&o.pages, base, 1)
		return
	}
}

// Limits on what is examined of a sitemap in a directory.
const (
	maxOwnBaseLinks    = 100 // URLs
	maxOwnBaseSegments = 8   // of the path of a base
)

// addSitemap notes that a sitemap in the directory of a site lists documents of the
// directory, below another base. The base is the one below which most of the listed URLs
// have a file, and at least half of them.
func (o *OwnBases) addSitemap(site *disk.Site, links []extract.Link) {
	var urls []urinorm.URL
	for i := range links[:min(len(links), maxOwnBaseLinks)] {
		u, _, err := urinorm.ParseWeb(string(links[i].Ref))
		if err == nil && (u.Scheme() == "http" || u.Scheme() == "https") && !site.Holds(u) {
			urls = append(urls, u)
		}
	}
	if len(urls) == 0 {
		return
	}
	base, most := "", 0
	host := urls[0].Scheme() + "://" + urls[0].Authority()
	dir := "/"
	segments := strings.SplitAfter(strings.TrimPrefix(urls[0].Directory(), "/"), "/")
	for _, segment := range segments[:min(len(segments), maxOwnBaseSegments)] {
		hits, below := 0, 0
		for _, u := range urls {
			rest, ok := strings.CutPrefix(u.WithoutFragment().String(), host+dir)
			if !ok || rest == "" {
				continue
			}
			below++
			if own, _, err := urinorm.ParseWeb(site.Base().String() + rest); err == nil && site.Answers(own) {
				hits++
			}
		}
		if hits > most && 2*hits >= below {
			base, most = host+dir, hits
		}
		dir += segment
	}
	if most > 0 {
		o.count(&o.lists, base, most)
	}
}

// count adds to one of the numbers of documents.
func (o *OwnBases) count(in *map[string]int, base string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if *in == nil {
		*in = map[string]int{}
	}
	(*in)[base] += n
}

// Usual returns the base of most pages, and their number. If no page says where it is
// published, bySitemap is set and the sitemaps say so.
func (o *OwnBases) Usual() (base string, pages int, bySitemap bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := o.pages
	if len(from) == 0 {
		from, bySitemap = o.lists, true
	}
	for b, n := range from {
		if n > pages || n == pages && b < base {
			base, pages = b, n
		}
	}
	return base, pages, bySitemap
}
