package rules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Config says how a run behaves. The zero value checks with the defaults of the
// command line; Validate explains what cannot be.
type Config struct {
	// Fetch sends requests, by scheme. Sites are asked first.
	Fetch fetch.Fetcher
	// Resolver answers for the domains of mailto links; nil is the system's.
	Resolver check.Resolver
	// MailProbe asks the mail servers of an address whether they would take mail for
	// it; nil, the default, leaves them alone. Its errors are those of a fetch.Fetcher.
	MailProbe func(ctx context.Context, address urinorm.Address) error
	// Sites are directories that answer for a base URL, the longest base first.
	Sites []*disk.Site
	// Store keeps targets and what is known of them; nil means memory.
	Store frontier.Store
	// FingerprintBits is what the run knows targets apart by: frontier.Narrow, the
	// default, or frontier.Wide, for hundreds of millions. A Store has its width, and
	// goes with no other; 0 is that of the Store.
	FingerprintBits frontier.Width
	// Cache is what earlier runs observed, and takes what this one does; nil is
	// nothing. An external target that was there no longer than MaxAge ago is not
	// asked again; a page is asked whether it has changed. A finding never rests on
	// it: what is not simply there is asked.
	Cache  *cache.Cache
	MaxAge time.Duration
	// Edition names the program that reads pages: what another edition read of a
	// page is not taken up.
	Edition string

	Scope    ScopeRule
	External External
	// Include widens the internal pages, NoFollow narrows them; both are matched
	// against the printed URL.
	Include, NoFollow []*regexp.Regexp
	// Exclude are not checked at all.
	Exclude []*regexp.Regexp
	// IgnoreFragment are fragments only a script knows.
	IgnoreFragment []*regexp.Regexp
	// Rules are per-URL policies, first match wins.
	Rules []Rule
	// Changed, when not nil, narrows a run over local documents to what is new: it
	// tells whether the file of a path was changed or removed. Every document is
	// read, but links of an unchanged one are judged only where they lead to a
	// changed or removed file; what they lead to elsewhere is not asked. It may be
	// called from many goroutines at once.
	Changed func(path string) bool

	// Depth is the greatest distance of a page from a seed, -1 for no limit; 0
	// reads only the seeds.
	Depth    int
	MaxPages int           // 0 is no limit
	MaxTime  time.Duration // 0 is no limit
	MaxBody  int64         // bytes of a page that are read; 0 means 10 MiB
	// MaxBodyGiven bounds a single document of the user's by MaxBody too. It is read
	// whole otherwise, up to extract.MaxBody: files of bookmarks grow large.
	MaxBodyGiven bool

	MaxRedirects int // 0 means 10; -1 none
	// Accept are further statuses that count as ok; nil is none.
	Accept *check.Statuses

	Concurrency int // requests in flight; 0 means 64
	// PerHost, Rate and Delay bound what one host gets; loopback hosts have no
	// limit below Concurrency unless the value was given (PerHostGiven).
	PerHost      int           // 0 means 8
	Rate         float64       // requests a second, 0 is no limit
	Delay        time.Duration // between requests to one host
	PerHostGiven bool

	Retries         int           // further tries of what a retry may mend; -1 none, 0 means 2
	SecondPassAfter time.Duration // 0 means 10 s; the second pass repeats what still failed
	SecondPassGiven bool          // set: there is one without retries, and for loopback hosts, too
	Backoff         time.Duration // mean wait before the first retry, doubled for each further one; 0 means 500 ms
	Grace           time.Duration // what requests in flight get after a soft stop; 0 means 1.5 s
	MaxWait         time.Duration // longest Retry-After that is obeyed; 0 means 60 s

	Robots      RobotsMode
	RobotsGiven bool   // set: loopback hosts are asked too
	Sitemaps    bool   // read the sitemaps that the robots.txt of a start page's host names
	RobotsAgent string // product token; "" means "orbweaver"

	Select, IgnoreSelect extract.Selector
	// SoftNotFound compares pages with the answer to a made-up address beside them:
	// the warning soft-404. It costs a request for each directory, and a GET for
	// targets that are otherwise asked with HEAD.
	SoftNotFound bool
	// CheckHTTPS asks for the https twin of each http target that is there: the
	// warning insecure-http.
	CheckHTTPS bool
	// Archive is the address of an archive that is asked for copies of what is gone
	// on other sites, one request each at the end of the run: Wayback, or one that
	// answers in the same way. "" asks nobody. The copies become suggestions.
	Archive string
	// Credentials says that requests to the internal hosts are signed in, by
	// whatever means: links that would sign out or delete are then left alone.
	Credentials bool

	// Show says which results the Sink wants; the others are counted only.
	Show Show
	// Watched are targets, as they are printed, whose verdict Watch is told at the end
	// of the run, listed or not; those that nothing refers to are not told.
	Watched map[string]bool
	Watch   func(url string, v check.Verdict)
	// Stream asks for each result as soon as it is known, unsorted; otherwise all
	// come sorted when the run is over.
	Stream bool
	// Pages asks for Sink.Page with each page's links.
	Pages bool

	// ReadAgain says that files stay as they are while the run lasts: of references
	// that turn out to be shown at its end, some are read from them once more then. It
	// takes less time and memory. Where a file has changed all the same, its references
	// may be told without their places, and what it alone referred to, with a fragment
	// that is not simply there, not at all: then Summary.Complete is false. A note
	// says so.
	ReadAgain bool

	// WorkingDir is what printed local paths are relative to.
	WorkingDir string
	// Stop, when closed, ends the run softly: nothing new is started, what is in
	// flight gets a second and a half, and the report is written.
	Stop <-chan struct{}

	uses        []*Use // of Rules and of Exclude
	excludeUses []*Use // of Exclude, one each
}

// Show is the set of results a Sink wants to see.
type Show struct {
	OK, Broken, Unverified, Skipped, Warning, Info bool
	// PagesAlone says that nobody asks who refers to a page of which there is nothing
	// to show but warnings about itself (check.OfPage). The References of such a
	// result may be missing: they are many, and gathering them takes its time.
	PagesAlone bool
}

// External says what becomes of links that leave the site.
type External uint8

const (
	// CheckExternal asks each external target once.
	CheckExternal External = iota
	// SkipExternal lists them as skipped.
	SkipExternal
)

// RobotsMode says whom robots.txt is asked for.
type RobotsMode uint8

const (
	// RobotsCrawl obeys robots.txt for pages that are crawled; a single external
	// link is like a browser's click.
	RobotsCrawl RobotsMode = iota
	// RobotsStrict asks robots.txt for every request.
	RobotsStrict
	// RobotsIgnore never asks.
	RobotsIgnore
)

// Rule is a policy for the URLs it matches.
type Rule struct {
	Name    string // as the user wrote it, for "matched nothing"
	Match   func(printed string) bool
	Accept  *check.Statuses
	Verdict string // "", "ignore", "broken", "unverified"
	Header  http.Header
	Rate    float64 // requests a second to the hosts of what it matches; 0 is no limit

	use *Use
}

// Use is what becomes known of a rule or an exclusion of the user's during a run. It is
// safe for concurrent use.
type Use struct {
	name      string
	hit, kept atomic.Bool // it matched something; the store knows
}

// Name is the rule as the user wrote it.
func (u *Use) Name() string { return u.name }

// Matched reports whether it matched anything.
func (u *Use) Matched() bool { return u.hit.Load() }

// ToKeep reports, once, that it matched something that the store does not know yet.
func (u *Use) ToKeep() bool { return u.hit.Load() && u.kept.CompareAndSwap(false, true) }

// Recall takes up that an earlier session knows it to have matched something.
func (u *Use) Recall() {
	u.hit.Store(true)
	u.kept.Store(true)
}

// matched notes that it matched something.
func (u *Use) matched() {
	if !u.hit.Load() {
		u.hit.Store(true)
	}
}

// Uses are those of the rules, then of the exclusions.
func (c *Config) Uses() []*Use { return c.uses }

// ExcludeUses are those of the exclusions.
func (c *Config) ExcludeUses() []*Use { return c.excludeUses }

// Seed is where a run starts.
type Seed struct {
	// URL is the target; for a document of a Site, its URL there.
	URL urinorm.URL
	// Follow reads the seed as a page even where the scope would not.
	Follow bool
	// Crawl makes the seed widen the scope: its site is internal. A single file is
	// read but not crawled.
	Crawl bool
	// Named is true for what the user named: it is listed with the page "command
	// line". Documents found by walking a directory are not.
	Named bool
	// Raw is the target as the user wrote it.
	Raw string
}

// Limits of what may be asked for.
const (
	maxConcurrency = 4096
	maxRedirects   = 100
	maxRetries     = 20
)

// Validate explains what cannot be.
func (c *Config) Validate() error {
	switch {
	case c.Fetch == nil && len(c.Sites) == 0:
		return errors.New("start a run: there is neither a fetcher nor a directory to ask")
	case c.FingerprintBits != 0 && c.FingerprintBits != frontier.Narrow && c.FingerprintBits != frontier.Wide:
		return fmt.Errorf("start a run: fingerprints have %d or %d bits, not %d", frontier.Narrow, frontier.Wide, c.FingerprintBits)
	case c.FingerprintBits != 0 && c.Store != nil && c.FingerprintBits != c.Store.Width():
		return fmt.Errorf("start a run: fingerprints of %d bits are asked for, and those of the store have %d", c.FingerprintBits, c.Store.Width())
	case c.Concurrency < 0 || c.Concurrency > maxConcurrency:
		return fmt.Errorf("start a run: concurrency %d is not between 1 and %d", c.Concurrency, maxConcurrency)
	case c.PerHost < 0:
		return fmt.Errorf("start a run: %d requests at once per host make no sense", c.PerHost)
	case c.Rate < 0 || c.Delay < 0:
		return errors.New("start a run: a rate or a delay below zero makes no sense")
	case c.MaxRedirects < -1 || c.MaxRedirects > maxRedirects:
		return fmt.Errorf("start a run: %d redirects are not between 0 and %d", c.MaxRedirects, maxRedirects)
	case c.Retries < -1 || c.Retries > maxRetries:
		return fmt.Errorf("start a run: %d retries are not between 0 and %d", c.Retries, maxRetries)
	case c.MaxPages < 0 || c.MaxTime < 0 || c.MaxBody < 0 || c.MaxWait < 0 || c.SecondPassAfter < 0 || c.Backoff < 0 || c.Grace < 0 || c.MaxAge < 0:
		return errors.New("start a run: a limit below zero makes no sense")
	}
	return nil
}

// WithDefaults returns a copy in which every zero that means "the usual" is
// replaced by it, and every -1 that means "none" by zero.
func (c *Config) WithDefaults() *Config {
	d := *c
	usual := func(v *int, def int) {
		if *v == 0 {
			*v = def
		} else if *v < 0 {
			*v = 0
		}
	}
	usual(&d.Concurrency, 64)
	usual(&d.PerHost, 8)
	usual(&d.MaxRedirects, 10)
	usual(&d.Retries, 2)
	if d.MaxBody == 0 {
		d.MaxBody = 10 << 20
	}
	if d.MaxWait == 0 {
		d.MaxWait = time.Minute
	}
	if d.SecondPassAfter == 0 && !d.SecondPassGiven {
		d.SecondPassAfter = 10 * time.Second
	}
	if d.Backoff == 0 {
		d.Backoff = 500 * time.Millisecond
	}
	if d.Grace == 0 {
		d.Grace = 1500 * time.Millisecond
	}
	d.Rules = slices.Clone(c.Rules)
	for i := range d.Rules {
		d.Rules[i].use = &Use{name: d.Rules[i].Name}
		d.uses = append(d.uses, d.Rules[i].use)
	}
	d.excludeUses = make([]*Use, len(d.Exclude))
	for i, re := range d.Exclude {
		d.excludeUses[i] = &Use{name: "exclude " + re.String()}
	}
	d.uses = append(d.uses, d.excludeUses...)
	if d.RobotsAgent == "" {
		d.RobotsAgent = "orbweaver"
	}
	switch {
	case d.Store != nil:
	case d.FingerprintBits == frontier.Wide:
		d.Store = frontier.NewWideMemory()
	default:
		d.Store = frontier.NewMemory()
	}
	return &d
}

// Fetches reports whether the fetcher asks for a scheme.
func (c *Config) Fetches(scheme string) bool {
	m, ok := c.Fetch.(interface{ Has(scheme string) bool })
	return ok && m.Has(scheme)
}
