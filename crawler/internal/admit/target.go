package admit

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// MaxPageURL is the length of the longest URL of a page that is read, in bytes. RFC 9110 4.1
// recommends that URLs of that length are supported. It ends series of pages whose URLs
// grow.
const MaxPageURL = 8000

// Target is a target that is visited. The visit calls [Door.End] when it sends no more requests.
type Target struct {
	*frontier.Target // its lease
	At               urinorm.URL
	Past             frontier.Past // what earlier visits brought
	Again            bool          // it was settled before, and is rendered now
	View             bool          // it is a view of a document that a script makes
	Session          bool          // its request is part of a session
	// Rendered says how a browser renders the target, for what is kept for later runs; "" if it
	// does not.
	Rendered string
	Sending  Sending
}

// Sending is how far the requests of a visit are, which are sent one after another. The zero value
// is for a visit that has sent none.
type Sending struct {
	place   taken        // that it has
	pace    traffic.Pace // of requests there
	paced   bool         // a request to the host of the target was sent
	begun   bool         // requests were sent
	passing bool         // other visits may pass the gate of the host
}

// decideVisit decides about a target. It checks, in this order:
//
//	a link that signs out      another link to the target says so
//	a host that was given up   it refused too often, or never answered
//	long URLs                  a page whose URL is longer than MaxPageURL
//	traps                      a URL that looks like one of an endless series
//	--max-pages                the run's own limit
//	robots.txt                 what the host allows
func (d *Door) decideVisit(ctx context.Context, a Ask) (by Decision, err error) {
	t := a.Of
	if t.Left && d.cfg.LeavesSome {
		return refused(check.CodeExcluded, scope.SignOutReason), nil
	}
	if d.hosts.GivenUp(t.Host) {
		if o := lastKnown(&t.Past); o != nil {
			return Decision{Outcome: o}, nil
		}
		return refused(check.CodeRateLimited, "not asked: "+t.Host+" refused too many requests before"), nil
	}
	if !t.Past.Asked && d.hosts.Dead(t.Host) {
		return refused(check.CodeTimeout, "not asked: "+t.Host+" let many requests before go without any answer"), nil
	}
	directory := d.Scope().Sites.Of(t.At) != nil
	if len(t.URL) > MaxPageURL && t.Follow && !t.Seed && !directory {
		by.Outcome = judging.LeftOut(gap.URLLength, "not read, as its URL is longer than %d bytes", MaxPageURL)
		return by, nil
	}
	trapped := false
	if !directory {
		by.Trap, trapped = d.trapped(t)
	}
	if !trapped {
		by.Trap, trapped = d.Cut(t)
	}
	if trapped {
		by.Outcome = judging.LeftOut(gap.Trap, "not read, as its URL looks like one of an endless series: %s", by.Trap)
		return by, nil
	}
	if !t.Follow || d.cfg.MaxPages == 0 || t.Again {
		return d.decideRobots(ctx, a)
	}
	if by, err = d.beginPage(t); by.Outcome != nil || by.Wait > 0 || err != nil {
		return by, err
	}
	if by, err = d.decideRobots(ctx, a); by.Outcome != nil || by.Wait > 0 || by.Again {
		d.Pages.TakeBack()
	}
	return by, err
}

// lastKnown returns the last outcome of a target whose host was given up since, nil if there is
// none.
func lastKnown(past *frontier.Past) *judging.Outcome {
	for _, known := range [][]byte{past.Last, past.Answer} {
		if known == nil {
			continue
		}
		if o, err := judging.DecodeOutcome(known); err == nil {
			known := o.After(0) // the past counts them
			return &known
		}
	}
	return nil
}

// beginPage counts one more page against the limit of all processes.
func (d *Door) beginPage(t *Target) (by Decision, err error) {
	turn := frontier.PageLimit
	if sharing := d.frontier.Sharing(); sharing != nil {
		if turn, err = sharing.BeginPage(d.always, t.Target, d.cfg.MaxPages); err != nil {
			return by, err
		}
	} else if d.Pages.begin(t.Turn) {
		return by, nil
	}
	switch turn {
	case frontier.PageWaits:
		by.Wait = 100 * time.Millisecond
	case frontier.PageLimit:
		by.Outcome = judging.LeftOut(gap.MaxPages, "the run ended at its limit of pages")
	}
	return by, nil
}

// decideRobots decides about a target by the robots.txt of its host, or says how long it must
// wait for that.
func (d *Door) decideRobots(ctx context.Context, a Ask) (by Decision, err error) {
	t := a.Of
	if !d.asksRobots(a) {
		if t.Lease.Wave >= frontier.Leaves { // no page is waiting for the rules any more
			return by, d.frontier.OpenGate(ctx, t.Host)
		}
		if t.Seed {
			t.Sending.passing = true
			err = d.frontier.PassGate(d.always, t.Host, +1)
		}
		return by, err
	}
	if by.Again, err = d.Locate(ctx, t); by.Again || err != nil { // the request for robots.txt counts at the address, too
		return by, err
	}
	txt, wait, requests, err := d.RobotsTxt(ctx, t)
	by.Wait, by.Requests = wait, requests
	if fault, ok := errors.AsType[*fetch.Fault](err); ok { // our own machine's
		o := (&Response{Fault: fault}).Observe(judging.Question{})
		by.Outcome = &o
		return by, nil
	}
	if err != nil || wait > 0 {
		return by, err
	}
	if delay := txt.CrawlDelay(); delay > 0 {
		if err := d.hosts.Limit(ctx, t.Host, min(delay, d.cfg.MaxWait)); err != nil {
			return by, err
		}
	}
	if err := d.frontier.OpenGate(ctx, t.Host); err != nil {
		return by, err
	}
	if f := txt.Failure(); f != nil {
		by.Outcome, by.Temporary = unavailable(f, d.cfg.MaxWait)
	}
	if by.Outcome == nil && !txt.Allowed(t.At.RequestTarget()) {
		by.Outcome = scope.Skip(judging.CodeRobotsDisallowed, txt.Reason(t.At.RequestTarget()))
	}
	return by, nil
}

// unavailable returns the outcome of a target whose robots.txt is unavailable after its
// retries, or nil if the target is refused for that reason. If there was no connection,
// the target has the same fault.
func unavailable(f *robots.Failure, maxWait time.Duration) (outcome *judging.Outcome, temporary bool) {
	o := robotsOutcome(f).After(0) // they were not for this target
	temporary = o.Retryable() && restFor(&o, f.Header) <= maxWait
	if f.Fault != nil && f.Fault.Op != "fetch" && f.Fault.Op != "read" {
		return &o, temporary
	}
	return nil, temporary
}
