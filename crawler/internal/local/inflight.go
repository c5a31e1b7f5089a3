package local

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// inFlight knows what the workers visit, and for how long. Each worker publishes its
// target with one store; all else is done by the watch of the run, a few times a second.
type InFlight struct {
	mu     sync.Mutex
	slots  []*Visiting
	since  map[*frontier.Target]time.Time // when a look first found the target
	looked time.Time                      // the last look
	spent  map[string]hostTime            // by host; "" for time in which no host was waited for
}

// visiting is what one worker visits; nil for nothing.
type Visiting struct {
	atomic.Pointer[frontier.Target]
}

// hostTime is how much of the time of the run was spent on a host.
type hostTime struct {
	all   time.Duration
	rests time.Duration // of this, while the host had asked for a rest and nothing else was in flight
}

func NewInFlight() *InFlight {
	return &InFlight{since: map[*frontier.Target]time.Time{}, spent: map[string]hostTime{}}
}

// enter adds a worker.
func (f *InFlight) Enter() *Visiting {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := &Visiting{}
	f.slots = append(f.slots, v)
	return v
}

// leave removes a worker.
func (f *InFlight) Leave(v *Visiting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slots = slices.DeleteFunc(f.slots, func(other *Visiting) bool { return other == v })
}

// look returns the target that has been in flight for the longest time, and since when;
// nil for none. It counts the time since the last look for the hosts in flight, or else for
// the host that must rest. isLocal reports whether a host is none of the network.
func (f *InFlight) Look(now time.Time, resting string, isLocal func(host string) bool) (oldest *frontier.Target, since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[*frontier.Target]time.Time{}
	for _, v := range f.slots {
		t := v.Load()
		if t == nil {
			continue
		}
		began, ok := f.since[t]
		if !ok {
			began = now
		}
		found[t] = began
		if oldest == nil || began.Before(since) || began.Equal(since) && t.Turn < oldest.Turn {
			oldest, since = t, began
		}
	}
	f.since = found
	if !f.looked.IsZero() {
		f.count(now.Sub(f.looked), resting, isLocal)
	}
	f.looked = now
	return oldest, since
}

// count counts time for the hosts in flight.
func (f *InFlight) count(passed time.Duration, resting string, isLocal func(host string) bool) {
	if len(f.since) == 0 {
		spent := f.spent[resting]
		spent.all += passed
		spent.rests += passed
		f.spent[resting] = spent
		return
	}
	for t := range f.since {
		if isLocal(t.Host) {
			continue
		}
		spent := f.spent[t.Host]
		spent.all += passed / time.Duration(len(f.since))
		f.spent[t.Host] = spent
	}
}

const (
	// slowRun is the time after which a run says where the time went.
	slowRun = 15 * time.Second
	// slowHosts is the number of hosts that it names.
	slowHosts = 3
)

// whereTimeWent says which hosts took most of the time of the run, or "" if the run was not
// slow.
func (f *InFlight) WhereTimeWent() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	total := time.Duration(0)
	for _, spent := range f.spent {
		total += spent.all
	}
	if total < slowRun {
		return ""
	}
	hosts := slices.SortedFunc(maps.Keys(f.spent), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.spent[b].all, f.spent[a].all), cmp.Compare(a, b))
	})
	var parts []string
	named := time.Duration(0)
	for _, host := range hosts[:min(len(hosts), slowHosts)] {
		spent := f.spent[host]
		if spent.all < total/20 {
			break
		}
		named += spent.all
		part := cmp.Or(host, "pauses between requests and before retries") + " " + admit.WholeSeconds(spent.all)
		if host != "" && spent.rests >= time.Second {
			part += fmt.Sprintf(" (%s of them waiting, because it was asked too much)", admit.WholeSeconds(spent.rests))
		}
		parts = append(parts, part)
	}
	if named < total/2 {
		hosts = slices.DeleteFunc(hosts, func(host string) bool { return host == "" })
		return fmt.Sprintf("the %s went to %d hosts, none of which took much of it: %s took %s", admit.WholeSeconds(total), len(hosts), hosts[0], admit.WholeSeconds(f.spent[hosts[0]].all))
	}
	return fmt.Sprintf("most of the %s went to: %s", admit.WholeSeconds(total), strings.Join(parts, ", "))
}
