package crawler

import "sync"

// stock keeps memory that was used for the next who needs it. What was given back
// last is taken first, so that there is only as much as is in use at once.
type stock[T any] struct {
	mu   sync.Mutex
	free []T
	most int // that are kept
	make func() T
}

func (s *stock[T]) take() T {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return s.make()
	}
	t := s.free[n-1]
	s.free = s.free[:n-1]
	return t
}

func (s *stock[T]) give(t T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < s.most {
		s.free = append(s.free, t)
	}
}

// empty lets go of all that is kept.
func (s *stock[T]) empty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = nil
}

// Memory that a large page needed is not kept.
const (
	largeLinks = 1 << 20 // bytes of a page's references
	manyLinks  = 1 << 15 // of a page
)
