package judging

import "github.com/orbweaver/orbweaver/crawler/check"

// Judgement is the verdict on one target with one fragment.
type Judgement struct {
	Verdict  check.Verdict
	Code     check.Code
	Message  string
	Warnings []check.Warning
	Level    check.Level // set by the user
}

// levelVerdicts are the verdicts of results with a level, most severe first.
var levelVerdicts = []struct {
	level   check.Level
	verdict check.Verdict
}{{check.LevelBroken, check.Broken}, {check.LevelUnverified, check.Unverified}, {check.LevelWarning, check.VerdictWarning}, {check.LevelInfo, check.VerdictInfo}}

// verdictOf returns the verdict of a result with the level, and false for check.LevelOff.
func verdictOf(l check.Level) (check.Verdict, bool) {
	for _, row := range levelVerdicts {
		if row.level == l {
			return row.verdict, true
		}
	}
	return check.OK, false
}

// moreSevere reports whether a verdict is worse than another one.
func moreSevere(a, b check.Verdict) bool {
	rank := func(v check.Verdict) int {
		for i, row := range levelVerdicts {
			if row.verdict == v {
				return i
			}
		}
		return len(levelVerdicts)
	}
	return rank(a) < rank(b)
}

// SetLevels applies levels to a judgement, and reports whether it is still to be reported.
// of returns the level of a code.
//
// The level of the judgement's own code replaces its verdict; check.LevelOff removes the whole
// judgement. The level of a warning is set on the warning. If it is check.LevelBroken or
// check.LevelUnverified and worse than the verdict, the warning becomes the verdict. It stays among
// the warnings, where IsVerdict tells it from others, and a finding that it replaces becomes
// a warning.
func (g *Judgement) SetLevels(of func(check.Code) check.Level) (reported bool) {
	if g.Verdict == check.Skipped {
		return true
	}
	if g.Verdict != check.OK {
		if level := of(g.Code); level != "" {
			v, ok := verdictOf(level)
			if !ok {
				return false
			}
			g.Verdict, g.Level = v, level
		}
	}
	kept := g.Warnings[:0]
	worst := -1
	verdict := g.Verdict
	for _, w := range g.Warnings {
		level := of(w.Code)
		if level == check.LevelOff {
			continue
		}
		w.Level = level
		kept = append(kept, w)
		if v, ok := verdictOf(level); ok && (v == check.Broken || v == check.Unverified) && moreSevere(v, verdict) {
			worst, verdict = len(kept)-1, v
		}
	}
	g.Warnings = kept
	if worst < 0 {
		return true
	}
	w := kept[worst]
	if g.Verdict != check.OK {
		g.Warnings = append(g.Warnings, check.Warning{Code: g.Code, Message: g.Message, Level: g.Level})
	}
	g.Verdict, g.Code, g.Message, g.Level = verdict, w.Code, w.Message, w.Level
	return true
}
