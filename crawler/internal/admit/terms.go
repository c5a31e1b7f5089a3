package admit

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Config is what the door must know of the configuration of a run. The scope knows the rules
// that depend on URLs.
type Config struct {
	Fetch        fetch.Fetcher
	Types        fetch.Types
	SkipExternal bool
	LeavesSome   bool // targets that links say sign out or delete are not requested
	Robots       scope.RobotsMode
	RobotsGiven  bool
	RobotsAgent  string
	MaxPages     int
	MaxWait      time.Duration
	Retries      int
	Backoff      time.Duration
	Renders      bool  // answers are kept for the browser
	MaxBody      int64 // of those, in bytes
	Includes     bool  // pages of any host may be internal
	// Cookies, if not nil, has the cookies that all processes of a crawl share.
	Cookies *fetch.HTTP
	Pacing
}

// Terms are what the configuration and the scope of a run say about its requests.
type Terms struct {
	Rules *scope.TargetRules

	cfg Config
	*scope.Current
}

// Request returns the request for a target, and the user's rule for it.
func (t *Terms) Request(u urinorm.URL, internal bool) (*fetch.Request, *scope.Rule) {
	req := &fetch.Request{URL: u, Internal: internal || t.Scope().Reaches(scope.HrefOf(u))}
	var rule *scope.Rule
	req.Header, rule = t.Rules.Header(u)
	return req, rule
}

// contentRequest returns a request for the content of a URL that no link names.
func contentRequest(in *scope.Scope, u urinorm.URL) *fetch.Request {
	internal, _ := in.Internal(scope.HrefOf(u))
	return &fetch.Request{URL: u, Need: fetch.Content, Internal: internal}
}

// asksRobots reports whether robots.txt applies to a request: for pages that are crawled,
// and in strict mode for every request; never for directories, and for loopback hosts
// only on request. The page that a user starts from is like a click in a browser: it is
// read unless the user explicitly asked for robots.txt to be obeyed.
func (t *Terms) asksRobots(a Ask) bool {
	page := a.For == Document
	switch a.For {
	case Visit:
		page = a.Of.Follow && (!a.Of.Seed || t.cfg.RobotsGiven)
	case Hop:
		page = a.Of.Follow
	}
	return (t.cfg.Robots == scope.RobotsStrict || t.cfg.Robots == scope.RobotsCrawl && page) && t.Scope().RobotsApply(a.URL)
}

// retryRobots decides whether a robots.txt is requested again after a failure, as the crawl
// does for a target.
func (t *Terms) retryRobots(f *robots.Failure, failures int) (wait time.Duration, again bool) {
	o := robotsOutcome(f)
	rest := restFor(&o, f.Header)
	if !o.Retryable() || failures > t.cfg.Retries || rest > t.cfg.MaxWait {
		return 0, false
	}
	return max(fetch.Backoff(t.cfg.Backoff, failures-1, fetch.MaxBackoff), rest), true
}
