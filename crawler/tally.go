package crawler

import (
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/rules"
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

	localLimit atomic.Pointer[string] // why this machine stopped a request, for the first one it stopped
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

// add adds what a step of the store has kept.
func (c *counts) add(more *visitCounts, gaps []check.Gap) {
	for n, by := range more.Of {
		if by != 0 {
			c.all[n].Add(int64(by))
		}
	}
	for _, g := range gaps {
		c.gaps[g].Add(1)
	}
}

// visitCounts is what a visit has counted.
type visitCounts struct {
	Of       [len(tallyNames)]int
	Traps    []string // patterns of endless series: pages that were not read because of them
	Sitemaps []string // keys of sitemaps that robots.txt names, each new to the run
}

// add adds other counts.
func (c *visitCounts) add(more *visitCounts) {
	for n, by := range more.Of {
		c.Of[n] += by
	}
	c.Traps, c.Sitemaps = append(c.Traps, more.Traps...), append(c.Sitemaps, more.Sitemaps...)
}

// ofPages are the counts of what was read. They do not hold if the target is visited again.
var ofPages = [...]counter{countPages, countUnfollowed, countShells, countBlank}

// repeated returns what holds of the counts if the target is visited again.
func (c visitCounts) repeated() visitCounts {
	for _, n := range ofPages {
		c.Of[n] = 0
	}
	return c
}

// appendTallies appends the counts and gaps to what a step of the store adds to its sums, with the
// uses of rules and exclusions that it has not been told.
func (c *visitCounts) appendTallies(dst []frontier.Tally, gaps []check.Gap, uses []*rules.Use) []frontier.Tally {
	for n, by := range c.Of {
		if by != 0 {
			dst = append(dst, frontier.Tally{Name: tallyNames[n], By: int64(by)})
		}
	}
	for _, pattern := range c.Traps {
		dst = append(dst, frontier.Tally{Name: tallyTrap + pattern, By: 1})
	}
	for _, key := range c.Sitemaps {
		dst = append(dst, frontier.Tally{Name: tallySitemap + key, By: 1})
	}
	for _, g := range gaps {
		dst = append(dst, frontier.Tally{Name: tallyStopped + g.String(), By: 1})
	}
	for _, u := range uses {
		if u.ToKeep() {
			dst = append(dst, frontier.Tally{Name: tallyRule + u.Name(), By: 1})
		}
	}
	return dst
}

// withGap adds a gap, unless it is none.
func withGap(gaps []check.Gap, g check.Gap) []check.Gap {
	if g == check.NoGap {
		return gaps
	}
	return append(gaps, g)
}
