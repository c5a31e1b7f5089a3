package fetch

import (
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxHosts bounds how many hosts are remembered; beyond that all are forgotten
// and learnt again.
const maxHosts = 100_000

// hostMemory keeps what one answer of a host teaches about the next.
type hostMemory struct {
	mu    sync.RWMutex
	hosts map[string]*hostFacts
}

// hostFacts are what is known of scheme, host and port.
type hostFacts struct {
	headFailures atomic.Int32 // answers to HEAD that GET proved wrong
	headTimesOut atomic.Bool  // HEAD got no answer and GET did
	onlyHTTP1    atomic.Bool  // its HTTP/2 broke
	alternate    atomic.Bool  // the second header profile was let in where the first was not
	login        authentication
}

// maxHeadFailures is how many wrong answers to HEAD make us stop asking. A single
// resource that is odd does not condemn its host.
const maxHeadFailures = 3

// skipHead reports whether HEAD is a waste here.
func (f *hostFacts) skipHead() bool {
	return f.headTimesOut.Load() || f.headFailures.Load() >= maxHeadFailures
}

// factsOf returns the facts of a URL's host.
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
