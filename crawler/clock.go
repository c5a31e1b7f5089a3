package crawler

import (
	"context"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// clock knows how long a crawl takes, and lets the store know.
type clock struct {
	store   frontier.Store
	started time.Time     // this session
	began   time.Time     // the first session of the crawl
	before  time.Duration // what earlier sessions took

	mu    sync.Mutex
	timed time.Time // the store knows the time spent until then
}

func newClock(store frontier.Store) *clock {
	now := time.Now()
	return &clock{store: store, started: now, began: now, timed: now}
}

// elapsed is how long the sessions of the crawl took by now.
func (c *clock) elapsed() time.Duration { return c.before + time.Since(c.started) }

// keepStart lets the store know when the crawl began.
func (c *clock) keepStart(ctx context.Context) error {
	if !c.began.Equal(c.started) {
		return nil // it knows
	}
	return c.store.Tally(ctx, []frontier.Tally{{Name: tallyStarted, By: c.began.UnixNano()}})
}

// keepTime adds the time since it was last called to what the store knows.
func (c *clock) keepTime(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	spent := now.Sub(c.timed)
	c.timed = now
	c.mu.Unlock()
	return c.store.Tally(ctx, []frontier.Tally{{Name: tallyElapsed, By: int64(spent)}})
}
