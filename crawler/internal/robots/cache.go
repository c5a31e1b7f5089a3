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
	// maxOrigins and maxMemory limit the cache, which evicts the least recently used
	// origin first. maxMemory is in bytes.
	maxOrigins = 10_000
	maxMemory  = 32 << 20
)

// Retry decides whether a robots.txt is requested again after a failure, and how long to
// wait. failures is the number of failures in a row, this one included.
type Retry = func(f *Failure, failures int) (wait time.Duration, again bool)

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
}

// entry holds the rules of one origin.
type entry struct {
	origin   string
	rules    *Rules
	expires  time.Time
	read     bool // the rules were read; false if the origin is disallowed because robots.txt is unavailable
	failures int  // failed requests since the rules were last read
	renewed  bool // by RequestOnceMore
	size     int
}

// request is a request in progress. done is closed when rules or err is set.
type request struct {
	origin string
	done   chan struct{}
	rules  *Rules
	err    error
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
// (Local), which says nothing about the origin. Neither is cached. retry decides whether an unavailable
// robots.txt is requested again. After every other
// failure the previous rules apply if there are any (RFC 9309 2.4). Otherwise everything
// is disallowed: until the time that [Rules.Next] returns if robots.txt is then requested
// again, else for a day.
func (c *Cache) Rules(ctx context.Context, origin urinorm.URL, get Getter, retry Retry) (*Rules, error) {
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
			req = &request{origin: key, done: make(chan struct{})}
			c.pending[key] = req
			c.mu.Unlock()
			c.fetchFor(ctx, req, at, old, get, retry)
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
func (c *Cache) fetchFor(ctx context.Context, req *request, at urinorm.URL, old *entry, get Getter, retry Retry) {
	req.err = fmt.Errorf("fetch %s: %w", at.Printed(), context.Canceled) // in case get panics
	defer func() {
		c.mu.Lock()
		if req.err == nil {
			req.rules = c.store(req.origin, req.rules, old, retry)
		}
		delete(c.pending, req.origin)
		c.mu.Unlock()
		close(req.done)
	}()
	req.rules, req.err = fetchRules(ctx, at, c.agent, get)
}

// store adds new rules to the cache and returns the rules that apply from now on. If
// robots.txt is unavailable, the rules that were read before stay in place.
func (c *Cache) store(key string, rules *Rules, old *entry, retry Retry) *Rules {
	e := &entry{origin: key, rules: rules, expires: time.Now().Add(lifetime), read: rules.failure == nil}
	if !e.read {
		e.failures = 1
		if old != nil {
			e.failures, e.renewed = old.failures+1, old.renewed
		}
		wait, again := retry(rules.failure, e.failures)
		if again {
			e.expires = time.Now().Add(wait)
		}
		switch {
		case old != nil && old.read:
			e.rules, e.read = old.rules, true
		case again:
			rules.next = e.expires
		}
		if !again && e.read {
			e.failures = 0 // the rules that were read before are as good as new
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

// RequestOnceMore lets the next call of Rules request an unavailable robots.txt of a
// URL's origin although its retries are over. It does so once for each origin.
func (c *Cache) RequestOnceMore(u urinorm.URL) {
	at, err := urlFor(u)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entry(at.String()); e != nil && !e.read && e.rules.next.IsZero() && !e.renewed {
		e.expires, e.renewed = time.Time{}, true
	}
}
