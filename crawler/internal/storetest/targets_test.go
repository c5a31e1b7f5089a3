package storetest

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func testEmpty(s *harness) {
	s.wantEnd()
	if c := s.count(); c != (frontier.Counts{}) {
		s.Errorf("Count = %+v, want zeros", c)
	}
}

func testHandedOutOnce(s *harness) {
	a, b := s.item(1, "a", frontier.Pages, 0), s.item(2, "a", frontier.Pages, 0)
	ids := s.add(a, b, a)
	if ids[0] != ids[2] || ids[0] == ids[1] || ids[0] == 0 || ids[1] == 0 {
		s.Fatalf("ids = %v: the same item has the same id, different items have different ids, none is 0", ids)
	}
	first, second := s.claim(), s.claim()
	if first.ID == second.ID {
		s.Errorf("target %d was handed out twice", first.ID)
	}
	s.claimNone()
	s.settle(first)
	s.claimNone()
	s.settle(second)
	s.wantEnd()
	if again := s.add(a); again[0] != ids[0] {
		s.Errorf("a settled item's id changed from %d to %d", ids[0], again[0])
	}
	s.wantEnd()
	if c := s.count(); c.Known != 2 || c.Settled != 2 || c.Queued != 0 || c.Leased != 0 {
		s.Errorf("Count = %+v, want 2 known and settled", c)
	}
}

func testNeedsAddUp(s *harness) {
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
	s.wantEnd()
}

// testEnteredByID enters queued, leased and settled targets again.
func testEnteredByID(s *harness) {
	ids := s.add(s.item(1, "a", frontier.Leaves, 0), s.item(2, "a", frontier.Leaves, 0))
	again := func(id frontier.ID, need frontier.Need) frontier.Item {
		return frontier.Item{ID: id, Fingerprint: s.fingerprint(int(id)), Wave: frontier.Pages, Need: need}
	}
	if got := s.add(again(ids[1], frontier.NeedContent), s.item(3, "a", frontier.Leaves, 0), again(ids[0], 0)); got[0] != ids[1] || got[2] != ids[0] || got[1] == ids[0] || got[1] == ids[1] {
		s.Fatalf("Add by ID returned %v for %v and a new one", got, ids)
	}
	l := s.claim()
	if l.ID != ids[1] || l.Wave != frontier.Pages || l.Need != frontier.NeedContent || string(l.Job) != "job 2" {
		s.Errorf("target %d came first, in wave %d with need %d and job %q, want a page with content, as it was entered by its ID", l.ID, l.Wave, l.Need, l.Job)
	}
	if found := s.settle(l, again(ids[1], frontier.NeedContent), again(ids[0], 0)); !slices.Equal(found, []frontier.ID{ids[1], ids[0]}) {
		s.Errorf("found by ID: %v", found)
	}
	s.settle(s.claim())
	s.settle(s.claim())
	s.wantEnd()
	s.add(again(ids[0], frontier.NeedContent)) // a further need
	if l := s.claim(); l.ID != ids[0] || l.Need != frontier.NeedContent {
		s.Errorf("target %d with need %d is renewed, want %d", l.ID, l.Need, ids[0])
	} else {
		s.settle(l)
	}
	s.wantEnd()
	if _, err := s.Add(s.ctx, []frontier.Item{again(99, 0)}); err == nil {
		s.Error("Add accepts an unknown ID")
	}
}

func testRenewed(s *harness) {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	s.settle(s.claim())
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedSeed))
	s.wantEnd()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent))
	if c := s.count(); c.Settled != 0 || c.Pages != 1 {
		s.Errorf("Count = %+v, want the target queued as a page", c)
	}
	l := s.claim()
	if l.Need&frontier.NeedContent == 0 || l.Tries != 0 {
		s.Errorf("lease = %+v, want it to need content, with no tries", l)
	}
	s.settle(l)
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent))
	s.wantEnd()
}

func testRenewedWhileLeased(s *harness) {
	s.add(s.item(1, "a", frontier.Leaves, 0))
	l := s.claim()
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	s.settle(l)
	again := s.claim()
	if again.ID != l.ID || again.Wave != frontier.Pages || again.Need&frontier.NeedLinks == 0 {
		s.Errorf("lease = %+v, want the target again, as a page", again)
	}
	s.settle(again)
	s.wantEnd()
	if c := s.count(); c.Pages != 0 || c.Settled != 1 {
		s.Errorf("Count = %+v, want 1 settled and no page outstanding", c)
	}
}

func testEnteredSettled(s *harness) {
	out := s.item(1, "a", frontier.Leaves, 0)
	out.Outcome = []byte("excluded")
	s.add(out)
	s.wantEnd()
	r, err := s.Get(s.ctx, 1, frontier.AllParts)
	if err != nil || !r.Settled || string(r.Outcome) != "excluded" {
		s.Errorf("Get = %+v, %v; want it settled as excluded", r, err)
	}
	s.add(s.item(1, "a", frontier.Leaves, 0)) // now with a visit
	l := s.claim()
	s.settle(l)
	s.add(out)
	s.wantEnd()
	if r, _ := s.Get(s.ctx, 1, frontier.AllParts); string(r.Outcome) != "outcome" {
		s.Errorf("outcome = %q: the outcome of a known item is ignored", r.Outcome)
	}
}

// testFirstLinkedOutcome enters a target several times with an outcome. That of the first
// link counts, even if one without a link came before.
func testFirstLinkedOutcome(s *harness) {
	settled := func(outcome string, need frontier.Need) frontier.Item {
		it := s.item(1, "a", frontier.Leaves, need)
		it.Outcome = []byte(outcome)
		return it
	}
	for _, step := range []struct {
		item frontier.Item
		want string
	}{
		{settled("named", 0), "named"}, {settled("named once more", 0), "named"}, {settled("linked", frontier.NeedLinked), "linked"},
		{settled("linked once more", frontier.NeedLinked), "linked"}, {settled("named at last", 0), "linked"},
	} {
		s.add(step.item)
		s.wantEnd()
		if r, err := s.Get(s.ctx, 1, frontier.AllParts); err != nil || !r.Settled || string(r.Outcome) != step.want {
			s.Errorf("with %s: Get = %+v, %v; want it settled as %s", step.item.Outcome, r, err, step.want)
		}
	}
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	l := s.claim()
	s.add(settled("linked", frontier.NeedLinked|frontier.NeedSeed))
	s.settle(l)
	if r, _ := s.Get(s.ctx, 1, frontier.AllParts); string(r.Outcome) != "outcome" {
		s.Errorf("outcome = %q, want that of the visit", r.Outcome)
	}
}

// testLeft marks targets as left alone while they are new, queued, leased and settled. The mark
// asks for no visit.
func testLeft(s *harness) {
	left := func(n int) frontier.Item {
		it := s.item(n, "a", frontier.Leaves, frontier.NeedLinked|frontier.NeedLeft)
		it.Outcome = []byte("excluded")
		return it
	}
	s.add(left(1), s.item(2, "a", frontier.Leaves, frontier.NeedLinked))
	s.add(left(2)) // is queued
	l := s.claim()
	if l.ID != 2 || l.Need != frontier.NeedLinked|frontier.NeedLeft {
		s.Errorf("lease = %+v, want target 2 with its mark", l)
	}
	s.add(s.item(3, "a", frontier.Leaves, frontier.NeedLinked))
	s.settle(l)
	l = s.claim()
	s.add(left(3)) // is leased
	s.settle(l)
	s.add(s.item(4, "a", frontier.Leaves, frontier.NeedLinked))
	s.settle(s.claim(), left(5))
	s.add(left(4)) // is settled
	s.wantEnd()
	outcomes := []string{"excluded", "outcome", "outcome", "outcome", "excluded"}
	seen := 0
	check := func(r *frontier.Record) error {
		seen++
		if r.Need&frontier.NeedLeft == 0 || !r.Settled || string(r.Outcome) != outcomes[r.ID-1] {
			s.Errorf("target %d = %+v, want it marked, and settled as %s", r.ID, r, outcomes[r.ID-1])
		}
		return nil
	}
	if err := s.Scan(s.ctx, frontier.PartOutcome, check); err != nil || seen != len(outcomes) {
		s.Errorf("Scan read %d targets, %v; want %d", seen, err, len(outcomes))
	}
	for id := range outcomes {
		r := s.get(frontier.ID(id + 1))
		_ = check(&r)
	}
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedContent)) // another link asks for a visit
	if l := s.claim(); l.ID != 1 || l.Need != frontier.NeedLinked|frontier.NeedLeft|frontier.NeedContent {
		s.Errorf("lease = %+v, want target 1 with its mark", l)
	} else {
		s.settle(l)
	}
	s.wantEnd()
}
