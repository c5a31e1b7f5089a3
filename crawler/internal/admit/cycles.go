package admit

import (
	"context"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Some sites redirect a visitor without their cookie away and, once it is set, back to
// the requested page: A → B → A. As each target is requested once, that looks like a
// loop. So where a redirect closes a cycle and one of its hosts has set a cookie, the
// redirects are followed again, within one visit and with the cookies set so far.
// Only a redirect that leads back even then is a loop.

// Cycles knows the redirects that are about to be settled and the hosts whose
// redirects set a cookie.
type Cycles struct {
	mu      sync.Mutex
	cookied map[string]bool
	moving  map[frontier.ID]frontier.ID
}

// maxCookied is the maximum number of hosts that are remembered.
const maxCookied = 100_000

// Touched notes whether a redirect set a cookie, and reports whether any cookie may have
// changed the redirects between two hosts.
func (c *Cycles) Touched(from, to string, set bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if set && len(c.cookied) < maxCookied {
		if c.cookied == nil {
			c.cookied = map[string]bool{}
		}
		c.cookied[from] = true
	}
	return c.cookied[from] || c.cookied[to]
}

// Closes enters a redirect from id to next and reports whether it closes a cycle of
// redirects. If several workers close it at once, the last of them finds it.
func (c *Cycles) Closes(ctx context.Context, store frontier.Store, id, next frontier.ID, most int) (bool, error) {
	if s, ok := store.(frontier.Shared); ok {
		return s.Common().Redirect(ctx, id, next, most)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moving == nil {
		c.moving = map[frontier.ID]frontier.ID{}
	}
	c.moving[id] = next
	for range most {
		if next == id {
			return true, nil
		}
		if on, ok := c.moving[next]; ok {
			next = on
			continue
		}
		rec, err := store.Get(ctx, next, frontier.PartOutcome|frontier.PartFound)
		if err != nil {
			return false, err
		}
		if !rec.Settled || len(rec.Found) == 0 {
			return false, nil
		}
		if o, _, err := judging.DecodeHead(rec.Outcome); err != nil || o.Code != check.CodeRedirect {
			return false, err
		}
		next = rec.Found[0]
	}
	return false, nil
}

// Settled forgets a redirect; the store knows it from now on.
func (c *Cycles) Settled(id frontier.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.moving, id)
}
