package crawler

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	// maxStarved is how often a target is put back because of our own limits.
	maxStarved = 12
)

// putBack puts a target back, with what is to be remembered of it.
func (w *worker) putBack(t *frontier.Target, p frontier.Past, until time.Time) error {
	w.uncount()
	return w.frontier.Defer(w.always, t, until, p.Encode(), w.tally.take(w.run))
}

// uncount takes back what a page counted for that was cut off: it is read once more.
func (w *worker) uncount() {
	if !w.isPage {
		return
	}
	for _, c := range [...]counter{countPages, countUnfollowed, countShells} {
		w.tally.counts[c] = 0
	}
	if w.cfg.MaxPages > 0 {
		w.begun.Add(-1)
	}
}

// conclude settles a target, or puts it back when a retry may mend its outcome.
func (w *worker) conclude(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now frontier.Past) error {
	if w.turns != nil && t.Follow {
		w.rest() // those before may want the place
		w.turns.await(t.Turn)
	}
	now.Requests += o.Requests
	now.Tries++
	if again, err := w.again(t, u, o, rest, now); again || err != nil {
		return err
	}
	o.Requests = now.Requests
	if o.Code == check.CodeLimit && o.Requests > 0 {
		w.couldNot(o.Message)
	}
	return w.settle(t, o)
}

// again puts a target back when a retry may mend its outcome.
func (w *worker) again(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now frontier.Past) (bool, error) {
	if o.LocalLimit && now.Starved < maxStarved {
		now.Tries = max(0, now.Tries-1) // our own fault
		now.Starved++
		return true, w.putBack(t, now, time.Now().Add(frontier.Backoff(100*time.Millisecond, now.Starved-1, 5*time.Second)))
	}
	if !o.Retryable() || t.Second || rest > w.cfg.MaxWait || w.frontier.Hosts().GivenUp(t.Host) {
		return false, nil
	}
	retries := w.cfg.Retries
	if w.accepted(u, o.Status) {
		return false, nil
	}
	again := now.Tries <= retries && !w.frontier.Hosts().Dead(t.Host)
	if again {
		now.Answer = check.AppendOutcome(nil, o)
		wait := frontier.Backoff(w.cfg.Backoff, now.Tries-1, frontier.MaxBackoff)
		return true, w.putBack(t, now, time.Now().Add(max(wait, rest)))
	}
	if (w.cfg.SecondPassGiven || w.cfg.Retries > 0 && !urinorm.IsLoopback(u.Host())) && w.scope().SiteOf(u) == nil {
		last := *o
		last.Requests = now.Requests
		now.Last = check.AppendOutcome(nil, &last)
		w.uncount()
		return true, w.frontier.DeferToSecondPass(w.always, t, time.Now().Add(max(w.cfg.SecondPassAfter, rest)), now.Encode(), w.tally.take(w.run))
	}
	return false, nil
}

// accepted reports whether the user said that a status counts as ok.
func (w *worker) accepted(u urinorm.URL, status int) bool {
	if status == 0 {
		return false
	}
	if rule := w.ruleOf(u); rule != nil && rule.Accept != nil {
		return rule.Accept.Has(status)
	}
	return w.cfg.Accept.Has(status)
}

// wait puts a target back that could not be asked yet, for a moment.
func (w *worker) wait(t *frontier.Target, before frontier.Past) error {
	before.Waited++
	return w.putBack(t, before, time.Now().Add(frontier.Backoff(20*time.Millisecond, before.Waited-1, 500*time.Millisecond)))
}
