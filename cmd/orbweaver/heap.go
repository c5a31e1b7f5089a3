package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/startup"
)

// A crawl keeps a few plain tables in memory, which the garbage collector scans quickly. By
// default the collector waits until the heap has doubled, so half of the memory may be
// garbage. It therefore runs more often, while a small heap may grow to a minimum size first.
// Free memory is returned to the system, because the gaps that a growing table or a large
// document leaves are often too small for the next one.

const (
	// maxGarbage is the maximum amount of garbage, in bytes.
	maxGarbage = 48 << 20
	// nonHeapMemory is what the runtime needs apart from the heap, in bytes, with a reserve. A
	// large heap needs more: if a limit is too low, the collector runs all the time.
	nonHeapMemory    = 16 << 20
	maxNonHeapMemory = 32 << 20
	// initialHeap is the live size that the runtime assumes for a new heap, in bytes.
	initialHeap = 4 << 20
	// minHeap is the size that a heap may always grow to, in bytes: a dozen earlier
	// collections would save little. With 24 MB, small sites take 8 MB less, and a seventh more
	// CPU time.
	minHeap = 40 << 20
)

// Limits of the growth between collections, in percent of the live size.
const (
	minPercent = 10   // for a very large heap, whose tables are scanned each time
	maxPercent = 1000 // for a heap with hardly any live data
)

func collectorIsConfigured() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// prepareLargeHeap prepares the heap for a run that will use minHeap of it. It takes some
// milliseconds, which would be too long for a short run.
var prepareLargeHeap = sync.OnceFunc(func() {
	if !collectorIsConfigured() {
		growInLargePages(minHeap)
	}
})

type garbageLimiter struct {
	sample [1]metrics.Sample

	mu             sync.Mutex
	done           bool
	initialPercent int // percent
	percent        int
	initialLimit   int64 // the memory limit before, in bytes
	limit          int64
	live           uint64 // at the last collection
}

// limiting counts the runs of this process that limit its garbage.
var limiting struct {
	mu   sync.Mutex
	runs int
	stop func()
}

// limitGarbage limits the garbage until stop is called. It does nothing if the user has set
// GOGC or GOMEMLIMIT. Several runs at a time share one limit.
func limitGarbage() (stop func()) {
	if collectorIsConfigured() {
		return func() {}
	}
	limiting.mu.Lock()
	defer limiting.mu.Unlock()
	if limiting.runs++; limiting.runs == 1 {
		limiting.stop = startLimiter()
	}
	return func() {
		limiting.mu.Lock()
		defer limiting.mu.Unlock()
		if limiting.runs--; limiting.runs == 0 {
			limiting.stop()
		}
	}
}

func startLimiter() (stop func()) {
	startup.ReleasePages()
	unset := debug.SetMemoryLimit(-1)
	h := &garbageLimiter{initialLimit: unset, limit: unset, live: initialHeap}
	h.sample[0].Name = "/gc/heap/live:bytes"
	if metrics.Read(h.sample[:]); h.sample[0].Value.Kind() == metrics.KindUint64 {
		h.live = max(initialHeap, h.sample[0].Value.Uint64()) // what was read before the run
	}
	h.percent = percentFor(h.live, h.live)
	h.initialPercent = debug.SetGCPercent(h.percent)
	h.adjustAfterCollection()
	return h.stop
}

func (h *garbageLimiter) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = true
	debug.SetGCPercent(h.initialPercent)
	debug.SetMemoryLimit(h.initialLimit)
}

// adjustAfterCollection calls adjust after the next collection. Nothing refers to the new object, so its
// finalizer runs then.
func (h *garbageLimiter) adjustAfterCollection() {
	type nobodys struct{ heap *garbageLimiter }
	runtime.SetFinalizer(&nobodys{h}, func(o *nobodys) {
		if o.heap.adjust() {
			o.heap.adjustAfterCollection()
		}
	})
}

// adjust adjusts the collector to the live size. It returns false after the end of the run.
func (h *garbageLimiter) adjust() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	metrics.Read(h.sample[:])
	if h.done || h.sample[0].Value.Kind() != metrics.KindUint64 {
		return false
	}
	live := h.sample[0].Value.Uint64()
	want := percentFor(live, h.live)
	h.live = live
	if want < h.percent-h.percent/8 || want > h.percent+h.percent/8 {
		debug.SetGCPercent(want)
		h.percent = want
	}
	if limit := h.limitFor(live); limit < h.limit-h.limit/8 || limit-h.limit/32 > h.limit {
		debug.SetMemoryLimit(limit)
		h.limit = limit
	}
	return true
}

// limitFor returns the total size of the runtime above which it returns free memory to the
// system, for a live size.
func (h *garbageLimiter) limitFor(live uint64) int64 {
	live = min(max(live, initialHeap), 1<<40)
	return int64(live + live*uint64(percentFor(live, live))/100 + min(nonHeapMemory+live/8, maxNonHeapMemory))
}

// percentFor returns the growth of the heap at which the collector runs, in percent of
// the live size: at most half of it, beyond minHeap. Data that was not live at the previous
// collection mostly belongs to a large page that is being read, and the heap need not grow for it.
func percentFor(live, before uint64) int {
	live = max(live, 1)
	waste := min(live/2, before, maxGarbage)
	if live < minHeap {
		waste = max(waste, minHeap-live)
	}
	return int(min(maxPercent, max(minPercent, waste*100/live)))
}
