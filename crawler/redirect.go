package crawler

import (
	"context"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// follow enters the target a redirect leads to, unless the chain is too long.
func (v *visit) follow(ctx context.Context, a *answer) error {
	t, o := v.t, a.o
	if t.Hops >= v.run.cfg.MaxRedirects {
		return nil
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		o.Code, o.Message = check.CodeRedirectInvalid, "the Location is no URL"
		return nil
	}
	if to, origin, err := v.run.door.Scope().Remapped(rules.HrefOf(next)); origin != "" {
		if err != nil {
			o.Code, o.Message, o.Next = check.CodeRedirectInvalid, rules.LocationRemapped+origin+": "+rules.ErrRemapped.Error(), ""
			return nil
		}
		next, o.Next, o.Message = to, to.String(), rules.LocationRemapped+origin
	}
	if len(o.Next) > rules.MaxReference {
		o.Code, o.Next = check.CodeRedirectInvalid, ""
		o.Message = fmt.Sprintf("the Location is longer than %d bytes", rules.MaxReference)
		return nil
	}
	if t.Seed {
		v.run.door.Widen(next)
		if err := v.run.shared.publish(factScope, next.String()); err != nil {
			return err
		}
	}
	href := rules.HrefOf(next)
	fate, followed := v.redirectFate(href)
	if !followed {
		o.Code, o.Message = check.CodeRedirectInvalid, "it redirects to "+urinorm.Redact(o.Next)+", which no browser would follow"
		return nil
	}
	if fate.Outcome == nil && v.run.listsSitemap(v.u) {
		v.listSitemap(next)
		fate.Need |= frontier.NeedLinks | frontier.NeedContent
		fate.Wave = min(fate.Wave, v.run.door.Scope().Wave(t.Depth))
	}
	page := v.finds()
	fp := page.Fingerprint(href)
	if v.run.memory.Any() && fate.Outcome == nil && fate.Need&frontier.NeedContent == 0 {
		fate.Outcome = v.run.memory.StandsFor(fp, href, fate, nil, v.run.door.Scope())
	}
	page.Enter(fp, href,
		frontier.Job{URL: href.Document(), Internal: fate.Internal, Page: fate.Page, Depth: t.Depth, Hops: t.Hops + 1}, fate)
	if fate.Outcome != nil {
		return nil
	}
	return v.unwind(ctx, a, next)
}

// redirectFate decides how the target of a redirect is treated; false for a redirect
// that no browser would follow.
func (v *visit) redirectFate(next rules.Href) (fate rules.Fate, followed bool) {
	t := v.t
	kind := extract.Resource
	if t.Follow || t.Page {
		kind = extract.Navigation
	}
	if next.IsHTTP() {
		fate = v.run.door.Scope().Decide(next, kind, t.Depth, false)
	} else {
		fate = v.finds().Redirected(next, kind, t.Depth)
		if rules.HrefOf(v.u).IsHTTP() && fate.Outcome == nil || string(next.Scheme()) == "file" {
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

// unwind follows the redirects of a cycle again, with the cookies set so far
// (admit.Cycles). If the chain ends this time, its end is the answer of the target.
func (v *visit) unwind(ctx context.Context, a *answer, next urinorm.URL) error {
	run, t := v.run, v.t
	set := len(a.resp.Header["Set-Cookie"]) > 0
	if set {
		if err := run.shared.publish(factCookied, t.Host); err != nil {
			return err
		}
	}
	if !run.door.Cycles.Touched(t.Host, next.Authority(), set) {
		return nil
	}
	ids, err := run.frontier.Refer(run.always, v.finds().Targets())
	if err != nil {
		return err
	}
	if ids[0] == t.ID() {
		return nil // to itself: that was tried
	}
	cycle, err := run.door.Cycles.Closes(run.always, run.cfg.Store, t.ID(), ids[0], run.cfg.MaxRedirects+1)
	if err != nil || !cycle {
		return err
	}
	for hops := 0; hops <= run.cfg.MaxRedirects; hops++ {
		if !rules.HrefOf(next).IsHTTP() || run.sessions.of(next) != v.session {
			return nil
		}
		by, err := run.door.Decide(ctx, admit.Ask{URL: next, For: admit.Hop, Of: &v.target})
		v.worker.tally.count(countRequests, by.Requests)
		if err != nil {
			return err
		}
		if by.Outcome != nil {
			o := *by.Outcome // others may have the same
			o.Requests = a.o.Requests
			*a = answer{o: &o, sent: admit.Response{Rest: a.sent.Rest}}
			v.restart(v.page)
			return nil
		}
		location, ended, err := v.hop(ctx, a, by, next)
		if ended || err != nil {
			return err
		}
		if next, _, err = urinorm.ParseWeb(location); err != nil {
			return nil
		}
		if to, origin, err := run.door.Scope().Remapped(rules.HrefOf(next)); origin != "" {
			if err != nil {
				return nil
			}
			next = to
		}
		if len(next.String()) > rules.MaxReference {
			return nil
		}
	}
	return nil
}

// hop requests a hop of a cycle. If it leads on, hop returns where. Otherwise it is the answer
// of the target.
func (v *visit) hop(ctx context.Context, a *answer, by admit.Decision, at urinorm.URL) (location string, ended bool, err error) {
	run := v.run
	internal, _ := run.door.Scope().Internal(rules.HrefOf(at))
	req, _ := run.door.Request(at, internal)
	if _, fragment := at.Fragment(); v.t.Content || fragment || run.door.Scope().Compares(v.u) || run.cfg.Inspector.Scans(internal) {
		req.Need = fetch.Content
	}
	resp, err := run.door.Send(ctx, by, req)
	if err != nil {
		return "", true, err
	}
	defer resp.Close()
	seen := resp.Observe(check.Question{URL: at})
	seen.Requests += a.o.Requests
	if resp.Fault != nil {
		a.o.Requests = seen.Requests
		return "", true, nil
	}
	if seen.Code == check.CodeRedirect {
		a.o.Requests = seen.Requests
		return seen.Next, false, nil
	}
	v.restart(rules.HrefOf(at))
	if seen.Code == check.CodeOK && resp.Body != nil {
		seen, _ = read(ctx, v, at, resp.Response, seen)
	}
	*a = answer{o: &seen, sent: admit.Response{Rest: a.sent.Rest}}
	return "", true, nil
}
