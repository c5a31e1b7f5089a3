package crawler

import (
	"context"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Some sites lead a visitor without their cookie away and, once it is set, back to
// where he wanted to go: A → B → A. As each target is asked once, that looks like
// a loop. So where a redirect closes a circle and a cookie was set at one of its
// hosts, the way is gone once more, within one visit and with the cookies that
// are there by now. Only what leads back even then is a loop.

// cycles knows the redirects that are about to be settled and the hosts whose
// redirects set a cookie.
type cycles struct {
	mu      sync.Mutex
	cookied map[string]bool
	moving  map[frontier.ID]frontier.ID
}

// maxCookied bounds how many hosts are remembered.
const maxCookied = 100_000

// touched notes a redirect's cookies, and reports whether the way between two hosts may have changed by any.
func (c *cycles) touched(from, to string, set bool) bool {
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

// closes enters a redirect from id to next and reports whether it closes a circle
// of redirects. Of workers that close it together, the last finds it.
func (c *cycles) closes(ctx context.Context, store frontier.Store, id, next frontier.ID, most int) (bool, error) {
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
		rec, err := store.Get(ctx, next)
		if err != nil {
			return false, err
		}
		if !rec.Settled || len(rec.Found) == 0 {
			return false, nil
		}
		if o, _, err := check.DecodeHead(rec.Outcome); err != nil || o.Code != check.CodeRedirect {
			return false, err
		}
		next = rec.Found[0]
	}
	return false, nil
}

// settled forgets a redirect; the store knows it from now on.
func (c *cycles) settled(id frontier.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.moving, id)
}

// unwind goes on from a redirect that closes a circle. When the way ends this time,
// its end is what t has to say.
func (w *worker) unwind(ctx context.Context, t *frontier.Target, u, next urinorm.URL, internal bool, resp *fetch.Response, o *check.Outcome) error {
	if !w.cycles.touched(t.Host, next.Authority(), len(resp.Header["Set-Cookie"]) > 0) {
		return nil
	}
	ids, err := w.frontier.Refer(w.always, w.finds().Targets())
	if err != nil {
		return err
	}
	if ids[0] == t.ID() {
		return nil // to itself: that was tried
	}
	circle, err := w.cycles.closes(w.always, w.frontier.Store(), t.ID(), ids[0], w.cfg.MaxRedirects+1)
	if err != nil || !circle {
		return err
	}
	req := &fetch.Request{URL: next, Internal: w.entrusts(next, internal), Need: fetch.Existence, Follow: w.cfg.MaxRedirects}
	if t.Content || w.compares(u) {
		req.Need = fetch.Content
	}
	again, err := w.fetch(ctx, req)
	if err != nil {
		seen, err := w.fault(ctx, err)
		if seen != nil {
			o.Requests += seen.Requests
		}
		return err
	}
	if again.Body != nil {
		defer again.Body.Close()
	}
	seen := check.Observe(check.Question{URL: next}, again)
	if seen.Code == check.CodeRedirect {
		o.Requests += again.Requests
		return nil
	}
	seen.Requests += o.Requests
	*o = seen
	w.turn(rules.HrefOf(again.URL), t.Depth)
	if o.Code == check.CodeOK && again.Body != nil {
		w.read(t, again.URL, again, o)
	}
	return nil
}
