package frontier

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dchest/siphash"
)

var widths = []Width{Narrow, Wide}

// TestFingerprintTable compares the table with a map. Wide fingerprints share their low
// halves with many others, and their high halves with more.
func TestFingerprintTable(t *testing.T) {
	for _, w := range widths {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			keys := make([]Fingerprint, 100_000)
			for i := range keys {
				keys[i].Low = random.Uint64()
			}
			for i := range uint64(1000) { // keys that differ in few bits, and 0, which is an empty slot
				keys[i].Low = i
				keys[1000+i].Low = i << 50
			}
			if w == Wide {
				for i := range keys {
					keys[i].High = uint64(random.IntN(1000))
				}
				for i := 50_000; i < len(keys); i++ {
					keys[i].Low = keys[random.IntN(50_000)].Low
				}
				for i := range uint64(200) { // with the low half 0
					keys[2000+i] = Fingerprint{High: i}
				}
			}
			table := fingerprintTable{wide: w == Wide}
			entered := map[Fingerprint]uint32{}
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
			if len(entered) < 90_000 && w == Wide {
				t.Errorf("only %d fingerprints were entered", len(entered))
			}
		})
	}
}

// TestFingerprintTableSize tests that ten million fingerprints take less than 200 MB, and
// less than 320 MB if they are wide.
func TestFingerprintTableSize(t *testing.T) {
	for _, w := range widths {
		for _, count := range map[Width][]int{Narrow: {500_000, 777_777, 1_000_000}, Wide: {500_000}}[w] {
			table := fingerprintTable{wide: w == Wide}
			random := rand.New(rand.NewPCG(3, uint64(count)))
			for i := range count {
				k := Fingerprint{Low: random.Uint64()}
				_, slot := table.find(k)
				table.insert(slot, k, uint32(i+1))
			}
			bytes := 0
			for i := range table.shards {
				s := &table.shards[i]
				bytes += 8*cap(s.keys) + 8*cap(s.highs) + 4*cap(s.values)
			}
			if per, most := float64(bytes)/float64(count), map[Width]float64{Narrow: 19.5, Wide: 32}[w]; per > most {
				t.Errorf("%d fingerprints of %d bits take %.1f bytes each", count, w, per)
			}
		}
	}
}

// keyedStore is a store with a key.
type keyedStore struct{ *Memory }

func (keyedStore) FingerprintKey() (key [16]byte) {
	for i := range key {
		key[i] = byte(i)
	}
	return key
}

// TestFingerprint tests that fingerprints that a store keeps are by SipHash-2-4 of 64 or
// 128 bits, with the test vectors of its authors, and that others differ between runs.
func TestFingerprint(t *testing.T) {
	var b [16]byte
	fifteen := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	if got := New(keyedStore{NewMemory()}, Treatment{}).Fingerprint(fifteen); got != (Fingerprint{Low: 0xa129ca6149be45e5}) {
		t.Errorf("a narrow fingerprint is %x", got)
	}
	for text, want := range map[string]string{"": "a3817f04ba25a8e66df67214c7550293", string(fifteen): "5493e99933b0a8117e08ec0f97cfc3d9"} {
		got := New(keyedStore{NewWideMemory()}, Treatment{}).Fingerprint([]byte(text))
		binary.LittleEndian.PutUint64(b[:8], got.Low)
		binary.LittleEndian.PutUint64(b[8:], got.High)
		if fmt.Sprintf("%x", b) != want {
			t.Errorf("the wide fingerprint of %x is %x, want %s", text, b, want)
		}
	}
	for _, open := range []func() *Memory{NewMemory, NewWideMemory} {
		f, g := New(open(), Treatment{}), New(open(), Treatment{})
		a := f.Fingerprint(fifteen)
		if a != f.Fingerprint(fifteen) || a == f.Fingerprint(fifteen[:14]) || a == g.Fingerprint(fifteen) {
			t.Errorf("fingerprints of %d bits: %x, again %x, of another key %x, in another run %x",
				f.Store().Width(), a, f.Fingerprint(fifteen), f.Fingerprint(fifteen[:14]), g.Fingerprint(fifteen))
		}
		if wide := f.Store().Width() == Wide; wide != (a.High != 0) {
			t.Errorf("a fingerprint of %d bits is %x", f.Store().Width(), a)
		}
		if low, high := siphash.Hash128(0, 0, fifteen); a == (Fingerprint{low, high}) {
			t.Error("the fingerprint has no key")
		}
	}
}

// BenchmarkTable enters ten million fingerprints and looks each up again. It reports the
// heap for each, and the longest pause of the garbage collector.
func BenchmarkTable(b *testing.B) {
	for _, w := range widths {
		b.Run(fmt.Sprint(w), func(b *testing.B) { benchmarkTable(b, w) })
	}
}

func benchmarkTable(b *testing.B, w Width) {
	const n = 10_000_000
	print := func(i uint64) Fingerprint {
		f := Fingerprint{Low: mixed(i + 1)}
		if w == Wide {
			f.High = ^f.Low
		}
		return f
	}
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		table := &fingerprintTable{wide: w == Wide}
		for i := range uint64(n) {
			f := print(i)
			if _, slot := table.find(f); true {
				table.insert(slot, f, uint32(i+1))
			}
		}
		for i := range uint64(n) {
			if v, _ := table.find(print(i)); v == 0 {
				b.Fatal("a fingerprint is lost")
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

// BenchmarkFingerprint hashes a key of 60 bytes.
func BenchmarkFingerprint(b *testing.B) {
	key := []byte("https://www.example.com/documentation/library/reference.html")
	for _, open := range []func() *Memory{NewMemory, NewWideMemory} {
		f := New(open(), Treatment{})
		b.Run(fmt.Sprint(f.Store().Width()), func(b *testing.B) {
			for b.Loop() {
				f.Fingerprint(key)
			}
		})
	}
	f := New(keyedStore{NewMemory()}, Treatment{})
	b.Run("64 kept", func(b *testing.B) {
		for b.Loop() {
			f.Fingerprint(key)
		}
	})
}
