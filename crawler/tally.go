package crawler

import (
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// counts are the run's counts, of all its workers and of earlier sessions.
type counts struct {
	all  [stored.NumCounters]atomic.Int64
	gaps [check.NumGaps]atomic.Int64

	localLimit atomic.Pointer[string] // why this machine stopped a request, for the first one it stopped
}

func (c *counts) of(n stored.Counter) int { return int(c.all[n].Load()) }

// gapCounts returns how often the run left something out, by the kind of the gap.
func (c *counts) gapCounts() (n result.GapCounts) {
	for g := range c.gaps {
		n[g] = int(c.gaps[g].Load())
	}
	return n
}

// recall restores the counts of earlier sessions.
func (c *counts) recall(known *stored.Sums) {
	for n, of := range known.Of {
		c.all[n].Store(int64(of))
	}
	for g, n := range known.Gaps {
		c.gaps[g].Store(int64(n))
	}
}

// tell tells the verdicts what was counted.
func (c *counts) tell(to *verdicts.Crawl) {
	to.Pages, to.Requests, to.Unfollowed = c.of(stored.Pages), c.of(stored.Requests), c.of(stored.Unfollowed)
	to.Shells, to.Blank = c.of(stored.Shells), c.of(stored.Blank)
	to.ScriptPages, to.Gaps = c.onlyScriptPages(), c.gapCounts()
	if why := c.localLimit.Load(); why != nil {
		to.LocalLimit = *why
	}
}

// onlyScriptPages reports whether scripts fill all pages that were read in directories:
// such directories are the build of an application, whose links have not been checked.
func (c *counts) onlyScriptPages() bool {
	n := c.of(stored.Shells)
	return n > 0 && n == c.of(stored.Pages)
}

// add adds what a step of the store has kept.
func (c *counts) add(more *stored.Counts, gaps []check.Gap) {
	for n, by := range more.Of {
		if by != 0 {
			c.all[n].Add(int64(by))
		}
	}
	for _, g := range gaps {
		c.gaps[g].Add(1)
	}
}

// withGap adds a gap, unless it is none.
func withGap(gaps []check.Gap, g check.Gap) []check.Gap {
	if g == check.NoGap {
		return gaps
	}
	return append(gaps, g)
}
