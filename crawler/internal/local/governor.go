package local

import (
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// governor limits the number of workers to what this machine can handle. When workers
// run out of descriptors, ports or memory, their number is lowered at once, as for
// hosts that refuse requests, and is raised slowly.
type Governor struct {
	mu      sync.Mutex
	Workers *errgroup.Group // that there are
	Most    int             // workers the run may have
	allowed int             // workers that the machine can handle, as far as is known
	working int
	lowered time.Time // when the number was last found to be too high
	good    int       // visits in a row that hit no limit
}

// roomAfter is how many visits in a row must hit no limit of the machine before one
// more worker is tried.
const roomAfter = 50

func NewGovernor(most int) *Governor {
	return &Governor{Most: most, allowed: most, working: most}
}

// starved lowers the number of workers by a quarter. A request that began before the
// last lowering says nothing about the current number of workers.
func (g *Governor) Starved(began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.good = 0
	if began.Before(g.lowered) {
		return
	}
	g.lowered = time.Now()
	g.allowed = max(1, min(g.allowed, g.working)*3/4)
}

// succeeded counts a visit that hit no limit, and reports whether the caller may start
// one more worker.
func (g *Governor) Succeeded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.allowed == g.Most {
		return false
	}
	if g.good++; g.good < roomAfter {
		return false
	}
	g.good = 0
	g.allowed++
	if g.working >= g.allowed {
		return false
	}
	g.working++
	return true
}

// tooMany reports whether there is one worker too many; if so, the calling worker must
// end.
func (g *Governor) TooMany() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.working <= g.allowed {
		return false
	}
	g.working--
	return true
}
