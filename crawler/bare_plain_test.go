//go:build !race

package crawler

import (
	"math/rand/v2"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestReadAgain: a report is the same whether references are kept or read again, with
// however many workers, and whatever is shown.
func TestReadAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	generated := t.TempDir()
	if err := crawlertest.Generate(11, 200, 20).WriteDir(generated); err != nil {
		t.Fatal(err)
	}
	dirs := []string{generated}
	for range 8 {
		dirs = append(dirs, writeFiles(t, variedSite(random, 1+random.IntN(20))))
	}
	bare := 0
	for _, dir := range dirs {
		for _, show := range []result.Show{{Broken: true, Warning: true}, {Broken: true, Unverified: true, Warning: true, Info: true}, {Warning: true, SkipPageReferences: true}, {None: true}} {
			report := func(again bool, workers, anchors int) string {
				cfg, seeds := onDisk(t, dir)
				cfg.Deliver.Show, cfg.Reading.ReadAgain, cfg.Politeness.Concurrency = show, again, workers
				store := &watchedStore{Memory: frontier.NewMemory()}
				cfg.Keep.Store = store
				said := told(t, cfg, seeds, anchors)
				bare += countBare(t, store)
				return said
			}
			want := report(false, 1, verdicts.MaxAnchors)
			if bare > 0 && dir == generated && show == (result.Show{Broken: true, Warning: true}) {
				t.Fatal("references are bare though they are not to be read again")
			}
			for _, got := range []string{report(false, 64, verdicts.MaxAnchors), report(true, 1, verdicts.MaxAnchors), report(true, 64, verdicts.MaxAnchors), report(true, 8, 3)} {
				if got != want {
					at := 0
					for got[at] == want[at] {
						at++
					}
					at = max(0, at-400)
					t.Fatalf("%s, %+v:\n…%.800s\nwithout reading again:\n…%.800s", dir, show, got[at:], want[at:])
				}
			}
		}
	}
	if bare < 1000 {
		t.Errorf("only %d references were bare", bare)
	}
}
