package admit

import (
	"context"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// places bounds the requests to each host that are under way at once, and keeps the interval
// between those that no target of the frontier stands for. The frontier hands out no more
// targets of a host than may be requested at once. But a visit may request from another host,
// too, and while a browser shows a page, it requests what the page loads. So each request
// needs a place at its host. A visit has at most one, and keeps none while it waits for
// another. While a page is shown, what it loads has the place instead.
type places struct {
	pacing *frontier.Hosts
	share  bool // other processes request from the hosts, too

	mu    sync.Mutex
	hosts map[string]*hostPlaces
}

// hostPlaces are the places at one host.
type hostPlaces struct {
	taken   int
	visits  int             // targets of the host that are visited, with a place or not
	last    time.Time       // start of the last request that is known
	waiting []chan struct{} // closed when a place is free, the first one first
}

func newPlaces(h *frontier.Hosts, share bool) *places {
	return &places{pacing: h, share: share, hosts: map[string]*hostPlaces{}}
}

// of returns the places at a host. Callers hold mu.
func (p *places) of(host string) *hostPlaces {
	h := p.hosts[host]
	if h == nil {
		h = &hostPlaces{}
		p.hosts[host] = h
	}
	return h
}

// visit notes that a target of a host is visited, or that such a visit has ended. One process
// of several uses no more places than it has targets.
func (p *places) visit(host string, by int) {
	interval := p.pacing.Pace(host).Interval
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(host).visits += by
	p.forget(host, interval)
}

// forget deletes what is known of a host that nothing is under way for, unless its interval
// needs the time of the last request. Callers hold mu.
func (p *places) forget(host string, interval time.Duration) {
	if h := p.hosts[host]; h != nil && h.taken == 0 && h.visits == 0 && len(h.waiting) == 0 && interval == 0 {
		delete(p.hosts, host)
	}
}

// take waits for a place at a host.
func (p *places) take(ctx context.Context, host string) error {
	for {
		most := p.pacing.Pace(host).Concurrency
		p.mu.Lock()
		h := p.of(host)
		if p.share && most > 0 {
			most = max(1, h.visits)
		}
		if most == 0 || h.taken < most {
			h.taken++
			p.mu.Unlock()
			return nil
		}
		free := make(chan struct{})
		h.waiting = append(h.waiting, free)
		p.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			p.wake(host, 1) // the place may have been meant for this caller
			return ctx.Err()
		}
	}
}

// give gives a place back.
func (p *places) give(host string) {
	p.mu.Lock()
	h := p.of(host)
	h.taken--
	p.mu.Unlock()
	p.wake(host, 2) // the host may have a faster pace than when they began to wait
}

// wake lets up to n callers of take look for a place.
func (p *places) wake(host string, n int) {
	interval := p.pacing.Pace(host).Interval
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.forget(host, interval)
	h := p.of(host)
	for ; n > 0 && len(h.waiting) > 0; n-- {
		close(h.waiting[0])
		h.waiting = h.waiting[1:]
	}
}

// begin notes that a visit sends a request to a host now.
func (p *places) begin(host string) {
	interval := p.pacing.Pace(host).Interval
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(host).last = time.Now()
	p.forget(host, interval)
}

// awaitTurn waits until the interval of a host allows a request, and lets the visits of the
// host wait for that request.
func (p *places) awaitTurn(ctx context.Context, host string) error {
	interval := p.pacing.Pace(host).Interval
	p.mu.Lock()
	now := time.Now()
	h, at := p.of(host), now
	if next := h.last.Add(interval); interval > 0 && next.After(now) {
		at = next
	}
	h.last = at
	p.forget(host, interval)
	p.mu.Unlock()
	if interval > 0 {
		_ = p.pacing.Rest(context.WithoutCancel(ctx), host, at.Add(interval)) // a store that fails reports that to the workers, too
	}
	wait := at.Sub(now)
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
