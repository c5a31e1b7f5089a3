package crawler

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// requests builds and sends the requests of a run: what is requested, with which headers
// of rules, and by which transport. It knows the configuration and the scope, but no
// visit.
type requests struct {
	cfg   *Config
	print *rules.Printer
	rules *rules.TargetRules

	library *library // answers that the browser may need; nil if no page is rendered

	widening sync.Mutex
	scoped   atomic.Pointer[rules.Scope] // read by every worker; only a seed's redirect changes it
}

func newRequests(cfg *Config, seeds []Seed) *requests {
	r := &requests{cfg: cfg, print: rules.NewPrinter(cfg.Sites, cfg.WorkingDir)}
	r.rules = rules.NewTargetRules(cfg, seeds, r.print)
	r.scoped.Store(rules.NewScope(cfg, seeds, r.print))
	return r
}

// scope returns the current scope.
func (r *requests) scope() *rules.Scope { return r.scoped.Load() }

// widen makes the site that a seed redirects to internal.
func (r *requests) widen(to urinorm.URL) {
	r.widening.Lock()
	defer r.widening.Unlock()
	r.scoped.Store(r.scope().Widened(to))
}

// fetch gets a URL from the directory that contains it, or else from the network. Only the
// gate, for a target, and the door decide that a URL may be requested.
func (r *requests) fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if site := r.scope().SiteOf(req.URL); site != nil {
		return site.Fetch(ctx, req)
	}
	fetcher := r.cfg.Fetch
	if r.library != nil {
		fetcher = r.library
	}
	resp, err := fetcher.Fetch(ctx, req)
	if err == nil && len(r.cfg.Types) > 0 {
		if media, ok := r.cfg.Types.Set(rules.DocumentName(req.URL)); ok {
			resp.ContentType = media
		}
	}
	return resp, err
}

// request returns the request for a target, and the user's rule for it.
func (r *requests) request(u urinorm.URL, internal bool) (*fetch.Request, *Rule) {
	req := &fetch.Request{URL: u, Internal: internal || r.scope().Reaches(rules.HrefOf(u))}
	var rule *Rule
	req.Header, rule = r.rules.Header(u)
	return req, rule
}

// content returns a request for the content of a URL that no link names.
func (r *requests) content(u urinorm.URL) *fetch.Request {
	internal, _ := r.scope().Internal(rules.HrefOf(u))
	return &fetch.Request{URL: u, Need: fetch.Content, Internal: internal}
}

// accepted reports whether the user specified that a status counts as ok.
func (r *requests) accepted(u urinorm.URL, status int) bool {
	if status == 0 {
		return false
	}
	if rule := r.rules.Of(u); rule != nil && rule.Accept != nil {
		return rule.Accept.Has(status)
	}
	return r.cfg.Accept.Has(status)
}

// broken reports whether a target will be reported as broken, as far as that is known
// before all pages are read.
func (r *requests) broken(t *frontier.Target, u urinorm.URL, o *check.Outcome) bool {
	if r.accepted(u, o.Status) {
		return false
	}
	rule := r.rules.Of(u)
	if rule != nil && rule.Verdict != "" {
		return rule.Verdict == check.Broken.String()
	}
	g := o.Judge(check.Question{URL: u, Internal: t.Internal, Local: o.Path != ""})
	g.SetLevels(func(code check.Code) check.Level {
		if rule != nil {
			if level := rule.Levels.Of(code, t.Internal); level != "" {
				return level
			}
		}
		return r.cfg.Levels.Of(code, t.Internal)
	})
	return g.Verdict == check.Broken
}

// asksRobots reports whether robots.txt applies to a visit: for pages that are crawled,
// and in strict mode for every request; never for directories, and for loopback hosts
// only on request. The page that a user starts from is like a click in a browser: it is
// read unless the user explicitly asked for robots.txt to be obeyed.
func (r *requests) asksRobots(t *frontier.Target, u urinorm.URL) bool {
	if r.cfg.Robots == RobotsIgnore || r.cfg.Robots == RobotsCrawl && (!t.Follow || t.Seed && !r.cfg.RobotsGiven) {
		return false
	}
	return r.scope().RobotsApply(u)
}

// closeIdle closes connections that no request uses.
func (r *requests) closeIdle() {
	if idle, ok := r.cfg.Fetch.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// faultOutcome returns the outcome of a request without an answer. Any error other than
// a fault ends the run.
func faultOutcome(ctx context.Context, err error) (*check.Outcome, error) {
	fault, ok := errors.AsType[*fetch.Fault](err)
	if !ok {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	o := check.ObserveFault(fault)
	o.LocalLimit = o.LocalLimit && exhausted(fault)
	return &o, nil
}

// requestedRest returns how long a host that has too much to do asked not to be visited, 0 if it
// did not ask.
func requestedRest(o *check.Outcome, h http.Header) time.Duration {
	if !o.Overloaded() {
		return 0
	}
	rest, _ := check.RetryAfter(h, time.Now())
	return rest
}
