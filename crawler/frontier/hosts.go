package frontier

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Politeness says how hosts may be visited. A nil function says nothing of any host.
type Politeness struct {
	// Pace is the pace that a host starts with and never exceeds.
	Pace func(host string) Pace
	// Start is how many visits at once a host starts with, where that is less than
	// what Pace allows; 0 is all of it.
	Start func(host string) int
	// Gated hosts get one visit at a time until OpenGate is called: while a host's
	// rules are not known, the visits of others need not wait for them.
	Gated func(host string) bool
}

// Hosts keeps the pace of every host and adapts it to the host's answers. Its
// methods may be called from many goroutines.
type Hosts struct {
	store      Store
	politeness Politeness

	mu          sync.Mutex
	controllers map[string]*controller
}

func newHosts(store Store, p Politeness) *Hosts {
	return &Hosts{store: store, politeness: p, controllers: map[string]*controller{}}
}

// enter gives every new host among items its pace. It is called before they are
// entered.
func (h *Hosts) enter(ctx context.Context, items []Item) error {
	var last string
	for i := range items {
		if items[i].ID != 0 || string(items[i].Host) == last && i > 0 || items[i].Outcome != nil {
			continue
		}
		last = string(items[i].Host)
		if p, isNew := h.add(items[i].Host); isNew {
			if err := h.store.SetPace(ctx, last, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// add gives a host its first pace; it reports whether the host is new.
func (h *Hosts) add(host []byte) (Pace, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.controllers[string(host)] != nil {
		return Pace{}, false
	}
	return h.controller(string(host)).pace(), true
}

// controller returns a host's controller, made on first use. Callers hold mu.
func (h *Hosts) controller(host string) *controller {
	c := h.controllers[host]
	if c == nil {
		c = h.politeness.controller(host)
		h.controllers[host] = c
	}
	return c
}

func (p *Politeness) controller(host string) *controller {
	var most Pace
	if p.Pace != nil {
		most = p.Pace(host)
	}
	c := &controller{most: most, concurrency: most.Concurrency, interval: most.Interval}
	c.gated = p.Gated != nil && p.Gated(host)
	if p.Start != nil {
		if n := p.Start(host); n > 0 && n < c.concurrency {
			c.concurrency, c.starting = n, true
		}
	}
	return c
}

// setPace stores the pace of a host if it changed.
func (h *Hosts) setPace(ctx context.Context, host string, p Pace, changed bool) error {
	if !changed {
		return nil
	}
	return h.store.SetPace(ctx, host, p)
}

// Observe adapts a host's pace to the answer of a visit. It is called before the
// target is settled or deferred, so that the next visit already keeps the new pace.
func (h *Hosts) Observe(ctx context.Context, host string, a Answer) error {
	h.mu.Lock()
	c := h.controller(host)
	changed := c.observe(a, time.Now())
	p := c.pace()
	h.mu.Unlock()
	return h.setPace(ctx, host, p, changed)
}

// Limit puts at least interval between two visits to a host, one at a time, as a
// crawl-delay in its robots.txt asks.
func (h *Hosts) Limit(ctx context.Context, host string, interval time.Duration) error {
	h.mu.Lock()
	c := h.controller(host)
	changed := c.limit(interval, time.Now())
	p := c.pace()
	h.mu.Unlock()
	return h.setPace(ctx, host, p, changed)
}

// OpenGate gives a gated host the pace of others. For a host that is not gated it
// does nothing.
func (h *Hosts) OpenGate(ctx context.Context, host string) error {
	h.mu.Lock()
	c := h.controller(host)
	changed := c.gated
	c.gated = false
	p := c.pace()
	h.mu.Unlock()
	return h.setPace(ctx, host, p, changed)
}

// GivenUp reports whether a host refused so often that it is not asked any more.
func (h *Hosts) GivenUp(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.controller(host).givenUp
}

// Dead reports whether a host has never answered although many visits waited for it.
func (h *Hosts) Dead(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.controller(host).dead()
}

// Resting returns the host that must be left alone for the longest time from now, and
// until when; the empty string when there is none.
func (h *Hosts) Resting() (string, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var name string
	until := time.Now()
	for host, c := range h.controllers {
		if !c.givenUp && c.rest.After(until) {
			name, until = host, c.rest
		}
	}
	if name == "" {
		return "", time.Time{}
	}
	return name, until
}

// Resume starts every host at the pace that an earlier session left in the store: a
// host that was slowed down, or asked for a rest, is spared from the start.
func (h *Hosts) Resume(ctx context.Context) error {
	left := map[string]Pace{}
	err := h.store.Paces(ctx, func(host string, p Pace) error {
		left[host] = p
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the pace of the hosts: %w", err)
	}
	for host, p := range left {
		h.mu.Lock()
		c := h.controller(host)
		c.resume(p)
		p = c.pace()
		h.mu.Unlock()
		if err := h.store.SetPace(ctx, host, p); err != nil {
			return fmt.Errorf("set the pace of %s: %w", host, err)
		}
	}
	return nil
}
