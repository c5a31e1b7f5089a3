package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// A crawl that is kept on disk leaves little in memory but a few plain tables, which
// cost the garbage collector nothing to walk. Let it wait until the heap has doubled,
// as it does by itself, and half of the memory is waste. So from a certain size on
// it is called sooner.

// mostWaste is how much garbage is let lie, in bytes.
const mostWaste = 48 << 20

// heap bounds the garbage of a large crawl.
type heap struct {
	set    bool // somebody has set the collector up already: it is left alone
	sample [1]metrics.Sample
	now    int // percent
}

func newHeap() *heap {
	h := &heap{set: os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "", now: 100}
	h.sample[0].Name = "/gc/heap/live:bytes"
	return h
}

// tend adjusts the collector to what is live. It is called now and then.
func (h *heap) tend() {
	if h == nil || h.set {
		return
	}
	metrics.Read(h.sample[:])
	if h.sample[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	if want := percentFor(h.sample[0].Value.Uint64()); want < h.now-h.now/8 || want > h.now+h.now/8 {
		debug.SetGCPercent(want)
		h.now = want
	}
}

// percentFor is the growth of the heap, in percent of what is live, at which the
// collector is called.
func percentFor(live uint64) int {
	return int(min(100, max(5, mostWaste*100/max(live, 1))))
}
