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

// advance moves what is due by now to the others.
func (l *line) advance(now time.Duration) {
	for len(l.later) > 0 && l.later[0].at <= now {
		l.then.push(l.later.pop().id)
	}
}

// due says when the line's first target may be visited, the host aside.
func (g *Ledger) due(l *line) (time.Time, bool) {
	switch {
	case l.first.len()+l.then.len() > 0:
		return time.Time{}, true
	case len(l.later) > 0:
		return g.time(l.later[0].at), true
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
func (g *Ledger) wave(w Wave) *wave {
	if g.waves[w] == nil {
		g.waves[w] = &wave{}
		at, _ := slices.BinarySearch(g.used, w)
		g.used = slices.Insert(g.used, at, w)
	}
	return g.waves[w]
}

// line returns the host's line of a wave, made on first use.
func (g *Ledger) line(h *host, w *wave) *line {
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
func (g *Ledger) queue(id ID, t *target, notBefore time.Time) {
	h, w := g.order[t.host], g.wave(t.wave)
	l := g.line(h, w)
	switch {
	case !notBefore.IsZero():
		l.later.push(expiry{at: g.since(notBefore), id: id})
	case t.need&NeedContent != 0:
		l.first.push(id)
	default:
		l.then.push(id)
	}
	w.queued++
	g.again(t, w, +1)
	g.reorder(h)
}

// unqueue takes a target out of the count; its place in line is passed over when it comes up.
func (g *Ledger) unqueue(t *target) {
	w := g.wave(t.wave)
	w.queued--
	g.again(t, w, -1)
}

// again keeps the count of pages that wait for the second pass.
func (g *Ledger) again(t *target, w *wave, by int) {
	if t.wave == SecondPass && t.need&NeedLinks != 0 {
		w.pagesAgain += by
	}
}

// done takes a leased target out of its wave and its host's count.
func (g *Ledger) done(t *target) {
	w := g.wave(t.wave)
	w.out--
	g.again(t, w, -1)
	h := g.order[t.host]
	h.out--
	g.reorder(h)
}

// reorder puts the host's lines where they now belong.
func (g *Ledger) reorder(h *host) {
	free, ok := h.free()
	for _, l := range h.lines {
		due, some := g.due(l)
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
func (g *Ledger) take(now time.Time) (ID, time.Time, error) {
	var next time.Time
	pages, rest := false, false // pages are outstanding; anything is
	for _, n := range g.used {
		w := g.waves[n]
		if w.outstanding() == 0 {
			continue
		}
		closed := n <= LastPages && pages || // pages nearer to the seeds come first
			n == SecondPass && rest
		if closed {
			continue
		}
		rest = true
		id, ready := g.first(w, n, now)
		if id != 0 {
			return id, time.Time{}, nil
		}
		next = earlier(next, ready)
		if n <= LastPages {
			pages = true
			if w.out > 0 { // it may yet bring pages; but no slot waits for long
				until := g.began.Add(stall)
				switch leaves := g.waves[Leaves]; {
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
func (g *Ledger) first(w *wave, n Wave, now time.Time) (ID, time.Time) {
	for len(w.heap) > 0 {
		l := w.heap[0]
		if l.ready.After(now) {
			return 0, l.ready
		}
		l.advance(g.since(now))
		id, ok := l.first.pop()
		if !ok {
			id, ok = l.then.pop()
		}
		if !ok { // only what was due is gone
			g.reorder(l.host)
			continue
		}
		if t := g.target(id); t.state() != queued || t.wave != n { // it has moved to another line
			g.reorder(l.host)
			continue
		}
		w.queued--
		w.out++
		l.host.out++
		l.host.last = now
		g.reorder(l.host)
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
	at    time.Duration // since the ledger's beginning
	fence uint64
	id    ID
}

// expiries is a heap by time.
type expiries []expiry

func (e *expiries) push(x expiry) { heap.Push((*expiryHeap)(e), x) }
func (e *expiries) pop() expiry   { return heap.Pop((*expiryHeap)(e)).(expiry) }

type expiryHeap []expiry

func (h expiryHeap) Len() int           { return len(h) }
func (h expiryHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h expiryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *expiryHeap) Push(x any)        { *h = append(*h, x.(expiry)) }
func (h *expiryHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
