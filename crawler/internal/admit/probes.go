package admit

import (
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Some servers answer 200 for what they don't have. With --soft-404, one page that
// cannot exist is requested from each directory; a page of that directory with the same
// content is a soft 404.

// Probes are the answers to made-up addresses, by scheme, host and directory.
type Probes struct {
	mu    sync.Mutex
	known map[string]*probe
}

// probe is one answer; print is zero for a server that says correctly that there is nothing.
type probe struct {
	done  bool
	print judging.Fingerprint
}

// maxProbes is the maximum number of directories that are compared; 2 KiB are kept for
// each.
const maxProbes = 20_000

// maxProbeBody is how much of a made-up address's answer is read, in bytes.
const maxProbeBody = 1 << 20

func directoryOf(u urinorm.URL) string {
	return u.Scheme() + "://" + u.Authority() + u.Directory()
}

// begin returns the probe of a directory if the caller is to request it. Otherwise, ready says
// whether the answer is known, if it will ever be.
func (p *Probes) begin(dir string) (mine *probe, ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.known[dir]
	if known != nil || len(p.known) >= maxProbes {
		return nil, known == nil || known.done
	}
	if p.known == nil {
		p.known = map[string]*probe{}
	}
	mine = &probe{}
	p.known[dir] = mine
	return mine, true
}

// end notes the answer to a probe.
func (p *Probes) end(mine *probe, print judging.Fingerprint) {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine.done, mine.print = true, print
}

// Forget forgets the answers for some directories. No page of them is visited meanwhile.
func (p *Probes) Forget(covers func(urinorm.URL) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for dir := range p.known {
		if u, _, err := urinorm.ParseWeb(dir); err == nil && covers(u) {
			delete(p.known, dir)
		}
	}
}

// Compare returns a warning if a page is the same as the made-up one in its directory.
func (p *Probes) Compare(u urinorm.URL, body []byte) (f judging.Facts) {
	p.mu.Lock()
	known := p.known[directoryOf(u)]
	var made judging.Fingerprint
	if known != nil {
		made = known.print
	}
	p.mu.Unlock()
	if made.IsZero() {
		return f
	}
	if warning, same := judging.SoftNotFound(judging.FingerprintOf(body), made); same {
		f.Warnings = []check.Warning{warning}
	}
	return f
}

// plainHosts are hosts that did not answer over https at all; they are not tried again.
type plainHosts struct {
	mu    sync.Mutex
	names map[string]bool
}

// maxPlain is the maximum number of hosts without https that are remembered.
const maxPlain = 100_000

func (p *plainHosts) has(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[host]
}

func (p *plainHosts) add(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.names == nil || len(p.names) >= maxPlain {
		p.names = map[string]bool{}
	}
	p.names[host] = true
}
