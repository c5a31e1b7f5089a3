package admit

import (
	"context"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// places bounds the requests that are under way at once, to each host, to all hosts of a domain and
// to all at an address, and keeps the interval between those that no target of the frontier stands
// for. The frontier hands out no more targets than may be requested at once. But a visit may request
// from another host, too, and while a browser shows a page, it requests what the page loads. So each
// request needs a place under each limit of its host, and takes all of them in one step. A visit has
// at most one request under way, and keeps no place while it waits for another. While a page is
// shown, what it loads has the places instead.
type places struct {
	pacing *frontier.Hosts
	by     fetch.Fetcher
	share  bool // other processes request from the hosts, too

	mu    sync.Mutex
	known map[string]*place // by host, and by the keys of shares
}

// place counts the places under one limit.
type place struct {
	taken   int
	visits  int             // of a host: its targets that are visited, with a place or not
	last    time.Time       // of a host: start of the last request that is known
	waiting []chan struct{} // closed when a place is free, the first one first
}

func newPlaces(h *frontier.Hosts, by fetch.Fetcher, share bool) *places {
	return &places{pacing: h, by: by, share: share, known: map[string]*place{}}
}

// of returns the places under a limit. Callers hold mu.
func (p *places) of(key string) *place {
	h := p.known[key]
	if h == nil {
		h = &place{}
		p.known[key] = h
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

// forget deletes what is known of a limit that nothing is under way for, unless the interval of its
// host needs the time of the last request. Callers hold mu.
func (p *places) forget(key string, interval time.Duration) {
	if h := p.known[key]; h != nil && h.taken == 0 && h.visits == 0 && len(h.waiting) == 0 && interval == 0 {
		delete(p.known, key)
	}
}

// locate notes the address that a request is sent to, and reports whether a target with this
// Lease.Controller was handed out before one was known for its host. The resolver remembers the address
// for the request itself.
func (p *places) locate(ctx context.Context, u urinorm.URL, version uint64) (early bool, err error) {
	by, ok := p.by.(fetch.Locator)
	host := u.Authority()
	if !ok || host == "" || p.pacing.Pace(host).Within[frontier.ByAddress].Most == 0 {
		return false, nil
	}
	address, ok := by.Locate(ctx, u)
	if !ok {
		return false, nil
	}
	return p.pacing.Locate(context.WithoutCancel(ctx), host, "address "+address.String(), version)
}

// taken are the places that a request has: the host, and the shares that bound it. The zero value is
// for none.
type taken struct {
	host   string
	shares [frontier.Shares]string // "" for no limit
}

// take waits until there is a place for a request to a host under each of its limits.
func (p *places) take(ctx context.Context, host string) (taken, error) {
	for awaited := ""; ; {
		pace := p.pacing.Pace(host)
		p.mu.Lock()
		full := p.used(host, pace)
		if full == "" {
			t := taken{host: host}
			p.of(host).taken++
			for i, within := range pace.Within {
				if t.shares[i] = within.Key; within.Key != "" {
					p.of(within.Key).taken++
				}
			}
			p.mu.Unlock()
			return t, nil
		}
		intervalOf := func(key string) time.Duration {
			if key == host {
				return pace.Interval
			}
			return 0
		}
		free := make(chan struct{})
		h := p.of(full)
		h.waiting = append(h.waiting, free)
		p.mu.Unlock()
		if awaited != "" && awaited != full {
			p.wake(awaited, intervalOf(awaited), 1) // another caller can use the place
		}
		awaited = full
		select {
		case <-free:
		case <-ctx.Done():
			p.wake(full, intervalOf(full), 1) // the place may have been meant for this caller
			return taken{}, ctx.Err()
		}
	}
}

// used returns the first limit of a host under which no place is free, "" if there is none. Callers
// hold mu.
func (p *places) used(host string, pace frontier.Pace) string {
	h, most := p.of(host), pace.Concurrency
	if p.share && most > 0 {
		most = max(1, h.visits)
	}
	if most > 0 && h.taken >= most {
		return host
	}
	for _, within := range pace.Within {
		if h := p.known[within.Key]; within.Key != "" && h != nil && h.taken >= within.Most {
			return within.Key
		}
	}
	return ""
}

// give gives the places of a request back.
func (p *places) give(t taken) {
	interval := p.pacing.Pace(t.host).Interval
	p.mu.Lock()
	p.of(t.host).taken--
	for _, key := range t.shares {
		if key != "" {
			p.of(key).taken--
		}
	}
	p.mu.Unlock()
	p.wake(t.host, interval, 2) // the host may have a faster pace than when they began to wait
	for _, key := range t.shares {
		if key != "" {
			p.wake(key, 0, 2) // the first one may have to wait for its host
		}
	}
}

// wake lets up to n callers of take look for a place.
func (p *places) wake(key string, interval time.Duration, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.forget(key, interval)
	h := p.of(key)
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
