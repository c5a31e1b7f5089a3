package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/crawler/verdicts"
	"github.com/orbweaver/orbweaver/urinorm"
)

// worker is one of the run's workers.
type worker struct {
	*run
	page    rules.Href // the target at hand
	depth   int
	latency time.Duration    // until its answer began
	isPage  bool             // it was read for links
	found   *references.Page // what was found there; nil until something is
	heard   heard
	tally   tally
	busy    bool // it has one of the places for those who compute
}

// compute takes a place for those who read documents, and rest gives it back. It is
// kept until the visit is over, unless the network is asked once more.
func (w *worker) compute() {
	if !w.busy {
		w.places.take()
		w.busy = true
	}
}

func (w *worker) rest() {
	if w.busy {
		w.places.give()
		w.busy = false
	}
}

// finds is where a visit gathers what it finds.
func (w *worker) finds() *references.Page {
	if w.found == nil {
		w.found = w.pages.take()
		w.found.Reset(w.env, w.page, w.depth)
	}
	return w.found
}

// turn begins a visit, or begins it anew at another page.
func (w *worker) turn(page rules.Href, depth int) {
	w.clear()
	w.page, w.depth, w.isPage, w.latency = page, depth, false, 0
}

// clear gives back what a visit used.
func (w *worker) clear() {
	w.heard = heard{}
	if w.found != nil {
		w.found.Shrink()
		w.pages.give(w.found)
		w.found = nil
	}
}

// work visits targets until there are none, or the machine bears no more workers.
func (w *worker) work(ctx context.Context) error {
	for !w.governor.tooMany() {
		w.places.await()
		t, err := w.frontier.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return nil // the run was cancelled: what is left is reported as such
		case err != nil:
			return err
		}
		if err := w.visit(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// visit asks one target and settles or defers it. What goes wrong with the target
// is its outcome; an error means the run cannot go on.
func (w *worker) visit(ctx context.Context, t *frontier.Target) error {
	defer w.turns.end(t.Turn)
	if !t.Follow { // no page waits for it
		w.turns.end(t.Turn)
	}
	before, err := frontier.DecodePast(t.Note())
	if err != nil {
		return fmt.Errorf("visit target %d: %w", t.ID(), err)
	}
	u, _, err := urinorm.ParseWeb(t.URL)
	if err != nil {
		w.turn(rules.Href{}, t.Depth)
		return w.settle(t, rules.Skip(check.CodeURIInvalid, err.Error()))
	}
	w.turn(rules.HrefOf(u), t.Depth)
	defer w.clear()
	defer w.rest()
	o, wait, err := w.barred(ctx, t, u, before)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case wait:
		return w.wait(t, before)
	case o != nil:
		return w.conclude(t, u, o, 0, before)
	}
	if o, err := w.remembered(t, u); o != nil || err != nil {
		if err != nil {
			return err
		}
		return w.conclude(t, u, o, 0, before)
	}
	before.Asked = true
	if w.scope().SiteOf(u) != nil { // no network will be waited for
		w.compute()
	}
	began := time.Now()
	o, rest, err := w.ask(ctx, t, u)
	if ctx.Err() != nil {
		return nil // cut off by the run's own end: not the target's fault
	}
	if err != nil {
		return err
	}
	o.Elapsed = time.Since(began)
	w.count(countRequests, o.Requests)
	w.learn(t, u, o)
	if t.Follow && w.cfg.MaxPages > 0 && !w.isPage {
		w.begun.Add(-1) // it was none
	}
	if o.LocalLimit {
		if idle, ok := w.cfg.Fetch.(interface{ CloseIdleConnections() }); ok {
			idle.CloseIdleConnections()
		}
		w.governor.starved(began)
	} else if w.governor.fed() {
		w.workers.Go(func() error { return (&worker{run: w.run}).work(ctx) })
	}
	if err := w.observe(t, u, o, began, rest); err != nil {
		return err
	}
	return w.conclude(t, u, o, rest, before)
}

// observe tells the frontier how the host bore the visit.
func (w *worker) observe(t *frontier.Target, u urinorm.URL, o *check.Outcome, began time.Time, rest time.Duration) error {
	a := frontier.Answer{Started: began, Overloaded: o.Overloaded(), Repeated: t.Tries > 0, RestFor: rest, Latency: w.latency}
	if rest > w.cfg.MaxWait {
		a.RestFor, a.TooLong = 0, true
	}
	a.Silent = o.Status == 0 && o.Code != check.CodeOK && o.Code != check.CodeFileMissing && w.scope().SiteOf(u) == nil
	a.TimedOut = a.Silent && o.Code == check.CodeTimeout
	return w.frontier.Hosts().Observe(w.always, t.Host, a)
}

// ask sends the request and reads what is wanted of the answer. rest is how long
// the host asked to be left alone.
func (w *worker) ask(ctx context.Context, t *frontier.Target, u urinorm.URL) (o *check.Outcome, rest time.Duration, err error) {
	w.heard = heard{}
	if u.Scheme() == "mailto" {
		return w.mail(ctx, u), 0, nil
	}
	req, rule := w.request(u, t.Internal)
	if t.Content || w.compares(u) {
		req.Need = fetch.Content
	}
	if rule != nil && rule.Rate > 0 {
		if err := w.frontier.Hosts().Limit(ctx, t.Host, time.Duration(float64(time.Second)/rule.Rate)); err != nil {
			return nil, 0, err
		}
	}
	w.prepare(t, req)
	began := time.Now()
	resp, err := w.fetch(ctx, req)
	w.latency = time.Since(began)
	if err != nil {
		o, err := w.fault(ctx, err)
		return o, 0, err
	}
	if resp.Body != nil {
		defer resp.Body.Close()
	}
	w.heard.resp = resp
	seen := check.Observe(check.Question{URL: u, Conditional: resp.Conditional}, resp)
	o = &seen
	if o.Overloaded() {
		if d, ok := check.RetryAfter(resp.Header, time.Now()); ok {
			rest = d
		}
	}
	switch {
	case o.Code == check.CodeRedirect:
		return o, rest, w.follow(ctx, t, u, resp, o)
	case o.Code != check.CodeOK && resp.Body != nil:
		if b, ok := resp.Body.(fetch.TimeLimiter); ok {
			b.LimitTime(excerptTime)
		}
		w.recognise(resp, o)
	case o.Code == check.CodeOK && resp.Body != nil:
		if o.Status == http.StatusNotModified {
			w.unchanged(t, u, resp, o)
		} else {
			w.read(t, u, resp, o)
		}
		if w.cfg.Sitemaps && t.Seed && t.Follow && rules.HrefOf(u).IsHTTP() && w.scope().SiteOf(u) == nil {
			w.rest()
			if err := w.sitemaps(ctx, u); err != nil {
				return nil, 0, err
			}
		}
	}
	if o.Code == check.CodeOK && w.cfg.CheckHTTPS {
		w.rest()
		w.askTwin(ctx, t, u, o)
	}
	return o, rest, nil
}

// fault is the outcome of a request that brought no answer. Any other error than a
// fault ends the run.
func (w *worker) fault(ctx context.Context, err error) (*check.Outcome, error) {
	fault, ok := errors.AsType[*fetch.Fault](err)
	if !ok {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	o := check.ObserveFault(fault)
	o.LocalLimit = o.LocalLimit && exhausted(fault)
	return &o, nil
}

// mail looks up the domains of a mailto link.
func (w *worker) mail(ctx context.Context, u urinorm.URL) *check.Outcome {
	var o check.Outcome
	if addresses, err := urinorm.ParseMailto(u.String()); err != nil {
		o = check.Invalid(err)
	} else {
		o = check.CheckMailto(ctx, w.cfg.Resolver, addresses.Addresses())
		w.probeMail(ctx, addresses.Addresses(), &o)
	}
	return &o
}

// probeMail asks the mail servers, where that is wanted, whether they know the
// addresses. The first that is not taken decides.
func (w *worker) probeMail(ctx context.Context, addresses []urinorm.Address, o *check.Outcome) {
	if w.cfg.MailProbe == nil || o.Code != check.CodeOK {
		return
	}
	for _, address := range addresses[:min(len(addresses), check.MaxMailDomains)] {
		if err := w.cfg.MailProbe(ctx, address); err != nil {
			failed := check.ObserveFault(err)
			failed.Warnings = o.Warnings
			*o = failed
			return
		}
	}
}

// follow enters the target a redirect leads to, unless the chain is too long.
func (w *worker) follow(ctx context.Context, t *frontier.Target, u urinorm.URL, resp *fetch.Response, o *check.Outcome) error {
	if t.Hops >= w.cfg.MaxRedirects {
		return nil
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		o.Code, o.Message = check.CodeRedirectInvalid, "the Location is no URL"
		return nil
	}
	v := rules.HrefOf(next)
	kind := extract.Resource
	if t.Follow || t.Page {
		kind = extract.Navigation
	}
	if t.Seed {
		w.widen(next)
	}
	page := w.finds()
	var fate rules.Fate
	if v.IsHTTP() {
		fate = w.scope().Decide(v, kind, t.Depth, false)
	} else {
		fate = page.Redirected(v, kind, t.Depth)
		if rules.HrefOf(u).IsHTTP() && fate.Outcome == nil || string(v.Scheme()) == "file" {
			o.Code, o.Message = check.CodeRedirectInvalid, "it redirects to "+urinorm.Redact(o.Next)+", which no browser would follow"
			return nil
		}
	}
	if t.Content && fate.Outcome == nil {
		fate.Need |= frontier.NeedContent
	}
	if t.Seed && fate.Outcome == nil {
		fate.Need |= frontier.NeedSeed
		if t.Follow {
			fate.Need |= frontier.NeedLinks | frontier.NeedContent
			fate.Wave = frontier.Pages
		}
	}
	if fate.Outcome != nil {
		fate.Need |= frontier.NeedLinked
	}
	fp := page.Fingerprint(v)
	if w.looksBack() && fate.Outcome == nil && !t.Content {
		fate.Outcome = w.standsFor(fp, v, fate, nil)
	}
	page.Enter(fp, v,
		frontier.Job{URL: v.Document(), Internal: fate.Internal, Page: fate.Page, Depth: t.Depth, Hops: t.Hops + 1}, fate)
	if fate.Outcome != nil {
		return nil
	}
	return w.unwind(ctx, t, u, next, fate.Internal, resp, o)
}

// settle hands the outcome over, with what was found.
func (w *worker) settle(t *frontier.Target, o *check.Outcome) error {
	defer w.cycles.settled(t.ID())
	if err := w.goesOn(t, o); err != nil {
		return err
	}
	if o.Code != "ok" && o.Code != "redirect" {
		w.count(countTroubled, 1)
	}
	w.count(countChecked, 1)
	if w.heard.told != nil {
		w.tellPage(w.heard.told)
	}
	if o.Code == "ok" && t.Page && !t.Follow && isPage(o) && w.scope().SiteOf(rules.URLOf(w.page)) == nil {
		w.finds().ReadAfterAll(t)
	}
	s := frontier.Settlement{Outcome: o, Tallies: w.tally.take(w.run)}
	if p := w.found; p != nil {
		s.Found, s.Links, s.Page = p.Targets(), p.Encode(), p.About
	}
	ids, err := w.frontier.Settle(w.always, t, s)
	if err == nil {
		w.env.Forecast.Settled(t.ID(), o)
		err = w.doubt(t, o)
	}
	if err != nil {
		return err
	}
	if w.found != nil {
		w.found.Learn(ids)
		w.found.Foresee(w.always, ids)
	}
	return w.tellAsKnown(t, o, s.Found, ids)
}

// tellAsKnown tells what the settling of a target makes known.
func (w *worker) tellAsKnown(t *frontier.Target, o *check.Outcome, found []frontier.Item, ids []frontier.ID) error {
	if !w.cfg.Stream {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != nil {
		return w.stream.Settled(t.ID(), o, found, ids)
	}
	c, err := w.frontier.Count(w.always)
	if err != nil || c.Pages > 0 {
		return err
	}
	w.stream, err = verdicts.NewStream(w.always, w.judged())
	return err
}
