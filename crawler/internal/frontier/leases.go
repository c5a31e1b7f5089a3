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
	deadline time.Time     // zero for none
	timer    time.Duration // since the epoch: of its only entry in deadlines, not after the deadline
}

// grant leases a target for d, 0 for no deadline, and returns the fence.
func (s *leases) grant(id ID, now time.Time, d time.Duration) uint64 {
	s.fence++
	l := lease{fence: s.fence}
	if d > 0 {
		l.deadline = now.Add(d)
		l.timer = s.epoch.since(l.deadline)
		s.deadlines.push(timer{l.timer, l.fence, id})
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

// extend moves the deadline of a held lease. A later deadline leaves the timer as it is;
// expired moves it when it fires.
func (s *leases) extend(l Lease, deadline time.Time) {
	held, at := s.held[l.ID], s.epoch.since(deadline)
	switch {
	case held.deadline.IsZero():
		held.timer = at
		s.deadlines.push(timer{at, l.Fence, l.ID})
	case at < held.timer:
		held.timer = at
		s.deadlines.advance(l.Fence, at)
	}
	held.deadline = deadline
	s.held[l.ID] = held
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
		l.timer = s.epoch.since(l.deadline) // the lease was extended
		s.held[e.id] = l
		s.deadlines.push(timer{l.timer, e.fence, e.id})
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
