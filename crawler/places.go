package crawler

import "sync"

// places are for those who compute: as many as there are processors. More workers
// that read documents at once would take more memory and be no faster. For the same
// reason nobody begins a visit, or takes a body off the network, while others already
// wait with their document for a place: on a network that is faster than we are,
// requests in flight are only memory.
type places struct {
	mu      sync.Mutex
	free    int
	most    int // that wait while others begin a visit or read a body
	waiting int
	place   sync.Cond // one is free
	room    sync.Cond // few are waiting
}

func newPlaces(processors int) *places {
	p := &places{free: processors, most: 2 * processors}
	p.place.L, p.room.L = &p.mu, &p.mu
	return p
}

// take waits for a place.
func (p *places) take() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting++
	for p.free == 0 {
		p.place.Wait()
	}
	p.waiting--
	p.free--
	if p.waiting < p.most {
		p.room.Signal()
	}
}

// give gives a place back.
func (p *places) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free++
	p.place.Signal()
}

// await waits until few wait for a place.
func (p *places) await() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.waiting >= p.most {
		p.room.Wait()
	}
	if p.waiting+1 < p.most { // there may be room for one more
		p.room.Signal()
	}
}
