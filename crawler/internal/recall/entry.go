package recall

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
)

// Entry is what a run observed of a target that answered.
type Entry struct {
	// Outcome is the outcome of the visit, with the code ok or redirect.
	Outcome judging.Outcome
	// Content reports whether the whole body was requested and read as far as its type
	// allows. Anchors that are not in the outcome then do not exist.
	Content bool
	// Validators make a conditional request.
	Validators versions.Validators
	// NotAfter is when the certificate expires, the zero time without one.
	NotAfter time.Time
	// Page is the page that was read for links, nil if none was.
	Page *Page
}

// Page is what a run found on a page, without the anchors and warnings, which are in the
// outcome.
type Page struct {
	// Reader identifies the code that read the page, and the decisions about its links.
	// Another reader may find other links, or decide otherwise.
	Reader string
	Format string
	// Canonical is the URL that the page declares as its own, or "".
	Canonical    string
	Unfollowed   bool // none of its links is followed, although some lead to other pages
	NoIndex      bool
	Shell        bool // a script makes the content of the page
	Blank        bool // it has no link and no text, or a script makes its content
	SitemapIndex bool // a sitemap that lists other sitemaps
	Listed       int  // number of links of the document
	Hidden       int  // number of links that a configuration that was not named leaves out or replaces
	// Text is a checksum of a page from the network that was not opened in a browser, 0 if it is not
	// known: a server may have one page for whatever it is asked for.
	Text uint32
	// Targets and References are what the page refers to, as package references keeps them. References
	// need not be compressed.
	Targets, References []byte
	// Rendered is set if References contain what only the scripts of the page make.
	Rendered bool
	// Loaded is everything that a rendered page loaded in the browser. While none of it has
	// changed, nor the page, the page is not rendered again.
	Loaded []Loaded
}

// Loaded is a file that a page loaded.
type Loaded struct {
	URL        string
	Validators versions.Validators
}

// kind returns the kind of the entry, for people who look at the file.
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
