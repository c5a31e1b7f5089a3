package recall

import (
	"context"
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Redirects that were followed from the cache form chains, here called ways. When a
// target on a way turns out to have changed, the redirects before it are requested after
// all.

// ways are the redirects that were followed.
type ways struct {
	mu  sync.Mutex
	via map[frontier.Fingerprint][]step // by their targets
}

// mostWays is the maximum number of redirects that may be answered from the cache; others are
// requested.
const mostWays = 1 << 17

// step is a redirect on a way, at least part of which was followed from the cache.
type step struct {
	from frontier.Fingerprint
	item *frontier.Item // enters it to be requested; nil if it was requested in this run
}

// Way is where a redirect leads that is as it was before.
type Way struct {
	To   frontier.Fingerprint
	Href scope.Href
	Job  frontier.Job
	Fate scope.Fate

	step step
}

// wayOf returns the way from a target that a redirect in the cache answers.
func (m *Memory) wayOf(t *admit.Target, fp frontier.Fingerprint, next urinorm.URL, in *scope.Scope) *Way {
	v := scope.HrefOf(next)
	w := &Way{To: m.fingerprint(next), Href: v, Fate: in.Decide(v, extract.Resource, t.Depth, false)}
	if there := m.observed(w.To, v, in, 0).outcome; !there.IsRedirect() {
		w.Fate.Outcome = there
	}
	w.Job = frontier.Job{URL: v.Document(), Internal: w.Fate.Internal, Depth: t.Depth, Hops: t.Hops + 1}
	own := frontier.Job{URL: []byte(t.At.String()), Depth: t.Depth, Hops: t.Hops}
	w.step = step{from: fp, item: again(fp, t.At, frontier.AppendJob(nil, own))}
	return w
}

// again returns the item that enters a redirect to be requested after all.
func again(fp frontier.Fingerprint, u urinorm.URL, job []byte) *frontier.Item {
	return &frontier.Item{Fingerprint: fp, Host: []byte(u.Authority()), Wave: frontier.Leaves, Need: frontier.NeedContent | frontier.NeedLinked, Job: job}
}

// Confirmed returns the way from a redirect that was requested and has not changed, nil for
// anything else.
func (m *Memory) Confirmed(t *admit.Target, o *judging.Outcome, scope *scope.Scope) *Way {
	if !m.Any() || o.Cached || t.Internal || !o.IsRedirect() || t.At.IsZero() {
		return nil
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil || m.sameBefore(t.At, o, scope).IsZero() {
		return nil
	}
	return &Way{To: m.fingerprint(next), step: step{from: m.fingerprint(t.At)}}
}

// Follow enters the targets that a visit has found, the first of which is that of a redirect, and
// remembers the redirect, so that a visit to its target can find the redirects before it. It
// reports whether everything known about the rest of the way is as it was before. If not, the
// redirects before it are queued.
func (m *Memory) Follow(ctx context.Context, w *Way, found []frontier.Item, scope *scope.Scope) (sound bool, err error) {
	ids, err := m.Frontier.Refer(ctx, found)
	if err != nil {
		return false, err
	}
	m.ways.note(w.To, w.step)
	if sound, err = m.soundFrom(ctx, ids[0], scope); err != nil || sound {
		return sound, err
	}
	return false, m.queue(ctx, m.ways.backFrom(w.step.from))
}

// Settled queues the redirects that led to a target from the cache if the target was requested in
// this run and has changed. It is called when the target is settled, so that later visits on this
// way see that it has changed.
func (m *Memory) Settled(ctx context.Context, t *admit.Target, o *judging.Outcome, scope *scope.Scope) error {
	if !m.Any() || o.Cached || t.Internal || t.At.IsZero() || !m.sameBefore(t.At, o, scope).IsZero() {
		return nil
	}
	return m.queue(ctx, m.ways.backFrom(m.fingerprint(t.At)))
}

// queue enters redirects to be requested, if there are any.
func (m *Memory) queue(ctx context.Context, back []frontier.Item) error {
	if len(back) == 0 {
		return nil
	}
	_, err := m.Frontier.Refer(ctx, back)
	return err
}

// note remembers a redirect to a target.
func (w *ways) note(to frontier.Fingerprint, s step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.via[to] = append(w.via[to], s)
}

// full reports whether no more ways can be remembered.
func (w *ways) full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.via) >= mostWays
}

// backFrom returns the redirects through which the cache led to a target, so that they are requested.
func (w *ways) backFrom(fp frontier.Fingerprint) (back []frontier.Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for todo := []frontier.Fingerprint{fp}; len(todo) > 0; todo = todo[1:] {
		for _, s := range w.via[todo[0]] {
			if s.item != nil {
				back = append(back, *s.item)
			}
			todo = append(todo, s.from)
		}
		delete(w.via, todo[0])
	}
	return back
}

// soundFrom follows a chain of redirects as far as it is known, and reports whether the
// targets on it that were requested in this run answered as they did before.
func (m *Memory) soundFrom(ctx context.Context, id frontier.ID, scope *scope.Scope) (bool, error) {
	for range m.MaxRedirects + 1 {
		rec, err := m.stored(ctx, id)
		if err != nil || !rec.Settled {
			return true, err // the visit that settles it checks the way to this target
		}
		o, _, err := judging.DecodeHead(rec.Outcome)
		if err != nil {
			return false, err
		}
		if !o.Cached {
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return false, err
			}
			if u, _, err := urinorm.ParseWeb(string(job.URL)); err != nil || m.sameBefore(u, &o, scope).IsZero() {
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

// stored returns what the store knows of a target on a way.
func (m *Memory) stored(ctx context.Context, id frontier.ID) (frontier.Record, error) {
	return m.Frontier.Store().Get(ctx, id, frontier.PartJob|frontier.PartOutcome|frontier.PartFound)
}

// RecallWays follows the redirects that earlier sessions answered from the cache, so that they are
// requested when a target on the way turns out to have changed. It queues those that are to be
// requested now: a session found that out but ended before it could send the requests.
func (m *Memory) RecallWays(ctx context.Context, scope *scope.Scope) error {
	if !m.Any() {
		return nil
	}
	var begins []frontier.ID
	err := m.Frontier.Store().Scan(ctx, frontier.PartOutcome, func(rec *frontier.Record) error {
		if !rec.Settled {
			return nil
		}
		g, err := judging.GlanceAt(rec.Outcome)
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
	var back []frontier.Item
	followed := map[frontier.ID]bool{}
	for _, id := range begins {
		if err := m.recallWay(ctx, id, followed); err != nil {
			return err
		}
	}
	for _, id := range begins {
		sound, err := m.soundFrom(ctx, id, scope)
		if err != nil {
			return err
		}
		if sound {
			continue
		}
		r, err := m.redirect(ctx, id)
		if err != nil {
			return err
		}
		if r != nil && r.step.item != nil {
			back = append(back, m.ways.backFrom(r.to)...)
		}
	}
	return m.queue(ctx, back)
}

// recallWay notes the redirects of the way that begins with the given redirect, except
// those that were followed already.
func (m *Memory) recallWay(ctx context.Context, id frontier.ID, followed map[frontier.ID]bool) error {
	for !followed[id] {
		followed[id] = true
		r, err := m.redirect(ctx, id)
		if r == nil || err != nil {
			return err
		}
		m.ways.note(r.to, r.step)
		id = r.id
	}
	return nil
}

// redirect is a redirect in the store.
type redirect struct {
	step step
	to   frontier.Fingerprint
	id   frontier.ID // of to
}

// redirect returns a redirect that was settled and leads to another target, nil for anything else.
func (m *Memory) redirect(ctx context.Context, id frontier.ID) (*redirect, error) {
	rec, err := m.stored(ctx, id)
	if err != nil || !rec.Settled || len(rec.Found) == 0 {
		return nil, err
	}
	o, _, err := judging.DecodeHead(rec.Outcome)
	if err != nil || !o.IsRedirect() {
		return nil, err
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return nil, fmt.Errorf("target %d: %w", id, err)
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	if err != nil {
		return nil, fmt.Errorf("target %d: %w", id, err)
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		return nil, nil // it leads nowhere
	}
	r := &redirect{step: step{from: m.fingerprint(u)}, to: m.fingerprint(next), id: rec.Found[0]}
	if o.Cached {
		r.step.item = again(r.step.from, u, rec.Job)
	}
	return r, nil
}
