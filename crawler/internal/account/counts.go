package account

import (
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
)

// Counts are the run's counts, of all its workers and of earlier sessions.
type Counts struct {
	all  [stored.NumCounters]atomic.Int64
	gaps [gap.NumKinds]atomic.Int64

	localLimit atomic.Pointer[string] // why this machine stopped a request, for the first one it stopped
}

// Of returns one of the counts.
func (c *Counts) Of(n stored.Counter) int { return int(c.all[n].Load()) }

// Counter returns where one of the counts is, for those that follow it.
func (c *Counts) Counter(n stored.Counter) *atomic.Int64 { return &c.all[n] }

// gapCounts returns how often the run left something out, by the kind of the gap.
func (c *Counts) gapCounts() (n gap.Counts) {
	for g := range c.gaps {
		n[g] = int(c.gaps[g].Load())
	}
	return n
}

// Recall restores the counts of earlier sessions.
func (c *Counts) Recall(known *stored.Sums) {
	for n, of := range known.Of {
		c.all[n].Store(int64(of))
	}
	for g, n := range known.Gaps {
		c.gaps[g].Store(int64(n))
	}
}

// Sums returns what was counted.
func (c *Counts) Sums() (s stored.Sums) {
	for n := range c.all {
		s.Of[n] = int(c.all[n].Load())
	}
	s.Gaps = c.gapCounts()
	return s
}

// LocalLimit returns why this machine stopped a request, "" if it stopped none.
func (c *Counts) LocalLimit() string {
	if why := c.localLimit.Load(); why != nil {
		return *why
	}
	return ""
}

// Limited notes why this machine stopped a request; the first reason counts.
func (c *Counts) Limited(why string) { c.localLimit.CompareAndSwap(nil, &why) }

// Add adds what a step of the store has kept.
func (c *Counts) Add(more *stored.Counts, gaps []gap.Kind) {
	for n, by := range more.Of {
		if by != 0 {
			c.all[n].Add(int64(by))
		}
	}
	for _, g := range gaps {
		c.gaps[g].Add(1)
	}
}

// WithGap adds a gap, unless it is none.
func WithGap(gaps []gap.Kind, g gap.Kind) []gap.Kind {
	if g == gap.None {
		return gaps
	}
	return append(gaps, g)
}
