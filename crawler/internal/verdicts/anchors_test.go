package verdicts

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// TestAnchorWindow: whatever chunks they come to lie in, the anchors of each page are
// found, those of no other, and each is marked once.
func TestAnchorWindow(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	sizes := []int{0, 3, 0, anchorChunk - 3, 0, 2, anchorChunk + 1, 0, 0, 7, 3 * anchorChunk, 1, anchorChunk, 0, anchorChunk - 1, 1, 2, 0}
	for range 40 {
		sizes = append(sizes, random.IntN(anchorChunk/2))
	}
	w := anchorWindow{most: MaxAnchors}
	w.reset(5)
	hash := func(page, i int) uint64 { return uint64(i)<<44 | uint64(page) }
	for page, n := range sizes {
		var encoded []byte
		for i := range n {
			encoded = binary.LittleEndian.AppendUint64(encoded, hash(page, i))
		}
		if w.add(frontier.ID(5+page), judging.Glance{Read: true, Anchors: encoded}); w.full {
			t.Fatal("the window is full")
		}
	}
	for page, n := range sizes {
		id := frontier.ID(5 + page)
		for i := 0; i < n; i += 1 + n/50 {
			at, there := w.find(id, hash(page, i))
			if !there || !w.mark(at) || w.mark(at) {
				t.Fatalf("anchor %d of page %d, which has %d: found %t", i, page, n, there)
			}
		}
		for _, other := range []uint64{hash(page+1, 0), hash(page, n), hash(page, 1<<19)} {
			if _, there := w.find(id, other); there {
				t.Fatalf("page %d, which has %d anchors: %x is none of them", page, n, other)
			}
		}
	}
}

func TestFindHash(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sets := [][]uint64{nil, {0}, {1 << 63}, {^uint64(0)}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, ^uint64(0)}}
	for _, n := range []int{2, 50, 5000} {
		even, crowded := make([]uint64, n), make([]uint64, n)
		for i := range even {
			even[i], crowded[i] = random.Uint64(), 1<<62+random.Uint64N(1<<20)
		}
		slices.Sort(even)
		slices.Sort(crowded)
		sets = append(sets, slices.Compact(even), slices.Compact(crowded))
	}
	for _, set := range sets {
		for i, h := range set {
			if at, there := findHash(set, h); !there || at != i {
				t.Fatalf("findHash of %d, of %d hashes: %d, %v", i, len(set), at, there)
			}
			for _, near := range []uint64{h - 1, h + 1} {
				if _, there := findHash(set, near); there != slices.Contains(set, near) {
					t.Fatalf("findHash of a hash beside %d, of %d: %v", i, len(set), there)
				}
			}
		}
	}
	if _, there := findHash(nil, 7); there {
		t.Error("nothing holds a hash")
	}
}

func BenchmarkFindHash(b *testing.B) {
	names := make([]string, 200)
	for i := range names {
		names[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	set, _ := judging.NewAnchors(names)
	h := judging.HashAnchor(names[77])
	for b.Loop() {
		if _, there := findHash(set, h); !there {
			b.Fatal("not found")
		}
	}
}
