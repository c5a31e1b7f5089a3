// Package siterules judges what can be said of pages only when all are known: equal titles and
// texts, the targets of canonical links, links between languages, images, the integrity of
// scripts, and sitemaps. It knows no crawl: a [Site] answers what it asks, and [Judge] reports
// findings. They do not depend on the order of the pages.
//
// The pages are read three times, so that little of each is in memory, some 60 bytes:
//
//	collect.go   1. take the hashes of all pages, and find the groups of equal ones
//	             2. note an address for each group, and ask pages whether they name others
//	findings.go  3. judge each page
//	similar.go   which hashes of texts are similar
//	sitemap.go   what sitemaps list
//
// Groups of equal pages, and links to other languages that do not seem to be answered, take
// memory as findings do.
package siterules

import (
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// ID is the number of a page or of another target.
type ID uint32

// Site is what is known of all pages and their targets.
type Site interface {
	// Pages calls each for every internal page that was read and answered 2xx. It is called
	// several times. The page is valid until each returns.
	Pages(each func(*Page) error) error
	// Target returns what is known of a URL as facts have it.
	Target(url string) (Target, error)
	// Sitemaps calls each for every address that a sitemap lists.
	Sitemaps(each func(*Entry) error) error
	// Starts returns the start pages.
	Starts() []Start
}

// Page is a page that was read.
type Page struct {
	ID    ID
	URL   string // as reports print it
	Facts []byte // encoded by facts.AppendPage
	// Linked is true if another internal page links to it.
	Linked bool
}

// Target is a document that a page refers to.
type Target struct {
	State State
	ID    ID     // of the document to which redirects lead; meaningless if the State is Unknown
	URL   string // of that document, as reports print it
	// Redirects is true if the URL redirects.
	Redirects bool
	Size      int64  // of the body in bytes, 0 if it is not known
	Facts     []byte // encoded by facts.AppendTarget, empty if they are not known
}

// State is what is known of a target.
type State uint8

// The states.
const (
	Unknown State = iota // not asked for, or not verified
	OK
	Broken
)

// Entry is an address that a sitemap lists.
type Entry struct {
	Sitemap ID
	Place   facts.Place // of the loc element
	Raw     string      // the address as written
	Listed  ID          // the address itself, before redirects
	Target  Target
	// Linked is true if an internal page links to the address, Start if it is a start target.
	Linked, Start bool
}

// Start is a start page.
type Start struct {
	ID   ID
	Host string // with scheme and port; made up for a directory whose address is not known
	// Directory is true for the index of a directory.
	Directory bool
}

// Config says what is judged.
type Config struct {
	Groups   pagerules.Groups
	ImageMax int64 // bytes; larger images are reported
}

// NeedsSitemaps reports whether what sitemaps list is judged.
func (c Config) NeedsSitemaps() bool { return c.Groups&pagerules.SEO != 0 }

// Finding is a finding about the page or the target ID.
type Finding struct {
	ID ID
	// In is the document that has the place of the finding: the page itself, or a sitemap.
	In ID
	judging.Finding
}

// The numbers of words from which texts are compared.
const (
	wordsOfEqual   = 20
	wordsOfSimilar = 50
)

// Judge reports what is to be found. Its error is one of the site or of emit, or wraps
// facts.ErrMalformed.
func Judge(site Site, config Config, emit func(Finding) error) error {
	j := &judge{site: site, config: config}
	for _, pass := range [...]func(*Page, *facts.Page) error{j.collect, j.group, j.judgePage} {
		err := site.Pages(func(p *Page) error {
			if err := j.facts.Decode(p.Facts); err != nil {
				return err
			}
			if err := pass(p, &j.facts); err != nil {
				return err
			}
			return j.hand(emit)
		})
		if err != nil {
			return err
		}
		j.endPass()
	}
	j.favicons()
	if err := j.hand(emit); err != nil || !config.NeedsSitemaps() {
		return err
	}
	return site.Sitemaps(func(e *Entry) error {
		j.sitemapEntry(e)
		return j.hand(emit)
	})
}

// judge is one call of Judge.
type judge struct {
	site   Site
	config Config
	found  []Finding  // that were not emitted yet
	facts  facts.Page // of the current page

	passes int
	known  []known // in ascending order of their ids after the first pass
	equals [kinds]map[uint64]*equal
	near   map[uint64]*similar
	asked  []question
	starts map[ID]Start
	bare   map[string]bare // by host
	ids    []ID            // memory for the alternates of a page
}

func (j *judge) judges(g pagerules.Groups) bool { return j.config.Groups&g != 0 }

// report adds a finding about a page.
func (j *judge) report(p *Page, f judging.Finding) {
	j.found = append(j.found, Finding{ID: p.ID, In: p.ID, Finding: f})
}

// hand emits what was found.
func (j *judge) hand(emit func(Finding) error) error {
	for _, f := range j.found {
		if err := emit(f); err != nil {
			return err
		}
	}
	j.found = j.found[:0]
	return nil
}
