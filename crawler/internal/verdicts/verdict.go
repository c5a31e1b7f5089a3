package verdicts

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// judge determines the verdicts of pairs.
type judge struct {
	crawl   *Crawl
	targets *targets
	details *detailCache
	shared  map[check.Code]*decision // the last one with each code that pairs may share
	strict  *judge                   // without what a configuration that was not named hides; nil for none

	otherSketches int // texts of targets that another version has remembered
}

// decide determines the route and the judgement of a pair.
func (j *judge) decide(p *pair) {
	if p.ignored {
		p.route = &route{internal: j.targets.of(p.id)&internal != 0}
		p.decision = ignoredInline
		return
	}
	r := j.targets.follow(p.id)
	p.route = &r
	if j.crawl.Scope.LeavesSomeAlone() && slices.ContainsFunc(r.answers(), j.targets.isLeft) {
		p.open, p.decision = false, signsOut
		return
	}
	if p.marks&scope.MarkExcluded != 0 {
		p.open = false
		p.judged(j.excluded(p))
		return
	}
	aside := p.hasFragment && !p.linked // a later page may change that
	p.open = j.targets.streaming && (aside || p.route.end != 0 && j.targets.of(p.route.end)&pending != 0)
	if p.open {
		return
	}
	g, levels := j.verdict(p)
	if aside && (g.Verdict == check.Broken || g.Verdict == check.Unverified) {
		g = ignoredInline.judgement // the document may have been read because of links without the fragment
	}
	p.decision = j.decisionOn(g, levels)
}

// decisionOn returns a decision. Very many pairs may be ok, or missing, in the same way: they share
// one.
func (j *judge) decisionOn(g judging.Judgement, levels check.Levels) *decision {
	if levels != nil || len(g.Warnings) > 0 {
		return &decision{judgement: g, ruleLevels: levels}
	}
	g.Warnings = nil // no pair may append to the array of another
	last := j.shared[g.Code]
	if last == nil || last.judgement.Verdict != g.Verdict || last.judgement.Message != g.Message || last.judgement.Level != g.Level {
		last = &decision{judgement: g, isShared: true}
		j.shared[g.Code] = last
	}
	return last
}

// ignoredInline is the decision about a pair that inline marks exclude.
var ignoredInline = &decision{judgement: judging.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: scope.IgnoredInline}, isShared: true}

// signsOut is the decision about a pair whose target a link calls one that signs out or deletes
// something.
var signsOut = &decision{judgement: judging.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: scope.SignOutReason}, isShared: true}

// verdict judges a pair without the marks of its references. It also returns the levels that the
// user's rules set.
func (j *judge) verdict(p *pair) (judging.Judgement, check.Levels) {
	first := j.details.get(p.id)
	q := judging.Question{Internal: p.route.internal, Fragment: p.fragment, HasFragment: p.hasFragment,
		Accept: j.crawl.Judging.Accept, IgnoreFragment: j.crawl.Judging.IgnoreFragment, AnyFragment: p.marks&scope.MarkAnyFragment != 0, ExactCase: j.crawl.exactCase()}
	var byRules ruling
	byRules.add(j.ruleForPair(p, &first.job))
	fragment, hasFragment := p.fragment, p.hasFragment
	var links []judging.Redirect
	var next string
	var remapped bool
	for _, id := range p.route.hops {
		hop := j.details.get(id)
		u := hop.url
		if strings.IndexByte(next, '#') >= 0 { // the redirect before brings a fragment
			u, _, _ = urinorm.ParseWeb(next)
		}
		links = append(links, judging.Redirect{URL: u, Status: hop.outcome.Status})
		next = hop.outcome.Next
		remapped = remapped || strings.HasPrefix(hop.outcome.Message, scope.LocationRemapped)
		if _, brought, ok := strings.Cut(next, "#"); ok {
			fragment, hasFragment = brought, true
		}
	}
	var end *judging.Outcome
	var anchors judging.EncodedAnchors
	final, _, _ := urinorm.ParseWeb(next)
	if p.route.end != 0 {
		d := j.details.get(p.route.end)
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
		byRules.add(j.ruleFor(&j.details.get(p.route.hops[i]).job))
	}
	if byRules.accept != nil {
		q.Accept = byRules.accept
	}
	g := judging.JudgeChain(q, links, final, end, anchors, j.crawl.MaxRedirects)
	if (g.Code == check.CodeFragmentMissing || g.Code == check.CodeFragmentUnverified) && hasFragment && j.isOnRefreshTarget(p, fragment) {
		g = judging.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if g.Code == check.CodeDNSNotFound && j.targets.names.doubtful() {
		g.Verdict, g.Code = check.Unverified, check.CodeDNSFailure
		g.Message = "the name server says that the name does not exist, but no name at all could be resolved"
	}
	if j.targets.needs[p.id-1]&(frontier.NeedLinked|frontier.NeedListed) == 0 && g.Verdict == check.Broken && formRefused(end) {
		g = judging.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if g.Verdict == check.OK && byRules.hosts.BrokenHost(final.Host()) {
		g = judging.Judgement{Verdict: check.Broken, Code: check.CodeSoft404, Message: final.Host() + " answers, which " + byRules.hosts.Name + " calls broken"}
	}
	if g.Verdict != check.OK && g.Verdict != check.Skipped {
		switch byRules.verdict {
		case "broken":
			g.Verdict = check.Broken
		case "unverified":
			g.Verdict = check.Unverified
		}
	}
	g.Message = j.crawl.Print.Message(g.Message)
	g.Warnings = slices.Clone(g.Warnings)
	if len(p.route.hops) > 0 { // of a redirect's own warnings only one is about the link
		for _, w := range j.details.get(p.id).outcome.Warnings {
			if w.Code == judging.CodeLoginEndedBy {
				g.Warnings = append(g.Warnings, w)
			}
		}
	}
	if (p.hasFragment || len(p.route.hops) > 0) && p.route.end != 0 && j.targets.needs[p.route.end-1]&frontier.NeedLinks != 0 {
		// Warnings about the content of an internal page are reported with the page.
		g.Warnings = slices.DeleteFunc(g.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
	}
	for i := range g.Warnings {
		g.Warnings[i].Message = j.crawl.Print.Message(g.Warnings[i].Message)
		if g.Warnings[i].Proposal = j.crawl.Print.Shorten(g.Warnings[i].Proposal); remapped { // the document is meant for another address
			g.Warnings[i].Proposal = ""
		}
	}
	j.noteRole(&g, q.URL)
	j.drifted(p, &g)
	return g, byRules.levels
}

// noteRole adds to what is said of a page that a session did not open that the session was
// in use.
func (j *judge) noteRole(g *judging.Judgement, u urinorm.URL) {
	if !slices.ContainsFunc(j.crawl.Logins, func(l *session.Login) bool { return l.Covers(u) }) {
		return
	}
	const role = "; it was requested with the session, so another role may be needed"
	if g.Code == "http-401" || g.Code == "http-403" {
		g.Message += role
	}
	for i := range g.Warnings {
		if g.Warnings[i].Code == check.CodeRedirectToLogin {
			g.Warnings[i].Message += role
		}
	}
}

// ruling combines the user's rules for a target and its redirects. The rule for the target
// comes first, followed by those for the hops from the last to the first.
type ruling struct {
	accept  *check.Statuses
	verdict string
	levels  check.Levels
	hosts   *scope.Rule // that has BrokenHosts, or nil
}

// add adds the settings of a rule that no earlier rule has.
func (s *ruling) add(r *scope.Rule) {
	if r == nil {
		return
	}
	if s.accept == nil {
		s.accept = r.Accept
	}
	if s.verdict == "" {
		s.verdict = r.Verdict
	}
	if s.levels == nil {
		s.levels = r.Levels
	}
	if s.hosts == nil && len(r.BrokenHosts) > 0 {
		s.hosts = r
	}
}

// excluded returns the judgement on an excluded pair.
func (j *judge) excluded(p *pair) judging.Judgement {
	u := j.details.get(p.id).url.String()
	if p.hasFragment {
		u += "#" + p.fragment
	}
	if parsed, _, err := urinorm.ParseWeb(u); err == nil {
		v := scope.HrefOf(parsed)
		if o := j.crawl.Scope.Excluded(v); o != nil {
			return judging.Judgement{Verdict: check.Skipped, Code: o.Code, Message: o.Message}
		}
		if j.crawl.Scope.LeavesAlone(v, true, false) { // by its address, which is no mark of the reference
			return signsOut.judgement
		}
	}
	return judging.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded}
}

// isOnRefreshTarget reports whether a fragment that a page lacks is on the page that it
// refreshes to. Documentation tools leave such a page when a page moves, with a script that
// passes the fragment on.
func (j *judge) isOnRefreshTarget(p *pair, fragment string) bool {
	end := j.targets.refreshed(p.route).end
	if end == 0 {
		return false
	}
	to := j.details.get(end)
	q := judging.Question{Internal: true, Fragment: fragment, HasFragment: true, IgnoreFragment: j.crawl.Judging.IgnoreFragment, ExactCase: j.crawl.exactCase()}
	return to.outcome.Code == check.CodeOK && to.outcome.Read && to.outcome.JudgeIn(q, to.anchors).Verdict == check.OK
}

// formRefused reports whether an answer only means that a form's action expects the data of
// the form.
func formRefused(end *judging.Outcome) bool {
	return end != nil && end.Status >= 400 && end.Status < 500 && end.Status != 404 && end.Status != 410
}

// ruleForPair returns the user's rule for a target and the place on it.
func (j *judge) ruleForPair(p *pair, job *frontier.Job) *scope.Rule {
	if len(j.crawl.Judging.Rules) == 0 || job.Verbatim {
		return nil
	}
	return j.crawl.Judging.MatchingRule(j.crawl.Print.Place(job, p.fragment, p.hasFragment))
}

// ruleFor returns the user's rule for a target.
func (j *judge) ruleFor(job *frontier.Job) *scope.Rule {
	if len(j.crawl.Judging.Rules) == 0 || job.Verbatim {
		return nil
	}
	return j.crawl.Judging.MatchingRule(j.crawl.Print.Job(job))
}
