package crawler

import (
	"context"
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/drift"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/seeds"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What the rooms of the engine need as well, under the names for callers.
type (
	// Seed is a start target of a run: a site to crawl, one document, or one URL to check. Its
	// fields are
	//
	//	URL    urinorm.URL  the target; for a document of a Site, what Site.URLOf returns
	//	Follow bool         read the target for links even if the scope does not include it
	//	Crawl  bool         make its site internal: read the pages that it leads to as well
	//	Named  bool         the user named it: it has a reference from result.CommandLine, and is in Summary.Targets
	//	Raw    string       the target as the user wrote it
	Seed = scope.Seed

	// Rule is a policy for the URLs that it matches. Its fields are
	//
	//	Name        string                     as the user wrote it, for messages
	//	Match       func(printed string) bool  the URLs
	//	Accept      *check.Statuses            further statuses that are OK; may be nil
	//	Verdict     string                     "", "ignore", "broken" or "unverified"
	//	Header      http.Header                is sent to these URLs
	//	Rate        float64                    requests per second to their hosts; 0 means no limit
	//	Levels      check.Levels               how severe findings are
	//	BrokenHosts []string                   hosts that parked domains lead to, as path.Match has them
	//	BrokenTexts []TextPattern              texts of pages that say that something is gone
	//	Render      RenderMode                 0 means that of the Config
	Rule = scope.Rule
	// TextPattern is a pattern for the text of pages: Written is what the user wrote, and
	// Pattern the *regexp.Regexp.
	TextPattern = scope.TextPattern
	// Remap replaces the URLs of links: every match of its Pattern (*regexp.Regexp) in the
	// printed URL by its Replacement.
	Remap = scope.Remap
	// Archive is an archive that is asked about broken targets, Max at most. Its API is the address
	// of a CDX server, or with Memento of TimeMaps (RFC 7089), which may have {url} in the place of
	// the address that is asked about.
	Archive = scope.Archive
	// Guesser decides which targets a run suggests in place of missing ones. Ask adds the URL of a missing one;
	// then Consider reports whether a target that exists may be suggested for any of them.
	Guesser = judging.PathGuesser
	// PathQuestion is the question about one missing target.
	PathQuestion = judging.PathQuestion

	// Drift asks whether external pages still say what they said when an earlier run first saw
	// them: a page has drifted if less than the part Below of its first text, over 0 to 1, is still
	// there. If a pattern of Accept matches its printed URL, its text of this run becomes the first.
	Drift = scope.Drift
	// Hides says which settings come from a configuration file that the user did not name.
	Hides = scope.Hides

	// ScopeRule is the extent of a seed's site: ScopePath, the default, is the directory of the
	// seed, ScopeHost its host, ScopeDomain its registrable domain, and ScopePage the page alone.
	ScopeRule = scope.Extent
	// External is the treatment of external targets: CheckExternal, the default, or SkipExternal.
	External = scope.External
	// RobotsMode is the set of requests to which robots.txt applies: pages that are read
	// (RobotsCrawl, the default), all (RobotsStrict), or none (RobotsIgnore).
	RobotsMode = scope.RobotsMode
	// RenderMode says which pages a browser renders: none (RenderNever, the default), those
	// that are empty without their scripts (RenderAuto), or all (RenderAlways).
	RenderMode = scope.RenderMode
)

// The values of a Config's ScopeRule, External, RobotsMode and RenderMode.
const (
	ScopePath   = scope.Path
	ScopeHost   = scope.Host
	ScopeDomain = scope.Domain
	ScopePage   = scope.Page

	CheckExternal = scope.CheckExternal
	SkipExternal  = scope.SkipExternal

	RobotsCrawl  = scope.RobotsCrawl
	RobotsStrict = scope.RobotsStrict
	RobotsIgnore = scope.RobotsIgnore

	RenderUnset  = scope.RenderUnset
	RenderNever  = scope.RenderNever
	RenderAuto   = scope.RenderAuto
	RenderAlways = scope.RenderAlways
)

// DriftBelow is the usual value of Drift.Below.
const DriftBelow = drift.Threshold

// Get requests what the user named, without a crawl: a document, or an archive to which a page is
// submitted. It follows no redirect. The error is a *fetch.Fault, or that of the context.
func Get(ctx context.Context, by fetch.Fetcher, req *fetch.Request) (*fetch.Response, error) {
	return admit.Single(by).Get(ctx, admit.Named, req)
}

// Addresses of the Wayback Machine, for Archive.API: its CDX server, and its TimeMaps.
const (
	WaybackCDX     = "https://web.archive.org/cdx/search/cdx"
	WaybackTimeMap = "https://web.archive.org/web/timemap/link/"
)

// IsPublic reports whether an address may be passed on to an archive: it is that of a web page on
// a host with a public name, and has no user information.
func IsPublic(u urinorm.URL) bool { return scope.IsPublic(u) }

// RuleFor returns the rule that applies to a printed target, or nil.
func (j *Judging) RuleFor(printed string) *Rule { return (*scope.Judging)(j).RuleFor(printed) }

// Reserved returns the domain reserved for examples and tests (RFC 2606) because of which a URL is
// checked only if it is internal; "" if it is not.
func (s *ScopeRules) Reserved(u urinorm.URL) string {
	if !s.SkipReserved {
		return ""
	}
	return scope.ReservedName(scope.HrefOf(u))
}

// Unrequested returns what a run says of a link whose scheme it does not request, from its address
// alone: check.CodeOK for one that is checked without a request, such as mailto.
func (*Judging) Unrequested(u urinorm.URL) (code check.Code, message string) {
	o := judging.UncheckedScheme(u.String())
	return o.Code, o.Message
}

// Reaches returns the function that reports whether the pages of a URL's host may be read for
// links, in a run that starts from seeds.
func (c *Config) Reaches(seeds []Seed) func(urinorm.URL) bool {
	s := c.newScope(seeds)
	return func(u urinorm.URL) bool { return s.Reaches(scope.HrefOf(u)) }
}

// Inputs returns what a run would read first, as reports print it. "-" is standard input.
func (c *Config) Inputs(from []Seed) (names []string) { return seeds.Inputs(c.newScope(from), from) }

// SignIn signs in without a crawl, and proves it. Trace receives a line for each step, without
// secrets; it may be nil. The error is a *session.Failure, or that of the context.
func SignIn(ctx context.Context, by *Login, login *session.Login, trace io.Writer) (session.SignedIn, error) {
	return signin.NewSender(signin.Client{Fetch: by.Fetch, Browser: by.Browser}).Try(ctx, login, trace)
}
