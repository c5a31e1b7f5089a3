package crawler

import (
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What earlier runs observed may stand for a request to an external target. It is
// looked at where a reference is met, so that such a target is never queued and
// no host's pace holds it up:
//
//	refer       a reference with a fragment that is not among the anchors known,
//	            and one to a target that was not there, enter it to be asked
//	remembered  a redirect is answered when its turn comes: what it leads to is
//	            entered, as known
//	doubt       a target that is asked all the same, and has changed, puts the
//	            redirects that led to it from memory back, to be asked
//
// So a finding never rests on memory alone: whatever is not simply there was asked
// in this run.
//
// A crawl of several sessions is one run: what one of them observed is not known
// from earlier to the next, which would have asked it too, had it been the only one.

// earlier is what is known of external targets by earlier runs.
type earlier struct {
	cache  *cache.Cache
	keeper fetch.CacheableFetcher
	reader string        // who reads pages, and how
	run    int64         // this one, by its beginning
	maxAge time.Duration // what was observed longer ago does not stand for anything
	began  time.Time
	now    time.Time
	none   bool // there was no earlier run

	mu    sync.Mutex
	known map[frontier.Fingerprint]*observed // some of it
	via   map[frontier.Fingerprint][]step    // ways that were taken, by where they lead
}

// Limits of what is held in memory, beside a crawl of any size.
const (
	mostKnown = 1 << 14 // targets that were looked up; more are looked up again
	mostWays  = 1 << 17 // redirects of which it is known who came by them; others are asked
)

// observed is what may stand for asking one target: nothing when outcome is nil.
type observed struct {
	outcome *check.Outcome
	content bool        // its anchors are known
	next    urinorm.URL // where a redirect leads
	at      time.Time   // when it was last observed by another run
}

func newEarlier(cfg *Config, now time.Time) *earlier {
	keeper, ok := cfg.Fetch.(fetch.CacheableFetcher)
	if cfg.Cache == nil || !ok {
		return nil
	}
	return &earlier{cache: cfg.Cache, keeper: keeper, now: now, maxAge: cfg.MaxAge,
		reader: cfg.Edition + "\x00" + cfg.Select.String() + "\x00" + cfg.IgnoreSelect.String(),
		known:  map[frontier.Fingerprint]*observed{}, via: map[frontier.Fingerprint][]step{}}
}

// begin says when the crawl began, in whichever session.
func (e *earlier) begin(at time.Time) {
	if e != nil {
		e.began, e.run = at, at.UnixNano()
		e.none = !e.cache.Older(e.run)
	}
}

// looksBack reports whether there is anything that may stand for a request.
func (r *run) looksBack() bool { return r.earlier != nil && !r.earlier.none }

// request is what a target is asked with, and the user's rule for it.
func (r *run) request(u urinorm.URL, internal bool) (*fetch.Request, *Rule) {
	req := &fetch.Request{URL: u, Internal: r.entrusts(u, internal || r.scope().Reaches(rules.HrefOf(u)))}
	rule := r.ruleOf(u)
	if rule != nil {
		req.Header = rule.Header
	}
	return req, rule
}

// key is what a request is kept under; false when its answer is not to be kept:
// local files, the document on standard input, other schemes than the web's.
func (r *run) key(req *fetch.Request) (cache.Key, bool) {
	if s := req.URL.Scheme(); s != "http" && s != "https" || r.scope().SiteOf(req.URL) != nil {
		return cache.Key{}, false
	}
	id, ok := r.earlier.keeper.Identity(req)
	if !ok {
		return cache.Key{}, false
	}
	return r.earlier.cache.Key(urinorm.KeyOf(req.URL), id), true
}

// standsFor returns the outcome that stands for asking a reference's target, nil
// when it is to be asked.
func (r *run) standsFor(fp frontier.Fingerprint, v rules.Href, fate rules.Fate, fragment []byte) *check.Outcome {
	if fate.Internal || fate.Page || fate.Need&(frontier.NeedLinks|frontier.NeedSeed) != 0 || !v.IsHTTP() ||
		r.cfg.Robots == RobotsStrict { // its robots.txt is asked first, when its turn comes
		return nil
	}
	known := r.observed(fp, v, 0)
	o := known.outcome
	if o == nil || o.IsRedirect() {
		return nil
	}
	if references.WantsAnchors(fragment) {
		q := check.Question{URL: rules.URLOf(v), Fragment: string(fragment), HasFragment: true, IgnoreFragment: r.cfg.IgnoresFragment}
		if !known.content || o.Judge(q).Verdict != check.OK {
			return nil
		}
	}
	return o
}

// observed returns what may stand for asking a target without a fragment.
func (r *run) observed(fp frontier.Fingerprint, v rules.Href, hops int) *observed {
	e := r.earlier
	e.mu.Lock()
	known := e.known[fp]
	e.mu.Unlock()
	if known != nil {
		return known
	}
	known = r.lookUp(rules.URLOf(v), hops)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= mostKnown {
		clear(e.known)
	}
	e.known[fp] = known
	return known
}

// lookUp reads what is kept of a target, and judges whether it may still stand.
func (r *run) lookUp(u urinorm.URL, hops int) *observed {
	e, nothing := r.earlier, &observed{}
	if r.compares(u) || r.cfg.CheckHTTPS && u.Scheme() == "http" {
		return nothing // more is wanted of it than was observed
	}
	req, _ := r.request(u, false)
	key, ok := r.key(req)
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
	if note, soon := e.keeper.ExpiryNote(entry.NotAfter); soon && !entry.NotAfter.IsZero() {
		o.Warn(check.Warning{Code: check.Code(note.Code), Message: note.Message})
	}
	if !o.IsRedirect() {
		return &observed{outcome: &o, content: entry.Content, at: at}
	}
	next, ok := r.knownToLead(o.Next, hops)
	if !ok {
		return nothing
	}
	return &observed{outcome: &o, next: next, at: at}
}

// knownToLead reports whether all that a redirect leads to is known too, to an end
// that is there; else the redirect is asked with the rest.
func (r *run) knownToLead(to string, hops int) (urinorm.URL, bool) {
	next, _, err := urinorm.ParseWeb(to)
	if _, fragment := next.Fragment(); err != nil || fragment || hops >= r.cfg.MaxRedirects || r.earlier.full() {
		return next, false
	}
	v := rules.HrefOf(next)
	if !v.IsHTTP() {
		return next, false
	}
	if fate := r.scope().Decide(v, extract.Resource, 0, false); fate.Internal || fate.Outcome != nil {
		return next, false
	}
	return next, r.observed(r.printOf(next), v, hops+1).outcome != nil
}

// full reports whether no more ways can be remembered.
func (e *earlier) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.via) >= mostWays
}

func (r *run) printOf(u urinorm.URL) frontier.Fingerprint {
	return r.frontier.FingerprintKey(urinorm.KeyOf(u))
}

// remembered answers a target from memory whose turn has come; nil when it is to be
// asked.
func (w *worker) remembered(t *frontier.Target, u urinorm.URL) (*check.Outcome, error) {
	if !w.looksBack() || t.Internal || t.Follow || t.Page || t.Seed || t.Content || t.Tries > 0 {
		return nil, nil
	}
	v := rules.HrefOf(u)
	if !v.IsHTTP() {
		return nil, nil
	}
	fp := w.printOf(u)
	known := w.observed(fp, v, 0)
	if known.outcome == nil {
		return nil, nil
	}
	if known.outcome.IsRedirect() {
		if led, err := w.rememberedRedirect(t, fp, known); !led || err != nil {
			return nil, err
		}
	}
	o := *known.outcome
	return &o, nil
}

// rememberedRedirect enters where a redirect leads, unless that was asked meanwhile
// and is not what it was.
func (w *worker) rememberedRedirect(t *frontier.Target, fp frontier.Fingerprint, known *observed) (led bool, err error) {
	page, v := w.finds(), rules.HrefOf(known.next)
	to := w.printOf(known.next)
	fate := w.scope().Decide(v, extract.Resource, t.Depth, false)
	if there := w.observed(to, v, 0).outcome; !there.IsRedirect() {
		fate.Outcome = there
	}
	page.Enter(to, v, frontier.Job{URL: v.Document(), Internal: fate.Internal, Depth: t.Depth, Hops: t.Hops + 1}, fate)
	sound, err := w.leads(t, fp, to, true)
	if err != nil || !sound {
		w.turn(w.page, t.Depth)
		return false, err
	}
	return true, nil
}

// step is a redirect on a way that was, in part, taken from memory.
type step struct {
	from frontier.Fingerprint
	item *frontier.Item // enters it to be asked; nil when it was asked in this run
}

// leads notes where a redirect leads, so that whoever asks the other target finds
// the way here, and reports whether all that is known of the way on is as it was. The
// target is the first of those found.
func (w *worker) leads(t *frontier.Target, from, to frontier.Fingerprint, fromMemory bool) (sound bool, err error) {
	e, s := w.earlier, step{from: from}
	if fromMemory {
		s.item = &frontier.Item{Fingerprint: from, Host: []byte(t.Host), Wave: frontier.Leaves, Need: frontier.NeedContent | frontier.NeedLinked,
			Job: frontier.AppendJob(nil, frontier.Job{URL: []byte(t.URL), Depth: t.Depth, Hops: t.Hops})}
	}
	e.mu.Lock()
	e.via[to] = append(e.via[to], s)
	e.mu.Unlock()
	ids, err := w.frontier.Refer(w.always, w.finds().Targets())
	if err != nil {
		return false, err
	}
	if sound, err = w.soundFrom(ids[0]); err == nil && !sound {
		err = w.askWayTo(from)
	}
	return sound, err
}

// soundFrom follows a way as far as it was gone, and reports whether what was asked
// of it in this run is what was known.
func (r *run) soundFrom(id frontier.ID) (bool, error) {
	for range r.cfg.MaxRedirects + 1 {
		rec, err := r.frontier.Store().Get(r.always, id)
		if err != nil || !rec.Settled {
			return true, err // who settles it looks back
		}
		o, _, err := check.DecodeHead(rec.Outcome)
		if err != nil {
			return false, err
		}
		if !o.Cached {
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return false, err
			}
			if u, _, err := urinorm.ParseWeb(string(job.URL)); err != nil || !r.confirms(u, &o) {
				return false, nil
			}
		}
		if !o.IsRedirect() || len(rec.Found) == 0 {
			return true, nil
		}
		id = rec.Found[0]
	}
	return false, nil
}

// confirms reports whether an answer is what was observed before, as far as the way
// to it is concerned.
func (r *run) confirms(u urinorm.URL, o *check.Outcome) bool { return !r.sameBefore(u, o).IsZero() }

// sameBefore is when another run has last observed such an answer, as far as the way
// to it is concerned; the zero time for never, and for longer ago than counts.
func (r *run) sameBefore(u urinorm.URL, o *check.Outcome) time.Time {
	if !r.looksBack() {
		return time.Time{}
	}
	known := r.observed(r.printOf(u), rules.HrefOf(u), 0)
	if known.outcome == nil || o.Code != known.outcome.Code || o.Next != known.outcome.Next {
		return time.Time{}
	}
	return known.at
}

// goesOn notes where a redirect leads that was asked, and is what it was. It is
// called before the redirect is settled, with what it leads to first among those
// found.
func (w *worker) goesOn(t *frontier.Target, o *check.Outcome) error {
	if !w.looksBack() || o.Cached || t.Internal || !o.IsRedirect() || w.found == nil || len(w.found.Targets()) == 0 {
		return nil // not one, or one too many to be gone
	}
	u, _, err := urinorm.ParseWeb(t.URL)
	next, _, err2 := urinorm.ParseWeb(o.Next)
	if err == nil && err2 == nil && w.confirms(u, o) {
		_, err = w.leads(t, w.printOf(u), w.printOf(next), false)
		return err
	}
	return nil
}

// doubt looks back from a target that was asked in this run: when it is not what it
// was, the redirects that led to it from memory are asked too. It is called when
// the target is settled, so that who comes this way later sees for himself.
func (w *worker) doubt(t *frontier.Target, o *check.Outcome) error {
	if !w.looksBack() || o.Cached || t.Internal {
		return nil
	}
	if u, _, err := urinorm.ParseWeb(t.URL); err == nil && !w.confirms(u, o) {
		return w.askWayTo(w.printOf(u))
	}
	return nil
}

// askWayTo puts the redirects that led to a target from memory back, to be asked.
func (r *run) askWayTo(fp frontier.Fingerprint) error {
	e := r.earlier
	var back []frontier.Item
	e.mu.Lock()
	for todo := []frontier.Fingerprint{fp}; len(todo) > 0; todo = todo[1:] {
		for _, s := range e.via[todo[0]] {
			if s.item != nil {
				back = append(back, *s.item)
			}
			todo = append(todo, s.from)
		}
		delete(e.via, todo[0])
	}
	e.mu.Unlock()
	if len(back) == 0 {
		return nil
	}
	_, err := r.frontier.Refer(r.always, back)
	return err
}
