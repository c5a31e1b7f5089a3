package crawler

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// told runs a crawl whose join holds so many anchors at once, and returns all that
// it tells but for times.
func told(t *testing.T, cfg *Config, seeds []Seed, anchors int) string {
	t.Helper()
	c := &collector{}
	r := newRun(t.Context(), cfg, seeds, c)
	r.windowed = anchors
	if err := r.refer(); err != nil {
		t.Fatal(err)
	}
	if err := r.crawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum, err := r.report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range c.results {
		res.Elapsed = 0
	}
	said, err := json.Marshal([]any{sum.OK, sum.Broken, sum.Results, sum.References, sum.Warnings, sum.ByCode, c.results})
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// TestJoinByRanges: a report does not hang on how many anchors are held at once.
func TestJoinByRanges(t *testing.T) {
	dir := t.TempDir()
	if err := crawlertest.Generate(7, 300, 20).WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, show := range []Show{{Broken: true, Warning: true}, showAll()} {
		cfg, seeds := disk(t, dir)
		cfg.Show = show
		want := told(t, cfg, seeds, windowedAnchors)
		for _, anchors := range []int{1, 100, 5999} {
			if got := told(t, cfg, seeds, anchors); got != want {
				t.Errorf("with %d anchors at once, the report differs", anchors)
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
	set, _ := check.NewAnchors(names)
	h := check.HashAnchor(names[77])
	for b.Loop() {
		if _, there := findHash(set, h); !there {
			b.Fatal("not found")
		}
	}
}
