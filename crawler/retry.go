package crawler

import (
	"encoding/binary"
	"errors"
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

// A past as the store keeps it: the numbers, asked and the lengths of the outcomes
// as varints in this order, then the outcomes.

// encode writes the past as a note for the store.
func (p *past) encode() []byte {
	asked := uint64(0)
	if p.asked {
		asked = 1
	}
	b := make([]byte, 0, 16+len(p.last)+len(p.answer))
	for _, n := range [...]uint64{uint64(p.requests), uint64(p.tries), uint64(p.starved), uint64(p.waited), asked,
		uint64(len(p.last)), uint64(len(p.answer))} {
		b = binary.AppendUvarint(b, n)
	}
	return append(append(b, p.last...), p.answer...)
}

// maxPast bounds the numbers of a past: there is no more of anything in one.
const maxPast = 1 << 30

var errPast = errors.New("the note of its earlier visits is damaged")

// decodePast reads a note; none is the past of a target that was not visited. The
// outcomes are parts of the note.
func decodePast(note []byte) (past, error) {
	if len(note) == 0 {
		return past{}, nil
	}
	var n [7]int
	for i := range n {
		v, size := binary.Uvarint(note)
		if size <= 0 || v > maxPast {
			return past{}, errPast
		}
		n[i], note = int(v), note[size:]
	}
	if n[4] > 1 || len(note) != n[5]+n[6] {
		return past{}, errPast
	}
	p := past{requests: n[0], tries: n[1], starved: n[2], waited: n[3], asked: n[4] == 1}
	if n[5] > 0 {
		p.last = note[:n[5]]
	}
	if n[6] > 0 {
		p.answer = note[n[5]:]
	}
	return p, nil
}

// putBack puts a target back, with what is to be remembered of it.
func (w *worker) putBack(t *frontier.Target, p past, until time.Time) error {
	w.uncount()
	return w.frontier.Defer(w.always, t, until, p.encode(), w.tally.take(w.run))
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
func (w *worker) conclude(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now past) error {
	if w.turns != nil && t.Follow {
		w.rest() // those before may want the place
		w.turns.await(t.Turn)
	}
	now.requests += o.Requests
	now.tries++
	if again, err := w.again(t, u, o, rest, now); again || err != nil {
		return err
	}
	o.Requests = now.requests
	if o.Code == check.CodeLimit && o.Requests > 0 {
		w.couldNot(o.Message)
	}
	return w.settle(t, o)
}

// again puts a target back when a retry may mend its outcome.
func (w *worker) again(t *frontier.Target, u urinorm.URL, o *check.Outcome, rest time.Duration, now past) (bool, error) {
	if o.Starved && now.starved < maxStarved {
		now.tries = max(0, now.tries-1) // our own fault
		now.starved++
		return true, w.putBack(t, now, time.Now().Add(backoff(100*time.Millisecond, now.starved-1, 5*time.Second)))
	}
	if !o.Retryable() || t.Second || rest > w.cfg.MaxWait || w.frontier.Hosts().GivenUp(t.Host) {
		return false, nil
	}
	retries := w.cfg.Retries
	if w.accepted(u, o.Status) {
		return false, nil
	}
	again := now.tries <= retries && !w.frontier.Hosts().Dead(t.Host)
	if again {
		now.answer = check.AppendOutcome(nil, o)
		wait := backoff(w.cfg.Backoff, now.tries-1, maxBackoff)
		return true, w.putBack(t, now, time.Now().Add(max(wait, rest)))
	}
	if (w.cfg.SecondPassGiven || w.cfg.Retries > 0 && !urinorm.IsLoopback(u.Host())) && w.scope().SiteOf(u) == nil {
		last := *o
		last.Requests = now.requests
		now.last = check.AppendOutcome(nil, &last)
		w.uncount()
		return true, w.frontier.DeferToSecondPass(w.always, t, time.Now().Add(max(w.cfg.SecondPassAfter, rest)), now.encode(), w.tally.take(w.run))
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
	return w.putBack(t, before, time.Now().Add(backoff(20*time.Millisecond, before.waited-1, 500*time.Millisecond)))
}
