package recall

import (
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Sources are where a Memory finds observations, and what it needs to find them.
type Sources struct {
	Cache    *store.Cache
	Previous *store.Pages // of the crawl before, whose pages are not in the cache; nil for none
	Fetcher  fetch.CacheableFetcher
	Rules    *scope.TargetRules
	Frontier *frontier.Frontier
	Print    *scope.Printer
}

// Settings are what a run's configuration says about the use of observations.
type Settings struct {
	MaxAge       time.Duration // older observations do not replace a request
	Refresh      bool          // none does, and no request is conditional
	MaxRedirects int
	MaxBody      int64 // bytes of a page that are read

	RobotsFirst   bool // a robots.txt is requested before anything else of its host
	Inspects      bool // contents are inspected
	Sketches      bool // texts of other sites are compared with earlier ones
	Scans         bool // the contents of external targets are scanned
	CheckHTTPS    bool // http targets are requested over https, too
	Remaps        bool // redirects may lead elsewhere than they did
	ReportsLinks  bool // the links of pages are reported, or limited to what has changed
	LimitsDepth   bool
	Renders       bool // pages are rendered
	PagesInStore  bool // the next crawl finds pages in the store of this one
	ReadsSitemaps bool // start pages refer to the sitemaps of their hosts

	Fragment judging.Question // how a fragment is judged
}

// Memory is what earlier runs observed. A nil Memory knows nothing and keeps nothing.
type Memory struct {
	Sources
	Settings
	run   int64     // this run, identified by its start
	began time.Time // the crawl, in its first session
	now   time.Time
	none  bool // there was no earlier run

	mu      sync.Mutex
	decider decider
	known   map[frontier.Fingerprint]*observed // targets that were looked up

	ways ways
}

// mostKnown is the maximum number of targets that are remembered to be looked up; more are looked
// up again.
const mostKnown = 1 << 14

// observed is what may replace a request for one target: nothing if outcome is nil.
type observed struct {
	outcome *judging.Outcome
	content bool        // its anchors are known
	next    urinorm.URL // where a redirect leads
	at      time.Time   // when it was last observed by another run
}

// New returns a Memory for a session that starts now. Begin must be called before its use.
func New(from Sources, s Settings, now time.Time) *Memory {
	return &Memory{Sources: from, Settings: s, now: now, known: map[frontier.Fingerprint]*observed{}, ways: ways{via: map[frontier.Fingerprint][]step{}}}
}

// Begin sets the time when the crawl began, in its first session.
func (m *Memory) Begin(at time.Time) {
	if m != nil {
		m.began, m.run = at, at.UnixNano()
		m.none = m.Refresh || m.Previous == nil && !m.Cache.Older(m.run)
	}
}

// Any reports whether there is anything that may replace a request.
func (m *Memory) Any() bool { return m != nil && !m.none }

// key returns the cache's key for a request; false if its answer is not kept: files in no
// directory that is checked, the document on standard input, schemes other than http and https.
func (s *Sources) key(req *fetch.Request, scope *scope.Scope) (cacheentry.Key, bool) {
	if scheme := req.URL.Scheme(); scheme != "http" && scheme != "https" {
		return cacheentry.Key{}, false
	}
	id, ok := s.identity(req, scope)
	if !ok {
		return cacheentry.Key{}, false
	}
	return s.Cache.Key(urinorm.KeyOf(req.URL), id), true
}

// identity returns what may change the answer to a request; ok is false if it is not kept.
func (s *Sources) identity(req *fetch.Request, scope *scope.Scope) (id traffic.Identity, ok bool) {
	if site := scope.Sites.Of(req.URL); site != nil {
		return disk.IdentityOf(site)
	}
	return s.Fetcher.Identity(req)
}

// request returns the request for a target that no page of the site is known to be.
func (s *Sources) request(u urinorm.URL, internal bool, in *scope.Scope) *fetch.Request {
	header, _ := s.Rules.Header(u)
	return &fetch.Request{URL: u, Internal: internal || in.Reaches(scope.HrefOf(u)), Header: header}
}

// StandsFor returns the outcome that replaces a request for a reference's target, or nil if it
// must be requested. The fragment is empty if the target's content is not needed to judge it, or if all
// fragments exist that links to it have.
func (m *Memory) StandsFor(fp frontier.Fingerprint, v scope.Href, fate scope.Fate, fragment []byte, in *scope.Scope) *judging.Outcome {
	if fate.Internal || fate.Need&(frontier.NeedPage|frontier.NeedLinks|frontier.NeedSeed) != 0 || !v.IsHTTP() || m.RobotsFirst {
		return nil
	}
	known := m.observed(fp, v, in, 0)
	o := known.outcome
	if o == nil || o.IsRedirect() || fate.Need&frontier.NeedContent != 0 && !known.content {
		return nil
	}
	if len(fragment) > 0 {
		q := m.Fragment
		q.URL, q.Fragment, q.HasFragment = scope.URLOf(v), string(fragment), true
		if !known.content || o.Judge(q).Verdict != check.OK {
			return nil
		}
	}
	return o
}

// Stands returns the outcome that replaces the request for a target whose turn has come, nil if
// it must be requested. The outcome may be a redirect: way then says what is to be entered.
func (m *Memory) Stands(t *admit.Target, in *scope.Scope) (o *judging.Outcome, way *Way) {
	if !m.Any() || t.Session || t.Internal || t.Follow || t.Page || t.Seed || t.Content || t.Tries > 0 {
		return nil, nil
	}
	v := scope.HrefOf(t.At)
	if !v.IsHTTP() {
		return nil, nil
	}
	fp := m.fingerprint(t.At)
	known := m.observed(fp, v, in, 0)
	if known.outcome == nil {
		return nil, nil
	}
	if known.outcome.IsRedirect() {
		way = m.wayOf(t, fp, known.next, in)
	}
	outcome := *known.outcome
	return &outcome, way
}

// observed returns the observation that may replace a request for a target without a
// fragment.
func (m *Memory) observed(fp frontier.Fingerprint, v scope.Href, in *scope.Scope, hops int) *observed {
	m.mu.Lock()
	known := m.known[fp]
	m.mu.Unlock()
	if known != nil {
		return known
	}
	known = m.lookUp(scope.URLOf(v), in, hops)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= mostKnown {
		clear(m.known)
	}
	m.known[fp] = known
	return known
}

// lookUp reads what the cache keeps of a target, and decides whether it is still valid.
func (m *Memory) lookUp(u urinorm.URL, scope *scope.Scope, hops int) *observed {
	nothing := &observed{}
	if scope.Compares(u) || m.Scans || m.readsText(u) || m.CheckHTTPS && u.Scheme() == "http" || scope.Sites.Of(u) != nil {
		return nothing // more must be known of it than was observed
	}
	key, ok := m.key(m.request(u, false, scope), scope)
	if !ok {
		return nothing
	}
	record, _ := m.Cache.Get(key)
	entry := entryIn(record)
	if entry == nil {
		return nothing
	}
	at := record.Earlier(m.run)
	switch {
	case at.IsZero(), m.MaxAge == 0, at.Before(m.began.Add(-m.MaxAge)),
		at.After(m.now.Add(time.Minute)), // a clock was wrong
		!entry.NotAfter.IsZero() && entry.NotAfter.Before(m.now):
		return nothing
	}
	o := entry.Outcome
	o.Cached, o.Warnings = true, slices.Clone(o.Warnings)
	if !m.Inspects {
		o.Inspection = nil
	}
	if !m.Sketches {
		o.Sketch = nil
	}
	if note, soon := m.Fetcher.ExpiryNote(entry.NotAfter); soon && !entry.NotAfter.IsZero() {
		o.Warn(check.Warning{Code: check.Code(note.Code), Message: note.Message})
	}
	if !o.IsRedirect() {
		return &observed{outcome: &o, content: entry.Content, at: at}
	}
	if m.Remaps {
		return nothing
	}
	next, ok := m.knownToLead(o.Next, scope, hops)
	if !ok {
		return nothing
	}
	return &observed{outcome: &o, next: next, at: at}
}

// readsText reports whether a rule of the user decides by the text of a document, which is not kept.
func (s *Sources) readsText(u urinorm.URL) bool {
	rule := s.Rules.Of(u)
	return rule != nil && len(rule.BrokenTexts) > 0
}

// entryIn returns the entry in a record, nil if it counts as missing.
func entryIn(r cacheentry.Record) *Entry {
	e, err := decode(r.Data)
	if err != nil {
		return nil
	}
	return e
}

// knownToLead reports whether the whole chain after a redirect is known too, and ends
// at a target that exists; otherwise the redirect is requested like other targets.
func (m *Memory) knownToLead(to string, in *scope.Scope, hops int) (urinorm.URL, bool) {
	next, _, err := urinorm.ParseWeb(to)
	if _, fragment := next.Fragment(); err != nil || fragment || hops >= m.MaxRedirects || m.ways.full() {
		return next, false
	}
	v := scope.HrefOf(next)
	if !v.IsHTTP() {
		return next, false
	}
	if fate := in.Decide(v, extract.Resource, 0, false); fate.Internal || fate.Outcome != nil {
		return next, false
	}
	return next, m.observed(m.fingerprint(next), v, in, hops+1).outcome != nil
}

func (s *Sources) fingerprint(u urinorm.URL) frontier.Fingerprint {
	return s.Frontier.FingerprintKey(urinorm.KeyOf(u))
}

// sameBefore returns the time when another run last observed an answer with the same code
// and redirect; the zero time if none did, or only too long ago.
func (m *Memory) sameBefore(u urinorm.URL, o *judging.Outcome, in *scope.Scope) time.Time {
	if !m.Any() {
		return time.Time{}
	}
	known := m.observed(m.fingerprint(u), scope.HrefOf(u), in, 0)
	if known.outcome == nil || o.Code != known.outcome.Code || o.Next != known.outcome.Next {
		return time.Time{}
	}
	return known.at
}
