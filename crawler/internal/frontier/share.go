package frontier

// share is a Share in use. Queues of hosts whose share is used up wait in it, so that the next target
// is found as fast as without: however many hosts share an address, one step looks at one of them.
type share struct {
	most    int
	leased  int      // targets of its hosts; more than most if a host with leases has joined
	waiting hostHeap // queues that are ready but for this share
}

// end notes that n leases have ended, and calls a queue for each place that is free now.
func (s *share) end(n int) {
	for range n {
		s.leased--
		s.call()
	}
}

// call moves the first queue that waits back to its wave, where its turn comes, if there is a place.
// A queue that is called and does not use the place calls the next one. A queue waits only while the
// share is used up, so that the end of a lease calls it.
func (s *share) call() {
	if s.leased < s.most && len(s.waiting) > 0 {
		q := s.waiting[0]
		q.called = s
		q.move(&q.wave.hosts)
	}
}

// usedUp returns a share of the host in which there is no place, nil if there is none.
func (h *host) usedUp() *share {
	for _, s := range h.shares {
		if s != nil && s.leased >= s.most {
			return s
		}
	}
	return nil
}

// await lets a queue wait for a place in a share.
func (q *hostQueue) await(s *share) {
	by := q.called
	q.called = nil
	q.move(&s.waiting)
	if by != nil && by != s {
		by.call()
	}
}
