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
// sooner; a small heap may first become what the program takes anyway. What is free
// in a large one is given back to the system: each gap that a table leaves when it
// grows is too small for the next.

const (
	// mostWaste is how much garbage is let lie, in bytes.
	mostWaste = 48 << 20
	// besides is what the program takes apart from the heap, with room to spare: a
	// limit that is too narrow makes the collector work without end.
	besides = 32 << 20
	// firstHeap is the live size that the runtime takes a new heap to have, in bytes.
	firstHeap = 4 << 20
	// leastHeap is what a heap may grow to in any case: a dozen collections on the way
	// there save nothing.
	leastHeap = 40 << 20
	// largeHeap is the live size from which on there is a limit.
	largeHeap = 128 << 20
)

// Percent of what is live that the heap grows by between collections.
const (
	leastPercent = 10   // bounds what a very large heap costs: its tables are walked each time
	mostPercent  = 1000 // of a heap that hardly holds anything
)

func heapIsSet() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// expectMuch readies the heap for a run that is going to touch leastHeap of it. It
// takes some milliseconds, which a short run would feel.
var expectMuch = sync.OnceFunc(func() {
	if !heapIsSet() {
		growInLargePages(leastHeap)
	}
})

// heap bounds the garbage of a run.
type heap struct {
	sample [1]metrics.Sample

	mu     sync.Mutex
	over   bool
	before int // percent
	now    int
	unset  int64 // the limit that was found, in bytes
	limit  int64
	live   uint64 // at the last collection
}

// tendHeap bounds the garbage until stop is called. Whoever has set the collector up
// by GOGC or GOMEMLIMIT knows better.
func tendHeap() (stop func()) {
	if heapIsSet() {
		return func() {}
	}
	unset := debug.SetMemoryLimit(-1)
	first := percentFor(firstHeap, firstHeap)
	h := &heap{before: debug.SetGCPercent(first), now: first, unset: unset, limit: unset, live: firstHeap}
	h.sample[0].Name = "/gc/heap/live:bytes"
	h.await()
	return h.stop
}

func (h *heap) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	debug.SetGCPercent(h.before)
	debug.SetMemoryLimit(h.unset)
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
	live := h.sample[0].Value.Uint64()
	want := percentFor(live, h.live)
	h.live = live
	if want < h.now-h.now/8 || want > h.now+h.now/8 {
		debug.SetGCPercent(want)
		h.now = want
	}
	if limit := h.limitFor(live); limit < h.limit-h.limit/8 || limit-h.limit/32 > h.limit {
		debug.SetMemoryLimit(limit)
		h.limit = limit
	}
	return true
}

// limitFor is the size of all that the runtime manages from which on it gives back
// what is free.
func (h *heap) limitFor(live uint64) int64 {
	if live < largeHeap {
		return h.unset
	}
	live = min(live, 1<<40)
	return int64(live+live*uint64(percentFor(live, live))/100) + besides
}

// percentFor is the growth of the heap, in percent of what is live, at which the
// collector is called. What is live now and was not before is most often a large page
// at work: the heap need not double for that.
func percentFor(live, before uint64) int {
	live = max(live, 1)
	waste := min(live, before, mostWaste)
	if live < leastHeap {
		waste = max(waste, leastHeap-live)
	}
	return int(min(mostPercent, max(leastPercent, waste*100/live)))
}
