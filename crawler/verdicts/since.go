package verdicts

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// since drops the finding on a pair that no reference of a changed page has, unless the
// file itself was changed or removed.
func (j *judge) since(p *pair) {
	if j.Config.Changed == nil || p.marks&rules.MarkChanged != 0 || p.judgement.Verdict == check.Skipped || j.changed(p) {
		return
	}
	p.judgement = check.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: rules.UnchangedNote}
}

// changed reports whether a pair's target is a file that was changed or removed, or
// what the user named.
func (j *judge) changed(p *pair) bool {
	if j.needs[p.id-1]&frontier.NeedListed != 0 {
		return true
	}
	u := j.dossiers.get(p.id).url
	if site := j.Scope.SiteOf(u); site != nil && j.Config.Changed(site.PathOf(u)) {
		return true
	}
	if p.route.end == 0 {
		return false
	}
	o := j.dossiers.get(p.route.end).outcome
	return o.Path != "" && j.Config.Changed(o.Path)
}
