//go:build !race

package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// In fifty runs in a row, between which random files are written, moved, linked and removed, a run
// that takes over what has not changed reports what a fresh run reports.
func TestKeptFiles(t *testing.T) {
	t.Parallel()
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

// In fifty runs in a row, between which files change, and what other sites answer, a run that gives the
// report of the run before once more reports what a fresh run reports. The state that it leaves tells
// the same, and it sends no more requests than a fresh run. Two more runs over a built site follow:
// between these nothing changes, and no other site redirects, so the last one gives the report once more.
func TestKeptReports(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		state  bool
		maxAge time.Duration
	}{{"cache", false, 0}, {"state", true, 0}, {"cache and old answers", false, time.Hour}, {"state and old answers", true, time.Hour}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			later := time.Now().Add(time.Hour)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(later)) // the files are old
				k := &keptFiles{T: t, dir: t.TempDir(), kept: t.TempDir(), state: row.state, maxAge: row.maxAge, web: newElsewhere(), random: rand.New(rand.NewPCG(seed, 0))}
				for _, name := range keptTree {
					k.write(name)
				}
				repeated := 0
				const edited = 50
				for i := range edited + 2 {
					var edits []string
					k.stopAfter = 0
					switch {
					case i < edited:
						edits = k.change(i)
					case i == edited:
						time.Sleep(2 * row.maxAge)
						edits = append(edits, k.web.answer())
						k.write("index.html")
					}
					asked, inside := k.web.asked, k.web.inside.Load()
					got := k.run(false)
					again := k.web.inside.Load() == inside
					if again {
						repeated++
					} else if i > edited {
						t.Errorf("run %d did not give the report of the run before once more", i)
					}
					asked, now := k.web.asked-asked, k.web.asked
					want := k.run(true)
					what := fmt.Sprintf("run %d, after: %s", i, strings.Join(edits, ", "))
					if equal(t, what, got, want); row.state {
						equal(t, "the state of "+what, k.reportAgain(), want)
					}
					if fresh := k.web.asked - now; asked > fresh && again {
						t.Errorf("%s: %d requests, %d in a fresh run", what, asked, fresh)
					}
					if t.Failed() {
						return
					}
					k.awaitTick()
					time.Sleep(time.Minute)
				}
				t.Logf("%d reports were repeated, %d crawls began as a copy", repeated, k.copies)
			})
		})
	}
}

// change changes some files, or an answer, before a run, and says what.
func (k *keptFiles) change(run int) (edits []string) {
	k.Helper()
	for range k.random.IntN(2) * k.random.IntN(2) * k.random.IntN(4) {
		edits = append(edits, k.edit())
	}
	if _, err := os.Stat(k.path("index.html")); err != nil && run%2 == 0 { // a built site has one
		k.write("index.html")
	}
	if k.random.IntN(6) == 0 {
		time.Sleep(2 * k.maxAge)
		edits = append(edits, k.web.edit(k.random))
	}
	if k.random.IntN(6) == 0 {
		k.stopAfter = 1 + k.random.IntN(20)
	}
	return edits
}

// In fifty runs in a row, between which files of a website change, move and vanish, a run that gives the
// report of the run before once more reports what a fresh run reports, and so does the state that it leaves.
func TestKeptWebsites(t *testing.T) {
	for _, row := range []struct {
		name  string
		state bool
	}{{"cache", false}, {"state", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			k := &keptFiles{T: t, dir: t.TempDir(), kept: t.TempDir(), state: row.state, random: rand.New(rand.NewPCG(seed, 0))}
			k.serve()
			for _, name := range keptTree {
				k.write(name)
			}
			for i := range 50 {
				var edits []string
				for range k.random.IntN(2) * k.random.IntN(4) {
					edits = append(edits, k.editServer())
				}
				if _, err := os.Stat(k.path("index.html")); err != nil && i%2 == 0 {
					k.write("index.html")
				}
				k.stopAfter = 0
				if k.random.IntN(6) == 0 {
					k.stopAfter = 1 + k.random.IntN(20)
				}
				got, want := k.run(false), k.run(true)
				what := fmt.Sprintf("run %d, after: %s", i, strings.Join(edits, ", "))
				if equal(t, what, got, want); row.state {
					equal(t, "the state of "+what, k.reportAgain(), want)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}
