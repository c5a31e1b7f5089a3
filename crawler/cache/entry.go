package cache

import (
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Entry is what was observed of a target that was there.
type Entry struct {
	// Checked is when the target last answered so. It is kept to the second.
	Checked time.Time
	// Run is who observed it: when the run's crawl began, in nanoseconds since 1970; 0
	// when that is not known. A crawl that goes on in another process is the same run.
	Run int64
	// Before is when another run had last observed the same, as far as that matters;
	// the zero time for never. It is kept to the second.
	Before time.Time
	// Outcome is what it answered: its code is ok or redirect.
	Outcome check.Outcome
	// Content is true when the whole body was asked for, and read as far as its type
	// can be: what the outcome does not know of it is not there.
	Content bool
	// Validators ask whether it has changed since.
	Validators fetch.Validators
	// NotAfter is when the certificate ends; zero without one.
	NotAfter time.Time
	// Page is what was read for links; nil when it was not.
	Page *Page
}

// Earlier is when a run other than this one last observed the entry; the zero time
// for never.
func (e *Entry) Earlier(run int64) time.Time {
	if e.Run == run {
		return e.Before
	}
	return e.Checked
}

// Page is what an extract.Document and a header tell of a page, its anchors and
// warnings apart, which are the outcome's.
type Page struct {
	// Reader is who read it, and how: another reader may find other links.
	Reader    string
	Format    string
	Base      string
	Charset   string
	Canonical string
	NoFollow  bool
	NoIndex   bool
	Shell     bool // only the frame that a script fills
	// Header holds the fields that links and rules are read from.
	Header http.Header
	// Links are as they were extracted: not resolved, in document order.
	Links []extract.Link
}

// headerFields are the fields of a Page's header.
var headerFields = []string{"Link", "Refresh", "Content-Location", "X-Robots-Tag"}

// PageHeader returns what a Page keeps of a header; nil for nothing.
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

// kind is how a table of entries calls this one.
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
