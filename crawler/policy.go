package crawler

import (
	"context"
	"net"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// hostOf takes the port off an authority.
func hostOf(authority string) string {
	if h, _, err := net.SplitHostPort(authority); err == nil && !strings.HasSuffix(authority, "]") {
		return strings.Trim(h, "[]")
	}
	return strings.Trim(authority, "[]")
}

// asksRobots reports whether robots.txt has a say in a visit: for pages that are
// crawled, in strict mode for every request; never for directories, and for
// loopback hosts only when that was asked for. The page a user starts from is like
// a browser's click: it is read unless robots.txt was asked for by name.
func (r *run) asksRobots(t *frontier.Target, u urinorm.URL) bool {
	if r.cfg.Robots == RobotsIgnore || r.cfg.Robots == RobotsCrawl && (!t.Follow || t.Seed && !r.cfg.RobotsGiven) {
		return false
	}
	return r.scope().RobotsApply(u)
}

// entrusts reports whether what was given for the internal hosts goes along to an
// Internal URL.
func (r *run) entrusts(u urinorm.URL, internal bool) bool {
	return internal && r.scope().Named(rules.HrefOf(u))
}

// askRobots fetches a robots.txt; redirects are the cache's affair.
func (w *worker) askRobots(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
	inside, _ := w.scope().Internal(rules.HrefOf(u))
	resp, err := w.cfg.Fetch.Fetch(ctx, &fetch.Request{URL: u, Need: fetch.Content, Internal: w.entrusts(u, inside)})
	if resp != nil {
		w.count(countRequests, resp.Requests)
	}
	return resp, err
}

// isSeed reports whether a document is one of the seeds.
func (r *run) isSeed(u urinorm.URL) bool {
	_, ok := r.seeded[u.String()]
	return ok
}

// isPage reports whether an answer is a document that holds links.
func isPage(o *check.Outcome) bool {
	return o.ContentType == "text/html" || o.ContentType == "application/xhtml+xml"
}

// ruleOf returns the user's rule for a URL that is about to be asked.
func (r *run) ruleOf(u urinorm.URL) *Rule {
	if len(r.cfg.Rules) == 0 {
		return nil
	}
	return r.cfg.MatchingRule(r.print.URL(u))
}
