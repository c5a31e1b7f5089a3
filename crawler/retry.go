package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxStarved is the maximum number of times that a target is put back because of limits
// of this machine.
const maxStarved = 12

// conclude settles the target, or puts it back when a retry may change its outcome. rest
// is how long the host asked not to be visited.
func (v *visit) conclude(ctx context.Context, o *check.Outcome, rest time.Duration) error {
	if v.run.door.Pages != nil && v.t.Follow {
		v.worker.releaseSlot() // earlier pages may need it
		v.endLarge()
		v.run.door.Pages.Await(v.t.Turn)
	}
	if err := v.run.door.EndPass(&v.target); err != nil {
		return err
	}
	v.past.Requests += o.Requests
	v.past.Tries++
	if retried, err := v.retry(o, rest); retried || err != nil {
		return err
	}
	o.Requests = v.past.Requests
	if v.session != nil {
		return v.session.hold(ctx, v, o)
	}
	return v.settle(o)
}

// retry puts the target back when a retry may change its outcome.
func (v *visit) retry(o *check.Outcome, rest time.Duration) (retried bool, err error) {
	cfg, hosts := v.run.cfg, v.run.frontier.Hosts()
	if o.LocalLimit && v.past.Starved < maxStarved {
		v.past.Tries = max(0, v.past.Tries-1) // not the fault of the target
		v.past.Starved++
		return true, v.putBack(frontier.Backoff(100*time.Millisecond, v.past.Starved-1, 5*time.Second))
	}
	if !o.Retryable() && !v.robotsFailed || v.t.Second || rest > cfg.MaxWait || hosts.GivenUp(v.t.Host) || v.run.door.Rules.Accepts(v.u, o.Status) {
		return false, nil
	}
	if v.past.Tries <= cfg.Retries && !v.robotsFailed && !hosts.Dead(v.t.Host) {
		v.past.Answer = check.AppendOutcome(nil, o)
		return true, v.putBack(max(frontier.Backoff(cfg.Backoff, v.past.Tries-1, frontier.MaxBackoff), rest))
	}
	if (cfg.SecondPassGiven || cfg.Retries > 0 && !urinorm.IsLoopback(v.u.Host())) && v.run.door.Scope().SiteOf(v.u) == nil {
		last := *o
		last.Requests = v.past.Requests
		v.past.Last = check.AppendOutcome(nil, &last)
		v.uncount()
		return true, v.run.frontier.DeferToSecondPass(v.run.always, v.t, time.Now().Add(max(cfg.SecondPassAfter, rest)), v.past.Encode(), v.worker.tally.take())
	}
	return false, nil
}

// putBack puts the target back for a time, with its past.
func (v *visit) putBack(wait time.Duration) error {
	v.uncount()
	return v.run.frontier.Defer(v.run.always, v.t, time.Now().Add(wait), v.past.Encode(), v.worker.tally.take())
}

// uncount takes back the counts of a page that was cut off: it is read again.
func (v *visit) uncount() {
	if !v.isPage || v.again {
		return
	}
	for _, c := range [...]counter{countPages, countUnfollowed, countShells, countBlank} {
		v.worker.tally.counts[c] = 0
	}
	v.run.door.Pages.TakeBack()
}
