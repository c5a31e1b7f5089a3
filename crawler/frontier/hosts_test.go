package frontier_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// A gated host gets one visit at a time until it is opened.
func TestGate(t *testing.T) {
	ctx := t.Context()
	f := frontier.New(frontier.NewMemory(), frontier.Politeness{
		Pace:  func(string) frontier.Pace { return frontier.Pace{Concurrency: 3} },
		Gated: func(host string) bool { return host == "gated" },
	})
	var items []frontier.Item
	for i := range 5 {
		items = append(items, seed(f, i, "gated"))
	}
	if _, err := f.Refer(ctx, items); err != nil {
		t.Fatal(err)
	}
	out := func() (n int) {
		for {
			leases, _, err := f.Store().Claim(ctx, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(leases) == 0 {
				return n
			}
			n++
		}
	}
	if n := out(); n != 1 {
		t.Errorf("%d visits at once of a gated host", n)
	}
	if err := f.Hosts().OpenGate(ctx, "gated"); err != nil {
		t.Fatal(err)
	}
	if n := out(); n != 2 {
		t.Errorf("%d more visits after the gate was opened, want 2", n)
	}
}

// Refusals slow a host down at once; good answers give the pace back in steps, and
// with more caution where it was refused before.
func TestRefusalAndRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := frontier.New(frontier.NewMemory(), frontier.Politeness{Pace: func(string) frontier.Pace { return frontier.Pace{Concurrency: 8} }})
		observe := func(a frontier.Answer) {
			a.Started = time.Now()
			time.Sleep(time.Millisecond)
			if err := f.Hosts().Observe(ctx, "h", a); err != nil {
				t.Fatal(err)
			}
		}
		observe(frontier.Answer{Overloaded: true, RestFor: 7 * time.Second})
		if host, until := f.Hosts().Resting(); host != "h" || time.Until(until) != 7*time.Second {
			t.Errorf("%q rests until %v", host, until)
		}
		for range 3 {
			observe(frontier.Answer{Overloaded: true})
		}
		if f.Hosts().GivenUp("h") {
			t.Error("a host was given up that may yet mend")
		}
		for range 2 {
			observe(frontier.Answer{Overloaded: true, TooLong: true})
		}
		observe(frontier.Answer{Silent: true}) // says nothing of the pace
		observe(frontier.Answer{})             // ends what went before
		for range 2 {
			observe(frontier.Answer{Overloaded: true, TooLong: true})
		}
		if f.Hosts().GivenUp("h") {
			t.Error("a host was given up for refusals before a good answer")
		}
		observe(frontier.Answer{Overloaded: true, TooLong: true})
		if !f.Hosts().GivenUp("h") {
			t.Error("a host that asks for more patience than there is was not given up")
		}
	})
}

// A host is dead when it never answered, and not when it once did.
func TestDead(t *testing.T) {
	ctx := t.Context()
	f := frontier.New(frontier.NewMemory(), frontier.Politeness{})
	for range 20 {
		if f.Hosts().Dead("silent") {
			t.Error("dead too soon")
		}
		for _, host := range []string{"silent", "flaky"} {
			if err := f.Hosts().Observe(ctx, host, frontier.Answer{Started: time.Now(), Silent: true, TimedOut: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Hosts().Observe(ctx, "flaky", frontier.Answer{Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if !f.Hosts().Dead("silent") || f.Hosts().Dead("flaky") {
		t.Errorf("silent: %v, flaky: %v", f.Hosts().Dead("silent"), f.Hosts().Dead("flaky"))
	}
}
