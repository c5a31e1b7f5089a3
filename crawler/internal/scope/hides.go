package scope

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Hides says which settings of a Config come from a configuration file that the user did not
// name. What they hide is counted (Summary.Hidden), because a stranger may have written the file.
type Hides struct {
	Exclude, IgnoreFragment, Levels int  // how many of these come from the file; they are the first ones
	Remaps                          int  // the same
	SkipReserved, Accept, Select    bool // these do; Select is one of the two selectors
	Rules                           bool // all rules do
}

// Strict returns a copy without what the file says to hide: its levels, the
// statuses and fragments that it accepts, and the verdicts of its rules. It decides about the
// results of a crawl, not about what is requested.
func (j *Judging) Strict() *Judging {
	if j.Hides == nil {
		return j
	}
	strict := *j
	strict.IgnoreFragment = j.IgnoreFragment[min(j.Hides.IgnoreFragment, len(j.IgnoreFragment)):]
	strict.Levels = j.Levels[min(j.Hides.Levels, len(j.Levels)):]
	if j.Hides.Accept {
		strict.Accept = nil
	}
	if j.Hides.Rules {
		strict.Rules = slices.Clone(j.Rules)
		for i := range strict.Rules {
			r := &strict.Rules[i]
			r.Accept, r.Levels = nil, nil
			if r.Verdict == "unverified" {
				r.Verdict = ""
			}
		}
	}
	return &strict
}

// HidesBecause reports whether the file is the reason why a target was skipped. message is that
// of an outcome or a judgement.
func (s *Settings) HidesBecause(message string) bool {
	hides := s.Judging.Hides
	if hides == nil {
		return false
	}
	for _, re := range s.Rules.Exclude[:min(hides.Exclude, len(s.Rules.Exclude))] {
		if message == excludedBy+re.String() {
			return true
		}
	}
	if hides.SkipReserved && strings.HasSuffix(message, reservedNote) {
		return true
	}
	return hides.Rules && slices.ContainsFunc(s.Judging.Rules, func(r Rule) bool { return r.Verdict == "ignore" && message == excludedBy+r.Name })
}

// IsHidden reports whether one judgement hides what a stricter one reports: it is less severe, or
// has fewer warnings that count. reported is false if it is not reported at all.
func IsHidden(strict, g *judging.Judgement, reported bool) bool {
	if !reported {
		return severity(strict) > 0
	}
	return severity(g) < severity(strict) || severity(g) == severity(strict) && countedWarnings(g) < countedWarnings(strict)
}

// severity orders judgements: broken is 3, and what is no finding is 0.
func severity(g *judging.Judgement) int {
	switch g.Verdict {
	case check.Broken:
		return 3
	case check.Unverified:
		return 2
	case check.VerdictWarning:
		return 1
	}
	return min(countedWarnings(g), 1)
}

func countedWarnings(g *judging.Judgement) (n int) {
	for i := range g.Warnings {
		if w := &g.Warnings[i]; !w.IsInfo() && !w.IsVerdict(g.Code) {
			n++
		}
	}
	return n
}
