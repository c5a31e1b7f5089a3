// Package sharedmemory lets several crawl engines in one process work on one crawl, as
// processes on several machines do with package redisstore. It is for tests: time can be
// simulated (testing/synctest), and an engine can be cut off at any instant.
package sharedmemory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Crawl is a crawl in memory.
type Crawl struct {
	memory *frontier.Memory

	mu      sync.Mutex
	hosts   map[string]*host
	facts   []frontier.Fact
	once    map[string]answer
	next    map[frontier.ID]frontier.ID // redirects
	counts  map[string]int
	workers map[*Store]map[frontier.ID]frontier.Lease // what each engine holds
	begun   map[frontier.ID]bool                      // leases that count as pages
}

// host is the pace of a host.
type host struct {
	pace    frontier.Pace
	version uint64 // of the controller
	state   []byte
	last    time.Time   // that is reserved for a request
	owner   frontier.ID // for whose request
}

// answer is what one engine finds out for all.
type answer struct {
	value []byte
	until time.Time // it is valid, or its owner is waited for
	owner *Store    // nil for a value that is known
}

// New returns a crawl without targets.
func New() *Crawl {
	return &Crawl{memory: frontier.NewMemory(), hosts: map[string]*host{}, once: map[string]answer{}, next: map[frontier.ID]frontier.ID{},
		counts: map[string]int{}, workers: map[*Store]map[frontier.ID]frontier.Lease{}, begun: map[frontier.ID]bool{}}
}

// Store returns the store of one engine.
func (c *Crawl) Store() *Store { return &Store{Memory: c.memory, crawl: c} }

// hostOf returns the pace of a host. Callers hold mu.
func (c *Crawl) hostOf(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{}
		c.hosts[name] = h
	}
	return h
}

// Store is the crawl as one engine uses it.
type Store struct {
	*frontier.Memory
	crawl *Crawl

	mu  sync.Mutex
	cut bool
}

// CutOff lets all further calls of the engine fail, as if its process had been killed.
func (s *Store) CutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = true
}

// alive returns an error for an engine that was cut off.
func (s *Store) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return frontier.ErrAway
	}
	return nil
}

// FingerprintKey implements frontier.Keyed.
func (s *Store) FingerprintKey() [16]byte { return [16]byte{23} }

// Seal does nothing: others use the store.
func (s *Store) Seal() {}

// Add implements frontier.Store.
func (s *Store) Add(ctx context.Context, items []frontier.Item) ([]frontier.ID, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	return s.Memory.Add(ctx, items)
}

// Claim implements frontier.Store.
func (s *Store) Claim(ctx context.Context, most int, d time.Duration) ([]frontier.Lease, time.Time, error) {
	if err := s.alive(); err != nil {
		return nil, time.Time{}, err
	}
	c := s.crawl
	c.mu.Lock()
	defer c.mu.Unlock()
	leases, next, err := s.Memory.Claim(ctx, most, d)
	now := time.Now()
	for i := range leases {
		l := &leases[i]
		h := c.hostOf(l.Host)
		l.Interval, l.Controller, l.Facts, l.Claimed = h.pace.Interval, h.version, uint64(len(c.facts)), now
		h.last, h.owner = now, l.ID
		if c.workers[s] == nil {
			c.workers[s] = map[frontier.ID]frontier.Lease{}
		}
		c.workers[s][l.ID] = *l
	}
	return leases, next, err
}

// Complete implements frontier.Store.
func (s *Store) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	defer s.forget(l)
	return s.Memory.Complete(ctx, l, d)
}

// Release implements frontier.Store.
func (s *Store) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	if err := s.alive(); err != nil {
		return err
	}
	defer s.forget(l)
	return s.Memory.Release(ctx, l, d)
}

// forget notes that a lease has ended.
func (s *Store) forget(l frontier.Lease) {
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	delete(s.crawl.workers[s], l.ID)
	delete(s.crawl.begun, l.ID)
}

// SetPace implements frontier.Store.
func (s *Store) SetPace(ctx context.Context, name string, p frontier.Pace) error {
	if err := s.alive(); err != nil {
		return err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	s.crawl.hostOf(name).pace = p
	return s.Memory.SetPace(ctx, name, p)
}

// Process implements frontier.Shared.
func (s *Store) Process() frontier.Process { return process{s} }

// Common implements frontier.Shared.
func (s *Store) Common() frontier.Common { return common{s} }

var (
	_ frontier.Shared = (*Store)(nil)
	_ frontier.Keyed  = (*Store)(nil)
)

// process is what the store offers for its engine.
type process struct{ *Store }

// Join implements frontier.Process.
func (s process) Join(context.Context) error { return s.alive() }

// Leave implements frontier.Process.
func (s process) Leave(ctx context.Context) error {
	if err := s.alive(); err != nil {
		return err
	}
	s.crawl.mu.Lock()
	held := slices.Collect(maps.Values(s.crawl.workers[s.Store]))
	s.crawl.mu.Unlock()
	for _, l := range held {
		if err := s.GiveBack(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// GiveBack implements frontier.Process.
func (s process) GiveBack(ctx context.Context, l frontier.Lease) error {
	if err := s.alive(); err != nil {
		return err
	}
	_ = s.Release(ctx, l, frontier.Deferral{Wave: l.Wave, Note: l.Note}) // it may be stale
	return nil
}

// ExtendAll implements frontier.Process.
func (s process) ExtendAll(ctx context.Context, _ int, leases []frontier.Lease, d time.Duration) (lost []frontier.ID, err error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	for _, l := range leases {
		if s.Extend(ctx, l, d) != nil {
			lost = append(lost, l.ID)
		}
	}
	return lost, nil
}

// Start implements frontier.Process.
func (s process) Start(ctx context.Context, l frontier.Lease, further bool) (time.Duration, error) {
	if err := s.alive(); err != nil {
		return 0, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	h, now := s.crawl.hostOf(l.Host), time.Now()
	at := h.last
	if further || h.owner != l.ID {
		at = at.Add(h.pace.Interval)
	}
	if at.Before(now) {
		at = now
	}
	h.last, h.owner = at, l.ID
	p := h.pace
	if next := at.Add(p.Interval); next.After(p.NotBefore) {
		p.NotBefore = next
	}
	return at.Sub(now), s.Memory.SetPace(ctx, l.Host, p)
}

// BeginPage implements frontier.Process.
func (s process) BeginPage(ctx context.Context, l frontier.Lease, n int) (frontier.PageTurn, error) {
	if err := s.alive(); err != nil {
		return 0, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	kept, err := s.Tallies(ctx) // a page that ends is one of these before it is none of begun
	if err != nil {
		return 0, err
	}
	read := int(kept["pages"])
	switch {
	case s.crawl.begun[l.ID]:
		return frontier.PageBegins, nil
	case read >= n:
		return frontier.PageLimit, nil
	case read+len(s.crawl.begun) >= n:
		return frontier.PageWaits, nil
	}
	s.crawl.begun[l.ID] = true
	return frontier.PageBegins, nil
}

// Servers implements frontier.Process.
func (s process) Servers() int { return 1 }

// Relay implements frontier.Process.
func (s process) Relay(context.Context) error { return nil }

// Offset implements frontier.Process.
func (s process) Offset(string) time.Duration { return 0 }

// Why implements frontier.Process.
func (s process) Why() string { return "" }

// common is what the engines have in common.
type common struct{ *Store }

// SetController implements frontier.Common.
func (s common) SetController(ctx context.Context, name string, version uint64, state []byte, p frontier.Pace) (frontier.Controller, error) {
	if err := s.alive(); err != nil {
		return frontier.Controller{}, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	h := s.crawl.hostOf(name)
	if h.version != version {
		return frontier.Controller{Version: h.version, State: h.state}, nil
	}
	if at := &p.Within[frontier.ByAddress]; at.Key == "" { // the engine does not know it
		at.Key = h.pace.Within[frontier.ByAddress].Key
	}
	h.version, h.state, h.pace = version+1, slices.Clone(state), p
	return frontier.Controller{Version: h.version, Set: true}, s.Memory.SetPace(ctx, name, p)
}

// Publish implements frontier.Common.
func (s common) Publish(_ context.Context, name string, value []byte) error {
	if err := s.alive(); err != nil {
		return err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	for _, f := range s.crawl.facts {
		if f.Name == name && string(f.Value) == string(value) {
			return nil
		}
	}
	s.crawl.facts = append(s.crawl.facts, frontier.Fact{Name: name, Value: slices.Clone(value)})
	return nil
}

// Facts implements frontier.Common.
func (s common) Facts(_ context.Context, _ int, after uint64) ([]frontier.Fact, uint64, error) {
	if err := s.alive(); err != nil {
		return nil, 0, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	return slices.Clone(s.crawl.facts[after:]), uint64(len(s.crawl.facts)), nil
}

// lockFor is how long others wait for an engine that finds something out for all.
const lockFor = 2 * time.Minute

// Once implements frontier.Common.
func (s common) Once(_ context.Context, name string) ([]byte, frontier.OnceState, error) {
	if err := s.alive(); err != nil {
		return nil, 0, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	a, known := s.crawl.once[name]
	switch {
	case known && a.until.After(time.Now()) && a.owner == nil:
		return a.value, frontier.Known, nil
	case known && a.until.After(time.Now()) && a.owner != s.Store:
		return nil, frontier.Busy, nil
	}
	s.crawl.once[name] = answer{owner: s.Store, until: time.Now().Add(lockFor)}
	return nil, frontier.Mine, nil
}

// KeepOnce implements frontier.Common.
func (s common) KeepOnce(_ context.Context, name string, value []byte, valid time.Duration) error {
	if err := s.alive(); err != nil {
		return err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	s.crawl.once[name] = answer{value: slices.Clone(value), until: time.Now().Add(valid)}
	return nil
}

// Redirect implements frontier.Common.
func (s common) Redirect(_ context.Context, from, to frontier.ID, n int) (bool, error) {
	if err := s.alive(); err != nil {
		return false, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	s.crawl.next[from] = to
	for range n {
		if to == from {
			return true, nil
		}
		next, redirects := s.crawl.next[to]
		if !redirects {
			return false, nil
		}
		to = next
	}
	return false, nil
}

// CountUp implements frontier.Common.
func (s common) CountUp(_ context.Context, list []frontier.Count) (n []int, err error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	s.crawl.mu.Lock()
	defer s.crawl.mu.Unlock()
	for i, c := range list {
		s.crawl.counts[c.Name] += c.By
		if n = append(n, s.crawl.counts[c.Name]); c.Exceeds(n[i]) {
			break
		}
	}
	return n, nil
}
