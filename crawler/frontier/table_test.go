package frontier

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint64, 100_000)
	for i := range keys {
		keys[i] = random.Uint64()
	}
	for i := range uint64(1000) { // keys that differ in few bits, and the one that means none
		keys[i] = i
		keys[1000+i] = i << 50
	}
	var table table
	entered := map[uint64]uint32{}
	for i, k := range keys {
		v, slot := table.find(k)
		if v != entered[k] {
			t.Fatalf("find(%x) = %d, want %d", k, v, entered[k])
		}
		if v == 0 {
			table.insert(slot, k, uint32(i+1))
			entered[k] = uint32(i + 1)
		}
	}
	for _, k := range keys {
		if v, _ := table.find(k); v != entered[k] {
			t.Fatalf("find(%x) = %d, want %d", k, v, entered[k])
		}
	}
}

// TestTableSize: ten million fingerprints are known in less than 200 MB, whatever
// their number is just then.
func TestTableSize(t *testing.T) {
	for _, count := range []int{500_000, 777_777, 1_000_000} { // a share of it
		var table table
		random := rand.New(rand.NewPCG(3, uint64(count)))
		for i := range count {
			k := random.Uint64()
			_, slot := table.find(k)
			table.insert(slot, k, uint32(i+1))
		}
		slots := 0
		for i := range table.shards {
			slots += cap(table.shards[i].keys)
		}
		if per := float64(slots*12) / float64(count); per > 19.5 {
			t.Errorf("%d fingerprints take %.1f bytes each", count, per)
		}
	}
}

// BenchmarkTable enters ten million fingerprints and looks each up again. It reports
// the heap for each, and how long the longest pause of a collection was.
func BenchmarkTable(b *testing.B) {
	const n = 10_000_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		table := new(table)
		for i := range uint64(n) {
			k := mixed(i + 1)
			if _, slot := table.find(k); true {
				table.insert(slot, k, uint32(i+1))
			}
		}
		for i := range uint64(n) {
			if v, _ := table.find(mixed(i + 1)); v == 0 {
				b.Fatal("lost")
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(table)
		longest := uint64(0)
		for i := before.NumGC; i < after.NumGC; i++ {
			longest = max(longest, after.PauseNs[i%256])
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/url")
		b.ReportMetric(float64(after.HeapSys-before.HeapSys)/n, "sys-B/url")
		b.ReportMetric(float64(longest)/1e6, "longest-pause-ms")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*n), "ns/url")
}
