package crawler

import (
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/rules"
)

// governor holds the number of workers to what this machine bears. Workers that
// run out of descriptors, ports or memory get fewer at once, as hosts do that
// refuse, and earn them back slowly.
type governor struct {
	mu      sync.Mutex
	most    int // workers the run may have
	allowed int // workers the machine bears, as far as is known
	working int
	lowered time.Time // when it was last found too many
	good    int       // visits in a row that met no limit
}

// roomAfter is how many visits in a row must meet no limit of the machine before
// one worker more is tried.
const roomAfter = 50

func newGovernor(most int) *governor {
	return &governor{most: most, allowed: most, working: most}
}

// couldNot notes that a target was left out because of that.
func (w *worker) couldNot(why string) {
	w.lacked.CompareAndSwap(nil, &why)
	w.leavesOut(rules.StoppedByMachine)
}

// starved lowers the number of workers by a quarter. What began before the last
// lowering says nothing of the workers that are left.
func (g *governor) starved(began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.good = 0
	if began.Before(g.lowered) {
		return
	}
	g.lowered = time.Now()
	g.allowed = max(1, min(g.allowed, g.working)*3/4)
}

// fed counts a visit that met no limit, and reports whether the caller may start
// one worker more.
func (g *governor) fed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.allowed == g.most {
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

// tooMany reports whether the worker that asks is one too many; it must end then.
func (g *governor) tooMany() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.working <= g.allowed {
		return false
	}
	g.working--
	return true
}
