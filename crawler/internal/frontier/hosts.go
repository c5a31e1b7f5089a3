package frontier

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Politeness says how hosts may be visited before they have answered.
type Politeness interface {
	Treatment(host string) Treatment
	// IsStill reports whether nothing waits, as the answers are known, and no host is asked.
	IsStill() bool
}

// Treatment is how a host may be visited. As a Politeness, it is that of every host.
type Treatment struct {
	// Pace is the pace that the host never exceeds. The zero value sets no limit.
	Pace Pace
	// Start is the number of concurrent visits that the host starts with, if that is
	// less than what Pace allows. For 0 the host starts with all that Pace allows.
	Start int
	// Gated is set if the host gets one visit at a time until OpenGate is called.
	// While the rules of a host are not known, only one worker waits for them.
	Gated bool
}

// Treatment is a method of Politeness.
func (t Treatment) Treatment(string) Treatment { return t }

// IsStill is a method of Politeness.
func (t Treatment) IsStill() bool { return false }

// Hosts keeps the pace of every host and adapts it to the answers of the host. Its
// methods may be called from several goroutines at the same time.
type Hosts struct {
	store      Store
	politeness Politeness
	shared     Shared // nil if no other process visits the hosts

	mu          sync.Mutex
	controllers map[string]*controller
	versions    map[string]*version // of a shared store
}

func newHosts(store Store, p Politeness) *Hosts {
	return &Hosts{store: store, politeness: p, controllers: map[string]*controller{}}
}

// enter sets the pace of every new host among items. It is called before the items are
// entered.
func (h *Hosts) enter(ctx context.Context, items []Item) error {
	var last string
	for i := range items {
		if items[i].ID != 0 || string(items[i].Host) == last && i > 0 || items[i].Outcome != nil {
			continue
		}
		last = string(items[i].Host)
		if h.shared != nil {
			if err := h.enterShared(ctx, last); err != nil {
				return err
			}
			continue
		}
		if p, isNew := h.add(items[i].Host); isNew {
			if err := h.store.SetPace(ctx, last, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// add returns the first pace of a host, and whether the host is new.
func (h *Hosts) add(host []byte) (Pace, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.controllers[string(host)] != nil {
		return Pace{}, false
	}
	return h.controller(string(host)).pace(), true
}

// controller returns the controller of a host, which is made on first use. Callers hold
// mu.
func (h *Hosts) controller(host string) *controller {
	c := h.controllers[host]
	if c == nil {
		c = newController(h.politeness.Treatment(host), h.politeness.IsStill())
		h.controllers[host] = c
	}
	return c
}

// newController returns the controller of a host that has not answered yet.
func newController(t Treatment, still bool) *controller {
	limit := &t.Pace
	c := &controller{still: still, within: limit.Within, Limit: limit.Concurrency, LimitInterval: limit.Interval, Concurrency: limit.Concurrency, Interval: limit.Interval}
	c.Gated = t.Gated
	if t.Start > 0 && t.Start < c.Concurrency {
		c.Concurrency, c.Starting = t.Start, true
	}
	return c
}

// change changes the controller of a host, and stores the pace if do reports that it changed.
func (h *Hosts) change(ctx context.Context, host string, do func(*controller) bool) error {
	if h.shared != nil {
		return h.changeShared(ctx, host, do)
	}
	h.mu.Lock()
	c := h.controller(host)
	changed := do(c)
	p := c.pace()
	h.mu.Unlock()
	if !changed {
		return nil
	}
	return h.store.SetPace(ctx, host, p)
}

// Observe adapts the pace of a host to the answer of a visit. Call it before the target
// is settled or deferred, so that the next visit keeps the new pace.
func (h *Hosts) Observe(ctx context.Context, host string, a Answer) error {
	return h.change(ctx, host, func(c *controller) bool { return c.observe(a, time.Now()) })
}

// Limit bounds a host to one visit at a time with at least interval between the starts of
// two, such as a crawl-delay in its robots.txt asks for.
func (h *Hosts) Limit(ctx context.Context, host string, interval time.Duration) error {
	return h.change(ctx, host, func(c *controller) bool { return c.limitInterval(interval, time.Now()) })
}

// Rest lets a host rest: it is not visited before the given time.
func (h *Hosts) Rest(ctx context.Context, host string, until time.Time) error {
	return h.change(ctx, host, func(c *controller) bool {
		changed := until.After(c.Rest.Time)
		c.restUntil(until)
		return changed
	})
}

// Locate notes the address of a host, whose visits its Treatment bounds by its address. It reports whether
// a target with this Lease.Controller was handed out before the address was known: others may have as many
// visits there as its share allows.
func (h *Hosts) Locate(ctx context.Context, host, address string, version uint64) (early bool, err error) {
	err = h.change(ctx, host, func(c *controller) bool {
		at := &c.within[ByAddress]
		if early = at.Key == ""; !early && h.shared != nil { // other processes may find other addresses of the host
			return false
		}
		moved := at.Key != address
		at.Key = address
		return moved
	})
	if h.shared != nil && err == nil { // another process may have found it meanwhile
		h.mu.Lock()
		defer h.mu.Unlock()
		early = version < h.controller(host).Located
	}
	return early, err
}

// Pace returns the current pace of a host.
func (h *Hosts) Pace(host string) Pace {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.controller(host).pace()
}

// GivenUp reports whether a host has refused so many visits that no more should be made.
func (h *Hosts) GivenUp(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.controller(host).GivenUp
}

// Dead reports whether a host has never answered, and many visits timed out.
func (h *Hosts) Dead(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.controller(host).dead()
}

// Resting returns the host that must not be visited for the longest time from now, and
// the end of that time. The name is empty if every host may be visited.
func (h *Hosts) Resting() (string, time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var name string
	until := time.Now()
	for host, c := range h.controllers {
		if !c.GivenUp && c.Rest.After(until) {
			name, until = host, c.Rest.Time
		}
	}
	if name == "" {
		return "", time.Time{}
	}
	return name, until
}

// Resume starts every host at the pace that the store kept of an earlier session, so
// that a host that was slowed down or asked for a rest is spared from the start. configured is
// the interval that the configuration of that session gave to hosts.
func (h *Hosts) Resume(ctx context.Context, configured time.Duration) error {
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
		c.resume(p, configured)
		p = c.pace()
		h.mu.Unlock()
		if err := h.store.SetPace(ctx, host, p); err != nil {
			return fmt.Errorf("set the pace of %s: %w", host, err)
		}
	}
	return nil
}
