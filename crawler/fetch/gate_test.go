package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGateBudget tests that no more requests pass than the run and all runs may send, that a wait
// that is given up gives its request back, and that the first refusal is told.
func TestGateBudget(t *testing.T) {
	gates := NewGates(5, 0)
	first, second := gates.Run(3), gates.Run(10)
	pass := func(g *Gate) error {
		pass, err := passGate(WithGate(t.Context(), g), "a.test")
		if err == nil {
			pass.leave()
			pass.leave() // once is enough
		}
		return err
	}
	refused := func(err error) bool {
		fault, ok := errors.AsType[*Fault](err)
		return ok && fault.Kind == "limit" && errors.Is(err, ErrSpent)
	}
	for range 3 {
		if err := pass(first); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-first.Spent():
		t.Fatal("spent, and nothing was refused")
	default:
	}
	if err := pass(first); !refused(err) {
		t.Errorf("the fourth of three: %v", err)
	}
	<-first.Spent()
	for range 2 {
		if err := pass(second); err != nil {
			t.Fatal(err)
		}
	}
	if err := pass(second); !refused(err) || gates.Left() != 0 {
		t.Errorf("the sixth of five: %v, %d left", err, gates.Left())
	}
	if err := pass(nil); err != nil { // without a gate
		t.Error(err)
	}
}

// TestGateTakesTurns tests that requests to one host are under way for one run at a time, that runs
// take turns, and that other hosts are not concerned.
func TestGateTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := NewGates(1000, 0)
		one, two := gates.Run(500), gates.Run(500)
		hold, err := passGate(WithGate(t.Context(), one), "a.test")
		if err != nil {
			t.Fatal(err)
		}
		again, err := passGate(WithGate(t.Context(), one), "a.test") // the same run sends several at once
		if err != nil {
			t.Fatal(err)
		}
		elsewhere, err := passGate(WithGate(t.Context(), two), "b.test")
		if err != nil {
			t.Fatal(err)
		}
		elsewhere.leave()
		order := make(chan string, 4)
		var all sync.WaitGroup
		wait := func(name string, g *Gate) {
			all.Go(func() {
				pass, err := passGate(WithGate(t.Context(), g), "a.test")
				if err != nil {
					t.Error(err)
					return
				}
				order <- name
				time.Sleep(time.Second)
				pass.leave()
			})
			synctest.Wait()
		}
		wait("two", two)
		wait("one", one) // came later: the other run waits
		ctx, cancel := context.WithCancel(WithGate(t.Context(), two))
		all.Go(func() {
			if _, err := passGate(ctx, "a.test"); !errors.Is(err, context.Canceled) {
				t.Errorf("given up: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%s was let in beside another run", <-order)
		}
		hold.leave()
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%s was let in while a request was under way", <-order)
		}
		again.leave()
		all.Wait()
		if a, b := <-order, <-order; a != "two" || b != "one" {
			t.Errorf("the turns were %s, %s", a, b)
		}
		if gates.Left() != 1000-5 || len(gates.hosts) != 0 {
			t.Errorf("%d requests left, %d hosts are remembered", gates.Left(), len(gates.hosts))
		}
	})
}

// TestGatePace tests the interval between two requests, and that a host that asks one run for a
// rest gets it from the others.
func TestGatePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := NewGates(1000, 2*time.Second)
		one, two := gates.Run(500), gates.Run(500)
		began := time.Now()
		at := func(g *Gate, answer int, retry string) time.Duration {
			ctx := WithGate(t.Context(), g)
			pass, err := passGate(ctx, "a.test")
			if err != nil {
				t.Fatal(err)
			}
			observeAnswer(ctx, "a.test", answer, http.Header{"Retry-After": {retry}})
			pass.leave()
			return time.Since(began)
		}
		got := []time.Duration{at(one, 200, ""), at(two, 200, ""), at(one, 429, "10"), at(one, 200, ""), at(two, 503, "86400"), at(one, 200, "")}
		want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second, 14 * time.Second, 14*time.Second + maxGateRest}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("request %d was sent after %v, want %v", i, got[i], want[i])
			}
		}
	})
}
