package crawler

import (
	"context"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// recallWays follows the redirects that earlier sessions answered from the cache, so that
// they are requested when a target on the way turns out to have changed. If a session
// found that out but ended before it could send the requests, they are sent now.
func (e *earlier) recallWays(ctx context.Context) error {
	if !e.any() {
		return nil
	}
	var begins []frontier.ID
	err := e.frontier.Store().Scan(ctx, frontier.PartOutcome, func(rec *frontier.Record) error {
		if !rec.Settled {
			return nil
		}
		g, err := check.GlanceAt(rec.Outcome)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if g.Redirect && g.Cached {
			begins = append(begins, rec.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	followed := map[frontier.ID]bool{}
	for _, id := range begins {
		if err := e.recallWay(ctx, id, followed); err != nil {
			return err
		}
	}
	for _, id := range begins {
		if err := e.recheckWay(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// recallWay notes the redirects of the way that begins with the given redirect, except
// those that were followed already.
func (e *earlier) recallWay(ctx context.Context, id frontier.ID, followed map[frontier.ID]bool) error {
	for !followed[id] {
		followed[id] = true
		rec, err := e.frontier.Store().Get(ctx, id, frontier.PartJob|frontier.PartOutcome|frontier.PartFound)
		if err != nil {
			return err
		}
		from, o, err := redirectIn(&rec)
		if err != nil {
			return fmt.Errorf("target %d: %w", id, err)
		}
		if o == nil || len(rec.Found) == 0 {
			return nil
		}
		next, _, err := urinorm.ParseWeb(o.Next)
		if err != nil {
			return nil // it leads nowhere
		}
		s := step{from: e.fingerprint(from)}
		if o.Cached {
			s.item = &frontier.Item{Fingerprint: s.from, Host: []byte(from.Authority()), Wave: frontier.Leaves,
				Need: frontier.NeedContent | frontier.NeedLinked, Job: rec.Job}
		}
		e.note(e.fingerprint(next), s)
		id = rec.Found[0]
	}
	return nil
}

// redirectIn returns the URL and the outcome of a redirect, nil for anything else.
func redirectIn(rec *frontier.Record) (u urinorm.URL, o *check.Outcome, err error) {
	if !rec.Settled {
		return u, nil, nil
	}
	head, _, err := check.DecodeHead(rec.Outcome)
	if err != nil || !head.IsRedirect() {
		return u, nil, err
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return u, nil, err
	}
	u, _, err = urinorm.ParseWeb(string(job.URL))
	return u, &head, err
}

// recheckWay queues the redirects of a way if a target on it is known to have changed.
func (e *earlier) recheckWay(ctx context.Context, id frontier.ID) error {
	sound, err := e.soundFrom(ctx, id)
	if err != nil || sound {
		return err
	}
	rec, err := e.frontier.Store().Get(ctx, id, frontier.PartJob|frontier.PartOutcome|frontier.PartFound)
	if err != nil {
		return err
	}
	_, o, err := redirectIn(&rec)
	if err != nil || o == nil || !o.Cached {
		return err // it will be requested anyway
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		return err
	}
	return e.askWayTo(ctx, e.fingerprint(next))
}
