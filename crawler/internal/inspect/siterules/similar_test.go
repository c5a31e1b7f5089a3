package siterules

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// nearestSlowly is nearest by comparing all with all.
func nearestSlowly(hashes []uint64) []int32 {
	result := make([]int32, len(hashes))
	for i, a := range hashes {
		result[i] = -1
		best := maxDistance + 1
		for n, b := range hashes {
			if d := bits.OnesCount64(a ^ b); n != i && d < best {
				result[i], best = int32(n), d
			}
		}
	}
	return result
}

// clustered returns n hashes around some centers, in which only some bits differ.
func clustered(random *rand.Rand, n, centers, volatile int) []uint64 {
	var around []uint64
	for range centers {
		around = append(around, random.Uint64())
	}
	var mask uint64
	for bits.OnesCount64(mask) < volatile {
		mask |= 1 << random.IntN(64)
	}
	var hashes []uint64
	for range n {
		hashes = append(hashes, around[random.IntN(centers)]^random.Uint64()&mask)
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

func TestNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		for _, hashes := range [][]uint64{nil, {7}, {0, 7}, {0, 15}, {0, 1, 3, 7, 15, 31}, clustered(random, 2000, 1, 12), clustered(random, 2000, 1, 18),
			clustered(random, 2000, 3, 24), clustered(random, 2000, 50, 8), clustered(random, 2000, 2000, 3), clustered(random, 3000, 1, 64)} {
			got, want := nearest(hashes), nearestSlowly(hashes)
			if !slices.Equal(got, want) {
				t.Fatalf("%d hashes: %v, want %v", len(hashes), got, want)
			}
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, bench := range []struct {
		name     string
		centers  int
		volatile int
	}{{"random", 1, 64}, {"one template", 1, 24}, {"one template, few bits", 1, 17}, {"many groups", 20_000, 4}} {
		hashes := clustered(random, 100_000, bench.centers, bench.volatile)
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				nearest(hashes)
			}
		})
	}
}

// TestManyEqualTexts tells that the time does not grow with the square of the pages.
func TestManyEqualTexts(t *testing.T) {
	const pages = 200_000
	j := &judge{known: make([]known, pages)}
	for i := range j.known {
		j.known[i] = known{id: ID(i), comparable: true, similar: uint64(i % 3), hashes: [kinds]uint64{content: 7}}
	}
	j.endPass()
	if len(j.near) != 3 || j.near[0].nearest != 1 || j.near[2].nearest != 0 || len(j.equals[content]) != 1 {
		t.Errorf("%d similar, %d equal", len(j.near), len(j.equals[content]))
	}
}
