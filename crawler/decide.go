package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
)

// decide decides whether a target is requested now. If it is not, the settlement has its outcome,
// or says how long it must wait. decide checks, in this order:
//
//	a sign-in that failed      for start targets; nothing else of the host is known then
//	the door                   see package admit
//	a browser                  it may need the content, which only pages tell
//	a sign-in in progress      what is requested meanwhile would be requested again
//	a probe in progress        with --soft-404, a directory is probed before its pages
func (v *visitor) decide(ctx context.Context, t *admit.Target) (s settlement, by admit.Decision, err error) {
	s = settlement{Target: t, Past: t.Past, Content: reading.Content{At: t.At}}
	in := v.sessions.Of(t.At)
	if in != nil && t.Seed {
		if s.Outcome = in.Over(); s.Outcome != nil {
			return s, by, nil
		}
	}
	by, err = v.door.Decide(ctx, admit.Ask{URL: t.At, For: admit.Visit, Of: t})
	s.Outcome, s.Wait, s.Again, s.Unsure = by.Outcome, by.Wait, by.Again, by.Temporary
	s.Counts.Of[stored.Requests] = by.Requests
	if by.Trap != "" {
		s.Counts.Traps = []string{by.Trap}
	}
	if err != nil || !by.Admitted() {
		return s, by, err
	}
	if s, err = v.await(ctx, in, s); s.Outcome != nil || s.Wait > 0 || s.Again {
		by = admit.Decision{}
		v.notBegun(t)
	}
	return s, by, err
}

// notBegun makes room for another page under the limit of pages.
func (v *visitor) notBegun(t *admit.Target) {
	if t.Follow && !t.Again {
		v.door.Pages.TakeBack()
	}
}

// await adds to a settlement the outcome of a target whose session is over, or how long the target
// must wait for what others are finding out.
func (v *visitor) await(ctx context.Context, in *signin.Session[settlement], s settlement) (settlement, error) {
	t := s.Target
	if early, err := v.early(t); early || err != nil {
		return s.waiting(50*time.Millisecond, time.Second), err
	}
	ready := true
	if in != nil {
		s.Outcome, s.Held.Alone, ready = in.Admit(t.Lease.ID)
		s.Held.ID, t.Session = t.Lease.ID, s.Outcome == nil && ready
	}
	var err error
	if s.Outcome == nil && ready && v.door.Scope().Compares(t.At) { // the probe is part of the session, too
		if s.Again, err = v.door.Locate(ctx, t); s.Again || err != nil {
			return s, err
		}
		var requests int
		ready, requests, err = v.door.Probe(ctx, t, t.At)
		s.Counts.Of[stored.Requests] += requests
		if !ready && in != nil {
			in.Dismiss(s.Held)
			t.Session = false
		}
	}
	if !ready {
		s = s.waiting(20*time.Millisecond, 100*time.Millisecond)
	}
	return s, err
}

// waiting returns the settlement of a target that must wait, each time for longer.
func (s settlement) waiting(first, most time.Duration) settlement {
	s.Wait = fetch.Backoff(first, s.Past.Waited, most)
	s.Past.Waited++
	return s
}

// early reports whether a target must wait until all pages are read, as the browser may
// need its content for one of them: it is not requested twice, in whatever order.
func (v *visitor) early(t *admit.Target) (bool, error) {
	if v.reader.Browser == nil || t.Follow || t.Second || !scope.HrefOf(t.At).IsHTTP() || v.door.Scope().Sites.Of(t.At) != nil {
		return false, nil
	}
	c, err := v.frontier.Count(v.always)
	return c.Pages > 0, err
}

// stands adds the outcome that replaces the request, if there is one, and enters the target of a
// redirect.
func (v *visitor) stands(s settlement) (settlement, error) {
	scope := v.door.Scope()
	o, way := v.memory.Stands(s.Target, scope)
	if way == nil {
		s.Outcome = o
		return s, nil
	}
	page := v.reader.Page(&s.Content, s.Target)
	page.Enter(way.To, way.Href, way.Job, way.Fate)
	sound, err := v.memory.Follow(v.always, way, page.Targets(), scope)
	if !sound || err != nil {
		v.reader.Release(&s.Content)
		return s, err
	}
	s.Outcome = o
	return s, nil
}

// condition returns what is known of a target, if that makes the request for it conditional, and
// how many requests were sent to learn that.
func (v *visitor) condition(ctx context.Context, t *admit.Target, req *fetch.Request) (asked recall.Request, requests int) {
	asked = v.memory.Condition(t, req, v.door.Scope())
	known := asked.Known
	if known == nil {
		return asked, 0
	}
	suffices, requests := v.suffices(ctx, t, known)
	if !suffices {
		asked.Known = nil
		return asked, requests
	}
	req.Validators = known.Validators
	return asked, requests
}

// suffices reports whether the visit needs nothing of the content of a document that is not known
// from an earlier state, and how many requests were sent to learn that.
func (v *visitor) suffices(ctx context.Context, t *admit.Target, known *recall.Entry) (suffices bool, requests int) {
	inspector := v.door.Scope().Judging.Inspector
	if !inspector.Knows(&known.Outcome, t.Internal) || t.Seed && inspector.Needs().Icons() {
		return false, 0
	}
	if !t.Follow || v.reader.Browser == nil || !t.Internal {
		return true, 0
	}
	return v.reader.Browser.Unchanged(ctx, t, known.Page)
}
