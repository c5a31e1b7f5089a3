package crawler

import (
	"context"
	"crypto/rand"
	"path"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Some servers answer 200 for what they don't have. With --soft-404, one page that
// cannot exist is requested from each directory; a page of that directory with the same
// content is a soft 404.

// probes are the answers to made-up addresses, by scheme, host and directory.
type probes struct {
	buffers *fetch.Buffers

	mu    sync.Mutex
	known map[string]*probe
}

// probe is one answer; print is zero for a server that says correctly that there is nothing.
type probe struct {
	done  bool
	print check.Fingerprint
}

// maxProbes is the maximum number of directories that are compared; 2 KiB are kept for
// each.
const maxProbes = 20_000

// maxProbeBody is how much of a made-up address's answer is read, in bytes.
const maxProbeBody = 1 << 20

func directoryOf(u urinorm.URL) string {
	return u.Scheme() + "://" + u.Authority() + u.Directory()
}

// prepare requests a made-up page in the directory of u, unless that was done. It
// returns false while another worker requests it.
func (p *probes) prepare(ctx context.Context, l *line, u urinorm.URL) (ready bool, err error) {
	dir := directoryOf(u)
	p.mu.Lock()
	if p.known == nil {
		p.known = map[string]*probe{}
	}
	known := p.known[dir]
	if known != nil || len(p.known) >= maxProbes {
		done := known == nil || known.done
		p.mu.Unlock()
		return done, nil
	}
	mine := &probe{}
	p.known[dir] = mine
	p.mu.Unlock()
	print, err := p.ask(ctx, l, dir, path.Ext(u.Path()))
	p.mu.Lock()
	mine.done, mine.print = true, print
	p.mu.Unlock()
	return true, err
}

// of returns the answer for a made-up page in the directory of u.
func (p *probes) of(u urinorm.URL) check.Fingerprint {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[directoryOf(u)]; known != nil {
		return known.print
	}
	return check.Fingerprint{}
}

// forget forgets the answers for some directories. No page of them is visited meanwhile.
func (p *probes) forget(covers func(urinorm.URL) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for dir := range p.known {
		if u, _, err := urinorm.ParseWeb(dir); err == nil && covers(u) {
			delete(p.known, dir)
		}
	}
}

// ask requests a page that cannot exist from a directory. Only a 2xx answer counts.
func (p *probes) ask(ctx context.Context, l *line, dir, ext string) (print check.Fingerprint, err error) {
	made, _, err := urinorm.ParseWeb(dir + strings.ToLower(rand.Text()) + ext)
	if err != nil {
		return print, nil
	}
	resp, err := l.beside(ctx, forProbe, l.door.requests.content(made))
	if err != nil {
		o, err := faultOutcome(ctx, err)
		if o != nil {
			l.tally.count(countRequests, o.Requests)
		}
		return print, err
	}
	if resp == nil {
		return print, nil
	}
	l.tally.count(countRequests, resp.Requests)
	if resp.Body == nil {
		return print, nil
	}
	defer resp.Body.Close()
	if resp.Status < 200 || resp.Status > 299 {
		return print, nil
	}
	body, _ := p.buffers.Read(resp.Body, resp.Size, maxProbeBody, false) // as much as there is is enough
	defer p.buffers.Give(body)
	return check.FingerprintOf(body), nil
}

// compare returns a warning if a page is the same as the made-up one in its directory.
func (p *probes) compare(u urinorm.URL, body []byte) (f check.Facts) {
	if made := p.of(u); !made.IsZero() {
		if warning, same := check.SoftNotFound(check.FingerprintOf(body), made); same {
			f.Warnings = []check.Warning{warning}
		}
	}
	return f
}
