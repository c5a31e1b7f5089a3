package storetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// runDurable tests that a store keeps its contents when it is closed and opened again.
// open returns a function that opens the same store each time it is called, empty at
// first. The store is closed before it is opened again.
func runDurable(t *testing.T, open func(t *testing.T) (reopen func() frontier.Store)) {
	for _, c := range durableContract {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sessions{harness: harness{T: t, ctx: context.Background()}, open: open(t)}
				s.Store = s.open()
				c.test(s)
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}

// durableContract lists the tests of every store that outlives its process.
var durableContract = []struct {
	name string
	test func(*sessions)
}{
	{"targets, outcomes and findings stay", testRecordsStay},
	{"a leased target is queued again", testLeasedIsQueued},
	{"a deferred target still waits, with its note", testDeferralStays},
	{"added needs and lower waves stay", testRaisedStays},
	{"a settled target of which more is needed is queued", testRenewedStays},
	{"a target entered as settled stays settled until it is entered without an outcome", testEnteredSettledStays},
	{"the mark of a target that is left alone stays", testLeftStays},
	{"the page of a target stays", testPageStays},
	{"a page without findings replaces one with findings", testEmptiedPage},
	{"the pace of a host stays", testPaceStays},
	{"tallies stay", testTalliesStay},
	{"the key and the width of fingerprints stay", testKeyStays},
}

// sessions is a store under test that is closed and opened again.
type sessions struct {
	harness
	open func() frontier.Store
}

// reopen ends the session and begins another.
func (s *sessions) reopen() {
	s.Helper()
	if err := s.Close(); err != nil {
		s.Fatalf("Close: %v", err)
	}
	s.Store = s.open()
}

func testRecordsStay(s *sessions) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	ids := s.settle(s.claim(), s.item(2, "b", frontier.Leaves, frontier.NeedLinked), s.item(1, "a", frontier.Pages, 0))
	s.reopen()
	if c := s.count(); c.Known != 2 || c.Settled != 1 || c.Queued != 1 {
		s.Errorf("Count = %+v, want 2 known, 1 settled, 1 queued", c)
	}
	r := s.get(1)
	if !r.Settled || string(r.Outcome) != "outcome" || string(r.Job) != "job 1" || len(r.Found) != 2 || r.Found[0] != ids[0] {
		s.Errorf("Get = %+v", r)
	}
	if again := s.add(s.item(2, "b", frontier.Leaves, 0)); again[0] != ids[0] {
		s.Errorf("the id of target 2 changed to %d from %d", again[0], ids[0])
	}
	l := s.claim()
	if l.ID != ids[0] || l.Host != "b" || l.Need != frontier.NeedLinked || string(l.Job) != "job 2" {
		s.Errorf("lease = %+v", l)
	}
	fresh := s.settle(l, s.item(3, "c", frontier.Leaves, 0))
	if fresh[0] != 3 {
		s.Errorf("the new target has the id %d, want 3", fresh[0])
	}
	s.reopen()
	s.settle(s.claim())
	s.wantEnd()
}

func testLeasedIsQueued(s *sessions) {
	s.add(s.item(1, "a", frontier.Pages, 0), s.item(2, "a", frontier.Pages, 0))
	l := s.claim()
	s.settle(s.claim())
	s.reopen()
	again := s.claim()
	if again.ID != l.ID {
		s.Errorf("target %d came, want %d, which was leased", again.ID, l.ID)
	}
	s.settle(again)
	s.wantEnd()
}

func testDeferralStays(s *sessions) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks), s.item(2, "a", frontier.Leaves, 0))
	l := s.claim()
	later := time.Now().Add(time.Hour)
	if err := s.Release(s.ctx, l, frontier.Deferral{Wave: frontier.SecondPass, NotBefore: later, Note: []byte("note")}); err != nil {
		s.Fatal(err)
	}
	s.reopen()
	s.settle(s.claim())
	if next := s.claimNone(); !next.Equal(later) {
		s.Errorf("ask again at %v, want %v", next, later)
	}
	if c := s.count(); c.Pages != 1 {
		s.Errorf("Pages = %d: a page deferred to the second pass is outstanding", c.Pages)
	}
	time.Sleep(time.Hour)
	l = s.claim()
	if l.ID != 1 || l.Tries != 1 || string(l.Note) != "note" || l.Wave != frontier.SecondPass {
		s.Errorf("lease = %+v, want target 1 in its second pass, with its note", l)
	}
	s.settle(l)
	s.reopen()
	if r := s.get(1); !r.Settled || len(r.Note) > 0 {
		s.Errorf("Get = %+v, want it settled and without a note", r)
	}
	s.wantEnd()
}

func testRaisedStays(s *sessions) {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked), s.item(2, "a", frontier.Leaves, 0), s.item(3, "a", 7, 0))
	s.reopen()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent), s.item(3, "a", 5, frontier.NeedSeed))
	s.reopen()
	for _, want := range []struct {
		id   frontier.ID
		wave frontier.Wave
		need frontier.Need
	}{{1, frontier.Pages, frontier.NeedLinked | frontier.NeedContent}, {3, 5, frontier.NeedSeed}, {2, frontier.Leaves, 0}} {
		l := s.claim()
		if l.ID != want.id || l.Wave != want.wave || l.Need != want.need {
			s.Errorf("lease = %+v, want %+v", l, want)
		}
		s.settle(l)
	}
	s.wantEnd()
}

func testRenewedStays(s *sessions) {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked), s.item(2, "a", frontier.Leaves, 0))
	s.settle(s.claim())
	l := s.claim()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks), s.item(2, "a", frontier.Leaves, frontier.NeedContent))
	s.settle(l)
	s.reopen()
	if c := s.count(); c.Settled != 0 || c.Queued != 2 || c.Pages != 1 {
		s.Errorf("Count = %+v, want both queued, one as a page", c)
	}
	s.settle(s.claim())
	s.settle(s.claim())
	s.reopen()
	s.wantEnd()
}

func testEnteredSettledStays(s *sessions) {
	out := s.item(1, "a", frontier.Leaves, frontier.NeedLinked)
	out.Outcome = []byte("excluded")
	s.add(out)
	s.reopen()
	s.wantEnd()
	if r := s.get(1); !r.Settled || string(r.Outcome) != "excluded" {
		s.Errorf("Get = %+v, want it settled as excluded", r)
	}
	s.add(s.item(1, "a", frontier.Leaves, 0))
	s.reopen()
	l := s.claim()
	s.reopen()
	if l = s.claim(); l.ID != 1 {
		s.Errorf("lease = %+v, want target 1", l)
	}
	s.settle(l)
	s.reopen()
	s.add(out)
	s.wantEnd()
	if r := s.get(1); string(r.Outcome) != "outcome" {
		s.Errorf("outcome = %q", r.Outcome)
	}
}

func testLeftStays(s *sessions) {
	left := s.item(1, "a", frontier.Leaves, frontier.NeedLinked|frontier.NeedLeft)
	left.Outcome = []byte("excluded")
	s.add(left, s.item(2, "a", frontier.Leaves, frontier.NeedLinked), s.item(3, "a", frontier.Leaves, frontier.NeedLinked))
	s.settle(s.claim())
	mark := func(id frontier.ID) frontier.Item {
		return frontier.Item{ID: id, Wave: frontier.Leaves, Need: frontier.NeedLeft, Outcome: []byte("excluded")}
	}
	s.add(mark(2), mark(3)) // the one is settled, the other queued
	s.reopen()
	for id, settled := range []bool{true, true, false} {
		if r := s.get(frontier.ID(id + 1)); r.Need != frontier.NeedLinked|frontier.NeedLeft || r.Settled != settled {
			s.Errorf("target %d = %+v, want its mark, and settled: %v", id+1, r, settled)
		}
	}
	if l := s.claim(); l.ID != 3 || l.Need&frontier.NeedLeft == 0 {
		s.Errorf("lease = %+v, want target 3 with its mark", l)
	} else {
		s.settle(l)
	}
	s.wantEnd()
}

func testPageStays(s *sessions) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	if _, err := s.Complete(s.ctx, s.claim(), frontier.Done{Outcome: []byte("ok"), Page: []byte("page")}); err != nil {
		s.Fatal(err)
	}
	s.reopen()
	if r := s.get(1); string(r.Page) != "page" || len(r.Links) > 0 || len(r.Found) > 0 {
		s.Errorf("Get = %+v", r)
	}
	err := s.Scan(s.ctx, frontier.PartPage, func(r *frontier.Record) error {
		if string(r.Page) != "page" {
			s.Errorf("Scan = %+v", r)
		}
		return nil
	})
	if err != nil {
		s.Error(err)
	}
}

func testEmptiedPage(s *sessions) {
	s.add(s.item(1, "a", frontier.Leaves, 0))
	s.settle(s.claim(), s.item(2, "a", frontier.Leaves, 0))
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedContent))
	s.reopen()
	for range 2 {
		s.settle(s.claim())
	}
	s.reopen()
	if r := s.get(1); len(r.Found) > 0 || len(r.Links) > 0 {
		s.Errorf("Get = %+v, want nothing found by the second visit", r)
	}
	s.wantEnd()
}

func testPaceStays(s *sessions) {
	until := time.Now().Add(time.Hour)
	if err := s.SetPace(s.ctx, "a", frontier.Pace{Concurrency: 2, Interval: time.Minute, NotBefore: until}); err != nil {
		s.Fatal(err)
	}
	s.add(s.item(1, "a", frontier.Leaves, 0))
	s.reopen()
	if next := s.claimNone(); !next.Equal(until) {
		s.Errorf("ask again at %v, want %v", next, until)
	}
	time.Sleep(time.Hour)
	s.settle(s.claim())
	s.wantEnd()
}

func testTalliesStay(s *sessions) {
	s.add(s.item(1, "a", frontier.Leaves, 0))
	for n := range 3 {
		if err := s.Tally(s.ctx, []frontier.Tally{{Name: "sessions", By: 1}}); err != nil {
			s.Fatal(err)
		}
		s.reopen()
		got, err := s.Tallies(s.ctx)
		if err != nil || got["sessions"] != int64(n+1) {
			s.Errorf("Tallies = %v, %v; want %d sessions", got, err, n+1)
		}
	}
	s.settle(s.claim())
}

func testKeyStays(s *sessions) {
	keyed, ok := s.Store.(frontier.Keyed)
	if !ok {
		s.Fatal("a store that outlives its process must be frontier.Keyed")
	}
	before, width := keyed.FingerprintKey(), s.Width()
	s.reopen()
	if after := s.Store.(frontier.Keyed).FingerprintKey(); after != before || after == [16]byte{} {
		s.Errorf("the key changed from %x to %x", before, after)
	}
	if now := s.Width(); now != width {
		s.Errorf("the width changed from %d to %d bits", width, now)
	}
}
