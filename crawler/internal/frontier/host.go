package frontier

import (
	"container/heap"
	"time"
)

// host is a host of a ledger: its pace, its leases and the targets that are queued.
type host struct {
	name      string
	number    uint32
	pace      Pace
	leased    int       // targets
	lastVisit time.Time // start of the last visit
	queues    []*hostQueue
	shares    [Shares]*share // nil for no limit
}

// nextVisit returns the time of the next visit that the pace allows, and false while as
// many targets are leased as it allows.
func (h *host) nextVisit() (time.Time, bool) {
	if h.pace.Concurrency > 0 && h.leased >= h.pace.Concurrency {
		return time.Time{}, false
	}
	next := h.lastVisit
	if !next.IsZero() { // the pace may have changed since
		next = next.Add(h.pace.Interval)
	}
	if h.pace.NotBefore.After(next) {
		return h.pace.NotBefore, true
	}
	return next, true
}

// queue returns the queue of a wave, which is made on first use.
func (h *host) queue(w *waveQueue) *hostQueue {
	for _, q := range h.queues {
		if q.wave == w {
			return q
		}
	}
	q := &hostQueue{host: h, wave: w}
	h.queues = append(h.queues, q)
	return q
}

// hostTable numbers hosts from 0 in the order in which they are entered.
type hostTable struct {
	byName map[string]*host
	all    []*host // by number
	last   *host   // the result of the last call of enter
	shares map[Share]*share
}

// bound bounds a host from now on.
func (t *hostTable) bound(h *host, p Pace) {
	for i, within := range p.Within {
		if within == h.pace.Within[i] {
			continue
		}
		if old := h.shares[i]; old != nil {
			old.end(h.leased)
		}
		if h.shares[i] = nil; within.Key == "" {
			continue
		}
		s := t.shares[within]
		if s == nil {
			s = &share{most: within.Most}
			t.shares[within] = s
		}
		s.leased += h.leased
		h.shares[i] = s
	}
	h.pace = p
}

// enter returns the host of a name, which is made on first use.
func (t *hostTable) enter(name []byte) *host {
	if t.last != nil && t.last.name == string(name) {
		return t.last
	}
	h := t.byName[string(name)]
	if h == nil {
		h = &host{name: string(name), number: uint32(len(t.all))}
		t.byName[h.name] = h
		t.all = append(t.all, h)
	}
	t.last = h
	return h
}

// hostQueue holds the queued targets of one host and one wave.
type hostQueue struct {
	host     *host
	wave     *waveQueue
	content  fifo      // targets that need content: a redirect of theirs may add needs to others
	other    fifo      // other targets
	deferred timers    // targets that must not be visited yet
	ready    time.Time // when the first target may be visited
	heap     *hostHeap // that it is in: of its wave, or of a share that is used up; nil for none
	position int       // in the heap
	called   *share    // that has called it, see share.call; nil for none
}

// promote moves the deferred targets that are due to the others.
func (q *hostQueue) promote(now time.Duration) {
	for len(q.deferred) > 0 && q.deferred[0].at <= now {
		q.other.push(q.deferred.pop().id)
	}
}

// due returns the time from which the first target is no longer deferred, the zero time
// if it is not, and false if there is no target.
func (q *hostQueue) due(e epoch) (time.Time, bool) {
	switch {
	case q.content.len()+q.other.len() > 0:
		return time.Time{}, true
	case len(q.deferred) > 0:
		return e.time(q.deferred[0].at), true
	}
	return time.Time{}, false
}

// pop removes the first target that is not deferred, and returns false if there is none.
func (q *hostQueue) pop() (ID, bool) {
	if id, ok := q.content.pop(); ok {
		return id, true
	}
	return q.other.pop()
}

// move moves a queue to its place in a heap.
func (q *hostQueue) move(to *hostHeap) {
	if q.heap == to {
		heap.Fix(to, q.position)
		return
	}
	q.leave()
	q.heap = to
	heap.Push(to, q)
}

// leave removes a queue from its heap.
func (q *hostQueue) leave() {
	if q.heap != nil {
		heap.Remove(q.heap, q.position)
		q.heap = nil
	}
}

// hostHeap is a heap of queues by their waves, and those of one wave by the time at which they are
// ready.
type hostHeap []*hostQueue

func (h hostHeap) Len() int { return len(h) }
func (h hostHeap) Less(i, j int) bool {
	if a, b := h[i].wave.number, h[j].wave.number; a != b {
		return a < b
	}
	return h[i].ready.Before(h[j].ready)
}
func (h hostHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].position, h[j].position = i, j
}
func (h *hostHeap) Push(x any) {
	q := x.(*hostQueue)
	q.position = len(*h)
	*h = append(*h, q)
}
func (h *hostHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return q
}
