package stored

import (
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// Counter is one of the counts of a crawl.
type Counter int

const (
	Pages       Counter = iota // documents read for links, except style sheets
	Checked                    // targets settled
	Broken                     // of those, broken; links to fragments that they lack are not known yet
	Requests                   // requests sent
	Unfollowed                 // pages whose links are checked but not followed, as they ask
	Shells                     // pages that a script fills, without the start pages of websites
	Blank                      // pages without a link and without text, or that a script fills
	Hidden                     // links that a configuration that was not named leaves out or replaces
	NumCounters = 8
)

// counterNames are the names of the counts in the store.
var counterNames = [NumCounters]string{Pages: "pages", Checked: "checked", Broken: "broken", Requests: "requests", Unfollowed: "unfollowed",
	Shells: "shells", Blank: "blank", Hidden: "hidden"}

// Other sums of the store.
const (
	sumStarted  = "started"  // when the crawl began, in nanoseconds since 1970
	sumElapsed  = "elapsed"  // how long its sessions took, in nanoseconds
	sumInterval = "interval" // between two requests to a host, as configured, in nanoseconds
	sumFinished = "finished" // how often the crawl finished
	sumStopped  = "stopped:" // with the name of a gap: how often something was left out
	sumRule     = "rule:"    // with the name of a rule or exclusion: more than 0 if it matched something
	sumTrap     = "trap:"    // with a pattern: pages not read because of it
	sumSitemap  = "sitemap:" // with a key: 1 for a sitemap that robots.txt names
	sumTooLong  = "too long" // targets whose URL is too long, as older versions counted them
)

// Counts is what a visit has counted. The store keeps it in the step that ends the visit, so
// that a crawl that is resumed after a crash has counted each visit once.
type Counts struct {
	Of       [NumCounters]int
	Traps    []string // patterns of endless series: pages that were not read because of them
	Sitemaps []string // keys of sitemaps that robots.txt names, each new to the run
}

// Add adds other counts.
func (c *Counts) Add(more *Counts) {
	for n, by := range more.Of {
		c.Of[n] += by
	}
	c.Traps, c.Sitemaps = append(c.Traps, more.Traps...), append(c.Sitemaps, more.Sitemaps...)
}

// ofPages are the counts of what was read. They do not hold if the target is visited again.
var ofPages = [...]Counter{Pages, Unfollowed, Shells, Blank, Hidden}

// Repeated returns what holds of the counts if the target is visited again.
func (c Counts) Repeated() Counts {
	for _, n := range ofPages {
		c.Of[n] = 0
	}
	return c
}

// AppendTallies appends the counts and gaps to what a step of the store adds to its sums, with the
// uses of rules and exclusions that it has not been told.
func (c *Counts) AppendTallies(dst []frontier.Tally, gaps []gap.Kind, uses []*scope.Use) []frontier.Tally {
	for n, by := range c.Of {
		if by != 0 {
			dst = append(dst, frontier.Tally{Name: counterNames[n], By: int64(by)})
		}
	}
	for _, pattern := range c.Traps {
		dst = append(dst, frontier.Tally{Name: sumTrap + pattern, By: 1})
	}
	for _, key := range c.Sitemaps {
		dst = append(dst, frontier.Tally{Name: sumSitemap + key, By: 1})
	}
	for _, g := range gaps {
		dst = append(dst, frontier.Tally{Name: sumStopped + g.String(), By: 1})
	}
	for _, u := range uses {
		if u.ToKeep() {
			dst = append(dst, frontier.Tally{Name: sumRule + u.Name(), By: 1})
		}
	}
	return dst
}
