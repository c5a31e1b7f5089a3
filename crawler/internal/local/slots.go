package local

import "sync"

// slots limit the workers that compute to the number of processors. If more workers
// read documents at once, they would take more memory and be no faster. For the same
// reason no worker begins a visit, or reads a body from the network, while others
// already wait with their document for a slot: on a network that is faster than the
// processors, requests in flight only take memory.
type Slots struct {
	mu      sync.Mutex
	free    int
	most    int // that wait while others begin a visit or read a body
	waiting int
	slot    sync.Cond // one is free
	room    sync.Cond // few are waiting
}

func NewSlots(processors int) *Slots {
	s := &Slots{free: processors, most: 2 * processors}
	s.slot.L, s.room.L = &s.mu, &s.mu
	return s
}

// take waits for a slot.
func (s *Slots) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
	for s.free == 0 {
		s.slot.Wait()
	}
	s.waiting--
	s.free--
	if s.waiting < s.most {
		s.room.Signal()
	}
}

// release returns a slot.
func (s *Slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.slot.Signal()
}

// waitForRoom waits until only a few workers wait for a slot.
func (s *Slots) WaitForRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting >= s.most {
		s.room.Wait()
	}
	if s.waiting+1 < s.most { // there may be room for one more
		s.room.Signal()
	}
}

// slot is what one worker has of the slots: one of them, or none.
type Slot struct {
	Slots *Slots
	Taken bool
}

// take takes one of the slots, unless the worker has one. It is kept until the visit ends, unless
// another request is sent.
func (s *Slot) Take() {
	if !s.Taken {
		s.Slots.take()
		s.Taken = true
	}
}

// release returns the slot, if the worker has one.
func (s *Slot) Release() {
	if s.Taken {
		s.Slots.release()
		s.Taken = false
	}
}
