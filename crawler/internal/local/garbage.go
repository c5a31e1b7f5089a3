package local

import (
	"runtime"
	"runtime/metrics"
)

// CollectGarbage runs the collector before verdicts are given, unless the run is small.
func CollectGarbage() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() != metrics.KindUint64 || heap[0].Value.Uint64() > smallHeap {
		runtime.GC() // without this call the collector would run only after the heap has doubled
	}
}

// smallHeap is how much memory may be in use, in bytes, without a collection before
// judging: a small run does not need one.
const smallHeap = 32 << 20
