package frontier

import (
	"container/heap"
	"io"
	"slices"
	"time"
)

// A host has one line of targets per wave. Each wave keeps its lines in a heap by
// the time the first of a line may be visited, so that finding work costs the
// logarithm of the hosts, however many of them must rest.

// line is what waits of one wave at one host.
type line struct {
	host  *host
	wave  *wave
	first fifo   // targets whose body is wanted: their redirects may raise others' needs
	then  fifo   // the others
	later timers // targets that must not be visited yet
	ready time.Time
	at    int // place in the wave's heap, -1 outside
}

// advance moves what is due by now to the others.
func (l *line) advance(now time.Duration) {
	for len(l.later) > 0 && l.later[0].at <= now {
		l.then.push(l.later.pop().id)
	}
}

// due says when the line's first target may be visited, the host aside.
func (l *line) due(e epoch) (time.Time, bool) {
	switch {
	case l.first.len()+l.then.len() > 0:
		return time.Time{}, true
	case len(l.later) > 0:
		return e.time(l.later[0].at), true
	}
	return time.Time{}, false
}

// wave is the work of one wave.
type wave struct {
	heap       lineHeap
	queued     int
	out        int
	pagesAgain int // outstanding targets that need links, in the second pass
}

func (w *wave) outstanding() int { return w.queued + w.out }

// again keeps the count of pages that wait for the second pass.
func (w *wave) again(t *target, by int) {
	if t.wave == SecondPass && t.need&NeedLinks != 0 {
		w.pagesAgain += by
	}
}

// queue says which target of a ledger is next. It holds those that are queued, and
// counts those that are out.
type queue struct {
	targets *column[target] // of the ledger
	waves   [int(SecondPass) + 1]*wave
	used    []Wave // waves in use, ascending
	epoch   epoch
	began   time.Time // of the first take
}

// wave returns the wave's state, made on first use.
func (q *queue) wave(w Wave) *wave {
	if q.waves[w] == nil {
		q.waves[w] = &wave{}
		at, _ := slices.BinarySearch(q.used, w)
		q.used = slices.Insert(q.used, at, w)
	}
	return q.waves[w]
}

// push queues a target of a host; its state, wave and need are set.
func (q *queue) push(id ID, t *target, h *host, notBefore time.Time) {
	w := q.wave(t.wave)
	l := h.line(w)
	switch {
	case !notBefore.IsZero():
		l.later.push(timer{at: q.epoch.since(notBefore), id: id})
	case t.need&NeedContent != 0:
		l.first.push(id)
	default:
		l.then.push(id)
	}
	w.queued++
	w.again(t, +1)
	q.reorder(h)
}

// remove takes a queued target out of the count; its place in line is passed over when it comes up.
func (q *queue) remove(t *target) {
	w := q.wave(t.wave)
	w.queued--
	w.again(t, -1)
}

// release takes a target that is out out of its wave and its host's count.
func (q *queue) release(t *target, h *host) {
	w := q.wave(t.wave)
	w.out--
	w.again(t, -1)
	h.out--
	q.reorder(h)
}

// reorder puts the host's lines where they now belong.
func (q *queue) reorder(h *host) {
	free, ok := h.free()
	for _, l := range h.lines {
		due, some := l.due(q.epoch)
		if !ok || !some {
			if l.at >= 0 {
				heap.Remove(&l.wave.heap, l.at)
			}
			continue
		}
		if due.Before(free) {
			due = free
		}
		l.ready = due
		if l.at >= 0 {
			heap.Fix(&l.wave.heap, l.at)
		} else {
			heap.Push(&l.wave.heap, l)
		}
	}
}

// stall is how long, from the first claim on, leaves wait for pages that are out.
// A crawl that takes longer does not leave slots unused: leaves fill those that no
// page is ready for. What it costs is that a leaf may have to be asked once more,
// for its content, when a page that comes later names a place in it.
const stall = 2 * time.Second

// earlier is the earlier of two times, of which the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// take picks the next target that may be visited at now, or says when to ask
// again, or that all is over. The target leaves its queue.
func (q *queue) take(now time.Time) (ID, time.Time, error) {
	if q.began.IsZero() {
		q.began = now
	}
	var next time.Time
	pages, rest := false, false // pages are outstanding; anything is
	for _, n := range q.used {
		w := q.waves[n]
		if w.outstanding() == 0 {
			continue
		}
		closed := n <= LastPages && pages || // pages nearer to the seeds come first
			n == SecondPass && rest
		if closed {
			continue
		}
		rest = true
		id, ready := q.first(w, n, now)
		if id != 0 {
			return id, time.Time{}, nil
		}
		next = earlier(next, ready)
		if n <= LastPages {
			pages = true
			if w.out > 0 { // it may yet bring pages; but no slot waits for long
				until := q.began.Add(stall)
				switch leaves := q.waves[Leaves]; {
				case leaves == nil || leaves.queued == 0:
					return 0, next, nil
				case now.Before(until):
					return 0, earlier(next, until), nil
				}
			}
		}
	}
	if !rest {
		return 0, time.Time{}, io.EOF
	}
	return 0, next, nil
}

// first takes the first target of a wave that may be visited at now.
func (q *queue) first(w *wave, n Wave, now time.Time) (ID, time.Time) {
	for len(w.heap) > 0 {
		l := w.heap[0]
		if l.ready.After(now) {
			return 0, l.ready
		}
		l.advance(q.epoch.since(now))
		id, ok := l.first.pop()
		if !ok {
			id, ok = l.then.pop()
		}
		if !ok { // only what was due is gone
			q.reorder(l.host)
			continue
		}
		if t := q.targets.at(int(id) - 1); t.state() != queued || t.wave != n { // it has moved to another line
			q.reorder(l.host)
			continue
		}
		w.queued--
		w.out++
		l.host.out++
		l.host.last = now
		q.reorder(l.host)
		return id, time.Time{}
	}
	return 0, time.Time{}
}

// count is how many targets are queued, and how many pages are outstanding.
func (q *queue) count() (queued, pages int) {
	for _, n := range q.used {
		w := q.waves[n]
		queued += w.queued
		if n <= LastPages {
			pages += w.outstanding()
		}
		pages += w.pagesAgain
	}
	return queued, pages
}

// seal frees the lines.
func (q *queue) seal() {
	for _, n := range q.used {
		q.waves[n].heap = nil
	}
}

// lineHeap orders lines by the time they are ready.
type lineHeap []*line

func (h lineHeap) Len() int           { return len(h) }
func (h lineHeap) Less(i, j int) bool { return h[i].ready.Before(h[j].ready) }
func (h lineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *lineHeap) Push(x any) {
	l := x.(*line)
	l.at = len(*h)
	*h = append(*h, l)
}
func (h *lineHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	l.at = -1
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return l
}
