package crew

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// recorder applies the log of a server to a file of its own. It needs nothing of the other servers.
type recorder struct {
	redisstore.Shard
	header *redisstore.Header
	state  diskstore.Replica
	growth *growthWatch // nil with a limit of pages

	lost     atomic.Bool         // the server has lost steps that were applied
	mu       sync.Mutex          // held while something is applied, and while the server is filled
	position redisstore.Position // up to which the log is applied
}

// continues reports whether the file goes with what the server has. Then the log is read from its
// position.
func (r *recorder) continues(ctx context.Context) (bool, error) {
	text, err := r.state.Applied()
	at, ok := redisstore.ParsePosition(text)
	if err != nil || !ok || at.Epoch != r.header.Epoch {
		return false, err
	}
	state, err := r.State(ctx)
	if err != nil || state == "filling" || state == "absent" || state == "deleted" || state == "done" {
		return false, nil
	}
	if _, _, err := r.Log(r.header).Read(ctx, at, redisstore.Lag); err != nil {
		return false, nil
	}
	r.position = at
	return true, nil
}

// recordEvery is how often a recorder looks for entries.
const recordEvery = 50 * time.Millisecond

// record applies entries until ctx ends.
func (r *recorder) record(ctx context.Context) error {
	for {
		all, err := r.apply(ctx, redisstore.Lag)
		switch {
		case err != nil:
			return err
		case !all && !r.lost.Load():
			continue
		}
		select {
		case <-time.After(recordEvery):
		case <-ctx.Done():
			return nil
		}
	}
}

// batchesAtOnce is how many batches are applied before others may hold the recorder.
const batchesAtOnce = 50

// apply applies entries that are older than lag. It returns true when there are no more.
func (r *recorder) apply(ctx context.Context, lag time.Duration) (all bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range batchesAtOnce {
		if r.lost.Load() {
			break
		}
		events, at, err := r.Log(r.header).Read(ctx, r.position, lag)
		if errors.Is(err, redisstore.ErrRewound) {
			r.lost.Store(true)
			break
		}
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return true, nil
		}
		if err := r.state.Apply(events, at.String()); err != nil {
			return false, err
		}
		r.position = at
		if r.growth != nil {
			if err := r.growth.observe(ctx, events, r.state.Needs); err != nil {
				return false, err
			}
		}
		if err := r.Log(r.header).Trim(ctx, at); err != nil {
			return false, err
		}
	}
	return false, nil
}

// applyAll applies entries of all logs that are older than lag. It returns true when there are no more.
func (c *coordinator) applyAll(ctx context.Context, lag time.Duration) (caught bool, err error) {
	var all errgroup.Group
	caughtUp := make([]bool, len(c.servers))
	for i, r := range c.servers {
		all.Go(func() (err error) {
			caughtUp[i], err = r.apply(ctx, lag)
			return err
		})
	}
	err = all.Wait()
	caught = err == nil
	for _, one := range caughtUp {
		caught = caught && one
	}
	return caught, err
}

// hold keeps all recorders from applying anything until release is called, and lets the state be read.
func (c *coordinator) hold() (release func()) {
	for _, r := range c.servers {
		r.mu.Lock()
	}
	return func() {
		for _, r := range c.servers {
			r.mu.Unlock()
		}
	}
}

// lost returns the servers that have lost steps which were applied already. absent says that some do not have
// the crawl.
func (c *coordinator) lost(ctx context.Context, absent bool) (list []*recorder, err error) {
	for _, r := range c.servers {
		lost := r.lost.Load()
		if !lost && absent {
			state, err := r.State(ctx)
			if err != nil {
				return nil, err
			}
			lost = state == "absent" || state == "filling"
		}
		if lost {
			list = append(list, r)
		}
	}
	return list, nil
}

// appliedUntil reports whether the logs are applied up to a time.
func (c *coordinator) appliedUntil(ctx context.Context, at time.Time) (bool, error) {
	now, err := c.lead.Now(ctx)
	if err == nil && now.Sub(at) <= redisstore.Lag+100*time.Millisecond {
		return false, nil
	}
	return c.applyAll(ctx, redisstore.Lag)
}
