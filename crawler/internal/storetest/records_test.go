package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func testComplete(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	l := s.claim()
	ids, err := s.Complete(s.ctx, l, frontier.Done{
		Outcome: []byte("ok"), Links: []byte("links"),
		Found: []frontier.Item{s.item(7, "a", frontier.Pages, 0), s.item(1, "a", frontier.Pages, 0), s.item(8, "b", frontier.Leaves, 0)},
	})
	if err != nil || len(ids) != 3 || ids[1] != l.ID {
		s.Fatalf("Complete = %v, %v; want three ids, the second the page's own", ids, err)
	}
	r, err := s.Get(s.ctx, l.ID, frontier.AllParts)
	if err != nil || string(r.Outcome) != "ok" || !slices.Equal(r.Found, ids) { // Get may leave the links out
		s.Errorf("Get = %+v, %v", r, err)
	}
	if r, err := s.Get(s.ctx, l.ID, frontier.PartJob|frontier.PartOutcome); err != nil || string(r.Outcome) != "ok" || len(r.Job) == 0 {
		s.Errorf("Get without what was found = %+v, %v", r, err)
	}
	err = s.Scan(s.ctx, frontier.PartOutcome|frontier.PartFound|frontier.PartLinks, func(r *frontier.Record) error {
		if r.ID == l.ID && (string(r.Links) != "links" || string(r.Outcome) != "ok" || !slices.Equal(r.Found, ids)) {
			s.Errorf("Scan reads %+v", r)
		}
		return nil
	})
	if err != nil {
		s.Errorf("Scan: %v", err)
	}
	s.settle(s.claim())
	s.settle(s.claim())
	s.wantEnd()
}

func testRecords(s *harness) {
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = byte(i * i)
	}
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks), s.item(2, "b", frontier.Leaves, 0))
	l := s.claim()
	if _, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("ok"), Links: big}); err != nil {
		s.Fatal(err)
	}
	var ids []frontier.ID
	err := s.Scan(s.ctx, frontier.AllParts, func(r *frontier.Record) error {
		ids = append(ids, r.ID)
		if want := fmt.Sprintf("job %d", r.ID); string(r.Job) != want {
			s.Errorf("job of %d = %q, want %q", r.ID, r.Job, want)
		}
		if r.Settled != (r.ID == 1) || r.ID == 1 && !slices.Equal(r.Links, big) {
			s.Errorf("record %d is not as it was entered", r.ID)
		}
		return nil
	})
	if err != nil || !slices.Equal(ids, []frontier.ID{1, 2}) {
		s.Errorf("Scan read %v, %v; want 1 and 2 in order", ids, err)
	}
	stop := errors.New("enough")
	if err := s.Scan(s.ctx, frontier.AllParts, func(*frontier.Record) error { return stop }); !errors.Is(err, stop) {
		s.Errorf("Scan = %v, want the callback's error", err)
	}
	if _, err := s.Get(s.ctx, 99, frontier.AllParts); err == nil {
		s.Error("Get of an unknown target: no error")
	}
	s.settle(s.claim())
	s.wantEnd()
}

func testParts(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	l := s.claim()
	ids, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("ok"), Links: []byte("links"),
		Found: []frontier.Item{s.item(2, "a", frontier.Leaves, 0), s.item(3, "a", frontier.Leaves, 0)}})
	if err != nil {
		s.Fatal(err)
	}
	s.settle(s.claim())
	s.release(s.claim(), "note")
	for _, parts := range []frontier.Parts{0, frontier.PartJob, frontier.PartOutcome, frontier.PartFound, frontier.PartLinks | frontier.PartFound, frontier.AllParts} {
		next := frontier.ID(1)
		err := s.Scan(s.ctx, parts, func(r *frontier.Record) error {
			if r.ID != next || r.Settled != (r.ID != 3) || r.Need != map[frontier.ID]frontier.Need{1: frontier.NeedLinks}[r.ID] {
				s.Errorf("parts %b: record %d came instead of %d, settled %v, need %b", parts, r.ID, next, r.Settled, r.Need)
			}
			next++
			if parts&frontier.PartJob != 0 && string(r.Job) != fmt.Sprintf("job %d", r.ID) {
				s.Errorf("job of %d = %q", r.ID, r.Job)
			}
			if want := map[frontier.ID]string{1: "ok", 2: "outcome"}[r.ID]; parts&frontier.PartOutcome != 0 && string(r.Outcome) != want {
				s.Errorf("outcome of %d = %q, want %q", r.ID, r.Outcome, want)
			}
			if want := map[frontier.ID]string{3: "note"}[r.ID]; parts&frontier.PartOutcome != 0 && string(r.Note) != want {
				s.Errorf("note of %d = %q, want %q", r.ID, r.Note, want)
			}
			if want := map[frontier.ID][]frontier.ID{1: ids}[r.ID]; parts&frontier.PartFound != 0 && !slices.Equal(r.Found, want) {
				s.Errorf("found by %d = %v, want %v", r.ID, r.Found, want)
			}
			if want := map[frontier.ID]string{1: "links"}[r.ID]; parts&frontier.PartLinks != 0 && string(r.Links) != want {
				s.Errorf("links of %d = %q, want %q", r.ID, r.Links, want)
			}
			return nil
		})
		if err != nil || next != 4 {
			s.Errorf("Scan ended before %d: %v", next, err)
		}
	}
	s.settle(s.claim())
	s.wantEnd()
}

func testSealed(s *harness) {
	s.add(s.item(1, "a", frontier.Pages, frontier.NeedLinks))
	s.settle(s.claim(), s.item(2, "b", frontier.Leaves, 0))
	s.settle(s.claim())
	s.wantEnd()
	sealer, ok := s.Store.(frontier.Sealer)
	if !ok {
		return
	}
	sealer.Seal()
	if r := s.get(1); !r.Settled || string(r.Job) != "job 1" || len(r.Found) != 1 {
		s.Errorf("a sealed store has the record %+v", r)
	}
	records := 0
	if err := s.Scan(s.ctx, frontier.AllParts, func(*frontier.Record) error { records++; return nil }); err != nil || records != 2 {
		s.Errorf("Scan read %d records of a sealed store, %v", records, err)
	}
	if err := s.Tally(s.ctx, []frontier.Tally{{Name: "finished", By: 1}}); err != nil {
		s.Error(err)
	}
	if c := s.count(); c.Known != 2 || c.Settled != 2 {
		s.Errorf("Count = %+v, want 2 known and settled", c)
	}
}

func testNotes(s *harness) {
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedLinked))
	for _, note := range []string{"first", "second", ""} {
		s.release(s.claim(), note)
		if r := s.get(1); string(r.Note) != note || r.Settled {
			s.Errorf("the record has the note %q, want %q", r.Note, note)
		}
		l := s.claim()
		if string(l.Note) != note {
			s.Errorf("the lease has the note %q, want %q", l.Note, note)
		}
		s.release(l, "in between")
	}
	s.settle(s.claim())
	s.add(s.item(1, "a", frontier.Leaves, frontier.NeedContent)) // queued again
	l := s.claim()
	if len(l.Note) != 0 || l.Tries != 0 {
		s.Errorf("a settled target that is queued again has the note %q and %d tries", l.Note, l.Tries)
	}
	s.settle(l)
	if r := s.get(1); len(r.Note) != 0 {
		s.Errorf("a settled target has the note %q", r.Note)
	}
	s.wantEnd()
}

func testTallies(s *harness) {
	s.add(s.item(1, "a", frontier.Leaves, 0))
	one := []frontier.Tally{{Name: "visits", By: 1}, {Name: "bytes", By: 10}}
	l := s.claim()
	if err := s.Release(s.ctx, l, frontier.Deferral{Wave: l.Wave, Tally: one}); err != nil {
		s.Fatal(err)
	}
	l = s.claim()
	if _, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("ok"), Tally: one}); err != nil {
		s.Fatal(err)
	}
	if _, err := s.Complete(s.ctx, l, frontier.Done{Tally: one}); !errors.Is(err, frontier.ErrStale) {
		s.Fatalf("Complete = %v", err)
	}
	if err := s.Tally(s.ctx, []frontier.Tally{{Name: "bytes", By: -5}, {Name: "other", By: 1 << 40}}); err != nil {
		s.Fatal(err)
	}
	got, err := s.Tallies(s.ctx)
	if want := map[string]int64{"visits": 2, "bytes": 15, "other": 1 << 40}; err != nil || !maps.Equal(got, want) {
		s.Errorf("Tallies = %v, %v; want %v", got, err, want)
	}
	s.wantEnd()
}

// testManyTallies adds to a sum for each of many rules in one step.
func testManyTallies(s *harness) {
	const n = 10_000
	want, list := map[string]int64{}, []frontier.Tally(nil)
	for i := range n {
		name := fmt.Sprintf("rule:%d", i)
		want[name], list = 2, append(list, frontier.Tally{Name: name, By: 1})
	}
	if err := s.Tally(s.ctx, list); err != nil {
		s.Fatal(err)
	}
	s.add(s.item(1, "a", frontier.Pages, 0))
	if _, err := s.Complete(s.ctx, s.claim(), frontier.Done{Outcome: []byte("outcome"), Tally: list}); err != nil {
		s.Fatal(err)
	}
	if got, err := s.Tallies(s.ctx); err != nil || !maps.Equal(got, want) {
		s.Errorf("Tallies = %d names, %v; want %d with 2 each", len(got), err, n)
	}
	s.wantEnd()
}

func testPaces(s *harness) {
	until := time.Now().Add(time.Minute).Round(0)
	want := map[string]frontier.Pace{"a": {Concurrency: 3, Interval: time.Second, NotBefore: until}, "b": {}}
	if err := s.SetPace(s.ctx, "a", want["a"]); err != nil {
		s.Fatal(err)
	}
	out := s.item(1, "b", frontier.Leaves, 0)
	out.Outcome = []byte("left out")
	s.add(out)
	got := map[string]frontier.Pace{}
	if err := s.Paces(s.ctx, func(host string, p frontier.Pace) error { got[host] = p; return nil }); err != nil {
		s.Fatal(err)
	}
	if len(got) != 2 || got["a"].Concurrency != 3 || got["a"].Interval != time.Second || !got["a"].NotBefore.Equal(until) || got["b"] != want["b"] {
		s.Errorf("Paces = %v, want %v", got, want)
	}
	stop := errors.New("enough")
	if err := s.Paces(s.ctx, func(string, frontier.Pace) error { return stop }); !errors.Is(err, stop) {
		s.Errorf("Paces = %v, want the callback's error", err)
	}
	s.wantEnd()
}

func testFind(s *harness) {
	ids := s.add(s.item(1, "a", frontier.Leaves, 0), s.item(2, "a", frontier.Leaves, 0))
	got, err := s.Find(s.ctx, []frontier.Fingerprint{s.fingerprint(2), s.fingerprint(3), s.fingerprint(1)})
	if want := []frontier.ID{ids[1], 0, ids[0]}; err != nil || !slices.Equal(got, want) {
		s.Errorf("Find = %v, %v; want %v", got, err, want)
	}
	s.settle(s.claim())
	s.settle(s.claim())
	s.wantEnd()
}
