package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, 48 << 20: 100, 96 << 20: 50, 480 << 20: 10, 1 << 40: 10} {
		if got := percentFor(live); got != want {
			t.Errorf("percentFor(%d) = %d, want %d", live, got, want)
		}
	}
}

// TestTendHeap: with much that is live the collector is called sooner, from the
// collection after the one that saw it, and as before when the run is over.
func TestTendHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := percentNow()
	stop := tendHeap()
	live := make([]byte, 4*mostWaste)
	for until := time.Now().Add(10 * time.Second); percentNow() > 30; runtime.GC() {
		if time.Now().After(until) {
			t.Fatalf("with %d MiB live the collector still waits for %d %% more", len(live)>>20, percentNow())
		}
		runtime.Gosched()
	}
	runtime.KeepAlive(live)
	stop()
	if got := percentNow(); got != before {
		t.Errorf("after the run it is %d %%, it was %d %%", got, before)
	}
	t.Setenv("GOGC", "77")
	tendHeap()()
	if got := percentNow(); got != before {
		t.Errorf("what the user has set became %d %%", got)
	}
}

func percentNow() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}
