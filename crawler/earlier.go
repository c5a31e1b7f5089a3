package crawler

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// An observation of an earlier run may replace a request to an external target. The
// cache is consulted when a reference is found, so that such a target is never queued
// and no host's pace delays it:
//
//	standsFor             a target that was ok is settled at once. One that was not ok,
//	                      or lacks the anchor that a reference needs, is entered to be
//	                      requested
//	answer                a redirect is answered from the cache when its turn comes: its
//	                      target is entered as known
//	recheckIfChanged      if a target is requested anyway and has changed, the redirects
//	                      that led to it from the cache are queued for a request
//
// So a finding never depends on the cache alone: every target that is not simply ok was
// requested in this run.
//
// A crawl of several sessions is one run: an observation of one session is not an
// earlier one for the next, because a single session would have sent the request too.

// earlier is what earlier runs observed of external targets.
type earlier struct {
	requests *requests
	frontier *frontier.Frontier
	cache    *cache.Cache
	previous rules.PreviousPages // of the crawl before, whose pages are not in the cache; nil for none
	keeper   fetch.CacheableFetcher
	run      int64         // this run, identified by its start
	maxAge   time.Duration // older observations do not replace a request
	began    time.Time
	now      time.Time
	none     bool // there was no earlier run

	mu     sync.Mutex
	scope  *rules.Scope                       // the last one that readerOf was called with
	reader string                             // the result
	known  map[frontier.Fingerprint]*observed // targets that were looked up
	via    map[frontier.Fingerprint][]step    // redirects that were followed, by their targets
}

// Limits of what is held in memory, however large the crawl is.
const (
	mostKnown = 1 << 14 // targets that were looked up; more are looked up again
	mostWays  = 1 << 17 // redirects that may be answered from the cache; others are requested
)

// observed is what may replace a request for one target: nothing if outcome is nil.
type observed struct {
	outcome *check.Outcome
	content bool        // its anchors are known
	next    urinorm.URL // where a redirect leads
	at      time.Time   // when it was last observed by another run
}

// newEarlier returns nil without a cache.
func newEarlier(r *requests, f *frontier.Frontier, now time.Time) *earlier {
	cfg := r.cfg
	keeper, ok := cfg.Fetch.(fetch.CacheableFetcher)
	if cfg.Cache == nil || !ok {
		return nil
	}
	return &earlier{requests: r, frontier: f, cache: cfg.Cache, previous: cfg.Previous, keeper: keeper, now: now, maxAge: cfg.MaxAge,
		known: map[frontier.Fingerprint]*observed{}, via: map[frontier.Fingerprint][]step{}}
}

// begin sets the time when the crawl began, in its first session.
func (e *earlier) begin(at time.Time) {
	if e != nil {
		e.began, e.run = at, at.UnixNano()
		e.none = e.previous == nil && !e.cache.Older(e.run)
	}
}

// any reports whether there is anything that may replace a request.
func (e *earlier) any() bool { return e != nil && !e.none }

// key returns the cache's key for a request; false if its answer is not kept: local
// files, the document on standard input, schemes other than http and https.
func (e *earlier) key(req *fetch.Request) (cache.Key, bool) {
	if s := req.URL.Scheme(); s != "http" && s != "https" || e.requests.scope().SiteOf(req.URL) != nil {
		return cache.Key{}, false
	}
	id, ok := e.keeper.Identity(req)
	if !ok {
		return cache.Key{}, false
	}
	return e.cache.Key(urinorm.KeyOf(req.URL), id), true
}

// standsFor returns the outcome that replaces a request for a reference's target, or
// nil if it must be requested.
func (e *earlier) standsFor(fp frontier.Fingerprint, v rules.Href, fate rules.Fate, fragment []byte) *check.Outcome {
	if fate.Internal || fate.Page || fate.Need&(frontier.NeedLinks|frontier.NeedSeed) != 0 || !v.IsHTTP() ||
		e.requests.cfg.Robots == RobotsStrict { // its robots.txt is requested first, when its turn comes
		return nil
	}
	known := e.observed(fp, v, 0)
	o := known.outcome
	if o == nil || o.IsRedirect() {
		return nil
	}
	if references.WantsAnchors(fragment) {
		q := check.Question{URL: rules.URLOf(v), Fragment: string(fragment), HasFragment: true, IgnoreFragment: e.requests.cfg.IgnoresFragment}
		if !known.content || o.Judge(q).Verdict != check.OK {
			return nil
		}
	}
	return o
}

// observed returns the observation that may replace a request for a target without a
// fragment.
func (e *earlier) observed(fp frontier.Fingerprint, v rules.Href, hops int) *observed {
	e.mu.Lock()
	known := e.known[fp]
	e.mu.Unlock()
	if known != nil {
		return known
	}
	known = e.lookUp(rules.URLOf(v), hops)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= mostKnown {
		clear(e.known)
	}
	e.known[fp] = known
	return known
}

// lookUp reads what the cache keeps of a target, and decides whether it is still valid.
func (e *earlier) lookUp(u urinorm.URL, hops int) *observed {
	nothing := &observed{}
	inspector := e.requests.cfg.Inspector
	if e.requests.scope().Compares(u) || inspector.Scans(false) || e.requests.cfg.CheckHTTPS && u.Scheme() == "http" {
		return nothing // more must be known of it than was observed
	}
	req, _ := e.requests.request(u, false)
	key, ok := e.key(req)
	if !ok {
		return nothing
	}
	entry := e.cache.Get(key)
	if entry == nil {
		return nothing
	}
	at := entry.Earlier(e.run)
	switch {
	case at.IsZero(), e.maxAge == 0, at.Before(e.began.Add(-e.maxAge)),
		at.After(e.now.Add(time.Minute)), // a clock was wrong
		!entry.NotAfter.IsZero() && entry.NotAfter.Before(e.now):
		return nothing
	}
	o := entry.Outcome
	o.Cached, o.Warnings = true, slices.Clone(o.Warnings)
	if inspector == nil {
		o.Inspection = nil
	}
	if note, soon := e.keeper.ExpiryNote(entry.NotAfter); soon && !entry.NotAfter.IsZero() {
		o.Warn(check.Warning{Code: check.Code(note.Code), Message: note.Message})
	}
	if !o.IsRedirect() {
		return &observed{outcome: &o, content: entry.Content, at: at}
	}
	if len(e.requests.cfg.Remaps) > 0 { // it may lead elsewhere now
		return nothing
	}
	next, ok := e.knownToLead(o.Next, hops)
	if !ok {
		return nothing
	}
	return &observed{outcome: &o, next: next, at: at}
}

// knownToLead reports whether the whole chain after a redirect is known too, and ends
// at a target that exists; otherwise the redirect is requested like other targets.
func (e *earlier) knownToLead(to string, hops int) (urinorm.URL, bool) {
	next, _, err := urinorm.ParseWeb(to)
	if _, fragment := next.Fragment(); err != nil || fragment || hops >= e.requests.cfg.MaxRedirects || e.full() {
		return next, false
	}
	v := rules.HrefOf(next)
	if !v.IsHTTP() {
		return next, false
	}
	if fate := e.requests.scope().Decide(v, extract.Resource, 0, false); fate.Internal || fate.Outcome != nil {
		return next, false
	}
	return next, e.observed(e.fingerprint(next), v, hops+1).outcome != nil
}

func (e *earlier) fingerprint(u urinorm.URL) frontier.Fingerprint {
	return e.frontier.FingerprintKey(urinorm.KeyOf(u))
}

// readerOf returns what identifies how pages are read with a scope: the settings that decide about
// their links, and the fingerprints of this run.
func (e *earlier) readerOf(scope *rules.Scope) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.scope != scope {
		key := e.frontier.Fingerprint([]byte("key"))
		sum := sha256.Sum256(fmt.Appendf(nil, "%x %x %s", key.Low, key.High, scope.Decides()))
		e.scope, e.reader = scope, string(sum[:16])
	}
	return e.reader
}

// inPrevious returns what the crawl before kept of a page, and the stored form of it, which keeps
// it for the next one; nil if there is nothing.
func (e *earlier) inPrevious(key cache.Key, u urinorm.URL) (entry *cache.Entry, stored []byte) {
	if e.previous == nil {
		return nil, nil
	}
	outcome, page, links := e.previous.Page(e.fingerprint(u))
	if page == nil {
		return nil, nil
	}
	_, stored, err := rules.DecodePage(page)
	if err != nil || len(stored) == 0 {
		return nil, nil
	}
	o, err := check.DecodeOutcome(outcome)
	if err != nil {
		return nil, nil
	}
	forgetPassing(&o)
	return cache.DecodePage(key, stored, &o, links), stored
}

// forgetPassing removes from an outcome what the request brought, and warnings that needed extra
// requests, or that depend on the date.
func forgetPassing(o *check.Outcome) {
	o.Requests, o.Elapsed = 0, 0
	o.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool {
		switch known.Code {
		case check.CodeTLSExpiresSoon, check.CodeInsecureHTTP, check.CodeSoft404:
			return true
		}
		return false
	})
}
