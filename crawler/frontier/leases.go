package frontier

import (
	"fmt"
	"time"
)

// leases are the leases of a ledger.
type leases struct {
	held      map[ID]lease
	deadlines timers // of held leases, and of some that have ended
	fence     uint64 // of the last lease
	epoch     epoch
}

type lease struct {
	fence    uint64
	deadline time.Time // zero for none
}

// grant leases a target for d, 0 for no deadline, and returns the fence.
func (s *leases) grant(id ID, now time.Time, d time.Duration) uint64 {
	s.fence++
	l := lease{fence: s.fence}
	if d > 0 {
		l.deadline = now.Add(d)
		s.deadlines.push(timer{s.epoch.since(l.deadline), l.fence, id})
	}
	s.held[id] = l
	return l.fence
}

// check returns ErrStale for a lease that is no longer held.
func (s *leases) check(l Lease) error {
	if s.held[l.ID].fence != l.Fence || l.Fence == 0 {
		return fmt.Errorf("target %d: %w", l.ID, ErrStale)
	}
	return nil
}

// extend moves the deadline of a held lease.
func (s *leases) extend(l Lease, deadline time.Time) {
	s.held[l.ID] = lease{l.Fence, deadline}
	s.deadlines.push(timer{s.epoch.since(deadline), l.Fence, l.ID})
}

// expired returns a target whose lease has passed its deadline, 0 if there is none. It
// does not end the lease.
func (s *leases) expired(now time.Time) ID {
	for len(s.deadlines) > 0 && s.deadlines[0].at <= s.epoch.since(now) {
		e := s.deadlines.pop()
		l, ok := s.held[e.id]
		if !ok || l.fence != e.fence {
			continue
		}
		if !l.deadline.After(now) {
			return e.id
		}
		s.deadlines.push(timer{s.epoch.since(l.deadline), e.fence, e.id}) // the lease was extended
	}
	return 0
}

// nextDeadline returns the earliest time at which a lease may expire, the zero time if
// none has a deadline.
func (s *leases) nextDeadline() time.Time {
	if len(s.deadlines) == 0 {
		return time.Time{}
	}
	return s.epoch.time(s.deadlines[0].at)
}
