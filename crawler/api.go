package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What the rooms of the engine need as well, under the names for callers.
type (
	// Seed is a start target of a run.
	Seed = scope.Seed
	// Rule is a policy for the URLs that it matches, and TextPattern a text on pages that it calls
	// broken.
	Rule        = scope.Rule
	TextPattern = scope.TextPattern
	// Remap replaces the URLs of links: every match of its pattern in the printed URL.
	Remap = scope.Remap
	// Hides says which settings come from a configuration file that the user did not name.
	Hides = scope.Hides

	// ScopeRule is the extent of a seed's site, External the treatment of external targets,
	// RobotsMode the set of requests to which robots.txt applies, and RenderMode says which pages
	// a browser renders.
	ScopeRule  = scope.Extent
	External   = scope.External
	RobotsMode = scope.RobotsMode
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

// Unchecked returns what a run says of a link whose scheme it does not request, from its address
// alone: check.CodeOK for one that is checked without a request, such as mailto.
func Unchecked(u urinorm.URL) (code check.Code, message string) {
	o := judging.UncheckedScheme(u.String())
	return o.Code, o.Message
}

// Get requests a document that the user named, without a crawl. It follows no redirect. The
// error is a *fetch.Fault, or that of the context.
func Get(ctx context.Context, by fetch.Fetcher, req *fetch.Request) (*fetch.Response, error) {
	return admit.Single(by).Get(ctx, admit.Named, req)
}

// Wayback is the address of the Wayback Machine, for Config.Archive.
const Wayback = verdicts.Wayback

// Acts reports whether the text of a link is a word for signing out or deleting.
func Acts(text []byte) bool { return scope.Acts(text) }

// ReservedName returns the domain reserved for examples and tests (RFC 2606) that a URL belongs
// to; "" if there is none.
func ReservedName(u urinorm.URL) string { return scope.ReservedName(scope.HrefOf(u)) }

// RuleFor returns the rule that applies to a printed target, or nil.
func (j *Judging) RuleFor(printed string) *Rule { return (*scope.Judging)(j).RuleFor(printed) }

// Reaches returns the function that reports whether the pages of a URL's host may be read for
// links, in a run that starts from seeds.
func (c *Config) Reaches(seeds []Seed) func(urinorm.URL) bool {
	s := c.newScope(seeds)
	return func(u urinorm.URL) bool { return s.Reaches(scope.HrefOf(u)) }
}

// Inputs returns what a run would read first, as reports print it. "-" is standard input.
func (c *Config) Inputs(seeds []Seed) (names []string) {
	s := c.newScope(seeds)
	for i := range seeds {
		seed := &seeds[i]
		switch u := scope.HrefOf(seed.URL); {
		case s.Excluded(u) != nil || !seed.Named && s.Unfollowed(u):
		case seed.Raw == "-":
			names = append(names, "-")
		default:
			names = append(names, s.Print.URL(seed.URL))
		}
	}
	return names
}
