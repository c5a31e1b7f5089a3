package frontier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Sharing is the part of a frontier for a store that other processes use as well.
type Sharing struct {
	f     *Frontier
	store Shared
	lease time.Duration
	learn func(Fact) // is told each fact once, one at a time

	// Guarded by Frontier.mu.
	claiming bool    // a worker claims for all that wait
	ready    []Lease // claimed, for workers that are about to wake up
	over     error   // of Next: io.EOF, or what ended the work of this process

	mu   sync.Mutex
	held map[ID]*holding

	facts    sync.Mutex
	versions []uint64 // of the facts of each server that were learned
}

// holding is a lease that this process holds.
type holding struct {
	lease Lease
	until time.Time // it is held at least until then, by the clock of this process
}

// is reports whether this is the holding of a lease, and not of a later one of the same target.
func (h *holding) is(l *Lease) bool { return h != nil && h.lease.Fence == l.Fence }

// NewShared returns a frontier over a store that several processes use. Leases last for
// lease, and [Sharing.Keep] extends them. learn is called with each fact that any process
// publishes, one at a time, before a target is handed out that was entered later.
func NewShared(store Shared, p Politeness, lease time.Duration, learn func(Fact)) *Frontier {
	f := New(store, p)
	f.hosts.shared = store
	f.hosts.versions = map[string]*version{}
	f.sharing = &Sharing{f: f, store: store, lease: lease, learn: learn, held: map[ID]*holding{}, versions: make([]uint64, store.Process().Servers())}
	return f
}

const (
	// askEvery is how often a process that has nothing to do asks for targets: other
	// processes may have entered some.
	askEvery = 100 * time.Millisecond
	// beatEvery is how often a process shows that it is alive.
	beatEvery = time.Second
	// lateAfter is how long after its claim a request reserves its time anew.
	lateAfter = 10 * time.Millisecond
)

// next is Next for a shared store. One worker claims for all that wait.
func (s *Sharing) next(ctx context.Context) (*Target, error) {
	f := s.f
	for {
		var again time.Time
		f.mu.Lock()
		switch {
		case f.drained:
			f.mu.Unlock()
			return nil, io.EOF
		case len(s.ready) > 0:
			l := s.ready[0]
			s.ready = s.ready[1:]
			f.turn++
			turn := f.turn
			f.mu.Unlock()
			if err := s.catchUp(ctx, &l); err != nil {
				return nil, err
			}
			return f.target(l, turn)
		case s.over != nil:
			f.mu.Unlock()
			return nil, s.over
		case !s.claiming:
			s.claiming = true
			most := 1 + len(f.waiting)
			f.mu.Unlock()
			again = s.claim(ctx, most)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.mu.Lock()
			if len(s.ready) > 0 || s.over != nil || f.drained {
				f.mu.Unlock()
				continue
			}
		}
		woken := make(chan struct{})
		f.waiting = append(f.waiting, woken)
		f.wakeAt(again) // not before this worker can be woken
		f.mu.Unlock()
		select {
		case <-woken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// claim claims up to most targets and wakes the workers for them. It returns when to claim
// again, the zero time if that depends on the workers.
func (s *Sharing) claim(ctx context.Context, most int) (again time.Time) {
	f := s.f
	leases, next, err := s.store.Claim(ctx, most, s.lease)
	s.mu.Lock()
	for _, l := range leases {
		s.held[l.ID] = &holding{l, l.Claimed.Add(s.lease)}
	}
	s.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	s.claiming = false
	s.ready = append(s.ready, leases...)
	switch {
	case err == io.EOF:
		s.over = err
	case errors.Is(err, ErrAbsent):
		again = time.Now().Add(askEvery)
	case err != nil && ctx.Err() == nil:
		s.over = fmt.Errorf("claim targets: %w", err)
	case len(leases) == 0:
		again = time.Now().Add(askEvery)
		if !next.IsZero() && next.Before(again) {
			again = next
		}
	}
	n := len(s.ready) // this worker takes one, and one of the others claims more
	if s.over != nil || f.drained || ctx.Err() != nil {
		n = len(f.waiting)
	}
	for range min(n, len(f.waiting)) {
		last := len(f.waiting) - 1
		close(f.waiting[last])
		f.waiting = f.waiting[:last]
	}
	return again
}

// catchUp learns what other processes found out before a target was claimed.
func (s *Sharing) catchUp(ctx context.Context, l *Lease) error {
	if err := s.learnFacts(ctx, l.Server, l.Facts); err != nil {
		return err
	}
	return s.f.hosts.catchUp(ctx, l.Host, l.Controller)
}

func (s *Sharing) learnFacts(ctx context.Context, server int, upto uint64) error {
	s.facts.Lock()
	defer s.facts.Unlock()
	for s.versions[server] < upto {
		facts, version, err := s.store.Common().Facts(ctx, server, s.versions[server])
		if err != nil {
			return fmt.Errorf("learn what other processes found out: %w", err)
		}
		for _, fact := range facts {
			s.learn(fact)
		}
		if len(facts) == 0 { // the last one was replaced by an equal one
			version = upto
		}
		s.versions[server] = version
	}
	return nil
}

// forget ends the extension of a lease.
func (s *Sharing) forget(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[l.ID].is(l) {
		delete(s.held, l.ID)
	}
}

// Sharing returns the part of the frontier for a store that other processes use as well, nil
// if they do not.
func (f *Frontier) Sharing() *Sharing { return f.sharing }

// Keep extends the leases of this process at a third of their length, and relays between the servers of
// the store, until ctx ends. An error that ends the work of the process is returned by Next.
func (s *Sharing) Keep(ctx context.Context) {
	var all sync.WaitGroup
	for server := range s.versions {
		all.Go(func() { s.keep(ctx, server) })
	}
	all.Go(func() {
		if err := s.store.Process().Relay(ctx); err != nil && ctx.Err() == nil {
			s.end(fmt.Errorf("bring what was found to its server: %w", err))
		}
	})
	all.Wait()
}

// keep extends the leases of one server: another one may be away.
func (s *Sharing) keep(ctx context.Context, server int) {
	extended := time.Now()
	tick := time.NewTicker(min(beatEvery, s.lease/6))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var leases []Lease
		now := time.Now()
		due := now.Sub(extended) >= s.lease/3-s.lease/12
		if due {
			s.mu.Lock()
			for _, h := range s.held {
				if h.lease.Server == server {
					leases = append(leases, h.lease)
				}
			}
			s.mu.Unlock()
		}
		lost, err := s.store.Process().ExtendAll(ctx, server, leases, s.lease)
		if err != nil {
			if ctx.Err() == nil {
				s.end(fmt.Errorf("extend the leases: %w", err))
			}
			return
		}
		if !due {
			continue
		}
		extended = now
		s.mu.Lock()
		for _, l := range leases {
			if h := s.held[l.ID]; h.is(&l) {
				h.until = now.Add(s.lease)
			}
		}
		for i := range leases {
			if slices.Contains(lost, leases[i].ID) && s.held[leases[i].ID].is(&leases[i]) {
				delete(s.held, leases[i].ID)
			}
		}
		s.mu.Unlock()
	}
}

// end lets Next return an error from now on.
func (s *Sharing) end(err error) {
	f := s.f
	f.mu.Lock()
	if s.over == nil {
		s.over = err
	}
	f.mu.Unlock()
	f.wakeAll()
}

// Ended returns the error that ended the work of this process on a shared store, nil for the
// end of the crawl.
func (s *Sharing) Ended() error {
	f := s.f
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.over == io.EOF {
		return nil
	}
	return s.over
}

// Begin is called before the request for a target. It returns ErrStale if another process
// may visit the target meanwhile, and waits until the interval of the host allows the request
// if it is late.
func (s *Sharing) Begin(ctx context.Context, t *Target) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	h := s.held[t.Lease.ID]
	fresh := h.is(&t.Lease) && time.Now().Before(h.until)
	s.mu.Unlock()
	if !fresh {
		return fmt.Errorf("visit %s: %w", t.URL, ErrStale)
	}
	if t.Lease.Interval == 0 && s.f.hosts.Pace(t.Host).Interval == 0 {
		return nil
	}
	if t.Slot.IsZero() {
		t.Slot = t.Lease.Claimed
	}
	for time.Since(t.Slot) > lateAfter {
		asked := time.Now()
		wait, err := s.store.Process().Start(ctx, t.Lease, false)
		if err != nil {
			return fmt.Errorf("visit %s: %w", t.URL, err)
		}
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		t.Slot = asked.Add(wait)
	}
	return nil
}

// GiveUp ends a visit that ErrStale has ended. The store may still hold its lease, which must
// not be extended any more.
func (s *Sharing) GiveUp(ctx context.Context, t *Target) error {
	s.forget(&t.Lease)
	if err := s.store.Process().GiveBack(ctx, t.Lease); err != nil {
		return fmt.Errorf("give back %s: %w", t.URL, err)
	}
	return nil
}

// BeginPage counts a target as one of at most n pages that all processes read.
func (s *Sharing) BeginPage(ctx context.Context, t *Target, n int) (PageTurn, error) {
	return s.store.Process().BeginPage(ctx, t.Lease, n)
}

// version is the version of the state of a host's pace that this process has.
type version struct {
	mu     sync.Mutex // of the host; held while the store is asked
	number uint64
}

func (h *Hosts) versionOf(host string) *version {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.versions[host]
	if v == nil {
		v = &version{}
		h.versions[host] = v
	}
	return v
}

// enterShared sets the pace of a host, unless another process has done so.
func (h *Hosts) enterShared(ctx context.Context, host string) error {
	h.mu.Lock()
	known := h.controllers[host] != nil
	h.mu.Unlock()
	if known {
		return nil
	}
	return h.changeShared(ctx, host, func(*controller) bool { return h.versions[host].number == 0 })
}

// changeShared changes the state of a host that processes share.
func (h *Hosts) changeShared(ctx context.Context, host string, do func(*controller) bool) error {
	v := h.versionOf(host)
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		h.mu.Lock()
		c := h.controller(host)
		refused := c.Refusals > 0
		changed := do(c) || refused && c.Refusals == 0 || v.number == 0
		if c.Located == 0 && c.within[ByAddress].Key != "" {
			c.Located = v.number + 1
		}
		p, state := c.pace(), c.encode(h.shared.Process().Offset(host))
		h.mu.Unlock()
		if !changed {
			return nil
		}
		kept, err := h.shared.Common().SetController(ctx, host, v.number, state, p)
		if err != nil {
			return fmt.Errorf("set the pace of %s: %w", host, err)
		}
		if v.number = kept.Version; kept.Set {
			return nil
		}
		if err := h.take(host, kept.State); err != nil {
			return err
		}
	}
}

// catchUp takes over the state of a host if another process has changed it.
func (h *Hosts) catchUp(ctx context.Context, host string, number uint64) error {
	v := h.versionOf(host)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.number >= number {
		return nil
	}
	kept, err := h.shared.Common().SetController(ctx, host, noVersion, nil, Pace{})
	if err != nil {
		return fmt.Errorf("read the pace of %s: %w", host, err)
	}
	v.number = kept.Version
	return h.take(host, kept.State)
}

// noVersion is a version that no state has.
const noVersion = 1 << 62

func (h *Hosts) take(host string, state []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(state) == 0 {
		return nil
	}
	return h.controller(host).decode(state, h.shared.Process().Offset(host))
}

// moment is a time that processes share in microseconds since 1970, 0 for none.
type moment struct{ time.Time }

// MarshalJSON encodes the time.
func (m moment) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("0"), nil
	}
	return strconv.AppendInt(nil, m.UnixMicro(), 10), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *moment) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if *m = (moment{}); n != 0 {
		m.Time = time.UnixMicro(n)
	}
	return err
}

// shifted returns the controller by a clock that is ahead by an offset.
func (c controller) shifted(offset time.Duration) controller {
	for _, m := range []*moment{&c.Rest, &c.Slowed, &c.Since} {
		if !m.IsZero() {
			m.Time = m.Add(offset)
		}
	}
	return c
}

// encode returns what processes share, by the clock of the store, and decode takes it over.
func (c *controller) encode(offset time.Duration) []byte {
	s := c.shifted(offset)
	s.Address = c.within[ByAddress].Key
	b, _ := json.Marshal(s) // it has only numbers, flags and a text
	return b
}

func (c *controller) decode(b []byte, offset time.Duration) error {
	var s controller
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read the state of a host: %w", err)
	}
	s.still, s.within = c.still, c.within
	s.within[ByAddress].Key, s.Address = s.Address, ""
	*c = s.shifted(-offset)
	return nil
}
