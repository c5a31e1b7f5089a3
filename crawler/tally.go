package crawler

import (
	"slices"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// The store keeps what a run counts in the step that ends the visit, so that a crawl
// that is resumed after a crash has counted each visit once.

// counter is one of the run's counts.
type counter int

const (
	countPages      counter = iota // documents read for links, except style sheets
	countChecked                   // targets settled
	countBroken                    // of those, broken; links to fragments that they lack are not known yet
	countRequests                  // requests sent
	countUnfollowed                // pages whose links are checked but not followed, as they ask
	countShells                    // pages that a script fills, without the start pages of websites
	countBlank                     // pages without a link and without text, or that a script fills
)

// tallyNames are the names of the counts in the store.
var tallyNames = [...]string{countPages: "pages", countChecked: "checked", countBroken: "broken", countRequests: "requests", countUnfollowed: "unfollowed",
	countShells: "shells", countBlank: "blank"}

// Other tallies of the store.
const (
	tallyStarted  = "started"  // when the crawl began, in nanoseconds since 1970
	tallyElapsed  = "elapsed"  // how long its sessions took, in nanoseconds
	tallyInterval = "interval" // between two requests to a host, as configured, in nanoseconds
	tallyFinished = "finished" // how often the crawl finished
	tallyStopped  = "stopped:" // with the name of a gap: how often something was left out
	tallyRule     = "rule:"    // with the name of a rule or exclusion: more than 0 if it matched something
	tallyTrap     = "trap:"    // with a pattern: pages not read because of it
	tallySitemap  = "sitemap:" // with a key: 1 for a sitemap that robots.txt names
)

// counts are the run's counts, of all its workers and of earlier sessions.
type counts struct {
	all  [len(tallyNames)]atomic.Int64
	gaps [check.NumGaps]atomic.Int64
}

func (c *counts) of(n counter) int { return int(c.all[n].Load()) }

// gapCounts returns how often the run left something out, by the kind of the gap.
func (c *counts) gapCounts() (n result.GapCounts) {
	for g := range c.gaps {
		n[g] = int(c.gaps[g].Load())
	}
	return n
}

// onlyScriptPages reports whether scripts fill all pages that were read in directories:
// such directories are the build of an application, whose links have not been checked.
func (c *counts) onlyScriptPages() bool {
	n := c.of(countShells)
	return n > 0 && n == c.of(countPages)
}

// tally is what a worker has counted since its last step. A visit that is cut off does
// not count.
type tally struct {
	cfg   *Config // its rules and exclusions note whether they matched
	total *counts // gets what is taken
	tallied
	taken []frontier.Tally
	given [check.NumGaps]int // the gaps in taken
}

// count adds to one of the run's counts, when the step is made.
func (t *tally) count(c counter, by int) { t.counts[c] += by }

// add adds to another tally.
func (t *tally) add(name string, by int64) {
	t.others = append(t.others, frontier.Tally{Name: name, By: by})
}

// leftOut notes that a visit left something out.
func (t *tally) leftOut(g check.Gap) {
	if g != check.NoGap {
		t.gaps[g]++
	}
}

// tallied is what was counted since the last step, or for a visit that is held.
type tallied struct {
	counts [len(tallyNames)]int
	gaps   [check.NumGaps]int
	others []frontier.Tally
}

// lift takes what was counted out of the tally.
func (t *tally) lift() tallied {
	counted := t.tallied
	counted.others = slices.Clone(t.others)
	t.tallied = tallied{others: t.others[:0]}
	return counted
}

// discard drops what was counted since the last step, or for a step that was not made. The next
// step tells again what was left out, and which rules matched, because that need not be about
// one visit, and more than once is as good as once.
func (t *tally) discard() {
	again := t.gaps
	for g, n := range t.given {
		again[g] += n
	}
	t.tallied = tallied{gaps: again, others: t.others[:0]}
	for _, u := range t.cfg.Uses() {
		u.KeepAgain()
	}
}

// put adds what was taken out of a tally.
func (t *tally) put(counted tallied) {
	for c, n := range counted.counts {
		t.counts[c] += n
	}
	for g, n := range counted.gaps {
		t.gaps[g] += n
	}
	t.others = append(t.others, counted.others...)
}

// take returns what was counted, and starts over. The result is valid until the next
// call.
func (t *tally) take() []frontier.Tally {
	t.taken = append(t.taken[:0], t.others...)
	t.others = t.others[:0]
	for c, n := range t.counts {
		if n != 0 {
			t.taken = append(t.taken, frontier.Tally{Name: tallyNames[c], By: int64(n)})
			t.total.all[c].Add(int64(n))
			t.counts[c] = 0
		}
	}
	t.given = t.gaps
	for g, n := range t.gaps {
		if n != 0 {
			t.taken = append(t.taken, frontier.Tally{Name: tallyStopped + check.Gap(g).String(), By: int64(n)})
			t.total.gaps[g].Add(int64(n))
			t.gaps[g] = 0
		}
	}
	for _, u := range t.cfg.Uses() {
		if u.ToKeep() {
			t.taken = append(t.taken, frontier.Tally{Name: tallyRule + u.Name(), By: 1})
		}
	}
	return t.taken
}
