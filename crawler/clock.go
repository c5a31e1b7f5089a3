package crawler

import (
	"context"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
)

// clock measures how long a crawl takes, and records it in the store.
type clock struct {
	store   frontier.Store
	started time.Time     // this session
	began   time.Time     // the first session of the crawl
	before  time.Duration // what earlier sessions took

	mu    sync.Mutex
	timed time.Time // the store has recorded the time spent until then
}

func newClock(store frontier.Store) *clock {
	now := time.Now()
	return &clock{store: store, started: now, began: now, timed: now}
}

// recall restores what earlier sessions took.
func (c *clock) recall(known *stored.Sums) {
	c.before = known.Elapsed
	if !known.Began.IsZero() {
		c.began = known.Began
	}
}

// tell tells the verdicts when the crawl began.
func (c *clock) tell(to *verdicts.Crawl) { to.Began, to.Started = c.began, c.started }

// elapsed returns how long the sessions of the crawl have taken so far.
func (c *clock) elapsed() time.Duration { return c.before + time.Since(c.started) }

// keepStart records in the store when the crawl began.
func (c *clock) keepStart(ctx context.Context) error {
	if !c.began.Equal(c.started) {
		return nil // it knows
	}
	return stored.Begin(ctx, c.store, c.began)
}

// keepTime adds the time since its last call to the time in the store.
func (c *clock) keepTime(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	spent := now.Sub(c.timed)
	c.timed = now
	c.mu.Unlock()
	return stored.AddTime(ctx, c.store, spent)
}
