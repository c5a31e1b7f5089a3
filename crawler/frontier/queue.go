package frontier

import (
	"container/heap"
	"slices"
	"time"
)

// A host has one line of targets per wave. Each wave keeps its lines in a heap by
// the time the first of a line may be visited, so that finding work costs the
// logarithm of the hosts, however many of them must rest.

// host is what politeness is kept for.
type host struct {
	name   string
	number uint32
	pace   Pace
	out    int       // leases now
	last   time.Time // start of the last visit
	lines  []*line
}

// free says when the host may be visited next, and false when it is at its limit.
func (h *host) free() (time.Time, bool) {
	if h.pace.Concurrency > 0 && h.out >= h.pace.Concurrency {
		return time.Time{}, false
	}
	next := h.last
	if !next.IsZero() { // by today's pace, which may have changed since
		next = next.Add(h.pace.Interval)
	}
	if h.pace.NotBefore.After(next) {
		return h.pace.NotBefore, true
	}
	return next, true
}

// line is what waits of one wave at one host.
type line struct {
	host  *host
	wave  *wave
	first fifo     // targets whose body is wanted: their redirects may raise others' needs
	then  fifo     // the others
	later expiries // targets that must not be visited yet
	ready time.Time
	at    int // place in the wave's heap, -1 outside
}

// due says when the line's first target may be visited, the host aside.
func (l *line) due(now time.Time) (time.Time, bool) {
	for len(l.later) > 0 && !l.later[0].at.After(now) {
		l.then.push(l.later.pop().id)
	}
	switch {
	case l.first.len()+l.then.len() > 0:
		return time.Time{}, true
	case len(l.later) > 0:
		return l.later[0].at, true
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

// wave returns the wave's state, made on first use.
func (m *Memory) wave(w Wave) *wave {
	if m.waves[w] == nil {
		m.waves[w] = &wave{}
		at, _ := slices.BinarySearch(m.used, w)
		m.used = slices.Insert(m.used, at, w)
	}
	return m.waves[w]
}

// line returns the host's line of a wave, made on first use.
func (m *Memory) line(h *host, w *wave) *line {
	for _, l := range h.lines {
		if l.wave == w {
			return l
		}
	}
	l := &line{host: h, wave: w, at: -1}
	h.lines = append(h.lines, l)
	return l
}

// queue lines a target up; its state, wave and need are set.
func (m *Memory) queue(id ID, r *record, notBefore time.Time) {
	h, w := m.order[r.host], m.wave(r.wave)
	l := m.line(h, w)
	switch {
	case !notBefore.IsZero():
		l.later.push(expiry{at: notBefore, id: id})
	case r.need&NeedContent != 0:
		l.first.push(id)
	default:
		l.then.push(id)
	}
	w.queued++
	m.again(r, w, +1)
	m.reorder(h)
}

// unqueue takes a target out of the count; its place in line is passed over when it comes up.
func (m *Memory) unqueue(_ ID, r *record) {
	w := m.wave(r.wave)
	w.queued--
	m.again(r, w, -1)
}

// again keeps the count of pages that wait for the second pass.
func (m *Memory) again(r *record, w *wave, by int) {
	if r.wave == SecondPass && r.need&NeedLinks != 0 {
		w.pagesAgain += by
	}
}

// done takes a leased target out of its wave and its host's count.
func (m *Memory) done(_ ID, r *record) {
	w := m.wave(r.wave)
	w.out--
	m.again(r, w, -1)
	h := m.order[r.host]
	h.out--
	m.reorder(h)
}

// reorder puts the host's lines where they now belong.
func (m *Memory) reorder(h *host) {
	free, ok := h.free()
	now := time.Time{} // lines are asked without moving what is due later
	for _, l := range h.lines {
		due, some := l.due(now)
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
func (m *Memory) take(now time.Time) (ID, time.Time, error) {
	var next time.Time
	pages, rest := false, false // pages are outstanding; anything is
	for _, n := range m.used {
		w := m.waves[n]
		if w.outstanding() == 0 {
			continue
		}
		closed := n <= LastPages && pages || // pages nearer to the seeds come first
			n == SecondPass && rest
		if closed {
			continue
		}
		rest = true
		id, ready := m.first(w, n, now)
		if id != 0 {
			return id, time.Time{}, nil
		}
		next = earlier(next, ready)
		if n <= LastPages {
			pages = true
			if w.out > 0 { // it may yet bring pages; but no slot waits for long
				until := m.began.Add(stall)
				switch leaves := m.waves[Leaves]; {
				case leaves == nil || leaves.queued == 0:
					return 0, next, nil
				case now.Before(until):
					return 0, earlier(next, until), nil
				}
			}
		}
	}
	if !rest {
		return 0, time.Time{}, errOver
	}
	return 0, next, nil
}

// first takes the first target of a wave that may be visited at now.
func (m *Memory) first(w *wave, n Wave, now time.Time) (ID, time.Time) {
	for len(w.heap) > 0 {
		l := w.heap[0]
		if l.ready.After(now) {
			return 0, l.ready
		}
		l.due(now)
		id, ok := l.first.pop()
		if !ok {
			id, ok = l.then.pop()
		}
		if !ok { // only what was due is gone
			m.reorder(l.host)
			continue
		}
		r := m.record(id)
		if r.state != queued || r.wave != n { // it has moved to another line
			m.reorder(l.host)
			continue
		}
		w.queued--
		w.out++
		l.host.out++
		l.host.last = now
		m.reorder(l.host)
		return id, time.Time{}
	}
	return 0, time.Time{}
}

// fifo is a queue that gives its memory back as it empties.
type fifo struct {
	blocks [][]ID
	head   int // of the first block
	count  int
}

const fifoBlock = 1024

func (q *fifo) len() int { return q.count }

func (q *fifo) push(id ID) {
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == fifoBlock {
		q.blocks = append(q.blocks, nil)
		last++
	}
	q.blocks[last] = append(q.blocks[last], id)
	q.count++
}

func (q *fifo) pop() (ID, bool) {
	if q.count == 0 {
		return 0, false
	}
	first := q.blocks[0]
	id := first[q.head]
	q.head++
	q.count--
	switch {
	case q.count == 0:
		q.blocks[0], q.blocks, q.head = first[:0], q.blocks[:1], 0
	case q.head == len(first):
		q.blocks[0] = nil
		q.blocks, q.head = q.blocks[1:], 0
	}
	return id, true
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

// expiry is a target and a time: of a lease's end, or of the end of a wait.
type expiry struct {
	at    time.Time
	id    ID
	fence uint64
}

// expiries is a heap by time.
type expiries []expiry

func (e *expiries) push(x expiry) { heap.Push((*expiryHeap)(e), x) }
func (e *expiries) pop() expiry   { return heap.Pop((*expiryHeap)(e)).(expiry) }

type expiryHeap []expiry

func (h expiryHeap) Len() int           { return len(h) }
func (h expiryHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h expiryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *expiryHeap) Push(x any)        { *h = append(*h, x.(expiry)) }
func (h *expiryHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
