package frontier

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
	"time"

	"github.com/dchest/siphash"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Target is a leased target: one resource that may be visited now.
type Target struct {
	URL      string // absolute, without fragment
	Internal bool
	Depth    int  // links followed from the nearest seed
	Hops     int  // redirects followed to the target, at most 255
	Content  bool // the body is needed
	Follow   bool // the links in the body are to be followed
	Page     bool // if the target turns out to be a page, it is to be read
	Seed     bool // a redirect of the target widens the scope
	Render   bool // a browser is to render it
	Left     bool // it is not to be requested: a link says that it signs out or deletes something
	Second   bool // this is the second pass
	Tries    int  // visits before this one, the first pass included, at most 7
	Turn     int  // number of the lease, from 1
	Host     string

	Lease Lease     // the right to visit it
	Slot  time.Time // that is reserved for its request; only for a store that is shared
}

// Frontier hands out targets. Its methods may be called from several goroutines at the
// same time.
type Frontier struct {
	store   Store
	seed    maphash.Seed
	keyed   bool // fingerprints have a key that others know
	durable bool
	wide    bool // fingerprints have 128 bits
	key     [2]uint64
	hosts   *Hosts

	mu      sync.Mutex
	waiting []chan struct{} // closed to wake a worker in Next; the last one is woken first
	timer   *time.Timer
	drained bool // Drain was called
	turn    int  // number of targets handed out

	sharing *Sharing // nil if the store belongs to this process alone
}

// New returns a frontier over a store, which visits hosts as p says.
func New(store Store, p Politeness) *Frontier {
	f := &Frontier{store: store, wide: store.Width() == Wide, seed: maphash.MakeSeed()}
	f.hosts = newHosts(store, p)
	var key [16]byte
	if k, ok := store.(Keyed); ok {
		f.keyed, f.durable, key = true, true, k.FingerprintKey()
	} else if m, ok := store.(*Memory); ok && m.key != nil {
		f.keyed, key = true, *m.key
	} else if f.wide {
		rand.Read(key[:]) // never fails
	}
	f.key = [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])}
	return f
}

// Fingerprint returns the fingerprint of a key in the store of this frontier. A store
// with a key that others know gets SipHash-2-4. For others the fastest hash of this process is
// used; it has 64 bits, so wide fingerprints are always SipHash-2-4 of 128 bits.
func (f *Frontier) Fingerprint(key []byte) Fingerprint {
	switch {
	case f.wide:
		low, high := siphash.Hash128(f.key[0], f.key[1], key)
		return Fingerprint{low, high}
	case f.keyed:
		return Fingerprint{Low: siphash.Hash(f.key[0], f.key[1], key)}
	}
	return Fingerprint{Low: maphash.Bytes(f.seed, key)}
}

// Durable reports whether the store outlives its process.
func (f *Frontier) Durable() bool { return f.durable }

// FingerprintKey returns the fingerprint of a Key.
func (f *Frontier) FingerprintKey(key urinorm.Key) Fingerprint { return f.Fingerprint([]byte(key)) }

// Refer enters targets that were not found by a visit, such as seeds. It returns their
// IDs in order.
func (f *Frontier) Refer(ctx context.Context, items []Item) ([]ID, error) {
	if err := f.hosts.enter(ctx, items); err != nil {
		return nil, fmt.Errorf("set the pace of the hosts of %d targets: %w", len(items), err)
	}
	ids, err := f.store.Add(ctx, items)
	f.wake()
	if err != nil {
		return nil, fmt.Errorf("enter %d targets: %w", len(items), err)
	}
	return ids, nil
}

// Next leases a target whose host may be visited now, and waits until there is one. It
// returns io.EOF when no target is queued and none is leased, or when Drain was called,
// and the error of the context when the context ends first.
func (f *Frontier) Next(ctx context.Context) (*Target, error) {
	if f.sharing != nil {
		return f.sharing.next(ctx)
	}
	for {
		f.mu.Lock()
		if f.drained {
			f.mu.Unlock()
			return nil, io.EOF
		}
		leases, next, err := f.store.Claim(ctx, 1, 0)
		if err != nil {
			f.mu.Unlock()
			f.wakeAll()
			if err == io.EOF {
				return nil, err
			}
			return nil, fmt.Errorf("claim a target: %w", err)
		}
		if len(leases) > 0 {
			f.turn++
			turn := f.turn
			f.mu.Unlock()
			f.wake() // another target may be ready
			return f.target(leases[0], turn)
		}
		woken := make(chan struct{})
		f.waiting = append(f.waiting, woken)
		f.wakeAt(next)
		f.mu.Unlock()
		select {
		case <-woken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// target returns the target of a lease.
func (f *Frontier) target(l Lease, turn int) (*Target, error) {
	j, err := DecodeJob(l.Job)
	if err != nil {
		return nil, fmt.Errorf("target %d: %w", l.ID, err)
	}
	need := l.Need | EarlierNeed(l.Job[0])
	return &Target{
		URL: string(j.URL), Internal: j.Internal, Depth: j.Depth, Hops: j.Hops, Host: l.Host,
		Content: need&(NeedContent|NeedLinks) != 0, Follow: need&NeedLinks != 0, Page: need&NeedPage != 0, Seed: need&NeedSeed != 0, Render: need&NeedRender != 0, Left: need&NeedLeft != 0,
		Second: l.Wave == SecondPass, Tries: l.Tries, Turn: turn, Lease: l,
	}, nil
}

// OpenGate ends the limit of a gated host to one visit at a time. It does nothing for
// other hosts.
func (f *Frontier) OpenGate(ctx context.Context, host string) error {
	return f.admit(ctx, host, func(c *controller) bool {
		changed := c.Gated
		c.Gated = false
		return changed
	})
}

// PassGate lets a gated host have some more visits than the gate allows: a visit that does
// not need the rules of the host is under way, and others need not wait for it. When that
// visit is over, the caller takes its visit back with -1. PassGate does nothing for other hosts.
func (f *Frontier) PassGate(ctx context.Context, host string, visits int) error {
	return f.admit(ctx, host, func(c *controller) bool {
		c.Passing += visits
		return c.Gated
	})
}

// admit changes the controller of a host so that it may have more visits, and wakes a worker
// for them.
func (f *Frontier) admit(ctx context.Context, host string, do func(*controller) bool) error {
	changed := false
	err := f.hosts.change(ctx, host, func(c *controller) bool {
		changed = do(c)
		return changed
	})
	if changed {
		f.wake()
	}
	return err
}

// wakeAt wakes a worker at the given time; the zero time is never. Callers hold mu.
func (f *Frontier) wakeAt(at time.Time) {
	if at.IsZero() {
		return
	}
	d := time.Until(at)
	if f.timer == nil {
		f.timer = time.AfterFunc(d, f.wake)
		return
	}
	f.timer.Reset(d)
}

// ended notes that a lease has ended.
func (f *Frontier) ended(t *Target) {
	if f.sharing != nil {
		f.sharing.forget(&t.Lease)
		return // the worker of this visit claims for all that wait
	}
	f.wake()
}

// wake wakes one worker in Next. If that finds a target, it wakes the next worker.
func (f *Frontier) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.waiting); n > 0 {
		close(f.waiting[n-1])
		f.waiting = f.waiting[:n-1]
	}
}

func (f *Frontier) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.waiting {
		close(w)
	}
	f.waiting = f.waiting[:0]
	if f.timer != nil {
		f.timer.Stop()
	}
}

// Settlement is the result of a visit. Settle keeps none of its slices and nothing that
// Outcome points to.
type Settlement struct {
	Outcome *judging.Outcome // never nil
	Found   []Item           // targets that the page refers to
	Links   []byte           // references on the page, as encoded by Links; they name Found by index
	// Page is what later sessions cannot learn without reading the page again, in the
	// caller's own encoding. A store that ends with its process need not keep it.
	Page    []byte
	Tallies []Tally  // added to the sums of the store in the same step
	Earlier *Earlier // see Done
	Cheap   bool     // likewise
}

// Settle ends the visit of a target with its result, and enters the targets that were
// found there. It returns the IDs of s.Found in order.
func (f *Frontier) Settle(ctx context.Context, t *Target, s Settlement) ([]ID, error) {
	if err := f.hosts.enter(ctx, s.Found); err != nil {
		return nil, fmt.Errorf("settle %s: set the pace of the hosts that it links to: %w", t.URL, err)
	}
	b := outcomes.Get().(*[]byte)
	defer outcomes.Put(b)
	*b = judging.AppendOutcome((*b)[:0], s.Outcome)
	ids, err := f.store.Complete(ctx, t.Lease, Done{Outcome: *b, Found: s.Found, Links: s.Links, Page: s.Page, Tally: s.Tallies, Earlier: s.Earlier, Cheap: s.Cheap})
	f.ended(t)
	if err != nil {
		return nil, fmt.Errorf("settle %s: %w", t.URL, err)
	}
	return ids, nil
}

// outcomes are buffers for encoded outcomes. They can be reused because a store copies
// what it keeps.
var outcomes = sync.Pool{New: func() any { return new([]byte) }}

// Defer queues a target again, in its wave, not to be visited before the given time. The
// note comes with its next lease.
func (f *Frontier) Defer(ctx context.Context, t *Target, until time.Time, note []byte, tally []Tally) error {
	return f.release(ctx, t, Deferral{Wave: t.Lease.Wave, NotBefore: until, Note: note, Tally: tally})
}

// DeferToSecondPass queues a target for the second pass, not to be visited before the
// given time.
func (f *Frontier) DeferToSecondPass(ctx context.Context, t *Target, until time.Time, note []byte, tally []Tally) error {
	return f.release(ctx, t, Deferral{Wave: SecondPass, NotBefore: until, Note: note, Tally: tally})
}

// GiveBack queues a target again as if it had not been handed out.
func (f *Frontier) GiveBack(ctx context.Context, t *Target, tally []Tally) error {
	return f.release(ctx, t, Deferral{Wave: t.Lease.Wave, Note: t.Lease.Note, Tally: tally, Unvisited: true})
}

func (f *Frontier) release(ctx context.Context, t *Target, d Deferral) error {
	if f.hosts.politeness.IsStill() {
		d.NotBefore = time.Time{}
	}
	err := f.store.Release(ctx, t.Lease, d)
	f.ended(t)
	if err != nil {
		return fmt.Errorf("defer %s: %w", t.URL, err)
	}
	return nil
}

// AwaitNext waits until the interval of a target's host allows one more request of the same
// visit, and lets other visits of the host wait for that request.
func (f *Frontier) AwaitNext(ctx context.Context, t *Target) error {
	interval := f.hosts.Pace(t.Host).Interval
	if interval <= 0 {
		return nil
	}
	wait, asked := interval, time.Now()
	if f.sharing != nil {
		var err error
		if wait, err = f.sharing.store.Process().Start(ctx, t.Lease, true); err != nil {
			return fmt.Errorf("visit %s: %w", t.URL, err)
		}
	} else if err := f.hosts.Rest(ctx, t.Host, time.Now().Add(2*interval)); err != nil {
		return fmt.Errorf("visit %s: %w", t.URL, err)
	}
	t.Slot = asked.Add(wait)
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Drain stops the crawl: from now on Next returns io.EOF. Targets that are leased can
// still be settled.
func (f *Frontier) Drain() {
	f.mu.Lock()
	f.drained = true
	f.mu.Unlock()
	f.wakeAll()
}

// Count returns the numbers of targets.
func (f *Frontier) Count(ctx context.Context) (Counts, error) { return f.store.Count(ctx) }

// Hosts returns the paces of the hosts.
func (f *Frontier) Hosts() *Hosts { return f.hosts }

// Store returns the store of the targets, for the report that follows a crawl.
func (f *Frontier) Store() Store { return f.store }
