package frontier

import (
	"io"
	"slices"
	"time"
)

// queue decides which target of a ledger is next. It holds the queued targets and counts
// the leased ones.
//
// Each host has one queue of targets for each wave. A wave keeps the queues of its hosts
// in a heap by the time at which they are ready. So the cost of finding the next target
// is the logarithm of the number of hosts, however many of them are resting.
type queue struct {
	targets *column[target] // of the ledger
	waves   [int(SecondPass) + 1]*waveQueue
	used    []Wave // waves with an entry in waves, ascending
	epoch   epoch
	began   time.Time // time of the first take
}

// waveQueue holds the targets of one wave.
type waveQueue struct {
	number      Wave
	hosts       hostHeap
	queued      int
	leased      int
	secondPages int // targets of the second pass that need links, queued or leased
}

func (w *waveQueue) outstanding() int { return w.queued + w.leased }

// countPage adds n to the pages of the second pass if the target is one.
func (w *waveQueue) countPage(t *target, n int) {
	if t.wave == SecondPass && t.need&NeedLinks != 0 {
		w.secondPages += n
	}
}

// wave returns the queue of a wave, which is made on first use.
func (q *queue) wave(w Wave) *waveQueue {
	if q.waves[w] == nil {
		q.waves[w] = &waveQueue{number: w}
		at, _ := slices.BinarySearch(q.used, w)
		q.used = slices.Insert(q.used, at, w)
	}
	return q.waves[w]
}

// push queues a target of a host, in the wave that the target names.
func (q *queue) push(id ID, t *target, h *host, notBefore time.Time) {
	w := q.wave(t.wave)
	hq := h.queue(w)
	switch {
	case !notBefore.IsZero():
		hq.deferred.push(timer{at: q.epoch.since(notBefore), id: id})
	case t.need&NeedContent != 0:
		hq.content.push(id)
	default:
		hq.other.push(id)
	}
	w.queued++
	w.countPage(t, +1)
	q.reorder(h)
}

// remove removes a queued target from the counts. Its entry in the queue of its host
// stays there; takeFirst ignores it.
func (q *queue) remove(t *target) {
	w := q.wave(t.wave)
	w.queued--
	w.countPage(t, -1)
}

// release removes a leased target of a host from the counts.
func (q *queue) release(t *target, h *host) {
	w := q.wave(t.wave)
	w.leased--
	w.countPage(t, -1)
	h.leased--
	for _, s := range h.shares {
		if s != nil {
			s.end(1)
		}
	}
	q.reorder(h)
}

// reorder moves the queues of a host to their places in the heaps after a change.
func (q *queue) reorder(h *host) {
	next, free := h.nextVisit()
	for _, hq := range h.queues {
		by := hq.called
		hq.called = nil
		if due, some := hq.due(q.epoch); free && some {
			hq.ready = later(due, next)
			hq.move(&hq.wave.hosts)
		} else {
			hq.leave()
		}
		if by != nil {
			by.call()
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// leafDelay is how long after the first take leaves wait while pages are leased. Later
// they are handed out whenever no page may be visited, so that a longer crawl leaves no
// worker idle. The cost is that a leaf may be requested again for its content, when a
// later page refers to a fragment of it.
const leafDelay = 2 * time.Second

// earlier returns the earlier of two times. A zero time is ignored.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// take removes the next target that may be visited at now from the queue and counts it
// as leased. If there is none, it returns the time to ask again, or io.EOF when no
// target is queued and none is leased.
func (q *queue) take(now time.Time) (ID, time.Time, error) {
	if q.began.IsZero() {
		q.began = now
	}
	var next time.Time
	pages, outstanding := false, false // whether pages are outstanding, and any targets
	for _, n := range q.used {
		w := q.waves[n]
		if w.outstanding() == 0 {
			continue
		}
		if n <= LastPages && pages || n == SecondPass && outstanding { // lower waves come first
			continue
		}
		outstanding = true
		id, ready := q.takeFirst(w, n, now)
		if id != 0 {
			return id, time.Time{}, nil
		}
		next = earlier(next, ready)
		if n <= LastPages {
			pages = true
			if w.leased > 0 { // further pages may be found, but leaves do not wait for long
				until := q.began.Add(leafDelay)
				switch leaves := q.waves[Leaves]; {
				case leaves == nil || leaves.queued == 0:
					return 0, next, nil
				case now.Before(until):
					return 0, earlier(next, until), nil
				}
			}
		}
	}
	if !outstanding {
		return 0, time.Time{}, io.EOF
	}
	return 0, next, nil
}

// takeFirst takes the first target of wave n that may be visited at now, or returns the
// time at which one may be visited.
func (q *queue) takeFirst(w *waveQueue, n Wave, now time.Time) (ID, time.Time) {
	for len(w.hosts) > 0 {
		hq := w.hosts[0]
		if hq.ready.After(now) {
			return 0, hq.ready
		}
		if s := hq.host.usedUp(); s != nil {
			hq.await(s)
			continue
		}
		hq.promote(q.epoch.since(now))
		id, ok := hq.pop()
		if !ok {
			q.reorder(hq.host)
			continue
		}
		if t := q.targets.at(int(id) - 1); t.state() != queued || t.wave != n { // it has moved to another queue
			q.reorder(hq.host)
			continue
		}
		w.queued--
		w.leased++
		hq.host.leased++
		for _, s := range hq.host.shares {
			if s != nil {
				s.leased++
			}
		}
		hq.called = nil // the place is used
		hq.host.lastVisit = now
		q.reorder(hq.host)
		return id, time.Time{}
	}
	return 0, time.Time{}
}

// count returns the number of queued targets and of outstanding pages.
func (q *queue) count() (queued, pages int) {
	for _, n := range q.used {
		w := q.waves[n]
		queued += w.queued
		if n <= LastPages {
			pages += w.outstanding()
		}
		pages += w.secondPages
	}
	return queued, pages
}

// free frees the heaps. The counts stay.
func (q *queue) free() {
	for _, n := range q.used {
		q.waves[n].hosts = nil
	}
}
