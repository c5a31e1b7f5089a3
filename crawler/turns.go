package crawler

import "sync"

// turns keeps the pages of a run with --max-pages in the order in which they were handed
// out. Otherwise the order of answers would decide which pages are read: the targets of a
// page are queued when the page is settled, and the limit stops whichever comes last. So
// a page begins when all pages before it have begun, and is settled when all before it
// have ended; the slow parts, the request and the reading, still run concurrently. With a
// nil *turns, for a run without that limit, no page waits.
type turns struct {
	mu    sync.Mutex
	moved sync.Cond
	begun ranks
	over  ranks
	open  bool // the run is ending: no page waits any longer
}

// ranks are numbers from 1, of which all below next are taken.
type ranks struct {
	next  int
	ahead map[int]bool // greater ones that are taken too
}

func (r *ranks) take(n int) {
	if n < r.next {
		return
	}
	r.ahead[n] = true
	for r.ahead[r.next] {
		delete(r.ahead, r.next)
		r.next++
	}
}

func newTurns() *turns {
	t := &turns{begun: ranks{1, map[int]bool{}}, over: ranks{1, map[int]bool{}}}
	t.moved.L = &t.mu
	return t
}

// begin waits for target n's turn to begin, and then until there is room for it or
// no target before it can make room. It returns the last result of take.
func (t *turns) begin(n int, take func() bool) bool {
	if t == nil {
		return take()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.begun.next < n && !t.open {
		t.moved.Wait()
	}
	ok := take()
	for !ok && t.over.next < n && !t.open {
		t.moved.Wait()
		ok = take()
	}
	t.begun.take(n)
	t.moved.Broadcast()
	return ok
}

// await waits until all targets before n have ended.
func (t *turns) await(n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.over.next < n && !t.open {
		t.moved.Wait()
	}
}

// end notes that target n has ended, or does not count as a page.
func (t *turns) end(n int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun.take(n)
	t.over.take(n)
	t.moved.Broadcast()
}

// release ends all waiting, now and later.
func (t *turns) release() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = true
	t.moved.Broadcast()
}
