package crew

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
)

// fill makes the crawl on servers from the state directory, which may be new. A server that
// is restarted meanwhile, without its last second, is filled again, but not without limit. The first
// server comes last: workers join when it is filled.
func (c *coordinator) fill(ctx context.Context, servers []*recorder) error {
	defer c.hold()()
	for _, s := range slices.Backward(servers) {
		if err := c.fillServer(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (c *coordinator) fillServer(ctx context.Context, s *recorder) error {
	began, again := time.Now(), s.position.Epoch != ""
	for {
		if s.position.Epoch != "" { // the server had the crawl
			deleted, err := s.Deleted(ctx, s.header)
			if err != nil {
				return err
			}
			if deleted {
				return frontier.ErrGone
			}
		}
		if again {
			fmt.Fprintf(c.Notes, "the server has lost a part of the crawl: filling it again from the state directory\n")
			again = false
		}
		complete, err := c.fillOnce(ctx, s)
		if complete || err != nil && !errors.Is(err, frontier.ErrAbsent) {
			return err
		}
		if time.Since(began) > c.Patience {
			return fmt.Errorf("%s: the server has lost parts of the crawl again and again while it was filled", s.Address())
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fillOnce is one attempt of fillServer. It returns false, or frontier.ErrAbsent, if the server has lost
// something meanwhile.
func (c *coordinator) fillOnce(ctx context.Context, s *recorder) (complete bool, err error) {
	key := c.state.FingerprintKey()
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Version: c.Version, State: c.id, Width: c.state.Width(),
		Key: key[:], Lease: c.Lease, Command: c.Command}
	ends, err := c.end(ctx)
	if err != nil {
		return false, err
	}
	if err := s.Create(ctx, h, redisstore.Limits{Log: c.Log, Ends: ends, Lost: LostOutcome(), Renders: c.Renders}); err != nil {
		return false, err
	}
	if _, err := c.lead.Coordinate(ctx, c.Process, c.Lease, true); err != nil {
		return false, err
	}
	s.header, s.position = h, h.First()
	s.lost.Store(false)
	if err := s.state.Apply(nil, s.position.String()); err != nil {
		return false, err
	}
	c.state.Refresh()
	store := c.lead.Store(h, "", c.Version)
	n, err := c.state.Count(ctx)
	if err != nil {
		return false, err
	}
	restored := 0
	if n.Known > 0 {
		if restored, err = c.refill(ctx, s, store); err != nil {
			return false, err
		}
	}
	if s == c.servers[0] || c.servers[0].header != nil {
		if err := c.Enter(ctx, store, c.Lease); err != nil {
			return false, err
		}
	}
	return store.Filled(ctx, s.Number(), restored)
}

// refill gives a server what the state directory knows of its part of the crawl. It returns the number
// of targets.
func (c *coordinator) refill(ctx context.Context, s *recorder, store *redisstore.Store) (restored int, err error) {
	add, flush := s.Fill(ctx, s.header)
	if err := c.state.Each(ctx, func(k *frontier.Kept) error {
		if !s.Has(k.Host) {
			return nil
		}
		return add(k)
	}); err != nil {
		return 0, err
	}
	if restored, err = flush(); err != nil {
		return 0, err
	}
	paces := map[string]frontier.Pace{}
	if err := c.state.Paces(ctx, func(host string, p frontier.Pace) error {
		if s.Has(host) && (p.Interval > 0 || p.NotBefore.After(time.Now())) {
			paces[host] = p
		}
		return nil
	}); err != nil {
		return 0, err
	}
	for host, p := range paces {
		if err := store.SetPace(ctx, host, p); err != nil {
			return 0, err
		}
	}
	return restored, c.republish(ctx, s, store)
}

// republish makes what the state tells known to all processes of a crawl that is filled from it. The
// sums and the budgets of traps are on the first server.
func (c *coordinator) republish(ctx context.Context, s *recorder, to frontier.Shared) error {
	series := admit.Series{Traps: trap.New(trap.Limits{})}
	if s == c.servers[0] {
		series.Traps.Share(ctx, to.Common())
	}
	known, err := stored.Load(ctx, c.state, c.Scope, series.Traps)
	if err != nil {
		return err
	}
	facts := Facts{ctx, to.Common()}
	for _, key := range known.Sitemaps {
		if err := facts.Publish(FactSitemap, key); err != nil {
			return err
		}
	}
	for _, u := range known.Widened {
		if err := facts.Publish(FactScope, u.String()); err != nil {
			return err
		}
	}
	if s != c.servers[0] {
		return nil
	}
	return known.CopyTo(ctx, to)
}

// enterRest is called when nothing is queued. It enters what a server has lost that others knew of
// already, and queues the pages again that must be rendered because of a link to them, as far as the
// state tells. If there is none of these, the crawl ends.
func (c *coordinator) enterRest(ctx context.Context) error {
	defer c.hold()()
	c.state.Refresh()
	wanted := map[frontier.ID]frontier.Need{}
	n, err := c.state.Count(ctx)
	if err != nil {
		return err
	}
	if len(c.servers) > 1 && n.Queued > 0 {
		if c.rests++; c.rests > maxRests {
			return fmt.Errorf("%d targets of the state are unsettled, which the frontier has settled", n.Queued)
		}
		fmt.Fprintf(c.Notes, "a server has lost %d targets: entering them again\n", n.Queued)
		return c.enter(ctx, wanted)
	}
	if !c.Renders {
		return c.lead.EndRendering(ctx)
	}
	ids, err := stored.SeedIDs(ctx, frontier.New(c.state, frontier.Treatment{}), c.Seeds)
	if err != nil {
		return err
	}
	items, err := stored.ToRender(ctx, c.state, c.Scope, c.MaxRedirects, c.Seeds, ids)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return c.lead.EndRendering(ctx)
	}
	for _, it := range items {
		wanted[it.ID] = it.Need
	}
	return c.enter(ctx, wanted)
}

// maxRests is how often targets may be entered again that a server has lost.
const maxRests = 20

// enter enters targets of the state: those of which something more is needed, or if there are none of these,
// those that are not settled. The servers have other numbers for them.
func (c *coordinator) enter(ctx context.Context, wanted map[frontier.ID]frontier.Need) error {
	var items []frontier.Item
	if err := c.state.Each(ctx, func(k *frontier.Kept) error {
		need, wants := wanted[k.ID]
		it := frontier.Item{Fingerprint: k.Fingerprint, Host: []byte(k.Host), Wave: frontier.Leaves, Need: need, Job: slices.Clone(k.Job)}
		switch {
		case len(wanted) == 0 && !k.Settled:
			it.Wave, it.Need = k.Lowest, k.Need
		case !wants:
			return nil
		}
		items = append(items, it)
		return nil
	}); err != nil {
		return err
	}
	_, err := c.store.Add(ctx, items)
	return err
}
