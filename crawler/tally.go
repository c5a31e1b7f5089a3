package crawler

import (
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// What a run counts is kept by the store in the step that ends the visit, so that a
// crawl that goes on after a crash has counted each visit once.

// counter is one of the run's counts.
type counter int

const (
	countPages      counter = iota // documents read for links, style sheets aside
	countChecked                   // targets settled
	countTroubled                  // of those, neither ok nor a redirect
	countRequests                  // requests sent
	countUnfollowed                // pages whose links are checked but not followed, as they ask
	countShells                    // pages of directories that a script fills
)

// tallyNames are what the counts are called in the store.
var tallyNames = [...]string{countPages: "pages", countChecked: "checked", countTroubled: "troubled", countRequests: "requests", countUnfollowed: "unfollowed",
	countShells: "shells"}

// Other tallies of the store.
const (
	tallyStarted  = "started"  // when the crawl began, in nanoseconds since 1970
	tallyElapsed  = "elapsed"  // how long its sessions took, in nanoseconds
	tallyFinished = "finished" // how often it came to its end
	tallyStopped  = "stopped:" // with a reason that leaves something out: more than 0 if it did
	tallyRule     = "rule:"    // with the name of a rule or exclusion: more than 0 if it matched something
	tallyTrap     = "trap:"    // with a pattern: pages not read because of it
	tallySitemap  = "sitemap:" // with a key: 1 for a sitemap that robots.txt names
)

// tally is what a worker has counted since its last step.
type tally struct {
	counts [len(tallyNames)]int
	others []frontier.Tally
	out    []frontier.Tally
}

func (t *tally) add(name string, by int64) {
	t.others = append(t.others, frontier.Tally{Name: name, By: by})
}

// take returns what was counted, and begins anew. It is good until the next call.
func (t *tally) take(r *run) []frontier.Tally {
	t.out = append(t.out[:0], t.others...)
	t.others = t.others[:0]
	for c, n := range t.counts {
		if n != 0 {
			t.out = append(t.out, frontier.Tally{Name: tallyNames[c], By: int64(n)})
			r.counts[c].Add(int64(n))
			t.counts[c] = 0
		}
	}
	for _, u := range r.cfg.Uses() {
		if u.ToKeep() {
			t.out = append(t.out, frontier.Tally{Name: tallyRule + u.Name(), By: 1})
		}
	}
	return t.out
}

// count adds to one of the run's counts, when the step is made: what was counted of
// a visit that is cut off never was.
func (w *worker) count(c counter, by int) { w.tally.counts[c] += by }

// leavesOut notes why the crawl will not be complete although it goes on.
func (w *worker) leavesOut(why string) {
	w.stopped(why)
	w.tally.add(tallyStopped+why, 1)
}

func (r *run) counted(c counter) int { return int(r.counts[c].Load()) }

// timeKeptEvery is after how many ticks of the watch the time spent is kept.
const timeKeptEvery = int(time.Second / progressEvery)

// keepTime adds the time since it was last called to what the store knows.
func (r *run) keepTime() error {
	r.mu.Lock()
	now := time.Now()
	spent := now.Sub(r.timed)
	r.timed = now
	r.mu.Unlock()
	return r.cfg.Store.Tally(r.always, []frontier.Tally{{Name: tallyElapsed, By: int64(spent)}})
}

// keepStart lets the store know when the crawl began.
func (r *run) keepStart() error {
	if !r.began.Equal(r.started) {
		return nil // it does
	}
	return r.cfg.Store.Tally(r.always, []frontier.Tally{{Name: tallyStarted, By: r.began.UnixNano()}})
}

// recallTallies takes up the counts of earlier sessions.
func (r *run) recallTallies() error {
	kept, err := r.cfg.Store.Tallies(r.always)
	if err != nil {
		return fmt.Errorf("read what was counted: %w", err)
	}
	for c, name := range tallyNames {
		r.counts[c].Store(kept[name])
	}
	r.begun.Store(kept[tallyNames[countPages]])
	r.before = time.Duration(kept[tallyElapsed])
	if at := kept[tallyStarted]; at != 0 {
		r.began = time.Unix(0, at)
	}
	for _, u := range r.cfg.Uses() {
		if kept[tallyRule+u.Name()] > 0 {
			u.Recall()
		}
	}
	for name, n := range kept {
		if pattern, ok := strings.CutPrefix(name, tallyTrap); ok && n > 0 {
			r.trapped[pattern] = int(n)
			r.stopped("trap")
		}
		if key, ok := strings.CutPrefix(name, tallySitemap); ok {
			r.listed[key] = true
		}
	}
	for _, why := range rules.LeavesOut {
		if kept[tallyStopped+why] > 0 {
			r.stopped(why)
		}
	}
	r.shell.Store(kept[tallyStopped+rules.StoppedByScript] > 0)
	return nil
}
