package scope

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Rules say which targets are pages to be read, which are only checked, and which are left alone.
// The fields are those of crawler.ScopeRules.
type Rules struct {
	Rule                     Extent
	External                 External
	Include, NoFollow        []*regexp.Regexp
	Exclude, ExcludeExcept   []*regexp.Regexp
	Remaps                   []Remap
	SkipReserved             bool
	Changed                  *disk.Changes
	Depth                    int
	Robots                   RobotsMode
	RobotsGiven              bool
	RobotsAgent              string
	Sitemaps                 bool
	RootGiven                bool
	WorkingDir               string
	Credentials, AllowUnsafe bool
	LeaveAlone               map[string]bool
	SessionOrigins           map[string]bool
}

// Judging says what is a finding, and how severe it is. The fields are those of crawler.Judging.
type Judging struct {
	Resolver       fetch.Resolver
	SkipMail       bool
	MailProbe      fetch.MailProber
	Accept         *check.Statuses
	IgnoreFragment []*regexp.Regexp
	Rules          []Rule
	Levels         check.Levels
	Hides          *Hides
	SoftNotFound   bool
	CheckHTTPS     bool
	RequireHTTPS   bool
	TextFragments  bool
	Drift          *Drift
	Archive        *Archive
	Inspector      *inspect.Inspector
}

// Archive is an archive that is asked about broken targets.
type Archive struct {
	Memento bool   // it answers with TimeMaps (RFC 7089), not as a CDX server
	API     string // its address; a TimeMap's may have {url} in the place of the address that is asked about
	Max     int    // targets that it is asked about
}

// Drift asks whether external pages still say what they said when an earlier run first saw them.
type Drift struct {
	Below  float64          // similarity below which a page has drifted, over 0 to 1
	Accept []*regexp.Regexp // printed URLs of targets whose text of this run is the first from now on
}

// External is the treatment of external targets.
type External uint8

const (
	// CheckExternal requests each external target once.
	CheckExternal External = iota
	// SkipExternal skips external targets.
	SkipExternal
)

// RobotsMode is the set of requests to which robots.txt applies.
type RobotsMode uint8

const (
	// RobotsCrawl obeys robots.txt for pages that are read. It does not apply to other
	// targets, as requesting a single one is like a click in a browser.
	RobotsCrawl RobotsMode = iota
	// RobotsStrict obeys robots.txt for every request.
	RobotsStrict
	// RobotsIgnore ignores robots.txt.
	RobotsIgnore
)

// Rule is a policy for the URLs it matches.
type Rule struct {
	Name    string // as the user wrote it, for messages
	Match   func(printed string) bool
	Accept  *check.Statuses
	Verdict string // "", "ignore", "broken", "unverified"
	// Header is sent to matching URLs. If Match also accepts the https form of an http
	// URL, the http URL gets it only at a start target.
	Header http.Header
	Rate   float64 // requests per second to the hosts of matching URLs; 0 means no limit
	Levels check.Levels
	// BrokenHosts are patterns of hosts, as of path.Match. A matching target that is OK and that
	// one of these hosts answers is broken: it is where parked domains lead to.
	BrokenHosts []string
	// BrokenTexts match the text of pages. A matching target that is OK is broken if one of them
	// matches its page. Targets are requested with GET for that.
	BrokenTexts []TextPattern
	Render      RenderMode // 0 means that of the Config

	use *Use
}

// TextPattern matches a text on a page.
type TextPattern struct {
	Written string // as the user wrote it
	Pattern *regexp.Regexp
}

// HasLevels reports whether the level of any code is set.
func (j *Judging) HasLevels() bool {
	return len(j.Levels) > 0 || slices.ContainsFunc(j.Rules, func(r Rule) bool { return len(r.Levels) > 0 })
}

// WithinDepth reports whether Depth allows pages at a depth to be read.
func (r *Rules) WithinDepth(depth int) bool {
	return !r.LimitsDepth() || depth <= max(r.Depth, 0)
}

// LimitsDepth reports whether Depth is a limit.
func (r *Rules) LimitsDepth() bool { return r.Depth != 0 }

// Seed is a start target of a run.
type Seed struct {
	// URL is the target. The document of a Site has its URL there.
	URL urinorm.URL
	// Follow reads the seed for links even if the scope does not include it.
	Follow bool
	// Crawl makes the seed's site internal. It is not set for a single file, which is
	// read but not crawled.
	Crawl bool
	// Named is set for targets that the user named. They have a reference from
	// CommandLine. Documents found by walking a directory are not named.
	Named bool
	// Raw is the target as the user wrote it.
	Raw string
}
