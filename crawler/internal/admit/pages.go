package admit

import "sync"

// Pages counts the pages of a run with --max-pages, and keeps them in the order in which they
// were handed out. Otherwise the order of answers would decide which pages are read: the
// targets of a page are queued when the page is settled, and the limit stops whichever comes
// last. So a page begins when all pages before it have begun, and is settled when all before
// it have ended; the slow parts, the request and the reading, still run concurrently. With a
// nil *Pages, for a run without that limit, no page waits.
type Pages struct {
	most int

	mu    sync.Mutex
	moved sync.Cond
	count int // pages that have begun
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

func newPages(most int) *Pages {
	p := &Pages{most: most, begun: ranks{1, map[int]bool{}}, over: ranks{1, map[int]bool{}}}
	p.moved.L = &p.mu
	return p
}

// begin waits for target n's turn to begin, and then until there is room for it or
// no target before it can make room. It counts the target as a page, and reports whether the
// limit admits it.
func (p *Pages) begin(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.begun.next < n && !p.open {
		p.moved.Wait()
	}
	for p.count >= p.most && p.over.next < n && !p.open {
		p.moved.Wait()
	}
	ok := p.count < p.most
	if ok {
		p.count++
	}
	p.begun.take(n)
	p.moved.Broadcast()
	return ok
}

// Resume counts the pages of earlier sessions.
func (p *Pages) Resume(n int) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count = n
	}
}

// TakeBack makes room for another page: one that had begun was none, or begins again.
func (p *Pages) TakeBack() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count--
	}
}

// Await waits until all targets before n have ended.
func (p *Pages) Await(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.over.next < n && !p.open {
		p.moved.Wait()
	}
}

// End notes that target n has ended, or does not count as a page.
func (p *Pages) End(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun.take(n)
	p.over.take(n)
	p.moved.Broadcast()
}

// Release ends all waiting, now and later.
func (p *Pages) Release() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = true
	p.moved.Broadcast()
}
