package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func testExpiredLease(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, 0))
	leases, _, err := s.Claim(s.ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %v, %v", leases, err)
	}
	if next := s.claimNone(); !next.Equal(time.Now().Add(time.Minute)) {
		s.Errorf("ask again at %v, want the deadline of the lease", next)
	}
	time.Sleep(time.Minute)
	again := s.claim()
	if again.ID != leases[0].ID || again.Fence <= leases[0].Fence {
		s.Errorf("lease = %+v, want target %d under a higher fence than %d", again, leases[0].ID, leases[0].Fence)
	}
	if _, err := s.Complete(s.ctx, leases[0], frontier.Done{}); !errors.Is(err, frontier.ErrStale) {
		s.Errorf("Complete with an expired lease: %v, want %v", err, frontier.ErrStale)
	}
	s.settle(again)
	s.wantEnd()
}

func testExtendedLease(s *harness) {
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
	s.claimNone()
	s.settle(leases[0])
	s.wantEnd()
}

func testShortenedLease(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "a", frontier.Pages, 0))
	leases, _, err := s.Claim(s.ctx, 2, time.Hour)
	if err != nil || len(leases) != 2 {
		s.Fatalf("Claim = %v, %v", leases, err)
	}
	for _, d := range []time.Duration{2 * time.Hour, time.Minute, 30 * time.Second} {
		if err := s.Extend(s.ctx, leases[1], d); err != nil {
			s.Fatal(err)
		}
	}
	time.Sleep(30 * time.Second)
	if again := s.claim(); again.ID != leases[1].ID {
		s.Errorf("lease = %+v, want target %d", again, leases[1].ID)
	} else {
		s.settle(again)
	}
	s.settle(leases[0])
	s.wantEnd()
}

func testExtendedWithoutDeadline(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, 0))
	l := s.claim()
	for range 3 {
		if err := s.Extend(s.ctx, l, time.Minute); err != nil {
			s.Fatal(err)
		}
	}
	s.claimNone()
	time.Sleep(time.Minute)
	s.settle(s.claim())
	s.wantEnd()
}

func testStaleLease(s *harness) {
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
	s.wantEnd()
	if c := s.count(); c.Known != 1 {
		s.Errorf("a stale Complete entered what it found: %+v", c)
	}
}

// testManyLeases claims more at once than a store can pass to a function of its server at once.
func testManyLeases(s *harness) {
	const n = 10_000
	leases := s.claimMany(n)
	if shared, ok := s.Store.(frontier.Shared); ok {
		if lost, err := shared.Process().ExtendAll(s.ctx, leases[0].Server, leases, time.Hour); err != nil || len(lost) > 0 {
			s.Fatalf("ExtendAll = %d lost leases, %v", len(lost), err)
		}
	} else {
		for _, l := range leases {
			if err := s.Extend(s.ctx, l, time.Hour); err != nil {
				s.Fatal(err)
			}
		}
	}
	time.Sleep(59 * time.Minute)
	s.claimNone()
	leases = leases[:crawlertest.Count(n/10, n)]
	var settling sync.WaitGroup // a store on a disk is slow if it is used for one at a time
	for some := range slices.Chunk(leases, n/64) {
		settling.Go(func() {
			for _, l := range some {
				if _, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("outcome")}); err != nil {
					s.Errorf("Complete: %v", err)
				}
			}
		})
	}
	settling.Wait()
	if c, want := s.count(), (frontier.Counts{Known: n, Settled: len(leases), Leased: n - len(leases), Pages: n - len(leases)}); c != want {
		s.Errorf("Count = %+v, want %+v", c, want)
	}
}

// claimMany enters n targets of one host, and leases them for a minute.
func (s *harness) claimMany(n int) []frontier.Lease {
	s.Helper()
	items := make([]frontier.Item, n)
	for i := range items {
		items[i] = s.item(i+1, "a", frontier.Pages, 0)
	}
	s.add(items...)
	leases, _, err := s.Claim(s.ctx, n, time.Minute)
	if err != nil || len(leases) != n {
		s.Fatalf("Claim = %d leases, %v; want %d", len(leases), err, n)
	}
	return leases
}
