package crawler

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/proof"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// visit is the work on one target, from its lease to its return to the frontier.
type visit struct {
	run    *run
	worker *worker
	t      *frontier.Target
	u      urinorm.URL   // of the target
	past   frontier.Past // what earlier tries brought

	page    rules.Href       // the current document: the target, or the end of its redirects
	found   *references.Page // what it refers to; nil until something is found
	isPage  bool             // it was read for links
	sitemap admit.SitemapKind
	large   bool         // it reads a large document for links
	again   bool         // the page was settled before, and is rendered now
	report  *result.Page // what is reported to the sink

	session *signedIn  // the session that its request is part of; nil for none
	held    proof.Held // what its answer says about the session

	target       admit.Target // of the door
	robotsFailed bool         // robots.txt is unavailable after its retries, for a reason that may be temporary
}

// answer is the result of one request.
type answer struct {
	o    *check.Outcome
	sent admit.Response // to the request; of a hop that answers for it, only the rest of the host
	kept int            // requests that were counted for another answer
	wait time.Duration  // how long the visit must wait for robots.txt before it is repeated; 0 if it is over

	resp      *fetch.Response // nil when there was no answer
	recalled  recall.Request  // what earlier runs observed
	unchanged bool            // the document is what they observed
	page      *recall.Page    // what later runs need of a page that was read
}

// do requests the target and settles or defers it. A fault of the target is its
// outcome; an error means that the run cannot continue.
func (v *visit) do(ctx context.Context) (err error) {
	t := v.t
	v.target.Target = t
	defer v.run.door.Pages.End(t.Turn)
	if !t.Follow { // no page waits for it
		v.run.door.Pages.End(t.Turn)
	}
	if v.past, err = frontier.DecodePast(t.Note()); err != nil {
		return fmt.Errorf("visit target %d: %w", t.ID(), err)
	}
	if v.u, _, err = urinorm.ParseWeb(t.URL); err != nil {
		return v.settle(rules.Skip(check.CodeURIInvalid, err.Error()))
	}
	v.page = rules.HrefOf(v.u)
	if t.Render {
		if v.run.frontier.Sharing() != nil {
			v.again = t.Again()
		} else if v.again, err = v.run.rendering.knows(v.run.always, t.ID()); err != nil {
			return err
		}
	}
	defer v.release()
	defer v.worker.releaseSlot()
	v.target = admit.Target{Target: t, At: v.u, Again: v.again, View: v.run.rendering.isView(v.u), Rendered: v.run.rendered(t, v.u)}
	defer v.run.door.End(&v.target)
	by, err := gate{v}.decide(ctx)
	o := by.Outcome
	defer func() { err = cmp.Or(err, v.run.door.EndPass(&v.target)) }()
	v.target.Session = v.session != nil
	if v.target.Session {
		defer v.session.leave()
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case by.Wait > 0:
		return v.putBack(by.Wait)
	case o == nil:
		if o, err = (recollection{v}).stands(); err != nil {
			return err
		}
	}
	if o != nil {
		return v.conclude(ctx, o, 0)
	}
	v.past.Asked = true
	if v.run.door.Scope().SiteOf(v.u) != nil { // there is no network to wait for
		v.worker.takeSlot()
	}
	if err = v.run.frontier.Sharing().Begin(ctx, t); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	began := time.Now()
	a, err := v.ask(ctx, by)
	if ctx.Err() != nil {
		return nil // cut off by the run's own end: not the target's fault
	}
	if err != nil {
		return err
	}
	a.o.Elapsed = time.Since(began)
	v.worker.tally.count(countRequests, a.o.Requests-a.kept)
	if a.wait > 0 {
		return v.putBack(a.wait)
	}
	kept := v.run.memory.Learn(a.recalled, recall.Answer{Outcome: a.o, Response: a.resp, Page: a.page, Unchanged: a.unchanged,
		Views: v.run.rendering.hasViews(v.u), InStore: v.isPage && len(v.found.About) > 0}, v.run.door.Scope())
	if len(kept) > 0 {
		v.found.About = append(v.found.About, kept...)
	}
	if !v.isPage {
		v.notBegun()
	}
	v.run.adaptWorkers(ctx, a.o, began)
	if err := v.observe(&a, began); err != nil {
		return err
	}
	v.noteAnswer(&a)
	return v.conclude(ctx, a.o, a.sent.Rest)
}

// finds returns the page in which the visit collects what it finds.
func (v *visit) finds() *references.Page {
	if v.found == nil {
		v.found = v.run.pages.take()
		v.found.Reset(v.run.env, v.page, v.t.Depth)
	}
	return v.found
}

// restart discards what was found, because the visit now reads another document.
func (v *visit) restart(page rules.Href) {
	v.release()
	v.page, v.isPage, v.sitemap, v.report = page, false, admit.NoSitemap, nil
}

// endLarge lets another worker read a large document.
func (v *visit) endLarge() {
	if v.large {
		v.run.reader.EndLarge()
		v.large = false
	}
}

// release returns the memory of what was found to the pool.
func (v *visit) release() {
	defer v.endLarge()
	if v.found != nil {
		v.found.Shrink()
		v.run.pages.put(v.found)
		v.found = nil
	}
}

// ask sends the request and reads the parts of the answer that are needed.
func (v *visit) ask(ctx context.Context, by admit.Decision) (a answer, err error) {
	if v.u.Scheme() == "mailto" {
		a.o = v.mail(ctx)
		return a, nil
	}
	req, rule := v.run.door.Request(v.u, v.t.Internal)
	if v.t.Content || v.run.door.Scope().Compares(v.u) || rule != nil && len(rule.BrokenTexts) > 0 || v.run.cfg.Inspector.Scans(req.Internal) {
		req.Need = fetch.Content
	}
	req.Final = v.past.Tries >= v.run.cfg.Retries
	if rule != nil && rule.Rate > 0 {
		if err := v.run.frontier.Hosts().Limit(ctx, v.t.Host, time.Duration(float64(time.Second)/rule.Rate)); err != nil {
			return a, err
		}
	}
	a.recalled = v.run.memory.Condition(&v.target, req, v.run.door.Scope())
	if known := a.recalled.Known; known != nil && (recollection{v}).suffices(ctx, known) {
		req.Validators = known.Validators
	} else {
		a.recalled.Known = nil
	}
	resp, err := v.run.door.Send(ctx, by, req)
	if err != nil {
		return a, err
	}
	defer resp.Close()
	question := check.Question{URL: v.u}
	if a.sent, a.resp = resp, resp.Response; a.resp != nil {
		a.kept, question.Conditional = resp.Kept, resp.Conditional
	}
	observed := resp.Observe(question)
	a.o = &observed
	switch {
	case a.resp == nil:
		return a, nil
	case a.o.Code == check.CodeRedirect:
		err = v.follow(ctx, &a)
		return a, err
	case resp.Body != nil:
		if err := v.receive(ctx, &a); err != nil {
			return a, err
		}
	}
	if a.o.Code == check.CodeOK && v.run.cfg.CheckHTTPS {
		v.worker.releaseSlot() // the network is slower than other workers
		found, sent, deciding, failed := v.run.door.Twin(ctx, &v.target)
		v.worker.tally.count(countRequests, deciding)
		a.o.Requests, err = a.o.Requests+sent, failed
		if found != nil {
			a.o.Warn(*found)
		}
	}
	return a, err
}

// receive reads as much of an answer's body as is needed.
func (v *visit) receive(ctx context.Context, a *answer) (err error) {
	switch {
	case a.o.Code != check.CodeOK:
		*a.o = v.run.reader.Excerpt(a.resp, *a.o)
		return nil
	case a.o.Status == http.StatusNotModified:
		if err := (recollection{v}).restore(a); err != nil {
			return err
		}
	default:
		*a.o, a.page = read(ctx, v, v.u, a.resp, *a.o)
	}
	if v.run.cfg.Sitemaps && v.t.Seed && v.t.Follow && rules.HrefOf(v.u).IsHTTP() && v.run.door.Scope().SiteOf(v.u) == nil {
		v.worker.releaseSlot()
		a.wait, err = v.enterSitemaps(ctx)
	}
	return err
}

// mail looks up the domains of a mailto link.
func (v *visit) mail(ctx context.Context) *check.Outcome {
	var o check.Outcome
	if addresses, err := urinorm.ParseMailto(v.u.String()); err != nil {
		o = check.Invalid(err)
	} else {
		o = check.CheckMailto(ctx, v.run.cfg.Resolver, addresses.Addresses())
		v.probeMail(ctx, addresses.Addresses(), &o)
	}
	return &o
}

// probeMail asks the mail servers, if that is enabled, whether they know the addresses.
// The first refused address decides.
func (v *visit) probeMail(ctx context.Context, addresses []urinorm.Address, o *check.Outcome) {
	if v.run.cfg.MailProbe == nil || o.Code != check.CodeOK {
		return
	}
	for _, address := range addresses[:min(len(addresses), check.MaxMailDomains)] {
		if err := v.run.cfg.MailProbe(ctx, address); err != nil {
			failed := check.ObserveFault(err)
			failed.Warnings = o.Warnings
			*o = failed
			return
		}
	}
}

// observe lets the frontier adapt the host's pace to its answer.
func (v *visit) observe(a *answer, began time.Time) error {
	note, err := v.run.door.Observe(&v.target, a.o, began, a.sent)
	if note != "" {
		v.run.out.note(note)
	}
	return err
}

// settle passes the outcome to the frontier, with what was found.
func (v *visit) settle(o *check.Outcome) error {
	run, t := v.run, v.t
	defer run.door.Cycles.Settled(t.ID())
	memory, target, scope := run.memory, &v.target, run.door.Scope()
	if way := memory.Confirmed(target, o, scope); way != nil && v.found != nil && len(v.found.Targets()) > 0 { // not one redirect too many to be followed
		if _, err := (recollection{v}).follows(way); err != nil {
			return err
		}
	}
	if o.Code != "ok" && o.Code != "redirect" && run.door.Rules.CallBroken(v.u, t.Internal, o) {
		v.worker.tally.count(countBroken, 1)
	}
	v.worker.tally.count(countChecked, 1)
	v.worker.leftOut(o)
	if v.report != nil {
		v.report.Status, v.report.Elapsed, v.report.Size = o.Status, o.Elapsed, o.Size
		run.reportPage(v.report)
	}
	if o.Code == "ok" && t.Page && !t.Follow && document.IsPage(o) && run.door.Scope().SiteOf(rules.URLOf(v.page)) == nil {
		v.finds().ReadAfterAll(t)
	}
	s := frontier.Settlement{Outcome: o, Tallies: v.worker.tally.take()}
	hasFound := v.found != nil
	switch p := v.found; {
	case !hasFound:
	case run.frontier.Durable(): // another visit can use the page's memory while the store waits
		s.Page = p.About
		s.Found, s.Links = p.Detach()
		v.release()
	default:
		s.Found, s.Links, s.Page = p.Targets(), p.Encode(), p.About
	}
	if run.frontier.Durable() {
		v.worker.releaseSlot() // the store waits for the disk, and for the steps of other workers
	}
	ids, err := run.frontier.Settle(run.always, t, s)
	if err == nil {
		run.env.Forecast.Settled(t.ID(), o)
		err = run.refer(memory.Changed(target, o, scope))
	}
	if err != nil {
		return err
	}
	if hasFound {
		p := v.finds()
		if run.frontier.Sharing() == nil { // a server that loses its last second assigns them again
			p.Learn(s.Found, ids)
		}
		v.observeGrowth(s.Found, ids)
		p.Foresee(run.always, ids)
	}
	if !run.cfg.Stream {
		return nil
	}
	return run.out.streamResults(run.always, settled{t.ID(), t.Content, o, s.Found, ids}, run.pagesRead)
}
