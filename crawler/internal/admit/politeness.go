package admit

import (
	"net"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

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

// Politeness says how the hosts of a run may be visited before they have answered. It is a
// [frontier.Politeness].
type Politeness struct {
	Pacing
	robots                scope.RobotsMode
	robotsGiven, includes bool // see Config
	in                    *scope.Current
}

// Treatment is a method of [frontier.Politeness].
func (p *Politeness) Treatment(host string) frontier.Treatment {
	return frontier.Treatment{Pace: p.pace(host), Start: p.startingConcurrency(host), Gated: p.gated(host)}
}

// IsStill is a method of [frontier.Politeness].
func (p *Politeness) IsStill() bool { return p.Still }

// pace is the pace that a host starts with. Loopback hosts and directories have no
// limit below the run's own.
func (p *Politeness) pace(host string) frontier.Pace {
	own := frontier.Pace{Concurrency: p.PerHost, Interval: p.Interval()}
	name := hostOf(host)
	local := name == "" || urinorm.IsLoopback(name) || p.in.Scope().Sites.SyntheticHost(host)
	if local && !p.PerHostGiven {
		own.Concurrency = 0
	}
	switch {
	case p.in.Scope().Sites.SyntheticHost(host):
		own = frontier.Pace{}
	case name != "" && !p.Still:
		own.Within = p.within(host, name)
	}
	if own.Concurrency == 0 && own.Interval == 0 {
		own.Concurrency = p.Concurrency
		if p.Shared { // that of all processes is not known
			own.Concurrency = max(own.Concurrency, sharedConcurrency)
		}
	}
	return own
}

// within returns the limits that a host has in common with others. Its address is not known yet.
func (p *Politeness) within(host, name string) (w [frontier.Shares]frontier.Share) {
	most := func(given int) int {
		if given == 0 && !urinorm.IsLoopback(name) && !p.reaches(host) {
			return max(otherSites, p.PerHost)
		}
		return max(0, given)
	}
	w[frontier.ByAddress].Most = most(p.PerAddress)
	if domain := strings.TrimSuffix(urinorm.RegistrableDomain(name), "."); domain != "" {
		if n := most(p.PerDomain); n > 0 {
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
func (p *Politeness) Interval() time.Duration {
	if p.Rate > 0 {
		return max(p.Delay, time.Duration(float64(time.Second)/p.Rate))
	}
	return p.Delay
}

// startingConcurrency is the number of concurrent visits that a host without a limit of
// its own starts with: a server on this machine may be a large one or a very small one.
func (p *Politeness) startingConcurrency(host string) int {
	if !urinorm.IsLoopback(hostOf(host)) || p.PerHostGiven || p.in.Scope().Sites.SyntheticHost(host) {
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
func (p *Politeness) gated(host string) bool {
	if p.robots == scope.RobotsIgnore || host == "" || p.in.Scope().Sites.SyntheticHost(host) || !p.robotsGiven && urinorm.IsLoopback(hostOf(host)) {
		return false
	}
	return p.robots == scope.RobotsStrict || p.includes || p.reaches(host)
}

// reaches reports whether pages of a host may be part of the crawled site.
func (p *Politeness) reaches(host string) bool {
	for _, scheme := range []string{"https://", "http://"} {
		if u, _, err := urinorm.ParseWeb(scheme + host + "/"); err == nil && p.in.Scope().Reaches(scope.HrefOf(u)) {
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
