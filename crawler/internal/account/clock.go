// Package account keeps what a run tells of itself: how long it takes, what it has counted and left
// out, and what its sink gets. What must outlive the process is in the store as well (package stored),
// from which a later session recalls it.
package account

import (
	"context"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
)

// Clock measures how long a crawl takes, and records it in the store.
type Clock struct {
	store   frontier.Store
	Started time.Time     // this session
	Began   time.Time     // the first session of the crawl
	before  time.Duration // what earlier sessions took

	mu    sync.Mutex
	timed time.Time // the store has recorded the time spent until then
}

// NewClock starts the clock of a session.
func NewClock(store frontier.Store) *Clock {
	now := time.Now()
	return &Clock{store: store, Started: now, Began: now, timed: now}
}

// Recall restores what earlier sessions took.
func (c *Clock) Recall(known *stored.Sums) {
	c.before = known.Elapsed
	if !known.Began.IsZero() {
		c.Began = known.Began
	}
}

// Elapsed returns how long the sessions of the crawl have taken so far.
func (c *Clock) Elapsed() time.Duration { return c.before + time.Since(c.Started) }

// KeepStart records in the store when the crawl began.
func (c *Clock) KeepStart(ctx context.Context) error {
	if !c.Began.Equal(c.Started) {
		return nil // it knows
	}
	return stored.Begin(ctx, c.store, c.Began)
}

// KeepTime adds the time since its last call to the time in the store.
func (c *Clock) KeepTime(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	spent := now.Sub(c.timed)
	c.timed = now
	c.mu.Unlock()
	return stored.AddTime(ctx, c.store, spent)
}
