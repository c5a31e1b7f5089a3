package frontier

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// Merging what another store knows of a target is the same as entering the target here with that.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	item := func() *Item {
		it := &Item{Fingerprint: Fingerprint{Low: 1}, Host: []byte("h"), Wave: Wave(rng.IntN(3)), Need: Need(rng.IntN(64))}
		if rng.IntN(3) == 0 {
			it.Outcome = []byte("skipped")
		}
		return it
	}
	kept := func(g *Ledger) *Kept {
		k := &Kept{ID: 1}
		Mirror{g}.Keep(k)
		return k
	}
	for range 10_000 {
		own, other, more := newLedger(Narrow), newLedger(Narrow), item()
		first := item()
		own.Enter(first)
		met := Need(0)
		visited := first.Outcome == nil && rng.IntN(2) == 0
		if visited {
			met = Need(rng.IntN(64))
			Mirror{own}.SettleQueued(1, met)
		}
		before := kept(own)
		other.Enter(more)
		got := *before
		changed := got.Merge(kept(other))
		own.Enter(more)
		want := kept(own)
		if got.Settled != want.Settled || got.Entered != want.Entered || got.Need != want.Need || got.Lowest != want.Lowest || !got.Settled && got.Wave != want.Wave {
			t.Fatalf("%+v with %+v, visited %t (%b): merged %+v, want %+v", first, more, visited, met, got, *want)
		}
		if same := reflect.DeepEqual(got, *before); changed == same {
			t.Errorf("%+v with %+v: Merge says changed %t, %+v", before, more, changed, got)
		}
	}
}
