package crawler

import (
	"math/rand/v2"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// past is what is remembered of the earlier visits of a target that was put back.
type past struct {
	requests int // sent so far
	asked    bool
	tries    int    // visits that came to an outcome
	starved  int    // visits that met a limit of our own machine
	waited   int    // visits in which it was not asked yet
	last     []byte // its outcome, when only the second pass is missing
	answer   []byte // its outcome so far, should its host be given up
}

const (
	// maxStarved is how often a target is put back because of our own limits.
	maxStarved = 12
	// maxBackoff bounds the wait before a retry.
	maxBackoff = time.Minute
)

// takePast returns what is remembered of a target, and forgets it.
func (w *worker) takePast(t *frontier.Target) past {
	if t.Tries == 0 {
		return past{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pasts[t.ID()]
	delete(w.pasts, t.ID())
	return p
}

func (w *worker) keepPast(t *frontier.Target, p past) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pasts[t.ID()] = p
}

// conclude settles a target, or puts it back when a retry may mend its outcome.
func (w *worker) conclude(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now past) error {
	now.requests += o.Requests
	now.tries++
	if again, err := w.again(t, u, o, rest, now); again || err != nil {
		return err
	}
	o.Requests = now.requests
	return w.settle(t, o, &w.found)
}

// again puts a target back when a retry may mend its outcome.
func (w *worker) again(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now past) (bool, error) {
	if o.Starved && now.starved < maxStarved {
		now.tries = max(0, now.tries-1) // our own fault
		now.starved++
		w.keepPast(t, now)
		return true, w.frontier.Defer(w.always, t, time.Now().Add(backoff(100*time.Millisecond, now.starved-1, 5*time.Second)))
	}
	if !o.Retryable() || t.Second || rest > w.cfg.MaxWait || w.frontier.GivenUp(t.Host) {
		return false, nil
	}
	retries := w.cfg.Retries
	if w.accepted(u, o.Status) {
		return false, nil
	}
	again := now.tries <= retries && !w.frontier.Dead(t.Host)
	if again {
		now.answer = check.AppendOutcome(nil, o)
		w.keepPast(t, now)
		wait := backoff(w.cfg.Backoff, now.tries-1, maxBackoff)
		return true, w.frontier.Defer(w.always, t, time.Now().Add(max(wait, rest)))
	}
	if w.cfg.Retries > 0 && (w.cfg.SecondPassGiven || !urinorm.IsLoopback(u.Host())) && w.scope().siteOf(u) == nil {
		last := *o
		last.Requests = now.requests
		now.last = check.AppendOutcome(nil, &last)
		w.keepPast(t, now)
		return true, w.frontier.DeferToSecondPass(w.always, t, time.Now().Add(max(w.cfg.SecondPassAfter, rest)))
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

// backoff is the wait before the next try after so many retries: doubled for each,
// half of it left to chance.
func backoff(mean time.Duration, retries int, most time.Duration) time.Duration {
	wait := min(mean<<min(retries, 10), most)
	return wait/2 + rand.N(wait+1)
}

// wait puts a target back that could not be asked yet, for a moment.
func (w *worker) wait(t *frontier.Target, before past) error {
	before.waited++
	w.keepPast(t, before)
	return w.frontier.Defer(w.always, t, time.Now().Add(backoff(20*time.Millisecond, before.waited-1, 500*time.Millisecond)))
}
