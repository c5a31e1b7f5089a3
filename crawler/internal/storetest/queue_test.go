package storetest

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func testWaves(s *harness) {
	s.add(s.item(1, "a", frontier.Leaves, 0), s.item(2, "a", 1, 0), s.item(3, "b", 0, 0))
	near := s.claim()
	if near.ID != 3 {
		s.Fatalf("target %d came first, want the page of the lowest wave", near.ID)
	}
	s.claimNone() // further pages of its wave may be found
	s.settle(near, s.item(4, "c", 0, 0))
	for _, want := range []frontier.ID{4, 2, 1} {
		l := s.claim()
		if l.ID != want {
			s.Errorf("target %d came, want %d", l.ID, want)
		}
		s.settle(l)
	}
	s.wantEnd()
}

func testLeavesWhilePagesWait(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	s.claimNone()
	later := time.Now().Add(time.Minute)
	if err := s.Release(s.ctx, page, frontier.Deferral{Wave: frontier.Pages, NotBefore: later}); err != nil {
		s.Fatal(err)
	}
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.settle(leaf)
	if next := s.claimNone(); !next.Equal(later) {
		s.Errorf("ask again at %v, want %v", next, later)
	}
	time.Sleep(time.Minute)
	s.settle(s.claim())
	s.wantEnd()
}

func testLeavesDuringSlowPage(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	next := s.claimNone()
	if next.IsZero() || next.After(time.Now().Add(time.Minute)) {
		s.Fatalf("ask again at %v: a leaf waits for a page, but not for long", next)
	}
	time.Sleep(time.Until(next))
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.settle(leaf)
	s.settle(page, s.item(3, "a", frontier.Pages, 0))
	s.settle(s.claim())
	s.wantEnd()
}

func testSecondPass(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks), s.item(2, "b", frontier.Leaves, 0))
	page := s.claim()
	if err := s.Release(s.ctx, page, frontier.Deferral{Wave: frontier.SecondPass, NotBefore: time.Now()}); err != nil {
		s.Fatal(err)
	}
	if c := s.count(); c.Pages != 1 {
		s.Errorf("Pages = %d: a page deferred to the second pass is outstanding", c.Pages)
	}
	leaf := s.claim()
	if leaf.ID != 2 {
		s.Fatalf("target %d came, want the leaf", leaf.ID)
	}
	s.claimNone()
	s.settle(leaf)
	again := s.claim()
	if again.ID != page.ID || again.Tries != 1 || again.Wave != frontier.SecondPass {
		s.Errorf("lease = %+v, want target %d in its second pass", again, page.ID)
	}
	s.settle(again, s.item(3, "a", frontier.Pages, 0))
	s.settle(s.claim())
	s.wantEnd()
	if c := s.count(); c.Pages != 0 {
		s.Errorf("Pages = %d at the end", c.Pages)
	}
}

func testDeferred(s *harness) {
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
	s.claimNone()
	time.Sleep(time.Second)
	again := s.claim()
	if again.ID != l.ID || again.Tries != 1 {
		s.Errorf("lease = %+v, want target %d at its second try", again, l.ID)
	}
	s.settle(again)
	s.wantEnd()
}

func testPace(s *harness) {
	if err := s.SetPace(s.ctx, "slow", frontier.Pace{Concurrency: 2, Interval: time.Second}); err != nil {
		s.Fatal(err)
	}
	for n := range 4 {
		s.add(s.item(n, "slow", frontier.Pages, 0))
	}
	start := time.Now()
	a := s.claim()
	s.claimNone()
	time.Sleep(time.Second)
	b := s.claim()
	time.Sleep(time.Second)
	s.claimNone() // two are leased
	s.settle(a)
	c := s.claim()
	s.settle(b)
	s.settle(c)
	if next := s.claimNone(); next.Sub(start) != 3*time.Second {
		s.Errorf("the fourth visit may begin %v after the first, want 3s", next.Sub(start))
	}
	time.Sleep(time.Second)
	s.settle(s.claim())
	s.wantEnd()
}

func testRest(s *harness) {
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
	if next := s.claimNone(); !next.Equal(until) {
		s.Errorf("ask again at %v, want %v", next, until)
	}
	if err := s.SetPace(s.ctx, "tired", frontier.Pace{}); err != nil {
		s.Fatal(err)
	}
	s.settle(s.claim())
	s.wantEnd()
}

func testTurns(s *harness) {
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
	s.Error("a host with one target waits until the queue of another is empty")
}
