package admit

import (
	"path"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Some servers answer 200 for what they don't have. With --soft-404, one page that
// cannot exist is requested from each directory, for each usual extension that its pages have:
// many servers have other answers for them. A page with the same content is a soft 404.

// Probes are the answers to made-up addresses, by scheme, host, directory and extension.
type Probes struct {
	mu    sync.Mutex
	known map[string]*probe
}

// probe is one answer; print is zero for a server that says correctly that there is nothing.
type probe struct {
	done  bool
	print judging.Fingerprint
}

// maxProbes is the maximum number of answers that are compared; 2 KiB are kept for each.
const maxProbes = 20_000

// maxProbeBody is how much of a made-up address's answer is read, in bytes.
const maxProbeBody = 1 << 20

// usualExtensions are those of pages and of other files with links. Other names with a dot count as
// names without an extension: there may be as many of them as pages.
const usualExtensions = " .asp .aspx .cgi .css .do .htm .html .json .jsp .md .php .pl .shtml .svg .txt .xhtml .xml "

// probedAs returns the directory of a URL and the extension of a made-up name in it that is requested
// for it, which depend on nothing else. The URL of the directory and the extension are a key.
func probedAs(u urinorm.URL) (dir, extension string) {
	dir = u.Scheme() + "://" + u.Authority() + u.Directory()
	if e := strings.ToLower(path.Ext(u.Path())); e != "" && strings.Contains(usualExtensions, " "+e+" ") {
		extension = e
	}
	return dir, extension
}

// begin returns the probe with a key if the caller is to request it. Otherwise, ready says
// whether the answer is known, if it will ever be.
func (p *Probes) begin(key string) (mine *probe, ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.known[key]
	if known != nil || len(p.known) >= maxProbes {
		return nil, known == nil || known.done
	}
	if p.known == nil {
		p.known = map[string]*probe{}
	}
	mine = &probe{}
	p.known[key] = mine
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
	for key := range p.known {
		if u, _, err := urinorm.ParseWeb(key); err == nil && covers(u) {
			delete(p.known, key)
		}
	}
}

// Compare returns a warning if a page is the same as the made-up one in its directory.
func (p *Probes) Compare(u urinorm.URL, body []byte) (f judging.Facts) {
	dir, extension := probedAs(u)
	p.mu.Lock()
	known := p.known[dir+extension]
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
