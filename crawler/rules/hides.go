package rules

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Hides says which settings of a Config come from a configuration file that the user did not
// name. What they hide is counted (Summary.Hidden), because a stranger may have written the file.
type Hides struct {
	Exclude, IgnoreFragment, Levels int  // how many of these come from the file; they are the first ones
	SkipReserved, Accept            bool // these do
	Rules                           bool // all rules do
}

// Strict returns a copy of the configuration without what the file says to hide: its levels, the
// statuses and fragments that it accepts, and the verdicts of its rules. It decides about the
// results of a crawl, not about what is requested.
func (c *Config) Strict() *Config {
	if c.Judging.Hides == nil {
		return c
	}
	strict := *c
	strict.Judging.IgnoreFragment = c.Judging.IgnoreFragment[min(c.Judging.Hides.IgnoreFragment, len(c.Judging.IgnoreFragment)):]
	strict.Judging.Levels = c.Judging.Levels[min(c.Judging.Hides.Levels, len(c.Judging.Levels)):]
	if c.Judging.Hides.Accept {
		strict.Judging.Accept = nil
	}
	if c.Judging.Hides.Rules {
		strict.Judging.Rules = slices.Clone(c.Judging.Rules)
		for i := range strict.Judging.Rules {
			r := &strict.Judging.Rules[i]
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
func (c *Config) HidesBecause(message string) bool {
	if c.Judging.Hides == nil {
		return false
	}
	for _, re := range c.Scope.Exclude[:min(c.Judging.Hides.Exclude, len(c.Scope.Exclude))] {
		if message == excludedBy+re.String() {
			return true
		}
	}
	if c.Judging.Hides.SkipReserved && strings.HasSuffix(message, reservedNote) {
		return true
	}
	return c.Judging.Hides.Rules && slices.ContainsFunc(c.Judging.Rules, func(r Rule) bool { return r.Verdict == "ignore" && message == excludedBy+r.Name })
}

// IsHidden reports whether one judgement hides what a stricter one reports: it is less severe, or
// has fewer warnings that count. reported is false if it is not reported at all.
func IsHidden(strict, g *check.Judgement, reported bool) bool {
	if !reported {
		return severity(strict) > 0
	}
	return severity(g) < severity(strict) || severity(g) == severity(strict) && countedWarnings(g) < countedWarnings(strict)
}

// severity orders judgements: broken is 3, and what is no finding is 0.
func severity(g *check.Judgement) int {
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

func countedWarnings(g *check.Judgement) (n int) {
	for i := range g.Warnings {
		if w := &g.Warnings[i]; !w.IsInfo() && !w.IsVerdict(g.Code) {
			n++
		}
	}
	return n
}
