package auth

import (
	"context"
	"fmt"
	"net/netip"
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

// Limits on sign-ins that wait for others.
const (
	maxTurn    = 5 * time.Second // how long one waits
	maxWaiting = 200             // how many wait at a time
)

// limiter counts the sign-ins that have failed lately, by name and by address. Those in
// progress may fail, so others wait for them if all that are allowed are in progress: many at
// a time are not more than one after the other, and right passwords never count. It is in
// memory: a restart forgets.
type limiter struct {
	mu      sync.Mutex
	seen    map[string][]time.Time // times of failures, oldest first
	trying  map[string]int         // sign-ins in progress
	ended   chan struct{}          // closed when one ends
	waiting int
}

// limit is how many sign-ins of a name or an address may fail.
type limit struct {
	key  string
	most int
}

// begin waits for the turn of a sign-in. The error is a *LimitError if too many have failed, or
// if too many others are in progress. The caller calls end, which says whether the sign-in has
// failed. The name is "" for sign-ins without one.
func (l *limiter) begin(ctx context.Context, name string, client netip.Addr) (end func(failed bool), err error) {
	limits := []limit{{"address " + networkOf(client), maxFailuresByAddress}}
	if name != "" {
		limits = append(limits, limit{"name " + name[:min(len(name), 64)], maxFailuresByName})
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTurn, &LimitError{After: time.Second})
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		free, err := l.admits(time.Now(), limits)
		if err != nil {
			return nil, err
		}
		if free {
			break
		}
		if l.waiting == maxWaiting {
			return nil, &LimitError{After: time.Second}
		}
		if err := l.wait(ctx); err != nil {
			return nil, err
		}
	}
	if l.trying == nil {
		l.seen, l.trying, l.ended = map[string][]time.Time{}, map[string]int{}, make(chan struct{})
	}
	for _, one := range limits {
		l.trying[one.key]++
	}
	return func(failed bool) { l.end(time.Now(), limits, failed) }, nil
}

// admits reports whether another sign-in may be tried now. The error is a *LimitError if too many
// have failed.
func (l *limiter) admits(now time.Time, limits []limit) (free bool, err error) {
	l.forget(now)
	var wait time.Duration
	free = true
	for _, one := range limits {
		times := l.recent(now, one.key)
		if len(times) >= one.most {
			wait = max(wait, times[len(times)-one.most].Add(limitWindow).Sub(now))
		}
		free = free && len(times)+l.trying[one.key] < one.most
	}
	if wait > 0 {
		return false, &LimitError{After: (wait + time.Second - 1).Truncate(time.Second)}
	}
	return free, nil
}

// wait waits until a sign-in ends. The lock is held before and after.
func (l *limiter) wait(ctx context.Context) error {
	ended := l.ended
	l.waiting++
	l.mu.Unlock()
	var err error
	select {
	case <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.mu.Lock()
	l.waiting--
	return err
}

// end counts a sign-in that has ended.
func (l *limiter) end(now time.Time, limits []limit, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range limits {
		if l.trying[one.key]--; l.trying[one.key] == 0 {
			delete(l.trying, one.key)
		}
		if failed {
			l.seen[one.key] = append(l.seen[one.key], now)
		}
	}
	close(l.ended)
	l.ended = make(chan struct{})
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
