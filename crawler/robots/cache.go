package robots

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
	// lifetime is how long rules are good (RFC 9309 2.4).
	lifetime = 24 * time.Hour
	// retryInterval is how long a robots.txt that could not be had is not asked for
	// again, unless Retry-After says otherwise.
	retryInterval = time.Minute

	// maxOrigins and maxMemory bound the cache; the origin that was asked
	// for longest ago leaves first.
	maxOrigins = 10_000
	maxMemory  = 32 << 20
)

// Cache keeps the rules of each origin for a day and asks each origin once at
// a time, whoever waits. It starts no goroutine and is safe for concurrent use.
type Cache struct {
	agent string

	mu      sync.Mutex
	entries map[string]*list.Element // of *entry
	order   *list.List               // the last used in front
	memory  int
	pending map[string]*request
	failed  map[string]failure // by the URL of robots.txt
}

// failure is a robots.txt that brought no answer, and when it may be asked for again.
type failure struct {
	times int
	next  time.Time
}

// entry is what is known of one origin.
type entry struct {
	origin  string
	rules   *Rules
	expires time.Time
	read    time.Time // when the rules were read; zero for a refusal
	size    int
}

// request is a request under way; done is closed when rules or err are set.
type request struct {
	done  chan struct{}
	rules *Rules
	err   error
}

// NewCache keeps rules for an agent, given as its product token or as a whole
// User-Agent value.
func NewCache(agent string) *Cache {
	return &Cache{
		agent:   agent,
		entries: make(map[string]*list.Element),
		order:   list.New(),
		pending: make(map[string]*request),
	}
}

// Rules returns the rules of a URL's origin: its scheme, host and port. The first
// who asks fetches robots.txt, the others wait for the answer or for their context.
//
// The error is the context's, or a *fetch.Fault of our own machine (Local), which
// says nothing of the origin; neither is kept. Every other failure is an answer:
// rules that refuse everything, kept for a minute or as Retry-After says, or the
// rules of before when there are some (RFC 9309 2.4).
func (c *Cache) Rules(ctx context.Context, origin urinorm.URL, get Getter) (*Rules, error) {
	at, err := urlFor(origin)
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
		flight := c.pending[key]
		if flight == nil {
			flight = &request{done: make(chan struct{})}
			c.pending[key] = flight
			c.mu.Unlock()
			c.fetchFor(ctx, flight, key, at, old, get)
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
func (c *Cache) entry(key string) *entry {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry)
}

// fetchFor asks the origin for all who wait on the flight.
func (c *Cache) fetchFor(ctx context.Context, flight *request, key string, at urinorm.URL, old *entry, get Getter) {
	flight.err = fmt.Errorf("fetch %s: %w", at.Printed(), context.Canceled) // should get panic
	defer func() {
		c.mu.Lock()
		if flight.err == nil {
			flight.rules = c.store(key, flight.rules, old)
		}
		delete(c.pending, key)
		c.mu.Unlock()
		close(flight.done)
	}()
	flight.rules, flight.err = fetchRules(ctx, at, c.agent, get)
}

// store stores new rules and returns those that hold from now on: a refusal does not
// replace rules that were read before.
func (c *Cache) store(key string, rules *Rules, old *entry) *Rules {
	now := time.Now()
	e := &entry{origin: key, rules: rules, expires: now.Add(lifetime), read: now}
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
	for c.order.Len() > 1 && (c.order.Len() > maxOrigins || c.memory > maxMemory) {
		c.drop(c.order.Back())
	}
	return e.rules
}

func (c *Cache) drop(element *list.Element) {
	e := c.order.Remove(element).(*entry)
	delete(c.entries, e.origin)
	c.memory -= e.size
}

// ForgetFailed drops the rules of a URL's origin after a request for its robots.txt
// brought no answer, so that the next caller of Rules asks once more. It does so soon
// after the first failure, as most faults pass, and then at ever longer intervals.
func (c *Cache) ForgetFailed(u urinorm.URL) {
	at, err := urlFor(u)
	if err != nil {
		return
	}
	key, now := at.String(), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.failed[key]
	if now.Before(was.next) {
		return
	}
	if c.failed == nil || len(c.failed) >= maxOrigins {
		c.failed = map[string]failure{}
	}
	c.failed[key] = failure{was.times + 1, now.Add(min(time.Second/4<<min(was.times, 10), retryInterval))}
	if e := c.entries[key]; e != nil {
		c.drop(e)
	}
}
