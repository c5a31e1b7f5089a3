package report

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// Exit statuses of a run. Status 2 means wrong usage; reports do not decide it.
const (
	ExitOK       = 0 // no finding at or above the fail level
	ExitFindings = 1 // findings at or above the fail level
	ExitUnsound  = 3 // the run may not have checked everything
)

// Level is the least severe kind of finding that fails a run. Each level includes the
// more severe ones.
type Level int8

const (
	FailOnNothing    Level = iota - 1
	failOnBroken           // the default
	failOnUnverified       // and broken
	failOnWarning          // and unverified and broken
)

var levelNames = []string{"none", "broken", "unverified", "warning"}

func (l Level) String() string { return levelNames[l+1] }

// fails reports whether the findings of one side reach the level.
func (l Level) fails(t result.Tally) bool {
	return l >= failOnBroken && t.Broken > 0 ||
		l >= failOnUnverified && t.Unverified > 0 ||
		l >= failOnWarning && t.Warnings > 0
}

// Policy is the fail level for internal and external links. With the zero value, any
// broken link fails a run.
type Policy struct{ Internal, External Level }

// ParseFailOn parses a list such as "internal:warning,external:broken". A level without a
// side applies to the sides that have none of their own. If a side has several levels,
// the least severe one applies, since it includes the others: "broken,unverified" means
// what it says. With "none", no finding on that side fails the run. An empty string is
// the default.
func ParseFailOn(s string) (Policy, error) {
	const both, internal, external = 0, 1, 2
	if strings.TrimSpace(s) == "" {
		return Policy{}, nil
	}
	var levels [3]Level
	var given [3]bool
	for item := range strings.SplitSeq(strings.ToLower(s), ",") {
		side, name := both, strings.TrimSpace(item)
		if prefix, rest, found := strings.Cut(name, ":"); found {
			switch name = rest; prefix {
			case "internal":
				side = internal
			case "external":
				side = external
			default:
				return Policy{}, fmt.Errorf("unknown side %q: %s", prefix, allowedValues(prefix, []string{"internal", "external"}))
			}
		}
		level, err := parseLevel(name)
		if err != nil {
			return Policy{}, err
		}
		if !given[side] || level > levels[side] {
			levels[side], given[side] = level, true
		}
	}
	for _, side := range []int{internal, external} {
		if !given[side] {
			levels[side] = levels[both]
		}
	}
	return Policy{Internal: levels[internal], External: levels[external]}, nil
}

func parseLevel(name string) (Level, error) {
	for i, n := range levelNames {
		if name == n {
			return Level(i - 1), nil
		}
	}
	return 0, fmt.Errorf("unknown fail level %q: %s", name, allowedValues(name, []string{"broken", "unverified", "warning", "none"}))
}

// String returns the policy in the syntax of ParseFailOn.
func (p Policy) String() string {
	if p.Internal == p.External {
		return p.Internal.String()
	}
	return "internal:" + p.Internal.String() + ",external:" + p.External.String()
}

// fails reports whether there are findings at or above the fail level.
func (p Policy) fails(s *result.Summary) bool {
	return p.Internal.fails(s.Internal) || p.External.fails(s.External)
}

// Excused returns the number of broken results that would fail a run with the default policy, but do not with this one.
func (p Policy) Excused(s *result.Summary) (n int) {
	if p.Internal < failOnBroken {
		n += s.Internal.Broken
	}
	if p.External < failOnBroken {
		n += s.External.Broken
	}
	return n
}

// Exit returns the exit status of a run:
//
//	a start target could not be read   3 if nothing else was checked, else 1
//	the run is not sound               3, or 1 if it fails and a broken link was found; see result.Soundness
//	findings at or above the level     1
//	otherwise                          0
func (p Policy) Exit(s *result.Summary) int {
	fails := p.fails(s)
	switch failed := len(s.StartFailed); {
	case failed > 0 && s.Checked() <= failed:
		return ExitUnsound
	case failed > 0:
		return ExitFindings
	case !s.Soundness.IsSound() && !(fails && s.Broken > 0):
		return ExitUnsound
	case fails:
		return ExitFindings
	}
	return ExitOK
}
