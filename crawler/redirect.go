package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// follow enters the target that a redirect leads to, unless the chain is too long, and returns what
// answers for the redirect.
func (v *visitor) follow(ctx context.Context, w *workspace, t *admit.Target, a answer) (answer, error) {
	if t.Hops >= v.maxRedirects {
		return a, nil
	}
	var next urinorm.URL
	if a.Outcome, next = scope.LeadsTo(v.door.Scope(), a.Outcome); a.Outcome.Code != check.CodeRedirect {
		return a, nil
	}
	if t.Seed && t.Follow { // a page that is only judged makes no site internal
		v.door.Widen(next)
		if err := v.facts.Publish(crew.FactScope, next.String()); err != nil {
			return a, err
		}
	}
	href := scope.HrefOf(next)
	fate, followed := v.redirectFate(t, &a.Content, href)
	if !followed {
		a.Outcome = a.Outcome.With(judging.Facts{Code: check.CodeRedirectInvalid, Message: "it redirects to " + urinorm.Redact(a.Outcome.Next) + ", which no browser would follow"})
		return a, nil
	}
	if fate.Outcome == nil && v.reader.ListsSitemap(t.At) {
		v.listSitemap(&a.Counts, next)
		fate.Need |= frontier.NeedLinks | frontier.NeedContent
		fate.Wave = min(fate.Wave, v.door.Scope().Rules.Wave(t.Depth))
	}
	page := v.reader.Page(&a.Content, t)
	fp := page.Fingerprint(href)
	if v.memory.Any() && fate.Outcome == nil && fate.Need&frontier.NeedContent == 0 {
		fate.Outcome = v.memory.StandsFor(fp, href, fate, nil, v.door.Scope())
	}
	page.Enter(fp, href,
		frontier.Job{URL: href.Document(), Internal: fate.Internal, Depth: t.Depth, Hops: t.Hops + 1}, fate)
	if fate.Outcome != nil {
		return a, nil
	}
	return v.unwind(ctx, w, t, a, next)
}

// redirectFate decides how the target of a redirect is treated; false for a redirect
// that no browser would follow.
func (v *visitor) redirectFate(t *admit.Target, found *reading.Content, next scope.Href) (fate scope.Fate, followed bool) {
	kind := extract.Resource
	if t.Follow || t.Page {
		kind = extract.Navigation
	}
	if next.IsHTTP() {
		fate = v.door.Scope().Decide(next, kind, t.Depth, false)
	} else {
		fate = v.reader.Page(found, t).Redirected(next, kind, t.Depth)
		if scope.HrefOf(t.At).IsHTTP() && fate.Outcome == nil || string(next.Scheme()) == "file" {
			return fate, false
		}
	}
	if fate.Outcome != nil {
		fate.Need |= frontier.NeedLinked
		return fate, true
	}
	if fragment, has := next.Fragment(); t.Content || has && references.WantsAnchors(fragment) {
		fate.Need |= frontier.NeedContent
	}
	if t.Seed {
		fate.Need |= frontier.NeedSeed
		if t.Follow {
			fate.Need |= frontier.NeedLinks | frontier.NeedContent
			fate.Wave = frontier.Pages
		}
	}
	return fate, true
}

// unwind follows the redirects of a cycle again, with the cookies set so far (admit.Cycles). If the
// chain ends this time, its end is the answer of the target; otherwise that is the redirect.
func (v *visitor) unwind(ctx context.Context, w *workspace, t *admit.Target, a answer, next urinorm.URL) (answer, error) {
	if closes, err := v.closes(t, &a, next); !closes || err != nil {
		return a, err
	}
	for hops := 0; hops <= v.maxRedirects; hops++ {
		if !scope.HrefOf(next).IsHTTP() || v.sessions.Of(next) != v.sessions.Of(t.At) {
			return a, nil
		}
		by, err := v.door.Decide(ctx, admit.Ask{URL: next, For: admit.Hop, Of: t})
		a.beside += by.Requests
		if err != nil {
			return a, err
		}
		if by.Outcome != nil {
			return v.instead(a, reading.Reading{Outcome: by.Outcome.After(a.Outcome.Requests), Content: reading.Content{At: t.At}}), nil
		}
		hop, err := v.hop(ctx, w, t, by, next)
		a.Outcome = a.Outcome.After(a.Outcome.Requests + hop.Outcome.Requests)
		switch {
		case err != nil || hop.sent.Fault != nil:
			return a, err
		case hop.Outcome.Code != check.CodeRedirect:
			hop.Outcome = hop.Outcome.After(a.Outcome.Requests)
			return v.instead(a, hop.Reading), nil
		}
		if hop.Outcome, next = scope.LeadsTo(v.door.Scope(), hop.Outcome); hop.Outcome.Code != check.CodeRedirect {
			return a, nil
		}
	}
	return a, nil
}

// instead returns the answer of a target for which the end of its redirects answers.
func (v *visitor) instead(a answer, end reading.Reading) answer {
	v.reader.Release(&a.Content)
	end.Counts.Add(&a.Counts)
	return answer{Reading: end, sent: admit.Response{Rest: a.sent.Rest}, beside: a.beside}
}

// closes reports whether a redirect closes a cycle that cookies may end.
func (v *visitor) closes(t *admit.Target, a *answer, next urinorm.URL) (bool, error) {
	set := len(a.sent.Header["Set-Cookie"]) > 0
	if set {
		if err := v.facts.Publish(crew.FactCookied, t.Host); err != nil {
			return false, err
		}
	}
	if !v.door.Cycles.Touched(t.Host, next.Authority(), set) {
		return false, nil
	}
	ids, err := v.frontier.Refer(v.always, a.Page.Targets())
	if err != nil || ids[0] == t.Lease.ID { // to itself: that was tried
		return false, err
	}
	return v.door.Cycles.Closes(v.always, v.store, t.Lease.ID, ids[0], v.maxRedirects+1)
}

// hop requests a hop of a cycle and reads the document, if it is one.
func (v *visitor) hop(ctx context.Context, w *workspace, t *admit.Target, by admit.Decision, at urinorm.URL) (a answer, err error) {
	internal, _ := v.door.Scope().Internal(scope.HrefOf(at))
	req, _ := v.door.Request(at, internal)
	if _, fragment := at.Fragment(); t.Content || fragment || v.door.Scope().Compares(t.At) || v.door.Scope().Judging.Inspector.Needs().Scans(internal) {
		req.Need = fetch.Content
	}
	if a.sent, err = v.door.Send(ctx, by, req); err != nil {
		return a, err
	}
	resp := a.sent
	defer resp.Close()
	a.At, a.Outcome = at, resp.Observe(judging.Question{URL: at})
	if a.Outcome.Code == check.CodeOK && resp.Response != nil && resp.Body != nil {
		a.Reading = v.reader.ReadAnswer(ctx, &w.Workspace, t, at, resp.Response, a.Outcome)
	}
	return a, nil
}
