package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Redirects that were followed from the cache form chains, here called ways. When a
// target on a way turns out to have changed, the redirects before it are requested after
// all.

// step is a redirect on a way, at least part of which was followed from the cache.
type step struct {
	from frontier.Fingerprint
	item *frontier.Item // enters it to be requested; nil if it was requested in this run
}

// note remembers a redirect, so that a visit to its target can find the redirects
// before it.
func (e *earlier) note(to frontier.Fingerprint, s step) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.via[to] = append(e.via[to], s)
}

// recheck reports whether the way from a target on is as it was before; if not, the
// redirects that lead to its predecessor are requested.
func (e *earlier) recheck(ctx context.Context, predecessor frontier.Fingerprint, id frontier.ID) (sound bool, err error) {
	if sound, err = e.soundFrom(ctx, id); err == nil && !sound {
		err = e.askWayTo(ctx, predecessor)
	}
	return sound, err
}

// full reports whether no more ways can be remembered.
func (e *earlier) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.via) >= mostWays
}

// soundFrom follows a chain of redirects as far as it is known, and reports whether the
// targets on it that were requested in this run answered as they did before.
func (e *earlier) soundFrom(ctx context.Context, id frontier.ID) (bool, error) {
	for range e.requests.cfg.MaxRedirects + 1 {
		rec, err := e.frontier.Store().Get(ctx, id, frontier.PartJob|frontier.PartOutcome|frontier.PartFound)
		if err != nil || !rec.Settled {
			return true, err // the visit that settles it checks the way to this target
		}
		o, _, err := check.DecodeHead(rec.Outcome)
		if err != nil {
			return false, err
		}
		if !o.Cached {
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return false, err
			}
			if u, _, err := urinorm.ParseWeb(string(job.URL)); err != nil || !e.confirms(u, &o) {
				return false, nil
			}
		}
		if !o.IsRedirect() || len(rec.Found) == 0 {
			return true, nil
		}
		id = rec.Found[0]
	}
	return false, nil
}

// confirms reports whether an answer is the one that was observed before, as far as its
// code and its redirect are concerned.
func (e *earlier) confirms(u urinorm.URL, o *check.Outcome) bool { return !e.sameBefore(u, o).IsZero() }

// sameBefore returns the time when another run last observed an answer with the same code
// and redirect; the zero time if none did, or only too long ago.
func (e *earlier) sameBefore(u urinorm.URL, o *check.Outcome) time.Time {
	if !e.any() {
		return time.Time{}
	}
	known := e.observed(e.fingerprint(u), rules.HrefOf(u), 0)
	if known.outcome == nil || o.Code != known.outcome.Code || o.Next != known.outcome.Next {
		return time.Time{}
	}
	return known.at
}

// askWayTo queues the redirects through which the cache led to a target, so that they
// are requested.
func (e *earlier) askWayTo(ctx context.Context, fp frontier.Fingerprint) error {
	var back []frontier.Item
	e.mu.Lock()
	for todo := []frontier.Fingerprint{fp}; len(todo) > 0; todo = todo[1:] {
		for _, s := range e.via[todo[0]] {
			if s.item != nil {
				back = append(back, *s.item)
			}
			todo = append(todo, s.from)
		}
		delete(e.via, todo[0])
	}
	e.mu.Unlock()
	if len(back) == 0 {
		return nil
	}
	_, err := e.frontier.Refer(ctx, back)
	return err
}
