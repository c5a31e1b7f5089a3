package crawler

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	// robotsLifetime is how long rules are good (RFC 9309 2.4).
	robotsLifetime = 24 * time.Hour
	// robotsPatience is how long a robots.txt that could not be had is not asked for
	// again, unless Retry-After says otherwise.
	robotsPatience = time.Minute

	// maxRobotsOrigins and maxRobotsMemory bound the cache; the origin that was asked
	// for longest ago leaves first.
	maxRobotsOrigins = 10_000
	maxRobotsMemory  = 32 << 20
)

// robotsCache keeps the rules of each origin for a day and asks each origin once at
// a time, whoever waits. It starts no goroutine and is safe for concurrent use.
type robotsCache struct {
	agent string

	mu      sync.Mutex
	entries map[string]*list.Element // of *robotsEntry
	order   *list.List               // the last used in front
	memory  int
	flights map[string]*robotsFlight
}

// robotsEntry is what is known of one origin.
type robotsEntry struct {
	origin  string
	rules   *robotsRules
	expires time.Time
	read    time.Time // when the rules were read; zero for a refusal
	size    int
}

// robotsFlight is a request under way; done is closed when rules or err are set.
type robotsFlight struct {
	done  chan struct{}
	rules *robotsRules
	err   error
}

// newRobotsCache keeps rules for an agent, given as its product token or as a whole
// User-Agent value.
func newRobotsCache(agent string) *robotsCache {
	return &robotsCache{
		agent:   agent,
		entries: make(map[string]*list.Element),
		order:   list.New(),
		flights: make(map[string]*robotsFlight),
	}
}

// Rules returns the rules of a URL's origin: its scheme, host and port. The first
// who asks fetches robots.txt, the others wait for the answer or for their context.
//
// The error is the context's, or a *fetch.Fault of our own machine (Local), which
// says nothing of the origin; neither is kept. Every other failure is an answer:
// rules that refuse everything, kept for a minute or as Retry-After says, or the
// rules of before when there are some (RFC 9309 2.4).
func (c *robotsCache) Rules(ctx context.Context, origin urinorm.URL, get robotsGetter) (*robotsRules, error) {
	at, err := robotsURL(origin)
	if err != nil {
		return nil, err
	}
	key := at.String()
	for {
		c.mu.Lock()
		old := c.entry(key)
		if old != nil && time.Now().Before(old.expires) {
			c.mu.Unlock()
			return old.rules, nil
		}
		flight := c.flights[key]
		if flight == nil {
			flight = &robotsFlight{done: make(chan struct{})}
			c.flights[key] = flight
			c.mu.Unlock()
			c.lead(ctx, flight, key, at, old, get)
			return flight.rules, flight.err
		}
		c.mu.Unlock()
		select {
		case <-flight.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(flight.err, context.Canceled) && !errors.Is(flight.err, context.DeadlineExceeded) {
			return flight.rules, flight.err
		}
		// Who asked was called off; we were not.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// entry returns what is known of an origin, nil for nothing, and moves it to the front.
func (c *robotsCache) entry(key string) *robotsEntry {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*robotsEntry)
}

// lead asks the origin for all who wait on the flight.
func (c *robotsCache) lead(ctx context.Context, flight *robotsFlight, key string, at urinorm.URL, old *robotsEntry, get robotsGetter) {
	flight.err = fmt.Errorf("fetch %s: %w", at.Printed(), context.Canceled) // should get panic
	defer func() {
		c.mu.Lock()
		if flight.err == nil {
			flight.rules = c.keep(key, flight.rules, old)
		}
		delete(c.flights, key)
		c.mu.Unlock()
		close(flight.done)
	}()
	flight.rules, flight.err = askRobots(ctx, at, c.agent, get)
}

// keep stores new rules and returns those that hold from now on: a refusal does not
// replace rules that were read before.
func (c *robotsCache) keep(key string, rules *robotsRules, old *robotsEntry) *robotsRules {
	now := time.Now()
	e := &robotsEntry{origin: key, rules: rules, expires: now.Add(robotsLifetime), read: now}
	if again, refused := rules.Refused(); refused {
		e.expires, e.read = now.Add(again), time.Time{}
		if old != nil && !old.read.IsZero() {
			e.rules, e.read = old.rules, old.read
		}
	}
	e.size = e.rules.size() + 2*len(key)
	if was := c.entries[key]; was != nil {
		c.drop(was)
	}
	c.entries[key] = c.order.PushFront(e)
	c.memory += e.size
	for c.order.Len() > 1 && (c.order.Len() > maxRobotsOrigins || c.memory > maxRobotsMemory) {
		c.drop(c.order.Back())
	}
	return e.rules
}

func (c *robotsCache) drop(element *list.Element) {
	e := c.order.Remove(element).(*robotsEntry)
	delete(c.entries, e.origin)
	c.memory -= e.size
}
