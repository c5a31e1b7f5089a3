package fetch

import (
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxHosts is the maximum number of hosts that are remembered. When there are more, all are
// forgotten and learned again.
const maxHosts = 100_000

// hostMemory records what the answers of a host say about later requests to it.
type hostMemory struct {
	mu    sync.RWMutex
	hosts map[string]*hostFacts
}

// hostFacts are the facts about one scheme, host and port.
type hostFacts struct {
	headFailures atomic.Int32 // times that GET succeeded after HEAD failed
	headTimesOut atomic.Bool  // HEAD timed out and GET succeeded
	headPaused   atomic.Bool  // the answer to HEAD asked for a pause
	onlyHTTP1    atomic.Bool  // HTTP/2 failed
	alternate    atomic.Bool  // the second header profile was accepted after the first was refused
	login        authentication
}

// maxHeadFailures is the number of wrong answers to HEAD after which a host gets only
// GET. One unusual resource is not enough.
const maxHeadFailures = 3

// skipHead reports whether HEAD is not worth trying.
func (f *hostFacts) skipHead() bool {
	return f.headTimesOut.Load() || f.headPaused.Load() || f.headFailures.Load() >= maxHeadFailures
}

// factsOf returns the facts about a URL's host.
func (m *hostMemory) factsOf(u urinorm.URL) *hostFacts {
	key := u.Authority()
	if u.Scheme() == "https" {
		key = "s:" + key
	}
	m.mu.RLock()
	f := m.hosts[key]
	m.mu.RUnlock()
	if f != nil {
		return f
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if f = m.hosts[key]; f != nil {
		return f
	}
	if m.hosts == nil || len(m.hosts) >= maxHosts {
		m.hosts = make(map[string]*hostFacts)
	}
	f = new(hostFacts)
	m.hosts[key] = f
	return f
}
