package verdicts

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// skipUnchanged skips a pair without references from changed pages, unless its file itself
// was changed or removed.
func (j *judge) skipUnchanged(p *pair) {
	if j.crawl.Scope.Rules.Changed == nil || p.marks&scope.MarkChanged != 0 || p.judgement.Verdict == check.Skipped || j.changed(p) {
		return
	}
	p.judged(judging.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded, Message: scope.UnchangedNote})
}

// changed reports whether a pair's target is a file that was changed or removed, or a
// target that the user listed.
func (j *judge) changed(p *pair) bool {
	if j.targets.needs[p.id-1]&frontier.NeedListed != 0 {
		return true
	}
	u := j.details.get(p.id).url
	if site := j.crawl.Scope.Sites.Of(u); site != nil && j.crawl.Scope.Rules.Changed.Has(site.PathOf(u)) {
		return true
	}
	if p.route.end == 0 {
		return false
	}
	o := j.details.get(p.route.end).outcome
	return o.Path != "" && j.crawl.Scope.Rules.Changed.Has(o.Path)
}
