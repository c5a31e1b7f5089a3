package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// gate decides whether a target is requested now.
type gate struct{ visit *visit }

// decide decides whether the target is requested now. It checks, in this order:
//
//	a sign-in that failed      for start targets; nothing else of the host is known then
//	the door                   see package admit
//	a browser                  it may need the content, which only pages tell
//	a sign-in in progress      what is requested meanwhile would be requested again
//	a probe in progress        with --soft-404, a directory is probed before its pages
func (g gate) decide(ctx context.Context) (by admit.Decision, err error) {
	v := g.visit
	in := v.run.sessions.of(v.u)
	if in != nil && v.t.Seed {
		if by.Outcome = in.outcomeIfOver(); by.Outcome != nil {
			return by, nil
		}
	}
	by, err = v.run.door.Decide(ctx, admit.Ask{URL: v.u, For: admit.Visit, Of: &v.target, Past: &v.past})
	v.worker.tally.count(countRequests, by.Requests)
	v.robotsFailed = by.Temporary
	if by.Trap != "" {
		v.worker.noteTrap(by.Trap)
	}
	if err != nil || !by.Admitted() {
		return by, err
	}
	o, wait, err := g.held(ctx, in)
	if o != nil || wait > 0 {
		by = admit.Decision{Outcome: o, Wait: wait}
		v.notBegun()
	}
	return by, err
}

// notBegun makes room for another page under the limit of pages.
func (v *visit) notBegun() {
	if v.t.Follow && !v.again {
		v.run.door.Pages.TakeBack()
	}
}

// held returns the outcome of a target whose session is over, or how long it must wait for what
// others are finding out.
func (g gate) held(ctx context.Context, in *signedIn) (o *check.Outcome, wait time.Duration, err error) {
	v := g.visit
	if early, err := g.early(); early || err != nil {
		v.past.Waited++
		return nil, frontier.Backoff(50*time.Millisecond, v.past.Waited-1, time.Second), err
	}
	ready := true
	if in != nil {
		o, ready = in.admit(v)
	}
	if o == nil && ready && v.run.door.Scope().Compares(v.u) { // the probe is part of the session, too
		var requests int
		ready, requests, err = v.run.door.Probe(ctx, &v.target, v.u)
		v.worker.tally.count(countRequests, requests)
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
	if v.run.rendering == nil || v.t.Follow || v.t.Second || !rules.HrefOf(v.u).IsHTTP() || v.run.door.Scope().SiteOf(v.u) != nil {
		return false, nil
	}
	c, err := v.run.frontier.Count(v.run.always)
	return c.Pages > 0, err
}

// leaveOutTrap is noteTrap for a page that was requested.
func (v *visit) leaveOutTrap(pattern string) {
	v.worker.noteTrap(pattern)
	v.worker.tally.leftOut(check.GapTrap)
}
