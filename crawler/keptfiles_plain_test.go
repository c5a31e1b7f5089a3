//go:build !race

package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// In fifty runs in a row, between which random files are written, moved, linked and removed, a run
// that takes over what has not changed reports what a fresh run reports.
func TestKeptFiles(t *testing.T) {
	for _, row := range []struct {
		name   string
		state  bool
		checks string
	}{{"cache", false, ""}, {"state", true, ""}, {"checks", true, "html,seo,images,duplicates"}} {
		t.Run(row.name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			later := time.Now().Add(time.Hour)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(later)) // the files are old
				k := &keptFiles{T: t, dir: t.TempDir(), kept: t.TempDir(), state: row.state, checks: row.checks, random: rand.New(rand.NewPCG(seed, 0))}
				for _, name := range keptTree {
					k.write(name)
				}
				for i := range 50 {
					var edits []string
					for range min(i, k.random.IntN(4)) {
						edits = append(edits, k.edit())
					}
					began := time.Now()
					k.stopAfter = max(0, k.random.IntN(40)-20)
					got, want := k.run(false), k.run(true)
					if equal(t, fmt.Sprintf("run %d, after: %s", i, strings.Join(edits, ", ")), got, want); t.Failed() {
						return
					}
					if !row.state {
						if n := k.read(began); i == 0 && n < 20 || i > 0 && len(edits) == 0 && n > 0 {
							t.Errorf("run %d read %d pages after %d edits", i, n, len(edits))
						}
					}
					k.awaitTick()
					time.Sleep(time.Minute)
				}
				if row.state && k.copies < 20 {
					t.Errorf("%d of 49 runs began as a copy", k.copies)
				}
			})
		})
	}
}
