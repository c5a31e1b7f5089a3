package crawler

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxStarved is the maximum number of times that a target is put back because of limits
// of this machine.
const maxStarved = 12

// again says whether a target is visited again.
type again struct {
	yes    bool
	second bool          // in the second pass
	wait   time.Duration // until then
	past   frontier.Past // with what is to be remembered
}

// retry decides whether a retry may change the outcome of a target.
func (f *settling) retry(s *settlement) again {
	t, o, past, hosts := s.Target, s.Outcome, s.Past, f.frontier.Hosts()
	if o.LocalLimit && past.Starved < maxStarved {
		past.Tries = max(0, past.Tries-1) // not the fault of the target
		past.Starved++
		return again{yes: true, wait: frontier.Backoff(100*time.Millisecond, past.Starved-1, 5*time.Second), past: past}
	}
	if !o.Retryable() && !s.Unsure || t.Second || s.Rest > f.cfg.Politeness.MaxWait || hosts.GivenUp(t.Host) || f.door.Rules.Accepts(t.At, o.Status) {
		return again{}
	}
	if past.Tries <= f.cfg.Politeness.Retries && !s.Unsure && !hosts.Dead(t.Host) {
		past.Answer = check.AppendOutcome(nil, o)
		return again{yes: true, wait: max(frontier.Backoff(f.cfg.Politeness.Backoff, past.Tries-1, frontier.MaxBackoff), s.Rest), past: past}
	}
	if (f.cfg.Politeness.SecondPassGiven || f.cfg.Politeness.Retries > 0 && !urinorm.IsLoopback(t.At.Host())) && f.door.Scope().SiteOf(t.At) == nil {
		last := *o
		last.Requests = past.Requests
		past.Last = check.AppendOutcome(nil, &last)
		return again{yes: true, second: true, wait: max(f.cfg.Politeness.SecondPassAfter, s.Rest), past: past}
	}
	return again{}
}
