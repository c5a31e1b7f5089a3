package verdicts

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// strictly returns a judge without what a configuration that was not named says to hide, or nil
// if there is no such configuration.
func (j *judge) strictly() *judge {
	if j.crawl.Judging.Hides == nil {
		return nil
	}
	strict := *j.crawl
	strict.Judging = strict.Judging.Strict()
	return &judge{crawl: &strict, targets: j.targets, details: j.details}
}

// noteHidden records whether the verdict on a pair hides what a strict judge finds.
func (j *judge) noteHidden(p *pair) {
	switch {
	case j.strict == nil || p.ignored || p.open:
	case p.judgement.Code == check.CodeExcluded:
		p.hidden = j.crawl.Scope.HidesBecause(p.judgement.Message)
	case p.judgement.Verdict != check.Skipped:
		g, _ := j.strict.verdict(p)
		p.hidden = scope.IsHidden(&g, &p.judgement, true)
	}
}

// levelsOf returns the levels of codes on one side. Those of a rule take precedence.
func (j *judge) levelsOf(byRule check.Levels, internal bool) func(check.Code) check.Level {
	return func(code check.Code) check.Level {
		if level := byRule.Of(code, internal); level != "" {
			return level
		}
		return j.crawl.Judging.Levels.Of(code, internal)
	}
}

// copyOf returns a copy of a judgement to which other levels can be applied.
func copyOf(g *judging.Judgement) judging.Judgement {
	other := *g
	other.Warnings = slices.Clone(g.Warnings)
	return other
}
