package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// A run that is narrowed to what has changed (Config.Changed) reads every document
// all the same: only so is it known who links to a page that was removed, or to a
// heading that a changed page no longer has. What it spares is the network, and
// the reader's time: an unchanged page's links to unchanged places are neither
// asked nor told.

// unchangedNote says why a target is skipped.
const unchangedNote = "neither it nor a page that links to it has changed"

// sinceThen narrows the fate of a link: from an unchanged page nobody is asked
// over the network. A changed page with the same link asks all the same.
func (f *findings) sinceThen(o *check.Outcome, v rules.Href, s *said) *check.Outcome {
	if !f.unchanged {
		s.Mark |= markChanged
		return o
	}
	if o == nil && f.run.scope().SiteOf(rules.URLOf(v)) == nil && string(v.Scheme()) != "file" {
		return rules.Skip(check.CodeExcluded, unchangedNote)
	}
	return o
}

// since drops the finding on a pair that no reference of a changed page has, unless the
// file itself was changed or removed.
func (j *join) since(p *pair) {
	if j.r.cfg.Changed == nil || p.marks&markChanged != 0 || p.judgement.Verdict == check.Skipped || j.changed(p) {
		return
	}
	p.judgement = check.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: unchangedNote}
}

// changed reports whether a pair's target is a file that was changed or removed, or
// what the user named.
func (j *join) changed(p *pair) bool {
	if j.needs[p.id-1]&frontier.NeedListed != 0 {
		return true
	}
	u := j.dossier(p.id).url
	if site := j.r.scope().SiteOf(u); site != nil && j.r.cfg.Changed(site.PathOf(u)) {
		return true
	}
	if p.route.end == 0 {
		return false
	}
	o := j.dossier(p.route.end).outcome
	return o.Path != "" && j.r.cfg.Changed(o.Path)
}
