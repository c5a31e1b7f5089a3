package crawler

import "sync"

// pool keeps used memory for reuse. What was put back last is taken first, so that a
// pool holds only as much as is in use at once.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
	most int // that are kept
	make func() T
}

func (p *pool[T]) take() T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return p.make()
	}
	t := p.free[n-1]
	p.free = p.free[:n-1]
	return t
}

func (p *pool[T]) put(t T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < p.most {
		p.free = append(p.free, t)
	}
}

// empty releases all that is kept.
func (p *pool[T]) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = nil
}
