// Package admit is the door of a crawl: every request passes [Door.Decide], which applies the
// rules, and [Door.Send], which keeps the pace of the host. What a request is for decides which
// rules apply: the table is in purpose.go.
//
//	by, err := door.Decide(ctx, admit.Ask{URL: u, For: admit.Hop, Of: target})
//	if !by.Admitted() { … by.Outcome says why, or by.Wait how long the target must wait }
//	resp, err := door.Send(ctx, by, req) // once
//	door.Observe(target, outcome, began, resp)
package admit

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Door decides about every request of a run, and sends those that it admits.
type Door struct {
	Terms
	Politeness
	Series
	line
	Cycles  Cycles
	Probes  Probes
	Pages   *Pages   // nil without a limit of pages in this process alone
	Library *Library // nil if no page is rendered

	always  context.Context // of requests and records that must not be cut off with the run
	hosts   *frontier.Hosts
	robots  *robots.Cache
	shared  sharedRobots
	cookies *sharedCookies // nil if no other process needs them
	slowed  slowedHosts
	plain   plainHosts
}

// New returns the door of a run. Open must be called before anything is decided.
func New(cfg Config, in *scope.Scope, targets *scope.TargetRules) *Door {
	current := scope.NewCurrent(in)
	return &Door{Terms: Terms{targets, cfg, current}, Politeness: Politeness{cfg.Pacing, cfg.Robots, cfg.RobotsGiven, cfg.Includes, current},
		Series: Series{Traps: trap.New(trap.Limits{}), sites: in.Sites, limited: cfg.MaxPages > 0}}
}

// Single returns a door for requests that are no part of a crawl: those of sessions, and for
// what a user named. It need not be opened.
func Single(by fetch.Fetcher) *Door {
	return New(Config{Fetch: by}, scope.New(scope.Settings{Rules: &scope.Rules{}}, nil), nil)
}

// Get decides about a request beside all visits and sends it, for a purpose that no rule
// refuses. The error is a *fetch.Fault, or one of Send.
func (d *Door) Get(ctx context.Context, what Purpose, req *fetch.Request) (*fetch.Response, error) {
	by, err := d.Decide(ctx, Ask{URL: req.URL, For: what})
	if err != nil {
		return nil, err
	}
	resp, err := d.Send(ctx, by, req)
	if err == nil && resp.Fault != nil {
		err = resp.Fault
	}
	return resp.Response, err
}

// Open opens the door to the hosts of a frontier, whose politeness is that of the door. common
// is what several processes share, nil for a crawl of one process.
func (d *Door) Open(always context.Context, f *frontier.Frontier, common frontier.Common) {
	d.always, d.hosts = always, f.Hosts()
	d.robots = robots.NewCache(d.cfg.RobotsAgent)
	d.line = line{always, f, newPlaces(d.hosts, d.cfg.Fetch, f.Sharing() != nil)}
	d.shared = sharedRobots{always: always, common: common}
	d.Sitemaps.share(always, common)
	if d.uncounted = f.Sharing() != nil; common != nil {
		d.Traps.Share(always, common)
		d.cookies = newSharedCookies(always, d.cfg.Cookies, common)
	} else if d.cfg.MaxPages > 0 {
		d.Pages = newPages(d.cfg.MaxPages)
	}
	if d.cfg.Renders {
		d.Library = newLibrary(always, &d.cfg, d.places)
	}
}

// CloseIdle closes connections that no request uses.
func (d *Door) CloseIdle() {
	if idle, ok := d.cfg.Fetch.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// Ask is a request that is to be decided about.
type Ask struct {
	URL urinorm.URL
	For Purpose
	Of  *Target // whose visit needs it; nil for a request beside all visits
}

// Decision is what the door says to an Ask: it admits the request, refuses it, or lets the
// target wait.
type Decision struct {
	Outcome   *judging.Outcome // why the request must not be sent; nil if it may, or if there is a wait
	Wait      time.Duration    // for robots.txt, or for the turn of a page
	Again     bool             // the target has to be handed out again: the address of its host was not known
	Requests  int              // that were necessary to decide
	Trap      string           // the pattern of an endless series that the URL is one of
	Temporary bool             // the outcome, that of an unavailable robots.txt, may be another one later
	pass      *pass
}

// pass lets one request through. Only Decide makes it.
type pass struct {
	ask  Ask
	sent bool
}

// Admitted reports whether the request may be sent.
func (by Decision) Admitted() bool { return by.pass != nil }

var errPass = errors.New("send a request: nobody has decided about it, or it was sent before")

// use uses the pass for a request to a URL.
func (by Decision) use(u urinorm.URL) (*pass, error) {
	if by.pass == nil || by.pass.sent || by.pass.ask.URL != u {
		return nil, errPass
	}
	by.pass.sent = true
	return by.pass, nil
}

// Decide decides about a request. It does not wait for the pace of a host, but it requests the
// robots.txt that it needs: a worker that holds one of the slots for computing gives it back
// before. An error means that the run cannot go on.
func (d *Door) Decide(ctx context.Context, a Ask) (Decision, error) {
	decide := d.decideBeside
	if a.For == Visit {
		decide = d.decideVisit
	}
	by, err := decide(ctx, a)
	if err == nil && by.Outcome == nil && by.Wait == 0 && !by.Again {
		by.pass = &pass{ask: a}
	}
	return by, err
}

// decideBeside decides about a request that no target of the frontier stands for.
func (d *Door) decideBeside(ctx context.Context, a Ask) (by Decision, err error) {
	in, href := d.Scope(), scope.HrefOf(a.URL)
	if !href.IsHTTP() || in.Sites.Of(a.URL) != nil { // there is no network
		return by, nil
	}
	if in.Sites.SyntheticHost(a.URL.Authority()) {
		return refused(check.CodeExcluded, "no document of the directory"), nil
	}
	if a.For.applies(ruleExcluded) {
		if by.Outcome = in.Excluded(href); by.Outcome != nil {
			return by, nil
		}
	}
	internal, _ := in.Internal(href)
	// The robots.txt of a site may be above the directory of its pages.
	inside := internal || a.For == RobotsHop && in.Reaches(href)
	if a.For.applies(ruleExternal) && !inside && d.cfg.SkipExternal {
		return Decision{Outcome: scope.LeftOut}, nil
	}
	if a.For.applies(ruleSignOut) && in.LeavesAlone(href, internal, false) {
		return refused(check.CodeExcluded, scope.SignOutReason), nil
	}
	if host := a.URL.Authority(); a.For.applies(ruleGivenUp) && (d.hosts.GivenUp(host) || d.hosts.Dead(host)) {
		return refused(check.CodeRateLimited, "not asked: "+host+" refused too many requests before, or never answered"), nil
	}
	if !a.For.applies(ruleRobots) || !d.asksRobots(a) {
		return by, nil
	}
	allowed, reason, requests, err := d.allowed(ctx, a.URL)
	if err == nil && !allowed {
		by = refused(judging.CodeRobotsDisallowed, reason)
	}
	by.Requests = requests
	return by, err
}

func refused(code check.Code, why string) Decision {
	return Decision{Outcome: scope.Skip(code, why)}
}

// Response is the answer to a request, or why there is none.
type Response struct {
	*fetch.Response              // nil if there is no answer
	Fault           *fetch.Fault // why; nil if there is an answer
	Sent            int          // requests that were sent now
	Latency         time.Duration
	Rest            time.Duration // how long a host that has too much to do asked not to be visited
}

// Observe returns the outcome of the request.
func (r *Response) Observe(q judging.Question) judging.Outcome {
	if r.Fault != nil {
		o := judging.ObserveFault(r.Fault)
		o.LocalLimit = o.LocalLimit && exhausted(r.Fault)
		return o
	}
	return judging.Observe(q, r.Response)
}

// Close closes the body.
func (r *Response) Close() {
	if r.Response != nil && r.Body != nil {
		r.Body.Close()
	}
}

// Send sends a request that was decided about, when there is a place for it at its host and its
// turn has come. An error means that the run was cut off, or cannot go on.
func (d *Door) Send(ctx context.Context, by Decision, req *fetch.Request) (Response, error) {
	p, err := by.use(req.URL)
	if err != nil {
		return Response{}, err
	}
	began := time.Now()
	resp, err := d.send(ctx, &p.ask, req)
	d.cookies.tell()
	r := Response{Latency: time.Since(began)}
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		r.Fault, r.Sent = fault, fault.Requests
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Response, r.Sent = resp, resp.Requests-resp.Kept
	r.Rest = restFor(&judging.Outcome{Status: resp.Status}, resp.Header)
	return r, nil
}

func (d *Door) send(ctx context.Context, a *Ask, req *fetch.Request) (*fetch.Response, error) {
	if site := d.Scope().Sites.Of(req.URL); site != nil { // there is no network
		return site.Fetch(ctx, req)
	}
	switch {
	case a.For == Session:
		ctx = traffic.WithAsker(ctx, traffic.Asker{Hidden: true})
	case a.Of != nil && a.For.isOfVisit():
		ctx = traffic.WithAsker(ctx, traffic.Asker{URL: a.Of.At, Visit: true, First: a.For == Visit && a.Of.Past.Tries == 0 && !a.Of.Second})
	}
	if host := req.URL.Authority(); a.Of != nil && host != "" { // a file has no host
		if err := d.goTo(ctx, a.Of, req.URL); err != nil {
			return nil, err
		}
		ctx = traffic.WithPace(ctx, a.Of.Sending.pace)
	}
	if a.Of == nil && a.For != Reread {
		return d.cfg.Fetch.Fetch(ctx, req)
	}
	resp, err := d.fetchOrKept(ctx, a, req)
	if err == nil && len(d.cfg.Types) > 0 {
		if media, ok := d.cfg.Types.Set(scope.DocumentName(req.URL)); ok {
			resp.ContentType = media
		}
	}
	return resp, err
}

// fetchOrKept sends a request, unless the browser has needed the answer before.
func (d *Door) fetchOrKept(ctx context.Context, a *Ask, req *fetch.Request) (*fetch.Response, error) {
	if d.Library == nil {
		return d.cfg.Fetch.Fetch(ctx, req)
	}
	// The answer was a reason to ask again, or was given for other cookies.
	if a.For == Hop || a.For == Visit && a.Of.Past.Tries > 0 {
		d.Library.forget(keyOf(req), nil)
	}
	return d.Library.fetch(ctx, req)
}

// exhausted reports whether a fault of this machine may be avoided by sending fewer
// requests at once. An unreachable proxy is not such a fault.
func exhausted(fault *fetch.Fault) bool {
	for _, errno := range [...]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE,
		syscall.ENOBUFS, syscall.ENOMEM, syscall.EAGAIN} {
		if fetch.HasErrno(fault, errno) {
			return true
		}
	}
	return false
}

// restFor returns how long a host that has too much to do asked not to be visited, 0 if it did
// not ask.
func restFor(o *judging.Outcome, h http.Header) time.Duration {
	if !o.Overloaded() {
		return 0
	}
	rest, _ := fetch.RetryAfter(h, time.Now())
	return rest
}

// Observe lets the pace of a target's host adapt to its outcome: resp is the answer to the
// request that began at a time. When a host is slowed for the first time, note says so.
func (d *Door) Observe(t *Target, o *judging.Outcome, began time.Time, resp Response) (note string, err error) {
	seen := frontier.Answer{Started: began, Overloaded: o.Overloaded(), Repeated: t.Tries > 0, RestFor: resp.Rest, Latency: resp.Latency}
	if resp.Response != nil {
		seen.Dialed = resp.Dialed
	}
	if resp.Rest > d.cfg.MaxWait {
		seen.RestFor, seen.TooLong = 0, true
	}
	seen.Silent = o.Status == 0 && o.Code != check.CodeOK && o.Code != check.CodeFileMissing && d.Scope().Sites.Of(t.At) == nil
	seen.TimedOut = seen.Silent && o.Code == check.CodeTimeout
	err = d.hosts.Observe(d.always, t.Host, seen)
	if seen.Overloaded && !d.Still && d.slowed.first(t.Host) {
		note = slowedNote(t.Host, o.Status, d.hosts.Pace(t.Host), seen.RestFor)
	}
	return note, err
}
