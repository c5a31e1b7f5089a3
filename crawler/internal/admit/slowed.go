package admit

import (
	"fmt"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// slowedHosts are the hosts whose first refusal has been noted.
type slowedHosts struct {
	mu    sync.Mutex
	known map[string]bool
}

// first reports whether a host refuses a request for the first time.
func (s *slowedHosts) first(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[host] {
		return false
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[host] = true
	return true
}

// slowedNote says why a host is visited more slowly from now on.
func slowedNote(host string, status int, p frontier.Pace, rest time.Duration) string {
	note := fmt.Sprintf("%s answered %d: slowed to %s", host, status, paceText(p))
	if rest >= time.Second {
		note += fmt.Sprintf(", after the pause of %s that it asked for", WholeSeconds(rest))
	}
	return note
}

// paceText formats a pace for people: 10/s, or 1 request every 2 s, or 4 requests at once.
func paceText(p frontier.Pace) string {
	switch {
	case p.Interval >= time.Second:
		return "1 request every " + WholeSeconds(p.Interval)
	case p.Interval > 0:
		return fmt.Sprintf("%d/s", int(time.Second/p.Interval))
	case p.Concurrency == 1:
		return "1 request at once"
	}
	return fmt.Sprintf("%d requests at once", p.Concurrency)
}

// WholeSeconds formats a duration for people: 40 s, 3 min 5 s.
func WholeSeconds(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d min %d s", s/60, s%60)
}
