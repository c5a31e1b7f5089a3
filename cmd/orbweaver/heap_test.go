package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for live, want := range map[uint64]int{0: 1000, 1 << 20: 1000, 4 << 20: 900, 8 << 20: 400, 12 << 20: 233, 24 << 20: 66, 48 << 20: 50, 96 << 20: 50, 480 << 20: 10, 1 << 40: 10} {
		if got := percentFor(live, live); got != want {
			t.Errorf("percentFor(%d) = %d, want %d", live, got, want)
		}
	}
	for live, want := range map[uint64]int{2 << 20: 1000, 12 << 20: 233, 18 << 20: 122, 24 << 20: 66, 48 << 20: 25, 192 << 20: 10} {
		if got := percentFor(live, 12<<20); got != want {
			t.Errorf("percentFor(%d), when 12 MiB were live before, is %d, want %d", live, got, want)
		}
	}
}

// A heap may contain little free memory, however large it is.
func TestLimitFor(t *testing.T) {
	h := &garbageLimiter{initialLimit: 1 << 60}
	for live, want := range map[uint64]int64{0: 40<<20 + nonHeapMemory + initialHeap/8, 64 << 20: 96<<20 + 24<<20, 480 << 20: 528<<20 + maxNonHeapMemory, 1 << 63: 1<<40 + 1<<40/10 + maxNonHeapMemory} {
		if got := h.limitFor(live); got != want {
			t.Errorf("limitFor(%d) = %d, want %d", live, got, want)
		}
	}
}

// With much live data the collector runs more often, one collection later, and as before
// after the run.
func TestLimitGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before, unset := percentNow(), debug.SetMemoryLimit(-1)
	stop := limitGarbage()
	live := make([]byte, 4*maxGarbage)
	for until := time.Now().Add(3 * time.Minute); percentNow() > 30; runtime.GC() {
		if time.Now().After(until) {
			t.Fatalf("with %d MiB live the heap may still grow by %d %%", len(live)>>20, percentNow())
		}
		runtime.Gosched()
	}
	runtime.KeepAlive(live)
	if got := debug.SetMemoryLimit(-1); got > 8*maxGarbage {
		t.Errorf("with %d MiB live the limit is %d MiB", len(live)>>20, got>>20)
	}
	stop()
	if got := debug.SetMemoryLimit(-1); got != unset {
		t.Errorf("after the run the limit is %d, it was %d", got, unset)
	}
	if got := percentNow(); got != before {
		t.Errorf("after the run the growth is %d %%, it was %d %%", got, before)
	}
	// What was read before a run counts from its beginning.
	live = make([]byte, 4*maxGarbage)
	runtime.GC()
	stop = limitGarbage()
	if got := percentNow(); got > 30 {
		t.Errorf("with %d MiB live before the run the heap may grow by %d %%", len(live)>>20, got)
	}
	stop()
	runtime.KeepAlive(live)
	t.Setenv("GOGC", "77")
	limitGarbage()()
	if got := percentNow(); got != before {
		t.Errorf("the user's setting became %d %%", got)
	}
}

func percentNow() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}
