package crawler

import (
	"net"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// politeness says how hosts are treated before they have answered.
func (r *requests) politeness() frontier.Politeness {
	return frontier.Politeness{Pace: r.pace, Start: r.startingConcurrency, Gated: r.gated}
}

// pace is the pace that a host starts with. Loopback hosts and directories have no
// limit below the run's own.
func (r *requests) pace(host string) frontier.Pace {
	p := frontier.Pace{Concurrency: r.cfg.PerHost, Interval: r.interval()}
	name := hostOf(host)
	local := name == "" || urinorm.IsLoopback(name) || r.scope().SyntheticHost(host)
	if local && !r.cfg.PerHostGiven {
		p.Concurrency = 0
	}
	if r.scope().SyntheticHost(host) {
		p = frontier.Pace{}
	}
	if p.Concurrency == 0 && p.Interval == 0 {
		p.Concurrency = r.cfg.Concurrency
		if r.cfg.Shared() != nil { // that of all processes is not known
			p.Concurrency = max(p.Concurrency, sharedConcurrency)
		}
	}
	return p
}

// interval is the configured time between two requests to a host.
func (r *requests) interval() time.Duration {
	if r.cfg.Rate > 0 {
		return max(r.cfg.Delay, time.Duration(float64(time.Second)/r.cfg.Rate))
	}
	return r.cfg.Delay
}

// startingConcurrency is the number of concurrent visits that a host without a limit of
// its own starts with: a server on this machine may be a large one or a very small one.
func (r *requests) startingConcurrency(host string) int {
	if !urinorm.IsLoopback(hostOf(host)) || r.cfg.PerHostGiven || r.scope().SyntheticHost(host) {
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
func (r *requests) gated(host string) bool {
	if r.cfg.Robots == RobotsIgnore || host == "" || r.scope().SyntheticHost(host) || !r.cfg.RobotsGiven && urinorm.IsLoopback(hostOf(host)) {
		return false
	}
	if r.cfg.Robots == RobotsStrict || len(r.cfg.Include) > 0 {
		return true
	}
	for _, scheme := range []string{"https://", "http://"} {
		if u, _, err := urinorm.ParseWeb(scheme + host + "/"); err == nil && r.scope().Reaches(rules.HrefOf(u)) {
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
