package crawler

import (
	"context"
	"errors"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What stands between a target and its request, in this order:
//
//	a host that was given up   it refused too often, or never answered
//	traps                      a URL that looks like one of an endless series
//	--max-pages                the run's own limit
//	robots.txt                 the host's wishes
//	a probe under way          with --soft-404 a directory is known before its pages

// barred says why a target is not asked at all, or that it must wait a moment for
// what another worker is finding out.
func (w *worker) barred(ctx context.Context, t *frontier.Target, u urinorm.URL, before frontier.Past) (o *check.Outcome, wait bool, err error) {
	if w.frontier.Hosts().GivenUp(t.Host) {
		for _, known := range [][]byte{before.Last, before.Answer} {
			if known == nil {
				continue
			}
			if o, err := check.DecodeOutcome(known); err == nil {
				o.Requests = 0 // they are remembered apart
				return &o, false, nil
			}
		}
		return rules.Skip(check.CodeRateLimited, "not asked: "+t.Host+" refused too many requests before"), false, nil
	}
	if !before.Asked && w.frontier.Hosts().Dead(t.Host) {
		return rules.Skip(check.CodeTimeout, "not asked: "+t.Host+" let many requests before go without any answer"), false, nil
	}
	if pattern, trapped := w.trapped(t, u); trapped {
		w.trap(pattern)
		w.tally.add(tallyTrap+pattern, 1)
		return rules.Skip(check.CodeLimit, "not read, as its URL looks like one of an endless series: "+pattern), false, nil
	}
	if !t.Follow || w.cfg.MaxPages == 0 {
		return w.held(ctx, t, u, before)
	}
	if !w.turns.begin(t.Turn, w.beginsPage) {
		w.leavesOut("max-pages")
		return rules.Skip(check.CodeLimit, "the run ended at its limit of pages"), false, nil
	}
	if o, wait, err = w.held(ctx, t, u, before); o != nil || wait {
		w.begun.Add(-1) // it does not begin
	}
	return o, wait, err
}

// beginsPage counts one more page against the limit, if there is room for it.
func (w *worker) beginsPage() bool {
	if int(w.begun.Add(1)) > w.cfg.MaxPages {
		w.begun.Add(-1)
		return false
	}
	return true
}

// held asks for what must be known before the target is asked.
func (w *worker) held(ctx context.Context, t *frontier.Target, u urinorm.URL, before frontier.Past) (o *check.Outcome, wait bool, err error) {
	if o, err := w.refused(ctx, t, u, before); o != nil || err != nil || !w.compares(u) {
		return o, false, err
	}
	ready, err := w.probes.prepare(ctx, w, u)
	return nil, !ready, err
}

// trapped reports whether a page's URL looks like one of an endless series.
func (w *worker) trapped(t *frontier.Target, u urinorm.URL) (pattern string, trapped bool) {
	if !t.Follow || t.Seed || t.Tries > 0 || w.scope().SiteOf(u) != nil {
		return "", false
	}
	if pattern, trapped = w.traps.Check(u); trapped {
		return pattern, true
	}
	return w.traps.CheckClicks(t.Depth)
}

// refused asks the host's robots.txt, where it has a say.
func (w *worker) refused(ctx context.Context, t *frontier.Target, u urinorm.URL, before frontier.Past) (*check.Outcome, error) {
	if !w.asksRobots(t, u) {
		if t.Wave() >= frontier.Leaves { // no page is waiting for the rules any more
			return nil, w.frontier.Hosts().OpenGate(ctx, t.Host)
		}
		return nil, nil
	}
	robotsTxt, err := w.robots.Rules(ctx, u, w.askRobots)
	if err != nil {
		if fault, ok := errors.AsType[*fetch.Fault](err); ok { // our own machine's
			o, err := w.fault(ctx, fault)
			return o, err
		}
		return nil, err
	}
	if fault := robotsTxt.Fault(); fault != nil {
		if o := w.rulesFault(t, u, fault, before); o != nil {
			return o, nil
		}
	}
	if d := robotsTxt.CrawlDelay(); d > 0 {
		if err := w.frontier.Hosts().Limit(ctx, t.Host, min(d, w.cfg.MaxWait)); err != nil {
			return nil, err
		}
	}
	if err := w.frontier.Hosts().OpenGate(ctx, t.Host); err != nil {
		return nil, err
	}
	if !robotsTxt.Allowed(u.RequestTarget()) {
		return rules.Skip(check.CodeRobotsDisallowed, robotsTxt.Reason(u.RequestTarget())), nil
	}
	return nil, nil
}

// rulesFault is the outcome of a target whose host's robots.txt brought no answer,
// or nil when the refusal that follows from it stands. Where not even a connection
// came about, that says more of the target than any rules could; a request that
// failed says nothing but that it may be repeated.
func (w *worker) rulesFault(t *frontier.Target, u urinorm.URL, fault *fetch.Fault, before frontier.Past) *check.Outcome {
	o := check.ObserveFault(fault)
	o.Requests = 0 // they were not for this target
	if o.Retryable() {
		w.robots.ForgetFailed(u)
	}
	if fault.Op != "fetch" && fault.Op != "read" || o.Retryable() && !t.Second && before.Tries < w.cfg.Retries {
		return &o
	}
	return nil
}

// gated reports whether a host gets one visit at a time until its robots.txt is
// known, so that no worker waits for another that asks for it.
func (r *run) gated(host string) bool {
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
