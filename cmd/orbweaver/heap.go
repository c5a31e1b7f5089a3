package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// What a large crawl holds in memory are a few plain tables, which cost the garbage
// collector little to walk. Let it wait until the heap has doubled, as it does by
// itself, and half of the memory is waste. So from a certain size on it is called
// sooner; a small heap is left to it, where every collection would tell.

// mostWaste is how much garbage is let lie, in bytes.
const mostWaste = 48 << 20

// leastPercent bounds what a very large heap costs: its tables are walked each time.
const leastPercent = 10

// heap bounds the garbage of a run.
type heap struct {
	sample [1]metrics.Sample

	mu     sync.Mutex
	over   bool
	before int // percent
	now    int
}

// tendHeap bounds the garbage until stop is called. Whoever has set the collector up
// by GOGC or GOMEMLIMIT knows better.
func tendHeap() (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	h := &heap{before: debug.SetGCPercent(100), now: 100}
	h.sample[0].Name = "/gc/heap/live:bytes"
	h.await()
	return h.stop
}

func (h *heap) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	debug.SetGCPercent(h.before)
}

// await has the heap looked at after the next collection: nothing refers to the
// object, so its finalizer runs then.
func (h *heap) await() {
	type nobodys struct{ heap *heap }
	runtime.SetFinalizer(&nobodys{h}, func(o *nobodys) {
		if o.heap.tend() {
			o.heap.await()
		}
	})
}

// tend adjusts the collector to what is live, until the run is over.
func (h *heap) tend() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	metrics.Read(h.sample[:])
	if h.over || h.sample[0].Value.Kind() != metrics.KindUint64 {
		return false
	}
	if want := percentFor(h.sample[0].Value.Uint64()); want < h.now-h.now/8 || want > h.now+h.now/8 {
		debug.SetGCPercent(want)
		h.now = want
	}
	return true
}

// percentFor is the growth of the heap, in percent of what is live, at which the
// collector is called.
func percentFor(live uint64) int {
	return int(min(100, max(leastPercent, mostWaste*100/max(live, 1))))
}
