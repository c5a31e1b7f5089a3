package admit

import (
	"net"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
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

// Pacing is how fast a run may send requests.
type Pacing struct {
	Concurrency, PerHost int // requests under way at once, of all hosts and of one
	PerHostGiven         bool
	// PerDomain and PerAddress are the numbers of requests under way at once to all hosts of one
	// registrable domain, and at one address. 0 means otherSites for hosts of no start target, and no
	// limit for the others; -1 means no limit.
	PerDomain, PerAddress int
	Rate                  float64       // of requests a second to one host; 0 for no limit
	Delay                 time.Duration // between two requests to one host
	Shared                bool          // other processes send requests, too
	Still                 bool          // nothing waits, as nothing is sent
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

// Treatment is a method of [frontier.Politeness].
func (t *Terms) Treatment(host string) frontier.Treatment {
	return frontier.Treatment{Pace: t.pace(host), Start: t.startingConcurrency(host), Gated: t.gated(host)}
}

// IsStill is a method of [frontier.Politeness].
func (t *Terms) IsStill() bool { return t.cfg.Pacing.Still }

// pace is the pace that a host starts with. Loopback hosts and directories have no
// limit below the run's own.
func (t *Terms) pace(host string) frontier.Pace {
	p := frontier.Pace{Concurrency: t.cfg.PerHost, Interval: t.Interval()}
	name := hostOf(host)
	local := name == "" || urinorm.IsLoopback(name) || t.Scope().Sites.SyntheticHost(host)
	if local && !t.cfg.PerHostGiven {
		p.Concurrency = 0
	}
	switch {
	case t.Scope().Sites.SyntheticHost(host):
		p = frontier.Pace{}
	case name != "" && !t.cfg.Pacing.Still:
		p.Within = t.within(host, name)
	}
	if p.Concurrency == 0 && p.Interval == 0 {
		p.Concurrency = t.cfg.Concurrency
		if t.cfg.Shared { // that of all processes is not known
			p.Concurrency = max(p.Concurrency, sharedConcurrency)
		}
	}
	return p
}

// within returns the limits that a host has in common with others. Its address is not known yet.
func (t *Terms) within(host, name string) (w [frontier.Shares]frontier.Share) {
	most := func(given int) int {
		if given == 0 && !urinorm.IsLoopback(name) && !t.reaches(host) {
			return max(otherSites, t.cfg.PerHost)
		}
		return max(0, given)
	}
	w[frontier.ByAddress].Most = most(t.cfg.PerAddress)
	if domain := strings.TrimSuffix(urinorm.RegistrableDomain(name), "."); domain != "" {
		if n := most(t.cfg.PerDomain); n > 0 {
			w[frontier.ByDomain] = frontier.Share{Key: "domain " + domain, Most: n}
		}
	}
	return w
}

// otherSites is the number of requests under way at once to all hosts of a domain, or at an address,
// that are no part of the crawled site: as many as two hosts get. Servers that limit the connections
// of a client allow 10 to 20 for each site as a rule, and a hundred links to sites of one hoster would
// use all connections of a run for a single machine. Answers of 100 ms still make 160 requests a
// second.
const otherSites = 16

// Interval is the configured time between two requests to a host.
func (t *Terms) Interval() time.Duration {
	if t.cfg.Rate > 0 {
		return max(t.cfg.Delay, time.Duration(float64(time.Second)/t.cfg.Rate))
	}
	return t.cfg.Delay
}

// startingConcurrency is the number of concurrent visits that a host without a limit of
// its own starts with: a server on this machine may be a large one or a very small one.
func (t *Terms) startingConcurrency(host string) int {
	if !urinorm.IsLoopback(hostOf(host)) || t.cfg.PerHostGiven || t.Scope().Sites.SyntheticHost(host) {
		return 0
	}
	return loopbackStart
}

const loopbackStart = 4

// sharedConcurrency is the number of concurrent visits that a host without a limit of its own
// gets from several processes.
const sharedConcurrency = 256

// gated reports whether a host gets one visit at a time until its robots.txt is known,
// so that no worker waits for another that requests it.
func (t *Terms) gated(host string) bool {
	if t.cfg.Robots == scope.RobotsIgnore || host == "" || t.Scope().Sites.SyntheticHost(host) || !t.cfg.RobotsGiven && urinorm.IsLoopback(hostOf(host)) {
		return false
	}
	return t.cfg.Robots == scope.RobotsStrict || t.cfg.Includes || t.reaches(host)
}

// reaches reports whether pages of a host may be part of the crawled site.
func (t *Terms) reaches(host string) bool {
	for _, scheme := range []string{"https://", "http://"} {
		if u, _, err := urinorm.ParseWeb(scheme + host + "/"); err == nil && t.Scope().Reaches(scope.HrefOf(u)) {
			return true
		}
	}
	return false
}

// hostOf returns an authority without its port.
func hostOf(authority string) string {
	if h, _, err := net.SplitHostPort(authority); err == nil && !strings.HasSuffix(authority, "]") {
		return strings.Trim(h, "[]")
	}
	return strings.Trim(authority, "[]")
}
