package crew

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// followed is a server whose log is applied to the state.
type followed struct {
	redisstore.Shard
	header   *redisstore.Header
	position redisstore.Position // up to which the log is applied
}

// applied returns the positions in the logs that the state has, as many as there are servers.
func (c *coordinator) applied() ([]redisstore.Position, error) {
	text, err := c.state.Applied()
	at := make([]redisstore.Position, len(c.servers))
	for i, one := range strings.Split(text, ";") {
		if i < len(at) {
			at[i], _ = redisstore.ParsePosition(one)
		}
	}
	return at, err
}

// positions returns the stored form of the positions in the logs.
func (c *coordinator) positions() string {
	list := make([]string, len(c.servers))
	for i, s := range c.servers {
		list[i] = s.position.String()
	}
	return strings.Join(list, ";")
}

// continues reports whether the state directory goes with what the server has. Then the log is read
// from a position.
func (s *followed) continues(ctx context.Context, at redisstore.Position) bool {
	if at.Epoch == "" || at.Epoch != s.header.Epoch {
		return false
	}
	state, err := s.State(ctx)
	if err != nil || state == "filling" || state == "absent" || state == "deleted" || state == "done" {
		return false
	}
	if _, _, err := s.Log(s.header).Read(ctx, at, redisstore.Lag); err != nil {
		return false
	}
	s.position = at
	return true
}

// appliedUntil reports whether the log is applied up to a time.
func (c *coordinator) appliedUntil(ctx context.Context, at time.Time) bool {
	now, err := c.lead.Now(ctx)
	return err != nil || now.Sub(at) > redisstore.Lag+100*time.Millisecond
}

// applyAll applies entries of all logs to the state directory. It returns true when there are no more,
// and the servers that have lost steps which were applied already.
func (c *coordinator) applyAll(ctx context.Context, lag time.Duration) (caught bool, lost []*followed, err error) {
	caught = true
	for _, s := range c.servers {
		all, err := c.apply(ctx, s, lag)
		if errors.Is(err, redisstore.ErrRewound) {
			lost = append(lost, s)
			continue
		}
		if err != nil {
			return false, lost, err
		}
		caught = caught && all
	}
	return caught && len(lost) == 0, lost, nil
}

// absent adds the servers without the crawl to those that have lost it.
func (c *coordinator) absent(ctx context.Context, lost []*followed) ([]*followed, error) {
	for _, s := range c.servers {
		state, err := s.State(ctx)
		if err != nil {
			return lost, err
		}
		if (state == "absent" || state == "filling") && !slices.Contains(lost, s) {
			lost = append(lost, s)
		}
	}
	return lost, nil
}

// apply applies entries of the log of a server to the state directory. It returns true when there are no
// more.
func (c *coordinator) apply(ctx context.Context, s *followed, lag time.Duration) (all bool, err error) {
	for range 50 { // then the coordinator shows that it is alive
		events, at, err := s.Log(s.header).Read(ctx, s.position, lag)
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return true, nil
		}
		before := s.position
		s.position = at
		if err := c.state.Apply(events, c.positions()); err != nil {
			s.position = before
			return false, err
		}
		if c.growth != nil {
			if err := c.growth.observe(ctx, events, c.state.Needs); err != nil {
				return false, err
			}
		}
		if err := s.Log(s.header).Trim(ctx, at); err != nil {
			return false, err
		}
	}
	return false, nil
}
