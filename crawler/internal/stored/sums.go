package stored

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// Sums are what the sessions of a crawl have counted.
type Sums struct {
	Of       [NumCounters]int
	Gaps     gap.Counts
	Trapped  map[string]int // pages that were not read, by the pattern of their endless series
	Sitemaps []string       // keys of those that robots.txt names
	Began    time.Time      // start of the first session; the zero time if there was none
	Elapsed  time.Duration  // all sessions
	Interval time.Duration  // between two requests to a host, as the last session was configured
	Finished bool           // the crawl is over, and its reports are written

	all map[string]int64
}

// ReadSums reads the sums of a store.
func ReadSums(ctx context.Context, store frontier.Store) (*Sums, error) {
	all, err := store.Tallies(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what was counted: %w", err)
	}
	return sumsOf(all), nil
}

// sumsOf returns what the sums of a store mean.
func sumsOf(all map[string]int64) *Sums {
	s := &Sums{all: all, Trapped: map[string]int{}, Elapsed: time.Duration(all[sumElapsed]), Interval: time.Duration(all[sumInterval]),
		Finished: IsFinished(all)}
	for c, name := range counterNames {
		s.Of[c] = int(all[name])
	}
	if at := all[sumStarted]; at != 0 {
		s.Began = time.Unix(0, at)
	}
	for name, n := range all {
		if pattern, ok := strings.CutPrefix(name, sumTrap); ok && n > 0 {
			s.Trapped[pattern] = int(n)
			s.Gaps[gap.Trap] = 1 // states of older versions have only the patterns
		}
		if key, ok := strings.CutPrefix(name, sumSitemap); ok {
			s.Sitemaps = append(s.Sitemaps, key)
		}
	}
	for g := range s.Gaps {
		if n := all[sumStopped+gap.Kind(g).String()]; n > 0 {
			s.Gaps[g] = int(n)
		}
	}
	if n := all[sumTooLong]; n > 0 {
		s.Gaps[gap.URLLength] = int(n)
	}
	return s
}

// OnlyScripts reports whether scripts fill all pages that were read in directories: such
// directories are the build of an application, whose links have not been checked.
func (s *Sums) OnlyScripts() bool { return s.Of[Shells] > 0 && s.Of[Shells] == s.Of[Pages] }

// IsFinished reports whether sums are those of a store whose crawl is finished.
func IsFinished(all map[string]int64) bool { return all[sumFinished] > 0 }

// RecallUses notes which rules and exclusions have matched something.
func (s *Sums) RecallUses(uses []*scope.Use) {
	for _, u := range uses {
		if s.all[sumRule+u.Name()] > 0 {
			u.Recall()
		}
	}
}

// CopyTo adds the sums to those of another store.
func (s *Sums) CopyTo(ctx context.Context, store frontier.Store) error {
	tallies := make([]frontier.Tally, 0, len(s.all))
	for name, n := range s.all {
		tallies = append(tallies, frontier.Tally{Name: name, By: n})
	}
	return store.Tally(ctx, tallies)
}

// Begin records in a store when its crawl began.
func Begin(ctx context.Context, store frontier.Store, at time.Time) error {
	return store.Tally(ctx, []frontier.Tally{{Name: sumStarted, By: at.UnixNano()}})
}

// AddTime adds to the time that the crawl of a store took.
func AddTime(ctx context.Context, store frontier.Store, spent time.Duration) error {
	return store.Tally(ctx, []frontier.Tally{{Name: sumElapsed, By: int64(spent)}})
}

// SetInterval records in a store the time between two requests to a host, as a session is
// configured. before is what the store has.
func SetInterval(ctx context.Context, store frontier.Store, before, interval time.Duration) error {
	if interval == before {
		return nil
	}
	return store.Tally(ctx, []frontier.Tally{{Name: sumInterval, By: int64(interval - before)}})
}

// Finish records in a store that its crawl is finished.
func Finish(ctx context.Context, store frontier.Store) error {
	if err := store.Tally(ctx, []frontier.Tally{{Name: sumFinished, By: 1}}); err != nil {
		return fmt.Errorf("note that the crawl is finished: %w", err)
	}
	return nil
}
