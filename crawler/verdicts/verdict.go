package verdicts

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// judge gives pairs their verdicts.
type judge struct {
	*Crawl
	*targets
	dossiers *dossiers
}

// settle finds out where a pair's target leads and what is to be said of it.
func (j *judge) settle(p *pair) {
	p.route = j.follow(p.id)
	if p.marks&rules.MarkExcluded != 0 {
		p.open, p.judgement = false, j.excluded(p)
		return
	}
	aside := p.hasFragment && !p.linked // which the next page may change
	p.open = j.streaming && (aside || p.route.end != 0 && j.states[p.route.end-1]&open != 0)
	if p.open {
		return
	}
	p.judgement = j.verdict(p)
	// The document may have been read for others, who know nothing of the fragment.
	if v := p.judgement.Verdict; aside && (v == check.Broken || v == check.Unverified) {
		p.judgement = check.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: rules.IgnoredInline}
	}
}

// verdict judges a pair, the marks of its references aside.
func (j *judge) verdict(p *pair) check.Judgement {
	first := j.dossiers.get(p.id)
	q := check.Question{Internal: p.route.internal, Fragment: p.fragment, HasFragment: p.hasFragment,
		Accept: j.Config.Accept, IgnoreFragment: j.Config.IgnoresFragment}
	var byRules ruling
	byRules.add(j.ruleForPair(p, &first.job))
	var links []check.Redirect
	var next string
	for _, id := range p.route.hops {
		hop := j.dossiers.get(id)
		links = append(links, check.Redirect{URL: hop.url, Status: hop.outcome.Status})
		next = hop.outcome.Next
	}
	var end *check.Outcome
	var anchors check.EncodedAnchors
	final, _, _ := urinorm.ParseWeb(next)
	if p.route.end != 0 {
		d := j.dossiers.get(p.route.end)
		end, anchors, q.Local = &d.outcome, d.anchors, d.outcome.Path != ""
		if len(p.route.hops) == 0 {
			final = d.url
		} else {
			byRules.add(j.ruleFor(&d.job))
		}
	}
	q.URL = final
	if len(links) > 0 {
		q.URL = links[0].URL
	}
	for i := len(p.route.hops) - 1; i > 0; i-- {
		byRules.add(j.ruleFor(&j.dossiers.get(p.route.hops[i]).job))
	}
	if byRules.accept != nil {
		q.Accept = byRules.accept
	}
	g := check.JudgeChain(q, links, final, end, anchors, j.Config.MaxRedirects)
	if (g.Code == check.CodeFragmentMissing || g.Code == check.CodeFragmentUnverified) && j.handedOn(p) {
		g = check.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if j.needs[p.id-1]&(frontier.NeedLinked|frontier.NeedListed) == 0 && g.Verdict == check.Broken && formRefused(end) {
		g = check.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if g.Verdict != check.OK && g.Verdict != check.Skipped {
		switch byRules.verdict {
		case "broken":
			g.Verdict = check.Broken
		case "unverified":
			g.Verdict = check.Unverified
		}
	}
	g.Message = j.Print.Message(g.Message)
	g.Warnings = slices.Clone(g.Warnings)
	if (p.hasFragment || len(p.route.hops) > 0) && p.route.end != 0 && j.needs[p.route.end-1]&frontier.NeedLinks != 0 {
		// Findings about a page of ours belong to the page, which is reported in any case.
		g.Warnings = slices.DeleteFunc(g.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
	}
	for i := range g.Warnings {
		g.Warnings[i].Message = j.Print.Message(g.Warnings[i].Message)
		g.Warnings[i].Proposal = j.Print.Shorten(g.Warnings[i].Proposal)
	}
	return g
}

// ruling is what the user's rules say of a target and of what it redirects to. The
// one on the target comes first; then those nearest the answer.
type ruling struct {
	accept  *check.Statuses
	verdict string
}

// add takes what a rule says and no rule before has byRules.
func (s *ruling) add(r *rules.Rule) {
	if r == nil {
		return
	}
	if s.accept == nil {
		s.accept = r.Accept
	}
	if s.verdict == "" {
		s.verdict = r.Verdict
	}
}

// excluded is the judgement on a pair that a rule says not to look at.
func (j *judge) excluded(p *pair) check.Judgement {
	u := j.dossiers.get(p.id).url.String()
	if p.hasFragment {
		u += "#" + p.fragment
	}
	if parsed, _, err := urinorm.ParseWeb(u); err == nil {
		if o := j.Scope.Excluded(rules.HrefOf(parsed)); o != nil {
			return check.Judgement{Verdict: check.Skipped, Code: o.Code, Message: o.Message}
		}
	}
	return check.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded}
}

// handedOn reports whether a fragment that a page lacks is on the page that it hands
// its readers on to: documentation tools leave such pages behind when one moves,
// with a script that carries the fragment along.
func (j *judge) handedOn(p *pair) bool {
	if p.route.end == 0 {
		return false
	}
	next := j.next[p.route.end]
	if next == 0 || j.states[p.route.end-1]&redirects != 0 {
		return false
	}
	end := j.follow(next).end
	if end == 0 {
		return false
	}
	to := j.dossiers.get(end)
	q := check.Question{Internal: true, Fragment: p.fragment, HasFragment: true, IgnoreFragment: j.Config.IgnoresFragment}
	return to.outcome.Code == check.CodeOK && to.outcome.Read && to.outcome.JudgeIn(q, to.anchors).Verdict == check.OK
}

// formRefused reports whether an answer only says that a form's action wants what
// a form would send.
func formRefused(end *check.Outcome) bool {
	return end != nil && end.Status >= 400 && end.Status < 500 && end.Status != 404 && end.Status != 410
}

// ruleForPair returns the user's rule for a target and the place on it.
func (j *judge) ruleForPair(p *pair, job *frontier.Job) *rules.Rule {
	if len(j.Config.Rules) == 0 || job.Verbatim {
		return nil
	}
	return j.Config.MatchingRule(j.Print.Place(job, p.fragment, p.hasFragment))
}

// ruleFor returns the user's rule for a target.
func (j *judge) ruleFor(job *frontier.Job) *rules.Rule {
	if len(j.Config.Rules) == 0 || job.Verbatim {
		return nil
	}
	return j.Config.MatchingRule(j.Print.Job(job))
}
