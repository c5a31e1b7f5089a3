package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// Run holds a store to the contract. open returns an empty store; it is called
// for each test, inside a testing/synctest bubble, so the store must take its
// time from package time and do without the network.
func Run(t *testing.T, open func(t *testing.T) frontier.Store) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"an empty store is at its end", (*suite).empty},
		{"a target is handed out once", (*suite).once},
		{"needs add up and the wave sinks", (*suite).merge},
		{"a target may be entered again by its number", (*suite).byNumber},
		{"a settled target of which more is wanted comes again", (*suite).renew},
		{"more wanted while it is out", (*suite).renewLeased},
		{"an item entered as settled is not visited", (*suite).given},
		{"of outcomes that are given the first with a link counts", (*suite).overruled},
		{"pages come before leaves", (*suite).waves},
		{"leaves fill the time in which pages must wait", (*suite).leavesMeanwhile},
		{"leaves do not wait for a page that takes long", (*suite).stalled},
		{"the second pass comes last", (*suite).secondPass},
		{"a deferred target waits", (*suite).deferred},
		{"a host's limits hold", (*suite).pace},
		{"a host that must rest holds nobody else", (*suite).rest},
		{"hosts take turns", (*suite).turns},
		{"a lease that ran out is handed out again", (*suite).expiry},
		{"a lease that is extended holds", (*suite).extend},
		{"a stale lease changes nothing", (*suite).stale},
		{"what was found is entered with the outcome", (*suite).complete},
		{"records can be read back", (*suite).read},
		{"a note comes back with the lease", (*suite).notes},
		{"tallies add up", (*suite).tallies},
		{"paces can be read back", (*suite).paces},
		{"fingerprints can be found", (*suite).find},
		{"a scan reads the parts that are asked for", (*suite).parts},
		{"a sealed store can be read", (*suite).sealed},
		{"a crawl by many workers loses nothing", (*suite).crawl},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &suite{T: t, Store: open(t), ctx: context.Background()}
				c.test(s)
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}

type suite struct {
	*testing.T
	frontier.Store
	ctx context.Context
}

// fingerprint is that of target n. Wide ones differ from others in either half alone.
func (s *suite) fingerprint(n int) frontier.Fingerprint {
	if s.Width() == frontier.Wide {
		return frontier.Fingerprint{Low: uint64(n/3 + 1000), High: uint64(n%3 + 1000)}
	}
	return frontier.Fingerprint{Low: uint64(n + 1000)}
}

func (s *suite) item(n int, host string, w frontier.Wave, need frontier.Need) frontier.Item {
	return frontier.Item{Fingerprint: s.fingerprint(n), Host: []byte(host), Wave: w, Need: need, Job: fmt.Appendf(nil, "job %d", n)}
}

func (s *suite) add(items ...frontier.Item) []frontier.ID {
	s.Helper()
	ids, err := s.Add(s.ctx, items)
	if err != nil {
		s.Fatalf("Add: %v", err)
	}
	if len(ids) != len(items) {
		s.Fatalf("Add returned %d ids for %d items", len(ids), len(items))
	}
	return ids
}

// claim takes one target that must be ready now.
func (s *suite) claim() frontier.Lease {
	s.Helper()
	leases, next, err := s.Claim(s.ctx, 1, 0)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %d leases, ask again at %v, %v; want a lease", len(leases), next, err)
	}
	return leases[0]
}

// none says that nothing may be handed out now, and returns when to ask again.
func (s *suite) none() time.Time {
	s.Helper()
	leases, next, err := s.Claim(s.ctx, 1, 0)
	if err != nil || len(leases) > 0 {
		s.Fatalf("Claim = %v, %v; want to be told to wait", leases, err)
	}
	return next
}

func (s *suite) end() {
	s.Helper()
	if leases, _, err := s.Claim(s.ctx, 1, 0); err != io.EOF {
		s.Fatalf("Claim = %v, %v; want the end", leases, err)
	}
}

func (s *suite) settle(l frontier.Lease, found ...frontier.Item) []frontier.ID {
	s.Helper()
	ids, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("outcome"), Found: found})
	if err != nil {
		s.Fatalf("Complete: %v", err)
	}
	return ids
}

func (s *suite) count() frontier.Counts {
	s.Helper()
	c, err := s.Count(s.ctx)
	if err != nil {
		s.Fatalf("Count: %v", err)
	}
	return c
}

func (s *suite) empty() {
	s.end()
	if c := s.count(); c != (frontier.Counts{}) {
		s.Errorf("Count = %+v, want zeros", c)
	}
}

// byNumber enters targets again that are queued, leased, settled and given.
func (s *suite) byNumber() {
	ids := s.add(s.item(1, "a", frontier.Leaves, 0), s.item(2, "a", frontier.Leaves, 0))
	again := func(id frontier.ID, need frontier.Need) frontier.Item {
		return frontier.Item{ID: id, Fingerprint: s.fingerprint(int(id)), Wave: frontier.Pages, Need: need}
	}
	if got := s.add(again(ids[1], frontier.NeedContent), s.item(3, "a", frontier.Leaves, 0), again(ids[0], 0)); got[0] != ids[1] || got[2] != ids[0] || got[1] == ids[0] || got[1] == ids[1] {
		s.Fatalf("Add by number returned %v for %v and a new one", got, ids)
	}
	l := s.claim()
	if l.ID != ids[1] || l.Wave != frontier.Pages || l.Need != frontier.NeedContent || string(l.Job) != "job 2" {
		s.Errorf("target %d came first, in wave %d with need %d and job %q; entering it by number had made it a page with content", l.ID, l.Wave, l.Need, l.Job)
	}
	if found := s.settle(l, again(ids[1], frontier.NeedContent), again(ids[0], 0)); !slices.Equal(found, []frontier.ID{ids[1], ids[0]}) {
		s.Errorf("found by number: %v", found)
	}
	s.settle(s.claim())
	s.settle(s.claim())
	s.end()
	s.add(again(ids[0], frontier.NeedContent)) // more is wanted of it than it was asked for
	if l := s.claim(); l.ID != ids[0] || l.Need != frontier.NeedContent {
		s.Errorf("target %d with need %d is renewed, want %d", l.ID, l.Need, ids[0])
	} else {
		s.settle(l)
	}
	s.end()
	if _, err := s.Add(s.ctx, []frontier.Item{again(99, 0)}); err == nil {
		s.Error("a number that was never given is taken")
	}
}

func (s *suite) once() {
	a, b := s.item(1, "a", frontier.Pages, 0), s.item(2, "a", frontier.Pages, 0)
	ids := s.add(a, b, a)
	if ids[0] != ids[2] || ids[0] == ids[1] || ids[0] == 0 || ids[1] == 0 {
		s.Fatalf("ids = %v: the same item has the same id, others have others, none is 0", ids)
	}
	first, second := s.claim(), s.claim()
	if first.ID == second.ID {
		s.Errorf("target %d was handed out twice", first.ID)
	}
	s.none()
	s.settle(first)
	s.none()
	s.settle(second)
	s.end()
	if again := s.add(a); again[0] != ids[0] {
		s.Errorf("a settled item's id changed from %d to %d", ids[0], again[0])
	}
	s.end()
	if c := s.count(); c.Known != 2 || c.Settled != 2 || c.Queued != 0 || c.Leased != 0 {
		s.Errorf("Count = %+v, want 2 known and settled", c)
	}
}

func (s *suite) merge() {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	s.add(s.item(2, "a", frontier.Pages, frontier.NeedLinks))
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent))
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedSeed))
	for range 2 {
		l := s.claim()
		if l.Wave != frontier.Pages {
			s.Errorf("target %d came in wave %d, want %d", l.ID, l.Wave, frontier.Pages)
		}
		if want := frontier.NeedLinked | frontier.NeedContent | frontier.NeedSeed; l.ID == 1 && l.Need != want {
			s.Errorf("need = %b, want %b", l.Need, want)
		}
		s.settle(l)
	}
	s.end()
}

func (s *suite) renew() {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	s.settle(s.claim())
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedSeed))
	s.end()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent))
	if c := s.count(); c.Settled != 0 || c.Pages != 1 {
		s.Errorf("Count = %+v, want the target queued as a page", c)
	}
	l := s.claim()
	if l.Need&frontier.NeedContent == 0 || l.Tries != 0 {
		s.Errorf("lease = %+v, want it to need content, tried never", l)
	}
	s.settle(l)
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent))
	s.end()
}

func (s *suite) renewLeased() {
	s.add(s.item(1, "a", frontier.Leaves, 0))
	l := s.claim()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	s.settle(l)
	again := s.claim()
	if again.ID != l.ID || again.Wave != frontier.Pages || again.Need&frontier.NeedLinks == 0 {
		s.Errorf("lease = %+v, want the target again, as a page", again)
	}
	s.settle(again)
	s.end()
	if c := s.count(); c.Pages != 0 || c.Settled != 1 {
		s.Errorf("Count = %+v, want 1 settled and no page outstanding", c)
	}
}

func (s *suite) given() {
	out := s.item(1, "a", frontier.Leaves, 0)
	out.Outcome = []byte("excluded")
	s.add(out)
	s.end()
	r, err := s.Get(s.ctx, 1)
	if err != nil || !r.Settled || string(r.Outcome) != "excluded" {
		s.Errorf("Get = %+v, %v; want it settled as excluded", r, err)
	}
	s.add(s.item(1, "a", frontier.Leaves, 0)) // somebody links to it after all
	l := s.claim()
	s.settle(l)
	s.add(out)
	s.end()
	if r, _ := s.Get(s.ctx, 1); string(r.Outcome) != "outcome" {
		s.Errorf("outcome = %q: an outcome given for a known item is passed over", r.Outcome)
	}
}

// overruled: of outcomes that are given for a target, that of the first link counts,
// whatever came before it.
func (s *suite) overruled() {
	given := func(outcome string, need frontier.Need) frontier.Item {
		it := s.item(1, "a", frontier.Leaves, need)
		it.Outcome = []byte(outcome)
		return it
	}
	for _, step := range []struct {
		item frontier.Item
		want string
	}{
		{given("named", 0), "named"}, {given("named once more", 0), "named"}, {given("linked", frontier.NeedLinked), "linked"},
		{given("linked once more", frontier.NeedLinked), "linked"}, {given("named at last", 0), "linked"},
	} {
		s.add(step.item)
		s.end()
		if r, err := s.Get(s.ctx, 1); err != nil || !r.Settled || string(r.Outcome) != step.want {
			s.Errorf("with %s: Get = %+v, %v; want it settled as %s", step.item.Outcome, r, err, step.want)
		}
	}
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	l := s.claim()
	s.add(given("linked", frontier.NeedLinked|frontier.NeedSeed))
	s.settle(l)
	if r, _ := s.Get(s.ctx, 1); string(r.Outcome) != "outcome" {
		s.Errorf("outcome = %q, want that of the visit", r.Outcome)
	}
}

func (s *suite) waves() {
	s.add(s.item(1, "a", frontier.Leaves, 0), s.item(2, "a", 1, 0), s.item(3, "b", 0, 0))
	near := s.claim()
	if near.ID != 3 {
		s.Fatalf("target %d came first, want the page of the lowest wave", near.ID)
	}
	s.none() // it may bring further pages of its wave
	s.settle(near, s.item(4, "c", 0, 0))
	for _, want := range []frontier.ID{4, 2, 1} {
		l := s.claim()
		if l.ID != want {
			s.Errorf("target %d came, want %d", l.ID, want)
		}
		s.settle(l)
	}
	s.end()
}

func (s *suite) leavesMeanwhile() {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	s.none()
	later := time.Now().Add(time.Minute)
	if err := s.Release(s.ctx, page, frontier.Deferral{Wave: frontier.Pages, NotBefore: later}); err != nil {
		s.Fatal(err)
	}
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.settle(leaf)
	if next := s.none(); !next.Equal(later) {
		s.Errorf("ask again at %v, want %v", next, later)
	}
	time.Sleep(time.Minute)
	s.settle(s.claim())
	s.end()
}

func (s *suite) stalled() {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	next := s.none()
	if next.IsZero() || next.After(time.Now().Add(time.Minute)) {
		s.Fatalf("ask again at %v: a leaf waits for a page for a moment, not for ever", next)
	}
	time.Sleep(time.Until(next))
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.settle(leaf)
	s.settle(page, s.item(3, "a", frontier.Pages, 0))
	s.settle(s.claim())
	s.end()
}

func (s *suite) secondPass() {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	if err := s.Release(s.ctx, page, frontier.Deferral{Wave: frontier.SecondPass, NotBefore: time.Now()}); err != nil {
		s.Fatal(err)
	}
	if c := s.count(); c.Pages != 1 {
		s.Errorf("Pages = %d: a page that waits for the second pass is outstanding", c.Pages)
	}
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.none()
	s.settle(leaf)
	again := s.claim()
	if again.ID != page.ID || again.Tries != 1 || again.Wave != frontier.SecondPass {
		s.Errorf("lease = %+v, want target %d in its second pass", again, page.ID)
	}
	s.settle(again, s.item(3, "a", frontier.Pages, 0))
	s.settle(s.claim())
	s.end()
	if c := s.count(); c.Pages != 0 {
		s.Errorf("Pages = %d at the end", c.Pages)
	}
}

func (s *suite) deferred() {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "a", frontier.Pages, 0))
	l := s.claim()
	if err := s.Release(s.ctx, l, frontier.Deferral{Wave: frontier.Pages, NotBefore: time.Now().Add(time.Second)}); err != nil {
		s.Fatal(err)
	}
	other := s.claim()
	if other.ID == l.ID {
		s.Fatal("the deferred target came at once")
	}
	s.settle(other)
	s.none()
	time.Sleep(time.Second)
	again := s.claim()
	if again.ID != l.ID || again.Tries != 1 {
		s.Errorf("lease = %+v, want target %d at its second try", again, l.ID)
	}
	s.settle(again)
	s.end()
}

func (s *suite) pace() {
	if err := s.SetPace(s.ctx, "slow", frontier.Pace{Concurrency: 2, Interval: time.Second}); err != nil {
		s.Fatal(err)
	}
	for n := range 4 {
		s.add(s.item(n, "slow", frontier.Pages, 0))
	}
	start := time.Now()
	a := s.claim()
	s.none()
	time.Sleep(time.Second)
	b := s.claim()
	time.Sleep(time.Second)
	s.none() // two are out
	s.settle(a)
	c := s.claim()
	s.settle(b)
	s.settle(c)
	if next := s.none(); next.Sub(start) != 3*time.Second {
		s.Errorf("the fourth visit may begin %v after the first, want 3s", next.Sub(start))
	}
	time.Sleep(time.Second)
	s.settle(s.claim())
	s.end()
}

func (s *suite) rest() {
	until := time.Now().Add(time.Hour)
	if err := s.SetPace(s.ctx, "tired", frontier.Pace{NotBefore: until}); err != nil {
		s.Fatal(err)
	}
	s.add(s.item(1, "tired", frontier.Pages, 0), s.item(2, "fresh", frontier.Pages, 0))
	l := s.claim()
	if l.Host != "fresh" {
		s.Fatalf("a target of %s came", l.Host)
	}
	s.settle(l)
	if next := s.none(); !next.Equal(until) {
		s.Errorf("ask again at %v, want %v", next, until)
	}
	if err := s.SetPace(s.ctx, "tired", frontier.Pace{}); err != nil {
		s.Fatal(err)
	}
	s.settle(s.claim())
	s.end()
}

func (s *suite) turns() {
	for n := range 6 {
		s.add(s.item(n, "big", frontier.Pages, 0))
	}
	s.add(s.item(10, "small", frontier.Pages, 0))
	for range 2 {
		if l := s.claim(); l.Host == "small" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	s.Error("a host with one target waits until another's line is gone")
}

func (s *suite) expiry() {
	s.add(s.item(1, "a", frontier.Pages, 0))
	leases, _, err := s.Claim(s.ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %v, %v", leases, err)
	}
	if next := s.none(); !next.Equal(time.Now().Add(time.Minute)) {
		s.Errorf("ask again at %v, want when the lease runs out", next)
	}
	time.Sleep(time.Minute)
	again := s.claim()
	if again.ID != leases[0].ID || again.Fence <= leases[0].Fence {
		s.Errorf("lease = %+v, want target %d under a higher fence than %d", again, leases[0].ID, leases[0].Fence)
	}
	if _, err := s.Complete(s.ctx, leases[0], frontier.Done{}); !errors.Is(err, frontier.ErrStale) {
		s.Errorf("completing a lease that ran out: %v, want %v", err, frontier.ErrStale)
	}
	s.settle(again)
	s.end()
}

func (s *suite) extend() {
	s.add(s.item(1, "a", frontier.Pages, 0))
	leases, _, err := s.Claim(s.ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %v, %v", leases, err)
	}
	time.Sleep(50 * time.Second)
	if err := s.Extend(s.ctx, leases[0], time.Minute); err != nil {
		s.Fatal(err)
	}
	time.Sleep(30 * time.Second)
	s.none()
	s.settle(leases[0])
	s.end()
}

func (s *suite) stale() {
	s.add(s.item(1, "a", frontier.Pages, 0))
	l := s.claim()
	s.settle(l)
	if _, err := s.Complete(s.ctx, l, frontier.Done{Found: []frontier.Item{s.item(2, "a", frontier.Pages, 0)}}); !errors.Is(err, frontier.ErrStale) {
		s.Errorf("Complete twice: %v, want %v", err, frontier.ErrStale)
	}
	if err := s.Release(s.ctx, l, frontier.Deferral{Wave: frontier.Pages}); !errors.Is(err, frontier.ErrStale) {
		s.Errorf("Release after Complete: %v, want %v", err, frontier.ErrStale)
	}
	if err := s.Extend(s.ctx, l, time.Minute); !errors.Is(err, frontier.ErrStale) {
		s.Errorf("Extend after Complete: %v, want %v", err, frontier.ErrStale)
	}
	s.end()
	if c := s.count(); c.Known != 1 {
		s.Errorf("a stale Complete entered what it found: %+v", c)
	}
}

// crawl walks a random graph with several workers, leases that are let run out
// and targets that are put back, and wants each target settled and every page's
// findings kept.
func (s *suite) crawl() {
	const targets, workers = 2000, 8
	rng := rand.New(rand.NewPCG(1, 2))
	graph := make([][]int, targets)
	for n := range graph {
		graph[n] = []int{(n + 1) % targets}
		for range rng.IntN(10) {
			graph[n] = append(graph[n], rng.IntN(targets))
		}
	}
	entry := func(n int) frontier.Item {
		w := frontier.Pages
		if n%5 == 0 {
			w = frontier.Leaves
		}
		return s.item(n, fmt.Sprintf("host %d", n%17), w, frontier.NeedLinks)
	}
	s.add(entry(1))
	var mu sync.Mutex
	settled := map[frontier.ID]int{}
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(k)))
			for {
				leases, next, err := s.Claim(s.ctx, 1+rng.IntN(3), time.Second)
				if err == io.EOF {
					return
				}
				if err != nil {
					s.Errorf("Claim: %v", err)
					return
				}
				if len(leases) == 0 {
					wait := 10 * time.Millisecond
					if !next.IsZero() {
						wait = min(wait, max(time.Until(next), time.Microsecond))
					}
					time.Sleep(wait)
				}
				for _, l := range leases {
					switch rng.IntN(20) {
					case 0: // this worker dies: the lease runs out
						continue
					case 1:
						if err := s.Release(s.ctx, l, frontier.Deferral{Wave: l.Wave, NotBefore: time.Now().Add(50 * time.Millisecond)}); err != nil {
							s.Errorf("Release: %v", err)
						}
						continue
					}
					var n int
					if _, err := fmt.Sscanf(string(l.Job), "job %d", &n); err != nil {
						s.Errorf("job %q: %v", l.Job, err)
					}
					done := frontier.Done{Outcome: []byte("ok"), Links: fmt.Appendf(nil, "links of %d", n)}
					for _, m := range graph[n] {
						done.Found = append(done.Found, entry(m))
					}
					if _, err := s.Complete(s.ctx, l, done); err != nil {
						s.Errorf("Complete: %v", err)
					}
					mu.Lock()
					settled[l.ID]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if len(settled) != targets {
		s.Errorf("%d targets were settled, want %d", len(settled), targets)
	}
	for id, times := range settled {
		if times != 1 {
			s.Errorf("target %d was settled %d times", id, times)
		}
	}
	edges := 0
	if err := s.Scan(s.ctx, frontier.AllParts, func(r *frontier.Record) error { edges += len(r.Found); return nil }); err != nil {
		s.Error(err)
	}
	want := 0
	for _, to := range graph {
		want += len(to)
	}
	if edges != want {
		s.Errorf("%d edges were kept, want %d", edges, want)
	}
}
