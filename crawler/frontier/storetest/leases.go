package storetest

import (
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
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
