package auth

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Limits on failed sign-ins within limitWindow.
const (
	maxFailuresByName    = 5
	maxFailuresByAddress = 20
	limitWindow          = time.Minute
	maxLimited           = 50_000 // names and addresses that are remembered
)

// LimitError is the result of a sign-in after too many that failed.
type LimitError struct {
	After time.Duration // when to try again, at least a second
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("too many failed sign-ins: try again in %d seconds", int(e.After/time.Second))
}

// limiter counts the sign-ins that have failed lately, by name and by address. A sign-in
// in progress counts as failed, so that many at a time are not more than one after the
// other. It is in memory: a restart forgets.
type limiter struct {
	mu   sync.Mutex
	seen map[string][]time.Time // times of failures, oldest first
}

// begin counts a sign-in as failed, or returns a *LimitError. done takes that back. The
// name is "" for sign-ins without one.
func (l *limiter) begin(now time.Time, name string, client netip.Addr) (done func(), err error) {
	keys := make([]string, 0, 2)
	limits := make([]int, 0, 2)
	if name != "" {
		keys, limits = append(keys, "name "+name[:min(len(name), 64)]), append(limits, maxFailuresByName)
	}
	keys, limits = append(keys, "address "+networkOf(client)), append(limits, maxFailuresByAddress)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
	var wait time.Duration
	for i, key := range keys {
		times := l.recent(now, key)
		if len(times) >= limits[i] {
			wait = max(wait, times[len(times)-limits[i]].Add(limitWindow).Sub(now))
		}
	}
	if wait > 0 {
		return nil, &LimitError{After: (wait + time.Second - 1).Truncate(time.Second)}
	}
	if l.seen == nil {
		l.seen = make(map[string][]time.Time)
	}
	for _, key := range keys {
		l.seen[key] = append(l.seen[key], now)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, key := range keys {
			if i := slices.Index(l.seen[key], now); i >= 0 {
				l.seen[key] = slices.Delete(l.seen[key], i, i+1)
			}
		}
	}, nil
}

// recent drops the failures of a key that no longer count and returns the others.
func (l *limiter) recent(now time.Time, key string) []time.Time {
	times := l.seen[key]
	old := 0
	for old < len(times) && now.Sub(times[old]) >= limitWindow {
		old++
	}
	if times = times[old:]; len(times) == 0 {
		delete(l.seen, key)
		return nil
	}
	l.seen[key] = times
	return times
}

// forget makes room when too many names and addresses are remembered: first those that no
// longer count, then any others.
func (l *limiter) forget(now time.Time) {
	if len(l.seen) < maxLimited {
		return
	}
	for key := range l.seen {
		l.recent(now, key)
	}
	for key := range l.seen {
		if len(l.seen) < maxLimited/2 {
			return
		}
		delete(l.seen, key)
	}
}

// networkOf returns what counts as one client: an IPv4 address, or the /64 of an IPv6
// address, of which one machine has all.
func networkOf(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if !addr.Is6() {
		return addr.String()
	}
	network, err := addr.Prefix(64)
	if err != nil {
		return addr.String()
	}
	return network.String()
}
