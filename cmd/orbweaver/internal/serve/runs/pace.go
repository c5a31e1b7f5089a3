package runs

import (
	"math"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Times of a pace.
const (
	paceOver   = 10 * time.Second // the time over which speeds are measured
	paceHidden = 5 * time.Second  // the time before the first estimate
)

// pace measures how fast a run is.
type pace struct {
	before time.Duration // spent by earlier processes, or before an interruption
	began  time.Time
	marks  []paceMark // the last paceOver, the oldest first
}

// paceMark is what was counted at a time.
type paceMark struct {
	at                time.Time
	requests, checked int
}

func newPace(spent time.Duration, now time.Time) *pace { return &pace{before: spent, began: now} }

// elapsed returns the time spent running, in milliseconds.
func (p *pace) elapsed(now time.Time) int64 { return (p.before + now.Sub(p.began)).Milliseconds() }

// measure adds the times and the speed to what was counted now.
func (p *pace) measure(now time.Time, counted *api.Progress) {
	spent := now.Sub(p.began)
	counted.ElapsedMS = p.elapsed(now)
	p.marks = append(p.marks, paceMark{now, counted.Requests, counted.Checked})
	for len(p.marks) > 1 && now.Sub(p.marks[1].at) >= paceOver {
		p.marks = p.marks[1:]
	}
	first := p.marks[0]
	seconds := now.Sub(first.at).Seconds()
	if seconds <= 0 {
		return
	}
	counted.Rate = math.Round(10*float64(max(0, counted.Requests-first.requests))/seconds) / 10
	if checked := counted.Checked - first.checked; spent >= paceHidden && checked > 0 {
		left := int64(float64(counted.Queued) * 1000 * seconds / float64(checked))
		counted.RemainingMS = &left
	}
}
