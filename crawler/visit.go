package crawler

import (
	"context"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// visitor visits targets: it decides, asks what earlier runs observed, sends requests and lets the
// answers be read. What a visit brings is a settlement.
type visitor struct {
	store        frontier.Store
	politeness   *Politeness
	maxRedirects int
	renderedBy   string          // the browser and its settings
	always       context.Context // not cancelled with the run
	door         *admit.Door
	frontier     *frontier.Frontier
	memory       *recall.Memory // what earlier runs observed; nil without a cache
	facts        crew.Facts
	sessions     *signin.Sessions[settlement]
	reader       *reading.Reader
}

// answer is what a request has brought.
type answer struct {
	reading.Reading // of what answered: the target, or the end of a cycle that cookies have ended

	sent      admit.Response // to the request; of the end of a cycle, only the rest of the host
	beside    int            // requests that were sent, but are not part of the outcome
	wait      time.Duration  // how long the target must wait for robots.txt before it is visited again; 0 if it need not
	asked     recall.Request // what earlier runs observed
	unchanged bool           // the document is what they observed
}

// target returns the target of a lease, in the memory of a worker. If its URL is none, invalid is
// the outcome.
func (v *visitor) target(w *workspace, t *frontier.Target) (target *admit.Target, invalid *judging.Outcome, err error) {
	target = &w.target
	*target = admit.Target{Target: t}
	if target.Past, err = frontier.DecodePast(t.Lease.Note); err != nil {
		return nil, nil, fmt.Errorf("visit target %d: %w", t.Lease.ID, err)
	}
	if target.At, _, err = urinorm.ParseWeb(t.URL); err != nil {
		return target, scope.Skip(check.CodeURIInvalid, err.Error()), nil
	}
	target.View, target.Rendered = v.reader.Browser.IsView(target.At), v.rendered(target)
	if !t.Render {
		return target, nil, nil
	}
	if v.frontier.Sharing() != nil {
		target.Again = t.Lease.Again
	} else if v.reader.Browser != nil {
		var known frontier.Record
		known, err = v.store.Get(v.always, t.Lease.ID, frontier.PartOutcome)
		target.Again = len(known.Outcome) > 0 // it was settled before
	}
	return target, nil, err
}

// rendered says how a browser renders a target, for what is kept for later runs.
func (v *visitor) rendered(t *admit.Target) string {
	if v.memory == nil || v.reader.Browser == nil || !t.Follow {
		return ""
	}
	mode := v.door.Scope().RenderModeOf(v.door.Scope().Print.URL(t.At))
	if mode <= scope.RenderNever {
		return ""
	}
	return fmt.Sprint(mode, "\x00", v.renderedBy)
}

// visit requests a target, unless its outcome is known without a request. A fault of the target is
// its outcome. An error means that the run cannot continue, or that another process has the target
// (frontier.ErrStale). The caller ends the use of what was found, in any case.
func (v *visitor) visit(ctx context.Context, w *workspace, t *admit.Target) (s settlement, err error) {
	s, by, err := v.decide(ctx, t)
	if err != nil || !by.Admitted() {
		return s, err
	}
	if s, err = v.stands(s); s.Outcome != nil || err != nil {
		return s, err
	}
	if s.Again, err = v.door.Locate(ctx, t); s.Again || err != nil {
		v.notBegun(t)
		return s, err
	}
	s.Past.Asked = true
	if v.door.Scope().Sites.Of(t.At) != nil { // there is no network to wait for
		w.Slot.Take()
	}
	if err := v.frontier.Sharing().Begin(ctx, t.Target); err != nil {
		return s, err
	}
	s.Began = time.Now()
	a, err := v.ask(ctx, w, t, by)
	s.Content, s.Gaps = a.Content, a.Gaps
	if err != nil || ctx.Err() != nil {
		return s, err
	}
	s.Counts.Add(&a.Counts)
	s.Counts.Of[stored.Requests] += a.Outcome.Requests + a.beside
	if s.Wait = a.wait; s.Wait > 0 {
		return s, nil
	}
	o := a.Outcome
	o.Elapsed = time.Since(s.Began)
	if a.unchanged {
		s.Earlier, o.Elapsed = a.asked.Earlier(), a.asked.Elapsed(a.sent.Response, o.Elapsed)
		s.Cheap = a.sent.LocalFile() != ""
	}
	s.Outcome, s.Rest = &o, a.sent.Rest
	s.NoStore = v.memory != nil && a.sent.Response != nil && recall.NoStore(a.sent.Response.Header)
	s.Kept = v.memory.Learn(a.asked, recall.Answer{Outcome: &o, Response: a.sent.Response, Page: a.Kept, Unchanged: a.unchanged,
		Views: v.reader.Browser.HasViews(t.At), InStore: s.IsPage && len(s.Page.About) > 0}, v.door.Scope())
	if !s.IsPage {
		v.notBegun(t)
	}
	if s.Note, err = v.door.Observe(t, &o, s.Began, a.sent); err != nil {
		return s, err
	}
	if t.Session {
		s.Held = v.sessions.Of(t.At).Answered(s.Held, t.At, &a.Outcome, a.SignIn, a.sent.Response)
	}
	return s, nil
}

// ask sends the request for a target and reads the parts of the answer that are needed.
func (v *visitor) ask(ctx context.Context, w *workspace, t *admit.Target, by admit.Decision) (a answer, err error) {
	a.At = t.At
	if t.At.Scheme() == "mailto" {
		a.Outcome = v.door.Scope().Judging.Mail(traffic.WithAsker(ctx, traffic.Asker{URL: t.At, Visit: true}), t.At)
		return a, nil
	}
	req, err := v.request(ctx, t)
	if err != nil {
		return a, err
	}
	a.asked, a.beside = v.condition(ctx, t, req)
	resp, err := v.door.Send(ctx, by, req)
	if err != nil {
		return a, err
	}
	defer resp.Close()
	question := judging.Question{URL: t.At}
	if a.sent = resp; resp.Response != nil {
		a.beside -= resp.Kept // they were counted for another answer
		question.Conditional = resp.Conditional
	}
	a.Outcome = resp.Observe(question)
	switch {
	case resp.Response == nil:
		return a, nil
	case a.Outcome.Code == check.CodeRedirect:
		return v.follow(ctx, w, t, a)
	case resp.Body != nil:
		if a, err = v.receive(ctx, w, t, a); err != nil {
			return a, err
		}
	}
	if a.Outcome.Code == check.CodeOK && v.door.Scope().Judging.CheckHTTPS {
		w.Slot.Release() // the network is slower than other workers
		found, sent, deciding, err := v.door.Twin(ctx, t)
		a.Outcome = a.Outcome.After(a.Outcome.Requests + sent)
		a.beside += deciding
		if found != nil {
			a.Outcome.Warn(*found)
		}
		return a, err
	}
	return a, nil
}

// request returns the request for a target, and lets its host have the pace that the user's rules
// say.
func (v *visitor) request(ctx context.Context, t *admit.Target) (*fetch.Request, error) {
	req, rule := v.door.Request(t.At, t.Internal)
	if t.Content || v.door.Scope().JudgesContent(t.At, req.Internal) || rule != nil && len(rule.BrokenTexts) > 0 || v.door.Scope().Judging.Inspector.Needs().Scans(req.Internal) {
		req.Need = fetch.Content
	}
	if t.Content && !t.Follow {
		req.Origin = v.door.Scope().CORS.Origin(t.At)
	}
	req.Final = t.Past.Tries >= v.politeness.Retries
	if rule == nil || rule.Rate == 0 {
		return req, nil
	}
	return req, v.frontier.Hosts().Limit(ctx, t.Host, time.Duration(float64(time.Second)/rule.Rate))
}

// receive reads as much of an answer's body as is needed.
func (v *visitor) receive(ctx context.Context, w *workspace, t *admit.Target, a answer) (answer, error) {
	switch {
	case a.Outcome.Code != check.CodeOK:
		a.Outcome = v.reader.Documents.Excerpt(a.sent.Response, a.Outcome)
		return a, nil
	case a.asked.Unchanged(a.sent.Response) && !v.reader.ReadElsewhere(t, t.At, a.sent.Response):
		known, err := a.asked.Known, error(nil)
		a.unchanged = true
		if a.Reading, err = v.reader.Restore(t, known, a.sent.Response, v.memory.Restore(known, &a.Outcome)); err != nil {
			return a, err
		}
	default:
		a.Reading = v.reader.ReadAnswer(ctx, &w.Workspace, t, t.At, a.sent.Response, a.Outcome)
	}
	if !v.door.Scope().Rules.Sitemaps || !t.Seed || !t.Follow || !scope.HrefOf(t.At).IsHTTP() || v.door.Scope().Sites.Of(t.At) != nil {
		return a, nil
	}
	w.Slot.Release()
	return v.enterSitemaps(ctx, t, a)
}
