package cache

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Entry is what a run observed of a target that answered.
type Entry struct {
	// Checked is when the target last gave this answer, to the second.
	Checked time.Time
	// Run is the run that observed it: the start of its crawl in nanoseconds since 1970,
	// 0 if unknown. A crawl that is resumed in another process is the same run.
	Run int64
	// Before is when another run last observed the same, to the second; the zero time
	// means never.
	Before time.Time
	// Outcome is the outcome of the visit, with the code ok or redirect.
	Outcome check.Outcome
	// Content reports whether the whole body was requested and read as far as its type
	// allows. Anchors that are not in the outcome then do not exist.
	Content bool
	// Validators make a conditional request.
	Validators fetch.Validators
	// NotAfter is when the certificate expires, the zero time without one.
	NotAfter time.Time
	// Page is the page that was read for links, nil if none was.
	Page *Page
}

// linkLists keeps the memory of links that are not used any more.
var linkLists sync.Pool

// mostLinksKept is the number of links from which on their memory is not kept.
const mostLinksKept = 1 << 12

// Release lets a later entry use the memory of the links, which the caller must not use any
// more. The strings in them remain valid.
func (e *Entry) Release() {
	if e == nil || e.Page == nil || cap(e.Page.Links) == 0 || cap(e.Page.Links) > mostLinksKept {
		return
	}
	links := e.Page.Links
	e.Page.Links = nil
	clear(links)
	linkLists.Put(&links)
}

// newLinks returns an empty list with room for n links, which is not 0.
func newLinks(n int) []extract.Link {
	if kept, ok := linkLists.Get().(*[]extract.Link); ok {
		return slices.Grow((*kept)[:0], n)
	}
	return slices.Grow([]extract.Link(nil), n)
}

// Earlier returns when a run other than the given one last observed the entry, the zero
// time for never.
func (e *Entry) Earlier(run int64) time.Time {
	if e.Run == run {
		return e.Before
	}
	return e.Checked
}

// Page is what an extract.Document and a header say about a page, without the anchors and
// warnings, which are in the outcome.
type Page struct {
	// Reader is the version and the options of the code that read the page. Another
	// reader may find other links.
	Reader    string
	Format    string
	Base      string
	Charset   string
	Canonical string
	NoFollow  bool
	NoIndex   bool
	Shell     bool // a script makes the content of the page
	// SitemapIndex is set for a sitemap that lists other sitemaps.
	SitemapIndex bool
	// Header holds the fields from which links and rules are read.
	Header http.Header
	// Links are the links as extracted, not resolved, in document order.
	Links []extract.Link
	// Rendered is what a browser found besides, nil if the page was not rendered.
	Rendered *Rendered
}

// Rendered is what only the scripts of a page make, without anchors and warnings, which are in
// the outcome.
type Rendered struct {
	Base      string // of the document
	Links     []extract.Link
	Selectors []string // of the elements of Links
	// Loaded is everything that the page loaded in the browser. While none of it has changed, nor
	// the page, the page is not rendered again.
	Loaded []Loaded
}

// Loaded is a file that a page loaded.
type Loaded struct {
	URL        string
	Validators fetch.Validators
}

// headerFields are the fields of Page.Header.
var headerFields = []string{"Link", "Refresh", "Content-Location", "X-Robots-Tag"}

// PageHeader returns the fields of a header that a Page keeps, nil if there are none.
func PageHeader(h http.Header) http.Header {
	var kept http.Header
	for _, name := range headerFields {
		if values := h[name]; len(values) > 0 {
			if kept == nil {
				kept = http.Header{}
			}
			kept[name] = values
		}
	}
	return kept
}

// kind returns the kind of the entry, for the table entry.
func (e *Entry) kind() string {
	switch {
	case e.Outcome.IsRedirect():
		return "redirect"
	case e.Page != nil:
		return "page"
	case e.Outcome.Read:
		return "anchors"
	}
	return "presence"
}
