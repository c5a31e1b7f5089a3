package verdicts

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// isShown reports whether a judgement is selected.
func isShown(s result.Show, g *judging.Judgement) bool {
	switch {
	case g.Verdict == check.OK && s.OK, g.Verdict == check.Broken && s.Broken,
		g.Verdict == check.Unverified && s.Unverified, g.Verdict == check.Skipped && s.Skipped,
		g.Verdict == check.VerdictWarning && s.Warning, g.Verdict == check.VerdictInfo && s.Info:
		return true
	}
	for _, w := range g.Warnings {
		if w.IsInfo() && s.Info || !w.IsInfo() && s.Warning {
			return true
		}
	}
	return false
}

// omitsReferences reports whether the references of a selected judgement are left out.
func omitsReferences(s result.Show, g *judging.Judgement) bool {
	return s.SkipPageReferences && g.Verdict == check.OK && !s.OK &&
		!slices.ContainsFunc(g.Warnings, func(w check.Warning) bool { return !check.OfPage(w.Code) && (s.Info || !w.IsInfo()) })
}
