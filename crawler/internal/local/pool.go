package local

import "sync"

// pool keeps used memory for reuse. What was put back last is taken first, so that a
// pool holds only as much as is in use at once.
type Pool[T any] struct {
	mu   sync.Mutex
	free []*T
	Most int // that are kept
}

func (p *Pool[T]) Take() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return new(T)
	}
	t := p.free[n-1]
	p.free = p.free[:n-1]
	return t
}

func (p *Pool[T]) Put(t *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < p.Most {
		p.free = append(p.free, t)
	}
}

// empty releases all that is kept.
func (p *Pool[T]) Empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}
