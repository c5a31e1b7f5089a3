package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// gate decides whether a target is requested at all. It checks, in this order:
//
//	a sign-in that failed      for start targets; nothing else of the host is known then
//	a link that signs out      another link to the target says so
//	a host that was given up   it refused too often, or never answered
//	long URLs                  a page whose URL is longer than verdicts.MaxPageURL
//	traps                      a URL that looks like one of an endless series
//	--max-pages                the run's own limit
//	robots.txt                 what the host allows
//	a sign-in in progress      what is requested meanwhile would be requested again
//	a probe in progress        with --soft-404, a directory is probed before its pages
type gate struct{ visit *visit }

// gatePass lets another visit pass the gate of a host, see frontier.Hosts.PassGate. The zero
// value does nothing.
type gatePass struct {
	back func() error
}

// end takes the pass back. It is called before the target is settled or deferred: afterwards,
// two visits that need the rules of the host could pass.
func (p *gatePass) end() error {
	back := p.back
	if back == nil {
		return nil
	}
	p.back = nil
	return back()
}

// barred returns the outcome of a target that is not requested at all, or reports that
// how long the target must wait for robots.txt or for what another worker is finding out.
func (g gate) barred(ctx context.Context) (o *check.Outcome, wait time.Duration, err error) {
	v := g.visit
	if in := v.run.sessions.of(v.u); in != nil && v.t.Seed {
		if o := in.outcomeIfOver(); o != nil {
			return o, 0, nil
		}
	}
	if v.t.Left && v.run.cfg.LeavesSomeAlone() {
		return rules.Skip(check.CodeExcluded, rules.SignOutReason), 0, nil
	}
	if v.run.frontier.Hosts().GivenUp(v.t.Host) {
		for _, known := range [][]byte{v.past.Last, v.past.Answer} {
			if known == nil {
				continue
			}
			if o, err := check.DecodeOutcome(known); err == nil {
				o.Requests = 0 // the past counts them
				return &o, 0, nil
			}
		}
		return rules.Skip(check.CodeRateLimited, "not asked: "+v.t.Host+" refused too many requests before"), 0, nil
	}
	if !v.past.Asked && v.run.frontier.Hosts().Dead(v.t.Host) {
		return rules.Skip(check.CodeTimeout, "not asked: "+v.t.Host+" let many requests before go without any answer"), 0, nil
	}
	if g.tooLong() {
		return check.LeftOut(check.GapURLLength, "not read, as its URL is longer than %d bytes", verdicts.MaxPageURL), 0, nil
	}
	pattern, trapped := g.trapped()
	if !trapped {
		pattern, trapped = g.cut()
	}
	if trapped {
		v.worker.noteTrap(pattern)
		return check.LeftOut(check.GapTrap, "not read, as its URL looks like one of an endless series: %s", pattern), 0, nil
	}
	if !v.t.Follow || v.run.cfg.MaxPages == 0 || v.again {
		return g.held(ctx)
	}
	if v.run.frontier.Sharing() != nil {
		return g.beginSharedPage(ctx)
	}
	if !v.run.turns.begin(v.t.Turn, g.beginsPage) {
		return check.LeftOut(check.GapMaxPages, "the run ended at its limit of pages"), 0, nil
	}
	if o, wait, err = g.held(ctx); o != nil || wait > 0 {
		v.run.begun.Add(-1) // it does not begin
	}
	return o, wait, err
}

// beginSharedPage counts one more page against the limit of all processes.
func (g gate) beginSharedPage(ctx context.Context) (o *check.Outcome, wait time.Duration, err error) {
	v := g.visit
	turn, err := v.run.frontier.Sharing().BeginPage(v.run.always, v.t, v.run.cfg.MaxPages)
	switch {
	case err != nil:
		return nil, 0, err
	case turn == frontier.PageWaits:
		return nil, 100 * time.Millisecond, nil
	case turn == frontier.PageLimit:
		return check.LeftOut(check.GapMaxPages, "the run ended at its limit of pages"), 0, nil
	}
	return g.held(ctx)
}

// beginsPage counts one more page against the limit, unless the limit is reached.
func (g gate) beginsPage() bool {
	run := g.visit.run
	if int(run.begun.Add(1)) > run.cfg.MaxPages {
		run.begun.Add(-1)
		return false
	}
	return true
}

// held fetches what must be known before the target is requested.
func (g gate) held(ctx context.Context) (o *check.Outcome, wait time.Duration, err error) {
	v := g.visit
	if o, wait, err := g.refused(ctx); o != nil || wait > 0 || err != nil {
		return o, wait, err
	}
	if early, err := g.early(); early || err != nil {
		v.past.Waited++
		return nil, frontier.Backoff(50*time.Millisecond, v.past.Waited-1, time.Second), err
	}
	ready := true
	in := v.run.sessions.of(v.u)
	if in != nil {
		o, ready = in.admit(v)
	}
	if o == nil && ready && v.run.requests.scope().Compares(v.u) { // the probe is part of the session, too
		ready, err = v.run.probes.prepare(ctx, &v.line, v.u)
		if !ready && in != nil {
			in.dismiss(v)
		}
	}
	if !ready {
		v.past.Waited++
		wait = frontier.Backoff(20*time.Millisecond, v.past.Waited-1, 100*time.Millisecond)
	}
	return o, wait, err
}

// early reports whether a target must wait until all pages are read, as the browser may
// need its content for one of them: it is not requested twice, in whatever order.
func (g gate) early() (bool, error) {
	v := g.visit
	if v.run.rendering == nil || v.t.Follow || v.t.Second || !rules.HrefOf(v.u).IsHTTP() || v.run.requests.scope().SiteOf(v.u) != nil {
		return false, nil
	}
	c, err := v.run.frontier.Count(v.run.always)
	return c.Pages > 0, err
}

// tooLong reports whether a page's URL is longer than verdicts.MaxPageURL.
func (g gate) tooLong() bool {
	v, t := g.visit, g.visit.t
	return len(t.URL) > verdicts.MaxPageURL && t.Follow && !t.Seed && v.run.requests.scope().SiteOf(v.u) == nil
}

// leaveOutTrap is noteTrap for a page that was requested.
func (v *visit) leaveOutTrap(pattern string) {
	v.worker.noteTrap(pattern)
	v.worker.tally.leftOut(check.GapTrap)
}

// trapped reports whether a page's URL looks like one of an endless series.
func (g gate) trapped() (pattern string, trapped bool) {
	v, t := g.visit, g.visit.t
	if !t.Follow || t.Seed || t.Tries > 0 || v.again || v.run.rendering.isView(v.u) || v.run.requests.scope().SiteOf(v.u) != nil {
		return "", false
	}
	if pattern, trapped = v.run.traps.Check(v.u); trapped {
		return pattern, true
	}
	return v.run.traps.CheckClicks(t.Depth)
}

// refused returns the outcome of a target that the host's robots.txt does not allow, or how
// long the target must wait for robots.txt.
func (g gate) refused(ctx context.Context) (o *check.Outcome, wait time.Duration, err error) {
	v := g.visit
	hosts := v.run.frontier.Hosts()
	if !v.run.requests.asksRobots(v.t, v.u) {
		if v.t.Wave() >= frontier.Leaves { // no page is waiting for the rules any more
			return nil, 0, hosts.OpenGate(ctx, v.t.Host)
		}
		if v.t.Seed {
			v.gatePass.back, err = hosts.PassGate(v.run.always, v.t.Host)
		}
		return nil, 0, err
	}
	robotsTxt, wait, err := v.robotsTxt(ctx)
	if fault, ok := errors.AsType[*fetch.Fault](err); ok { // our own machine's
		o, err := faultOutcome(ctx, fault)
		return o, 0, err
	}
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	if d := robotsTxt.CrawlDelay(); d > 0 {
		if err := hosts.Limit(ctx, v.t.Host, min(d, v.run.cfg.MaxWait)); err != nil {
			return nil, 0, err
		}
	}
	if err := hosts.OpenGate(ctx, v.t.Host); err != nil {
		return nil, 0, err
	}
	if f := robotsTxt.Failure(); f != nil {
		if o := g.unavailable(f); o != nil {
			return o, 0, nil
		}
	}
	if !robotsTxt.Allowed(v.u.RequestTarget()) {
		return rules.Skip(check.CodeRobotsDisallowed, robotsTxt.Reason(v.u.RequestTarget())), 0, nil
	}
	return nil, 0, nil
}

// unavailable returns the outcome of a target whose robots.txt is unavailable after its
// retries, or nil if the target is refused for that reason. If there was no connection,
// the target has the same fault.
func (g gate) unavailable(f *robots.Failure) *check.Outcome {
	o := robotsOutcome(f)
	o.Requests = 0 // they were not for this target
	g.visit.robotsFailed = o.Retryable() && requestedRest(&o, f.Header) <= g.visit.run.cfg.MaxWait
	if f.Fault != nil && f.Fault.Op != "fetch" && f.Fault.Op != "read" {
		return &o
	}
	return nil
}

// robotsTxt returns the rules of the target's origin. If its robots.txt is unavailable
// and will be requested again, robotsTxt lets the host rest until then, and returns how
// long the target must wait.
func (v *visit) robotsTxt(ctx context.Context) (txt *robots.Rules, wait time.Duration, err error) {
	if v.t.Second {
		v.run.robots.RequestOnceMore(v.u)
	}
	requests := 0
	txt, err = v.run.robots.Rules(ctx, v.u, v.run.door.askRobots(&requests))
	v.worker.tally.count(countRequests, requests)
	if err != nil {
		return nil, 0, err
	}
	next, again := txt.Next()
	if !again {
		return txt, 0, nil
	}
	// The time may have come meanwhile; the wait is positive in any case.
	return txt, max(time.Until(next), time.Nanosecond), v.run.frontier.Hosts().Rest(v.run.always, v.t.Host, next)
}

// retryRobots decides whether a robots.txt is requested again after a failure, as
// visit.retry does for a target.
func (r *requests) retryRobots(f *robots.Failure, failures int) (wait time.Duration, again bool) {
	o := robotsOutcome(f)
	rest := requestedRest(&o, f.Header)
	if !o.Retryable() || failures > r.cfg.Retries || rest > r.cfg.MaxWait {
		return 0, false
	}
	return max(frontier.Backoff(r.cfg.Backoff, failures-1, frontier.MaxBackoff), rest), true
}

// robotsOutcome returns the outcome of a failed request for robots.txt.
func robotsOutcome(f *robots.Failure) check.Outcome {
	if f.Fault != nil {
		return check.ObserveFault(f.Fault)
	}
	return check.Observe(check.Question{}, &fetch.Response{Status: f.Status, Header: f.Header})
}
