package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// recollection connects a visit with earlier and later runs: observations of earlier
// runs may answer it, and what it observes is kept for later ones (learn.go).
type recollection struct{ visit *visit }

// answer returns the outcome of a target that the cache answers when its turn comes, or
// nil if it must be requested.
func (r recollection) answer() (*check.Outcome, error) {
	v, t := r.visit, r.visit.t
	if v.session != nil || !v.run.earlier.any() || t.Internal || t.Follow || t.Page || t.Seed || t.Content || t.Tries > 0 {
		return nil, nil
	}
	href := rules.HrefOf(v.u)
	if !href.IsHTTP() {
		return nil, nil
	}
	fp := v.run.earlier.fingerprint(v.u)
	known := v.run.earlier.observed(fp, href, 0)
	if known.outcome == nil {
		return nil, nil
	}
	if known.outcome.IsRedirect() {
		if sound, err := r.followKnown(fp, known.next); !sound || err != nil {
			return nil, err
		}
	}
	o := *known.outcome
	return &o, nil
}

// followKnown enters the target that a redirect in the cache leads to. It returns false
// if a target on the rest of the way has been requested meanwhile and has changed.
func (r recollection) followKnown(fp frontier.Fingerprint, next urinorm.URL) (sound bool, err error) {
	v, t, known := r.visit, r.visit.t, r.visit.run.earlier
	page, href, to := v.finds(), rules.HrefOf(next), known.fingerprint(next)
	fate := v.run.requests.scope().Decide(href, extract.Resource, t.Depth, false)
	if there := known.observed(to, href, 0).outcome; !there.IsRedirect() {
		fate.Outcome = there
	}
	page.Enter(to, href, frontier.Job{URL: href.Document(), Internal: fate.Internal, Depth: t.Depth, Hops: t.Hops + 1}, fate)
	sound, err = r.leads(to, step{from: fp, item: &frontier.Item{Fingerprint: fp, Host: []byte(t.Host), Wave: frontier.Leaves,
		Need: frontier.NeedContent | frontier.NeedLinked,
		Job:  frontier.AppendJob(nil, frontier.Job{URL: []byte(t.URL), Depth: t.Depth, Hops: t.Hops})}})
	if err != nil || !sound {
		v.restart(v.page)
		return false, err
	}
	return true, nil
}

// leads notes that the target is a redirect, so that a visit to where it leads, the
// first of the targets found, can find the redirects before it. It reports whether
// everything known about the rest of the way is as it was before.
func (r recollection) leads(to frontier.Fingerprint, redirect step) (sound bool, err error) {
	run := r.visit.run
	run.earlier.note(to, redirect)
	ids, err := run.frontier.Refer(run.always, r.visit.finds().Targets())
	if err != nil {
		return false, err
	}
	return run.earlier.recheck(run.always, redirect.from, ids[0])
}

// noteRedirect notes the target of a redirect that was requested and has not changed.
// It is called before the redirect is settled; its target is then the first of those
// found.
func (r recollection) noteRedirect(o *check.Outcome) error {
	v, known := r.visit, r.visit.run.earlier
	if !known.any() || o.Cached || v.t.Internal || !o.IsRedirect() || v.found == nil || len(v.found.Targets()) == 0 {
		return nil // not a redirect, or one too many to be followed
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil || v.u.IsZero() || !known.confirms(v.u, o) {
		return nil
	}
	_, err = r.leads(known.fingerprint(next), step{from: known.fingerprint(v.u)})
	return err
}

// recheckIfChanged queues the redirects that led here from the cache if the target was
// requested in this run and has changed. It is called when the target is settled, so that
// later visits on this way see that it has changed.
func (r recollection) recheckIfChanged(o *check.Outcome) error {
	v, known := r.visit, r.visit.run.earlier
	if !known.any() || o.Cached || v.t.Internal || v.u.IsZero() || known.confirms(v.u, o) {
		return nil
	}
	return known.askWayTo(v.run.always, known.fingerprint(v.u))
}
