package crawler

import "sync"

// turns keeps the pages of a run with --max-pages in the order in which they were
// handed out. Which pages are read would otherwise hang on which answers came first:
// what a page refers to is lined up when the page is settled, and the limit is met
// by whoever comes last. So a page begins when all before it have begun, and is
// settled when all before it are over; what takes long, the answer and the reading,
// is still done side by side. A nil *turns, of a run without that limit, lets
// everybody go at once.
type turns struct {
	mu    sync.Mutex
	moved sync.Cond
	begun ranks
	over  ranks
	open  bool // the run ends: nobody waits any more
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
// nobody before it could make any. It returns what take returns then.
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

// await waits until all targets before n are over.
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

// end says that target n is over, or has nothing to do with the others.
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

// release lets all go who wait.
func (t *turns) release() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = true
	t.moved.Broadcast()
}
