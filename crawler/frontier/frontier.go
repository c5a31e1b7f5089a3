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

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Target is what Next hands out: one resource that may be visited now.
type Target struct {
	URL      string // absolute, without fragment
	Internal bool
	Depth    int // links followed from the nearest seed
	Hops     int // redirects followed to come here
	Content  bool
	Follow   bool // read it for links
	Page     bool // should it turn out to be a page, it is to be read
	Seed     bool // a redirect from here widens the scope
	Second   bool // this is the second pass
	Tries    int  // visits before this one, the second pass included; as far as 15
	Turn     int  // numbers what Next hands out, from 1
	Host     string

	lease Lease
}

// ID is the target's number.
func (t *Target) ID() ID { return t.lease.ID }

// Note is what the visit before put down when it deferred the target.
func (t *Target) Note() []byte { return t.lease.Note }

// Wave is the wave the target was handed out in.
func (t *Target) Wave() Wave { return t.lease.Wave }

// Frontier hands out targets. Its methods may be called from many goroutines.
type Frontier struct {
	store Store
	seed  maphash.Seed
	keyed bool // the store gave a key for fingerprints
	wide  bool // they have 128 bits
	key   [2]uint64
	hosts *Hosts

	mu      sync.Mutex
	waiting []chan struct{} // workers in Next, the longest waiting last
	timer   *time.Timer
	closed  bool // Drain was called: nothing more is handed out
	turn    int  // how many were handed out
}

// New returns a frontier over a store that visits hosts as p says.
func New(store Store, p Politeness) *Frontier {
	f := &Frontier{store: store, wide: store.Width() == Wide, seed: maphash.MakeSeed(), hosts: newHosts(store, p)}
	var key [16]byte
	if k, ok := store.(Keyed); ok {
		f.keyed, key = true, k.FingerprintKey()
	} else if f.wide {
		rand.Read(key[:]) // never fails
	}
	f.key = [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])}
	return f
}

// Fingerprint hashes a key for this frontier: by SipHash-2-4 where the store has a
// key for it, and else by what is quickest in this process. That has no more than
// 64 bits, so wide ones are by SipHash-2-4 of 128 in any case.
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
func (f *Frontier) Durable() bool { return f.keyed }

// FingerprintKey hashes a Key for this frontier.
func (f *Frontier) FingerprintKey(key urinorm.Key) Fingerprint { return f.Fingerprint([]byte(key)) }

// Refer enters targets from outside the crawl: seeds.
func (f *Frontier) Refer(ctx context.Context, items []Item) ([]ID, error) {
	if err := f.hosts.enter(ctx, items); err != nil {
		return nil, fmt.Errorf("pace the hosts of %d targets: %w", len(items), err)
	}
	ids, err := f.store.Add(ctx, items)
	f.wake()
	if err != nil {
		return nil, fmt.Errorf("enter %d targets: %w", len(items), err)
	}
	return ids, nil
}

// Next hands out a target whose host may be visited now, waiting for one if need
// be. It answers io.EOF when nothing is queued and nothing is out, or when Drain
// was called, and the context's error when that ends first.
func (f *Frontier) Next(ctx context.Context) (*Target, error) {
	for {
		f.mu.Lock()
		if f.closed {
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
			f.wake() // there may be more
			return f.target(leases[0], turn)
		}
		woken := make(chan struct{})
		f.waiting = append(f.waiting, woken)
		f.alarm(next)
		f.mu.Unlock()
		select {
		case <-woken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// target reads a lease.
func (f *Frontier) target(l Lease, turn int) (*Target, error) {
	j, err := DecodeJob(l.Job)
	if err != nil {
		return nil, fmt.Errorf("target %d: %w", l.ID, err)
	}
	return &Target{
		URL: string(j.URL), Internal: j.Internal, Depth: j.Depth, Hops: j.Hops, Host: l.Host,
		Content: l.Need&(NeedContent|NeedLinks) != 0, Follow: l.Need&NeedLinks != 0, Page: j.Page, Seed: l.Need&NeedSeed != 0,
		Second: l.Wave == SecondPass, Tries: l.Tries, Turn: turn, lease: l,
	}, nil
}

// alarm sees to it that a worker looks again at the given time. Callers hold mu.
func (f *Frontier) alarm(at time.Time) {
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

// wake lets one worker look for a target; when it finds one, it wakes the next.
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

// Settlement is what a visit brought. Settle keeps none of its slices, nor what
// Outcome points to.
type Settlement struct {
	Outcome *check.Outcome // never nil
	Found   []Item         // the targets that the page refers to
	Links   []byte         // the references on the page, as Links encodes them; they name Found by index
	// Page is what later sessions cannot learn without reading the page again, in the
	// caller's own encoding. A store that ends with its process need not keep it.
	Page    []byte
	Tallies []Tally // added to the store's sums in the same step
}

// Settle ends the visit of a target with what it brought, and enters the targets
// that were found there. It returns the IDs of s.Found, in order.
func (f *Frontier) Settle(ctx context.Context, t *Target, s Settlement) ([]ID, error) {
	if err := f.hosts.enter(ctx, s.Found); err != nil {
		return nil, fmt.Errorf("settle %s: pace the hosts it links to: %w", t.URL, err)
	}
	b := outcomes.Get().(*[]byte)
	defer outcomes.Put(b)
	*b = check.AppendOutcome((*b)[:0], s.Outcome)
	ids, err := f.store.Complete(ctx, t.lease, Done{Outcome: *b, Found: s.Found, Links: s.Links, Page: s.Page, Tally: s.Tallies})
	f.wake()
	if err != nil {
		return nil, fmt.Errorf("settle %s: %w", t.URL, err)
	}
	return ids, nil
}

// outcomes are memory for the next target's, for a store copies what it keeps.
var outcomes = sync.Pool{New: func() any { return new([]byte) }}

// Defer puts a target back, not to be visited before the given time. The note
// comes back with it.
func (f *Frontier) Defer(ctx context.Context, t *Target, until time.Time, note []byte, tally []Tally) error {
	return f.release(ctx, t, Deferral{Wave: t.lease.Wave, NotBefore: until, Note: note, Tally: tally})
}

// DeferToSecondPass puts a target back until everything else is settled, and not
// before the given time.
func (f *Frontier) DeferToSecondPass(ctx context.Context, t *Target, until time.Time, note []byte, tally []Tally) error {
	return f.release(ctx, t, Deferral{Wave: SecondPass, NotBefore: until, Note: note, Tally: tally})
}

func (f *Frontier) release(ctx context.Context, t *Target, d Deferral) error {
	err := f.store.Release(ctx, t.lease, d)
	f.wake()
	if err != nil {
		return fmt.Errorf("defer %s: %w", t.URL, err)
	}
	return nil
}

// Drain ends the handing out: from now on Next answers io.EOF.
func (f *Frontier) Drain() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wakeAll()
}

// Count says how much work there is.
func (f *Frontier) Count(ctx context.Context) (Counts, error) { return f.store.Count(ctx) }

// Hosts says how hosts may be visited, and learns it from their answers.
func (f *Frontier) Hosts() *Hosts { return f.hosts }

// Store is where the targets are kept, for the join that follows a crawl.
func (f *Frontier) Store() Store { return f.store }
