package verdicts

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// addWarnings adds the warnings that the marks of a pair's references stand for, and the one
// that its URL alone is reason for. That a link leads out of the published directory, or uses
// http, is reported even if the target is left out as external.
func (j *judge) addWarnings(p *pair) {
	if p.judgement.Verdict == check.Skipped {
		if p.judgement.Code == check.CodeExternal {
			p.warn(marked(p.marks & scope.MarkOutsideBase)...)
			j.requireHTTPS(p)
		}
		return
	}
	p.warn(marked(p.marks)...)
	j.requireHTTPS(p)
	for e := extract.ExpectImage; e <= extract.ExpectStyle; e++ {
		if p.expects&(1<<e) == 0 {
			continue
		}
		if w, wrong := j.mismatch(p, e); wrong {
			p.warn(w)
		}
	}
}

// warn adds warnings to the judgement of a pair.
func (p *pair) warn(w ...check.Warning) {
	if len(w) > 0 {
		g := p.own()
		g.Warnings = append(g.Warnings, w...)
	}
}

// requireHTTPS adds the warning that a link uses http, unless --check-https has done it.
func (j *judge) requireHTTPS(p *pair) {
	isInsecureHTTP := func(w check.Warning) bool { return w.Code == judging.CodeInsecureHTTP }
	if j.crawl.Judging.RequireHTTPS && j.targets.of(p.id)&suspect != 0 && j.crawl.isInsecure(&j.details.get(p.id).job) && !slices.ContainsFunc(p.judgement.Warnings, isInsecureHTTP) {
		p.warn(check.Warning{Code: judging.CodeInsecureHTTP, Message: "the link uses http, and --require-https asks for https"})
	}
}

// setLevels applies the levels that the user has set to a complete judgement.
func (j *judge) setLevels(p *pair) {
	if len(p.ruleLevels) == 0 && len(j.crawl.Judging.Levels) == 0 {
		return
	}
	g := p.own()
	var before judging.Judgement
	if j.strict != nil {
		before = copyOf(g)
	}
	p.off = !g.SetLevels(j.levelsOf(p.ruleLevels, p.route.internal))
	if j.strict != nil {
		var byRule check.Levels
		if !j.crawl.Judging.Hides.Rules {
			byRule = p.ruleLevels
		}
		reported := before.SetLevels(j.strict.levelsOf(byRule, p.route.internal))
		p.hidden = p.hidden || reported && scope.IsHidden(&before, g, !p.off)
	}
}

// mismatch returns the warning that a target does not have the type that a link expects.
func (j *judge) mismatch(p *pair, e extract.Expect) (check.Warning, bool) {
	if e == extract.ExpectAny || p.judgement.Verdict != check.OK && p.judgement.Level == "" || p.route.end == 0 {
		return check.Warning{}, false
	}
	return judging.MismatchWarning(e, j.details.get(p.route.end).outcome.ContentType)
}

// unaffected returns the codes of the pair's warnings that come from the marks of other
// references, but not from this mark.
func (j *judge) unaffected(p *pair, mark uint64) string {
	expect := extract.Expect(mark & scope.MarkExpect)
	own, others := marked(mark), marked(p.marks)
	if w, wrong := j.mismatch(p, expect); wrong {
		own = append(own, w)
	}
	others = append(others, check.Warning{Code: judging.CodeContentTypeMismatch})
	var codes []string
	for _, w := range others {
		has := func(o check.Warning) bool { return o.Code == w.Code }
		if slices.ContainsFunc(p.judgement.Warnings, has) && !slices.ContainsFunc(own, has) {
			codes = append(codes, string(w.Code))
		}
	}
	return strings.Join(codes, " ")
}

// marked returns the warnings that marks stand for.
func marked(marks uint64) []check.Warning {
	var all []check.Warning
	if repairs := urinorm.Repairs(marks >> scope.MarkRepairs); repairs != 0 {
		all = judging.RepairWarnings(repairs)
	}
	if marks&scope.MarkMixed != 0 {
		all = append(all, check.Warning{Code: check.CodeMixedContent, Message: "a page served over https loads it over http"})
	}
	if marks&scope.MarkOutsideBase != 0 {
		all = append(all, check.Warning{Code: check.CodeOutsideBase, Message: "the target is on the published host, but not under the base URL"})
	}
	if marks&scope.MarkCandidate != 0 {
		all = append(all, check.Warning{Code: judging.CodeSrcsetInvalid, Message: "browsers ignore this image of the srcset: its width or density is invalid"})
	}
	return all
}
