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
	// lifetime is how long rules are valid (RFC 9309 2.4).
	lifetime = 24 * time.Hour
	// retryInterval is how long the cache waits before it requests an unavailable
	// robots.txt again, unless Retry-After asks for a longer time.
	retryInterval = time.Minute

	// maxOrigins and maxMemory limit the cache, which evicts the least recently used
	// origin first. maxMemory is in bytes.
	maxOrigins = 10_000
	maxMemory  = 32 << 20
)

// Cache keeps the rules of each origin for a day. It sends at most one request to an
// origin at a time; other callers wait for its result. Cache starts no goroutine and is
// safe for concurrent use.
type Cache struct {
	agent string

	mu      sync.Mutex
	entries map[string]*list.Element // values are *entry
	order   *list.List               // most recently used first
	memory  int
	pending map[string]*request
	failed  map[string]failure // keyed by the URL of robots.txt
}

// failure counts the failed requests for a robots.txt and holds the time of the next
// attempt.
type failure struct {
	times int
	next  time.Time
}

// entry holds the rules of one origin.
type entry struct {
	origin  string
	rules   *Rules
	expires time.Time
	read    time.Time // when the rules were read; zero if the origin is disallowed because robots.txt is unavailable
	size    int
}

// request is a request in progress. done is closed when rules or err is set.
type request struct {
	done  chan struct{}
	rules *Rules
	err   error
}

// NewCache returns a cache of rules for an agent, given as a product token or a whole
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
// caller requests robots.txt; the others wait for the result or until their contexts
// end.
//
// The error is either the context's error or a *fetch.Fault that this machine caused
// (Local), which says nothing about the origin. Neither is cached. Every other failure
// yields rules that disallow everything for a minute or as long as Retry-After asks, or
// the previous rules if there are any (RFC 9309 2.4).
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
		req := c.pending[key]
		if req == nil {
			req = &request{done: make(chan struct{})}
			c.pending[key] = req
			c.mu.Unlock()
			c.fetchFor(ctx, req, key, at, old, get)
			return req.rules, req.err
		}
		c.mu.Unlock()
		select {
		case <-req.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(req.err, context.Canceled) && !errors.Is(req.err, context.DeadlineExceeded) {
			return req.rules, req.err
		}
		// The requesting caller was canceled, but this one was not.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// entry returns the entry of an origin, or nil if there is none, and marks it as most
// recently used.
func (c *Cache) entry(key string) *entry {
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry)
}

// fetchFor requests the rules of an origin for all callers that wait for req.
func (c *Cache) fetchFor(ctx context.Context, req *request, key string, at urinorm.URL, old *entry, get Getter) {
	req.err = fmt.Errorf("fetch %s: %w", at.Printed(), context.Canceled) // in case get panics
	defer func() {
		c.mu.Lock()
		if req.err == nil {
			req.rules = c.store(key, req.rules, old)
		}
		delete(c.pending, key)
		c.mu.Unlock()
		close(req.done)
	}()
	req.rules, req.err = fetchRules(ctx, at, c.agent, get)
}

// store adds new rules to the cache and returns the rules that apply from now on. If
// robots.txt is unavailable, the rules that were read before stay in place.
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

// ForgetFailed drops the rules of a URL's origin after the request for its robots.txt
// failed, so that the next call of Rules sends another request. The first failure is
// forgotten soon because most faults are temporary; after that the intervals double up
// to a minute.
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
