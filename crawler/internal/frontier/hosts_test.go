package frontier_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// TestGate tests that a gated host gets one visit at a time until its gate is opened.
func TestGate(t *testing.T) {
	ctx := t.Context()
	f := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: frontier.Pace{Concurrency: 3}, Gated: true})
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
	if err := f.PassGate(ctx, "gated", +1); err != nil {
		t.Fatal(err)
	}
	if n := out(); n != 1 {
		t.Errorf("%d more visits beside one that needs no rules, want 1", n)
	}
	if err := f.PassGate(ctx, "gated", +1); err != nil {
		t.Fatal(err)
	}
	if err := f.PassGate(ctx, "gated", -1); err != nil {
		t.Fatal(err)
	}
	if n := out(); n != 0 {
		t.Errorf("%d more visits after one of two such visits is over, want 0", n)
	}
	if err := f.OpenGate(ctx, "gated"); err != nil {
		t.Fatal(err)
	}
	if n := out(); n != 1 {
		t.Errorf("%d more visits after the gate was opened, want 1", n)
	}
}

// TestRefusalAndRecovery tests when refusals in a row make a host given up.
func TestRefusalAndRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: frontier.Pace{Concurrency: 8}})
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
			t.Error("the host was given up too early")
		}
		for range 2 {
			observe(frontier.Answer{Overloaded: true, TooLong: true})
		}
		observe(frontier.Answer{Silent: true}) // does not count
		observe(frontier.Answer{})             // ends the refusals in a row
		for range 2 {
			observe(frontier.Answer{Overloaded: true, TooLong: true})
		}
		if f.Hosts().GivenUp("h") {
			t.Error("a host was given up for refusals before a good answer")
		}
		observe(frontier.Answer{Overloaded: true, TooLong: true})
		if !f.Hosts().GivenUp("h") {
			t.Error("a host that asks for longer rests than are granted was not given up")
		}
	})
}

// TestDead tests that a host is dead when it has never answered, and not when it once did.
func TestDead(t *testing.T) {
	ctx := t.Context()
	f := frontier.New(frontier.NewMemory(), frontier.Treatment{})
	for range 20 {
		if f.Hosts().Dead("silent") {
			t.Error("the host is dead too early")
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

// TestConnections tests how many visits at once a new host with fast answers gets, by the
// connections that they came over.
func TestConnections(t *testing.T) {
	const fresh, lost, work = 100 * time.Microsecond, 1020 * time.Millisecond, time.Millisecond
	for _, tt := range []struct {
		name   string
		dialed []time.Duration // of the answers
		work   time.Duration   // of the host for an answer
		want   int
	}{
		{"used again", []time.Duration{fresh, fresh, fresh, fresh, 0, 0, 0, fresh, 0, 0}, work, 10},
		{"always used again", make([]time.Duration, 100), work, 64},
		{"a new one for each answer", slices.Repeat([]time.Duration{fresh}, 100), work, 4},
		{"lost", []time.Duration{fresh, 0, 0, 0, 0, 0, lost}, work, 4},
		{"lost again at the lower pace", []time.Duration{fresh, 0, 0, 0, 0, 0, lost, lost, lost}, work, 1},
		{"lost, and then none for long", append([]time.Duration{fresh, 0, 0, 0, 0, 0, lost}, make([]time.Duration, 60)...), work, 5},
		{"a new one for each answer, which takes long", slices.Repeat([]time.Duration{fresh}, 1000), time.Second, 64},
		{"one that was there before, and work that takes long", []time.Duration{0}, 10 * time.Millisecond, 64},
		{"a new one, and work that takes long", []time.Duration{fresh}, 10 * time.Millisecond, 4},
		{"a new one, which takes long, too", []time.Duration{20 * time.Millisecond}, 20 * time.Millisecond, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: frontier.Pace{Concurrency: 64}, Start: 4})
				for _, dialed := range tt.dialed {
					a := frontier.Answer{Started: time.Now(), Latency: dialed + tt.work, Dialed: dialed}
					time.Sleep(a.Latency)
					if err := f.Hosts().Observe(t.Context(), "h", a); err != nil {
						t.Fatal(err)
					}
				}
				if got := f.Hosts().Pace("h").Concurrency; got != tt.want {
					t.Errorf("got %d visits at once, want %d", got, tt.want)
				}
			})
		})
	}
}
