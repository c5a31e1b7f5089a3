package crawler

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/view"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// Config configures a run, in groups. It needs a Fetch or Sites. All other fields may be zero:
// their zero values are the defaults of the command line. Validate reports invalid values.
type Config struct {
	// Fetch sends requests. A fetch.Mux has one Fetcher for each scheme; any other Fetcher gets
	// those for http and https. URLs of Sites are not requested from it.
	Fetch fetch.Fetcher
	// Sites are directories that answer for the URLs under a base URL. Sites with
	// longer base URLs must come first.
	Sites []*disk.Site
	// Stop, when closed, ends the run: no request is started, those in flight get the
	// time Limits.Grace to finish, and the results are reported.
	Stop <-chan struct{}

	Scope      ScopeRules
	Limits     Limits
	Politeness Politeness
	Reading    Reading
	Judging    Judging
	Login      Login
	Render     Render
	Keep       Keep
	Deliver    Deliver
}

// ScopeRules say which targets are pages to be read, which are only checked, and which are left
// alone.
type ScopeRules struct {
	Rule     ScopeRule
	External External
	// Include adds pages to the internal ones, and NoFollow keeps pages from being read
	// for links. Both are matched against the printed URL.
	Include, NoFollow []*regexp.Regexp
	// Exclude matches the printed URLs of targets that are not checked at all, unless
	// ExcludeExcept matches them, too.
	Exclude, ExcludeExcept []*regexp.Regexp
	// Remaps replace the URLs of links before anything is decided about them.
	Remaps []Remap
	// SkipReserved leaves out targets on the names that RFC 2606 and RFC 6761 reserve for
	// examples and tests, unless they are internal.
	SkipReserved bool
	// Changed, if not nil, limits a run over local documents to what has changed. Every document is
	// read, but a link on an unchanged one is judged only if it leads to a changed or
	// removed file, and it causes no request to other hosts.
	Changed *disk.Changes
	// Depth is the greatest number of links from a seed to a page that is read. 0 means
	// no limit, and -1 means that only the seeds are read.
	Depth int

	Robots      RobotsMode
	RobotsGiven bool   // apply Robots to loopback hosts as well
	RobotsAgent string // product token; "" means "orbweaver"
	Sitemaps    bool   // read the sitemaps listed in robots.txt on the hosts of start pages

	// RootGiven is set if the user has decided where links end that lead above a directory.
	// Otherwise a note tells what was decided.
	RootGiven bool
	// WorkingDir is the directory to which printed local paths are relative.
	WorkingDir string

	// Credentials must be set if requests to the start targets are authenticated by
	// any means. Links that would sign out or delete something are then skipped, unless
	// AllowUnsafe is set.
	Credentials, AllowUnsafe bool
	// LeaveAlone contains the addresses, without fragments, of targets that are skipped,
	// too, because the page after the sign-in says that they sign out or delete.
	LeaveAlone map[string]bool
	// SessionOrigins are further origins that get the cookies of a login, such as
	// "https://sso.example.com".
	SessionOrigins map[string]bool
}

// Limits bound a run. A run that one of them cuts off is incomplete.
type Limits struct {
	MaxPages int           // pages that are read; 0 means no limit
	MaxTime  time.Duration // 0 means no limit
	MaxBody  int64         // bytes of a page that are read; 0 means 10 MiB
	// MaxBodyGiven applies MaxBody to single documents among the seeds as well. Without
	// it they are read up to extract.MaxBody, as files of bookmarks can be large.
	MaxBodyGiven bool
	MaxRedirects int           // 0 means 10, -1 none
	Grace        time.Duration // time for the requests in flight after Stop; 0 means 1.5 s
	// Spent ends the run when it is closed, because no further request may be sent (fetch.Gate);
	// it may be nil.
	Spent <-chan struct{}
}

// Politeness says how fast requests are sent, and how often they are repeated.
type Politeness struct {
	Concurrency int // requests in flight; 0 means 64
	// PerHost, Rate and Delay limit the requests to one host. For loopback hosts,
	// PerHost applies only if PerHostGiven is set.
	PerHost      int           // requests in flight; 0 means 8
	Rate         float64       // requests per second; 0 means no limit
	Delay        time.Duration // between two requests
	PerHostGiven bool
	// PerDomain and PerAddress limit the requests in flight to all hosts of one registrable domain,
	// and to all hosts at one IP address. 0 means 16, or PerHost if that is more, for hosts that no
	// start target is on, and no limit for the others; -1 means no limit at all. With a store that
	// processes share, PerDomain holds for the visits of all together, and PerAddress for each process.
	PerDomain, PerAddress int
	// Still lets nothing wait, for answers that are known: Fetch sends nothing.
	Still bool

	Retries         int             // retries of a request that failed for a temporary reason; 0 means 2, -1 none
	RetryStatus     *check.Statuses // further statuses that are retried, such as 404; it may be nil
	SecondPassAfter time.Duration   // delay before the second pass, which repeats requests that still failed; 0 means 10 s
	SecondPassGiven bool            // do the second pass even without retries, and for loopback hosts
	Backoff         time.Duration   // mean delay before the first retry, doubled for each further one; 0 means 500 ms
	MaxWait         time.Duration   // longest Retry-After that is obeyed; 0 means 60 s
}

// Reading says what is read of documents.
type Reading struct {
	// Select limits the links to those within elements that match, and IgnoreSelect
	// ignores those within elements that match.
	Select, IgnoreSelect extract.Selector
	// Options ask for references that are not read otherwise.
	Options extract.Options
	// Publisher, when set, returns the rule for anchors of the program that publishes the document
	// at a path, the zero value if it is not known. Suggestions then have its anchors.
	Publisher func(path string) extract.AnchorRule
	// Types are the media types by which documents are read whose names have certain
	// extensions, whatever their servers declare.
	Types fetch.Types
	// ReadAgain assumes that files do not change during the run. Then the positions of
	// most references need not be kept, which saves time and memory: those that are
	// shown are read from the files again. If a file has changed, its references may
	// lack their positions, and targets with a fragment that only this file links to
	// may be missing; in this case Summary.Complete is false. A note reports both.
	ReadAgain bool
}

// Judging says what is a finding, how severe it is, and what is checked besides the links.
type Judging struct {
	// Resolver looks up the domains of mailto links. If it is nil, the system's
	// resolver is used.
	Resolver fetch.Resolver
	// SkipMail checks only the syntax of mailto links.
	SkipMail bool
	// MailProbe asks the mail servers of an address whether they accept mail for it.
	// Its errors are those of a fetch.Fetcher. If it is nil, no mail server is asked.
	MailProbe fetch.MailProber
	// Accept contains further statuses that are OK; it may be nil.
	Accept *check.Statuses
	// IgnoreFragment matches fragments that are not looked up, as scripts handle them.
	IgnoreFragment []*regexp.Regexp
	// Rules are policies for some URLs. The first rule that matches applies.
	Rules []Rule
	// Levels set how severe findings are. Those of the rule that matches take precedence.
	Levels check.Levels
	// Hides is set if a configuration file that the user did not name has a part in all this.
	Hides *Hides
	// SoftNotFound compares pages with the answer to a made-up URL in the same
	// directory, for the warning soft-404. It costs a request for each directory, and
	// targets that are otherwise requested with HEAD are requested with GET.
	SoftNotFound bool
	// CheckHTTPS requests the https URL of each http target that is OK, for the
	// warning insecure-http.
	CheckHTTPS bool
	// RequireHTTPS gives the warning insecure-http to each http target that a link leads to,
	// whether or not it answers over https, and even if it is skipped as external. It costs no
	// request.
	RequireHTTPS bool
	// TextFragments compares the texts of text fragments (#:~:text=) with the pages that they
	// lead to. It costs one more request for each of these pages, at the end of the run.
	TextFragments bool
	// Drift compares the texts of external pages with those that Keep.Cache remembers; nil
	// compares none. Targets that are otherwise requested with HEAD are requested with GET.
	Drift *Drift
	// Archive is asked at the end of the run about external targets that are gone, with one
	// request for each. The newest copies become suggestions. If it is nil, no archive is asked.
	Archive *Archive
	// Inspector looks at the documents that are read, for the content checks. It may be nil.
	// The caller closes it after the run.
	Inspector *inspect.Inspector
}

// Render says which pages a browser renders.
type Render struct {
	// Renderer renders pages in a browser. It is nil if no page is rendered, or if there is no
	// browser; the caller closes it after the run. Mode and Judging.Rules say which pages are
	// rendered. Trouble is why there is no Renderer although pages are to be rendered.
	Renderer Renderer
	Mode     RenderMode
	Trouble  string
	// By identifies the browser and its settings. A page that a cache keeps is
	// rendered again if it was rendered by another one.
	By string
}

// Keep says where a run keeps what it knows, and what earlier runs have kept.
type Keep struct {
	// Store holds the targets and what is known of them. If it is nil, they are held
	// in memory.
	Store frontier.Store
	// Lease is set if other processes work on the crawl of the Store as well, which must then
	// be that of a shared crawl (store.Join). It is the time after which the targets of a silent
	// process are given to others.
	Lease time.Duration
	// Coordination, if not nil, lets other processes work on the crawl, whose Store must be that of
	// a file.
	Coordination *store.Coordination
	// Cookies, if not nil, is the part of Fetch whose cookies the processes share. Those of
	// the user and of sessions are not shared.
	Cookies *fetch.HTTP
	// FingerprintBits is the width of the fingerprints that identify targets: 64, or 128 for
	// hundreds of millions of targets. It must be the width of the Store, if there is one. 0
	// means that of the Store, or 64.
	FingerprintBits int
	// Cache holds the observations of earlier runs and receives those of this run. It
	// may be nil. An external target that was OK at most MaxAge ago is not requested
	// again, and pages are requested conditionally. Findings never come from the
	// cache: a target with a problem is always requested.
	Cache  *store.Cache
	MaxAge time.Duration
	// Refresh uses nothing of what earlier runs observed, but keeps what this one does.
	Refresh bool
	// Pages keeps what the next crawl needs of pages in the Store, with the pages, instead
	// of in the Cache. Previous has the pages of the crawl before; it may be nil. Its store must
	// have been created with the same Cache, or nothing is found in it.
	Pages    bool
	Previous *store.Pages
	// Edition identifies the program that reads pages. Cached contents of a page are
	// used only if the same edition read them.
	Edition string
}

// Deliver says what the Sink receives, and when.
type Deliver struct {
	// Show selects the results that the Sink receives; the others are only counted.
	Show result.Show
	// Watched contains printed URLs of targets. Watch, if not nil, gets the verdict on
	// each at the end of the run, regardless of Show, unless no link leads to it.
	Watched map[string]bool
	Watch   *[]result.Watched
	// Stream delivers each result as soon as it is known, in no order. Otherwise all
	// results are delivered at the end of the run, sorted by URL.
	Stream bool
	// Pages delivers each page with its links to Sink.Page.
	Pages bool
	// Asks, if not nil, gets the path of each document in a directory whose links lead
	// elsewhere if other files come or go.
	Asks *result.Paths
}

// Login is what a run needs for its sessions. What belongs to one is requested again after the
// session was lost, so that no page counts that was requested without it.
type Login struct {
	// Logins are those of the run, with that of its cookies (session.ForCookies).
	Logins []*session.Login
	// Fetch sends the requests of the sessions, and holds their cookies.
	Fetch fetch.Fetcher
	// Browser fills in the forms of the logins that want that; nil if there is none. The caller
	// closes it after the run.
	Browser *render.Renderer
	// Retries is how often a run signs in again, in a row, without a page that the session
	// proves. 0 means 2, and -1 means never.
	Retries int
}

// Greatest values of the configuration.
const (
	maxConcurrency = 4096
	maxRedirects   = 100
	maxRetries     = 20
)

// Validate returns an error for the first invalid value, or nil.
func (c *Config) Validate() error {
	switch {
	case c.Fetch == nil && len(c.Sites) == 0:
		return errors.New("start a run: Fetch and Sites are both empty")
	case c.Keep.FingerprintBits != 0 && c.Keep.FingerprintBits != int(frontier.Narrow) && c.Keep.FingerprintBits != int(frontier.Wide):
		return fmt.Errorf("start a run: a fingerprint has %d or %d bits, not %d", frontier.Narrow, frontier.Wide, c.Keep.FingerprintBits)
	case c.Keep.FingerprintBits != 0 && c.Keep.Store != nil && c.Keep.FingerprintBits != int(c.Keep.Store.Width()):
		return fmt.Errorf("start a run: FingerprintBits is %d, but the fingerprints of the store have %d bits", c.Keep.FingerprintBits, c.Keep.Store.Width())
	case c.Politeness.Concurrency < 0 || c.Politeness.Concurrency > maxConcurrency:
		return fmt.Errorf("start a run: Concurrency is %d; it must be between 0 and %d", c.Politeness.Concurrency, maxConcurrency)
	case c.Politeness.PerHost < 0:
		return fmt.Errorf("start a run: PerHost is %d; it must not be negative", c.Politeness.PerHost)
	case c.Politeness.PerDomain < -1 || c.Politeness.PerAddress < -1:
		return errors.New("start a run: PerDomain and PerAddress must be at least -1")
	case c.Politeness.Rate < 0 || c.Politeness.Delay < 0:
		return errors.New("start a run: Rate and Delay must not be negative")
	case c.Limits.MaxRedirects < -1 || c.Limits.MaxRedirects > maxRedirects:
		return fmt.Errorf("start a run: MaxRedirects is %d; it must be between -1 and %d", c.Limits.MaxRedirects, maxRedirects)
	case c.Politeness.Retries < -1 || c.Politeness.Retries > maxRetries:
		return fmt.Errorf("start a run: Retries is %d; it must be between -1 and %d", c.Politeness.Retries, maxRetries)
	case c.Login.Retries < -1 || c.Login.Retries > maxRetries:
		return fmt.Errorf("start a run: Login.Retries is %d; it must be between -1 and %d", c.Login.Retries, maxRetries)
	case c.Scope.Depth < -1:
		return fmt.Errorf("start a run: Depth is %d; it must be at least -1", c.Scope.Depth)
	case c.Keep.Lease < 0:
		return errors.New("start a run: Lease is negative")
	case c.Limits.MaxPages < 0 || c.Limits.MaxTime < 0 || c.Limits.MaxBody < 0 || c.Politeness.MaxWait < 0 || c.Politeness.SecondPassAfter < 0 || c.Politeness.Backoff < 0 || c.Limits.Grace < 0 || c.Keep.MaxAge < 0:
		return errors.New("start a run: a limit or a time is negative")
	}
	return nil
}

// withDefaults returns a copy in which every zero that means a default is replaced by the
// default, and every -1 that means "none" by zero. Depth is not changed. The copy must not
// be passed to withDefaults again.
func (c *Config) withDefaults() *Config {
	d := *c
	fill := func(v *int, def int) {
		if *v == 0 {
			*v = def
		} else if *v < 0 {
			*v = 0
		}
	}
	fill(&d.Politeness.Concurrency, 64)
	fill(&d.Politeness.PerHost, 8)
	fill(&d.Limits.MaxRedirects, 10)
	fill(&d.Politeness.Retries, 2)
	fill(&d.Login.Retries, 2)
	d.Deliver.Show = d.Deliver.Show.WithDefault()
	if d.Limits.MaxBody == 0 {
		d.Limits.MaxBody = 10 << 20
	}
	if d.Politeness.MaxWait == 0 {
		d.Politeness.MaxWait = time.Minute
	}
	if d.Politeness.SecondPassAfter == 0 && !d.Politeness.SecondPassGiven {
		d.Politeness.SecondPassAfter = 10 * time.Second
	}
	if d.Politeness.Backoff == 0 {
		d.Politeness.Backoff = 500 * time.Millisecond
	}
	if d.Limits.Grace == 0 {
		d.Limits.Grace = 1500 * time.Millisecond
	}
	if d.Scope.RobotsAgent == "" {
		d.Scope.RobotsAgent = "orbweaver"
	}
	if d.Keep.Store == nil {
		d.Keep.Store = d.newMemory()
	}
	return &d
}

// newMemory returns a store in memory. With a cache, targets have the fingerprints that the
// cache knows them by.
func (c *Config) newMemory() *frontier.Memory {
	m := frontier.NewMemory()
	if c.Keep.FingerprintBits == int(frontier.Wide) {
		m = frontier.NewWideMemory()
	}
	if c.Keep.Cache != nil {
		m.SetKey(c.Keep.Cache.FingerprintKey())
	}
	return m
}

// shared returns the store if other processes work on its crawl as well, and nil otherwise.
func (c *Config) shared() frontier.Shared {
	if c.Keep.Lease == 0 {
		return nil
	}
	s, _ := c.Keep.Store.(frontier.Shared)
	return s
}

// newScope returns the scope of a run that starts from seeds. It decides with the rules of the
// configuration, not with copies.
func (c *Config) newScope(seeds []Seed) *scope.Scope {
	s := scope.Settings{Rules: (*scope.Rules)(&c.Scope), Judging: scope.Judging(c.Judging), Render: c.Render.Mode, Sites: c.Sites}
	s.Reach(c.Fetch)
	s.Reading = fmt.Sprintf("edition %s\ntypes %v\nselect %s\nignore-select %s\nreading %+v\nrenderer %v\nhides %v\n", c.Keep.Edition, c.Reading.Types,
		c.Reading.Select, c.Reading.IgnoreSelect, c.Reading.Options, c.Render.Renderer != nil, c.Judging.Hides)
	return scope.New(s, seeds)
}

// reportSettings returns, as text, the settings that decide about reports, apart from those that decide
// about links (scope.Scope.Decides). It is "" if a report depends on more than these and the answers to
// its targets.
func (c *Config) reportSettings() string {
	j, d := &c.Judging, &c.Deliver
	if c.Keep.Cache == nil || c.shared() != nil || c.Keep.Coordination != nil || c.Scope.Changed != nil || c.Limits.MaxPages > 0 || c.Renders() || len(c.Login.Logins) > 0 ||
		j.SoftNotFound || j.CheckHTTPS || j.TextFragments || j.Drift != nil || j.Archive != nil || j.Inspector != nil || d.Stream || d.Pages || d.Asks != nil {
		return ""
	}
	text := fmt.Sprintln(d.Show, c.Scope.Sitemaps, c.Scope.RootGiven, c.Limits.MaxBody, c.Limits.MaxBodyGiven, c.Limits.MaxRedirects, j.RequireHTTPS, j.IgnoreFragment, j.Levels, j.Accept, j.Hides)
	for i := range j.Rules {
		r := &j.Rules[i]
		text += fmt.Sprintln(r.Levels, r.BrokenHosts, r.BrokenTexts, r.Accept)
	}
	if c.Reading.Publisher != nil {
		for _, site := range c.Sites { // files around the directory may tell it
			text += fmt.Sprintln(c.Reading.Publisher(site.Dir() + "/index.html"))
		}
	}
	return text
}

// Renderer renders pages. *render.Renderer is one.
type Renderer = view.Renderer

// Renders reports whether any page may be rendered.
func (c *Config) Renders() bool {
	return c.Render.Mode > RenderNever || slices.ContainsFunc(c.Judging.Rules, func(r Rule) bool { return r.Render > RenderNever })
}
