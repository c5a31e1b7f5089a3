package crawler

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxStarved is the maximum number of times that a target is put back because of limits
// of this machine.
const maxStarved = 12

// retry reports whether a retry may change the outcome of a target. If so, it returns the settlement
// with what is to be remembered until then.
func (f *settling) retry(s settlement) (again settlement, yes bool) {
	t, o, hosts := s.Target, s.Outcome, f.frontier.Hosts()
	if o.LocalLimit && s.Past.Starved < maxStarved {
		s.Past.Tries = max(0, s.Past.Tries-1) // not the fault of the target
		s.Past.Starved++
		s.Wait = fetch.Backoff(100*time.Millisecond, s.Past.Starved-1, 5*time.Second)
		return s, true
	}
	if !o.RetryableBy(f.politeness.RetryStatus) && !s.Unsure || t.Second || s.Rest > f.politeness.MaxWait || hosts.GivenUp(t.Host) || f.door.Rules.Accepts(t.At, o.Status) {
		return s, false
	}
	if s.Past.Tries <= f.politeness.Retries && !s.Unsure && !hosts.Dead(t.Host) {
		s.Past.Answer = judging.AppendOutcome(nil, o)
		s.Wait = max(fetch.Backoff(f.politeness.Backoff, s.Past.Tries-1, fetch.MaxBackoff), s.Rest)
		return s, true
	}
	if (f.politeness.SecondPassGiven || f.politeness.Retries > 0 && !urinorm.IsLoopback(t.At.Host())) && f.door.Scope().Sites.Of(t.At) == nil {
		last := o.After(s.Past.Requests)
		s.Past.Last = judging.AppendOutcome(nil, &last)
		s.Wait, s.Second = max(f.politeness.SecondPassAfter, s.Rest), true
		return s, true
	}
	return s, false
}
