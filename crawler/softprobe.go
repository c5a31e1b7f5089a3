package crawler

import (
	"context"
	"crypto/rand"
	"path"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Some servers answer 200 for what they don't have. With --soft-404 each directory
// is asked once for a page that cannot exist; a page of that directory that is the
// same is a soft 404.

// probes are the answers to made-up addresses, by scheme, host and directory.
type probes struct {
	mu    sync.Mutex
	known map[string]*probe
}

// probe is one answer; print is zero for a server that says honestly that there is nothing.
type probe struct {
	done  bool
	print check.Fingerprint
}

// maxProbes bounds how many directories are compared; 2 KiB are kept of each.
const maxProbes = 20_000

// maxProbeBody is how much of a made-up address's answer is read, in bytes.
const maxProbeBody = 1 << 20

// compares reports whether a target is compared with a made-up one. A home page
// never is: sites show it for anything they don't have, and a link to it is right.
func (r *run) compares(u urinorm.URL) bool {
	if !r.cfg.SoftNotFound || u.Scheme() != "http" && u.Scheme() != "https" || check.IsHomePath(u.Path()) {
		return false
	}
	return !rules.IsLeafName([]byte(u.Path())) && r.scope().SiteOf(u) == nil
}

func directoryOf(u urinorm.URL) string {
	return u.Scheme() + "://" + u.Authority() + u.Directory()
}

// prepare asks for a made-up page beside u, unless that was done. It is false while
// another worker is at it.
func (p *probes) prepare(ctx context.Context, w *worker, u urinorm.URL) (ready bool, err error) {
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
	print, err := w.probe(ctx, dir, path.Ext(u.Path()))
	p.mu.Lock()
	mine.done, mine.print = true, print
	p.mu.Unlock()
	return true, err
}

// of returns the answer for a made-up page beside u.
func (p *probes) of(u urinorm.URL) check.Fingerprint {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[directoryOf(u)]; known != nil {
		return known.print
	}
	return check.Fingerprint{}
}

// probe asks a directory for a page that cannot exist. Only a 2xx tells anything.
func (w *worker) probe(ctx context.Context, dir, ext string) (print check.Fingerprint, err error) {
	made, _, err := urinorm.ParseWeb(dir + strings.ToLower(rand.Text()) + ext)
	if err != nil {
		return print, nil
	}
	inside, _ := w.scope().Internal(rules.HrefOf(made))
	resp, err := w.fetch(ctx, &fetch.Request{URL: made, Internal: w.entrusts(made, inside), Need: fetch.Content})
	if err != nil {
		o, err := w.fault(ctx, err)
		if o != nil {
			w.count(countRequests, o.Requests)
		}
		return print, err
	}
	w.count(countRequests, resp.Requests)
	if resp.Body == nil {
		return print, nil
	}
	defer resp.Body.Close()
	if resp.Status < 200 || resp.Status > 299 {
		return print, nil
	}
	body, _ := w.buffers.Read(resp.Body, resp.Size, maxProbeBody, false) // what there is is enough
	defer w.buffers.Give(body)
	return check.FingerprintOf(body), nil
}

// compare adds the warning when a page is the same as the made-up one beside it.
func (w *worker) compare(u urinorm.URL, body []byte, o *check.Outcome) {
	made := w.probes.of(u)
	if made.IsZero() {
		return
	}
	if warning, same := check.SoftNotFound(check.FingerprintOf(body), made); same {
		o.Warn(warning)
	}
}
