package report

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Exit statuses of a run. Wrong usage is 2 and no business of reports.
const (
	ExitOK       = 0 // nothing at or above the fail level
	ExitFindings = 1 // findings at or above it
	ExitUnsound  = 3 // the run cannot be trusted to have seen everything
)

// Level is the mildest kind of finding that fails a run. Each includes the graver
// ones.
type Level int8

const (
	FailOnNothing    Level = iota - 1
	FailOnBroken           // the default
	FailOnUnverified       // and broken
	FailOnWarning          // and unverified and broken
)

var levelNames = []string{"none", "broken", "unverified", "warning"}

func (l Level) String() string { return levelNames[l+1] }

// fails tells whether a side's findings reach the level.
func (l Level) fails(t crawler.Tally) bool {
	return l >= FailOnBroken && t.Broken > 0 ||
		l >= FailOnUnverified && t.Unverified > 0 ||
		l >= FailOnWarning && t.Warnings > 0
}

// Policy says what fails a run, for the site's own links and for others. The zero
// value fails on what is broken, wherever it is.
type Policy struct{ Internal, External Level }

// ParseFailOn reads a list such as "internal:warning,external:broken". A level
// without a side holds for the sides that are not named. Where several are given
// for a side, the mildest kind counts, since it includes the others: so
// "broken,unverified" reads as it looks. "none" lets a side pass whatever is found
// there. An empty string is the default.
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
				return Policy{}, fmt.Errorf("%q is no side: %s", prefix, oneOf(prefix, []string{"internal", "external"}))
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
	return 0, fmt.Errorf("%q is no fail level: %s", name, oneOf(name, []string{"broken", "unverified", "warning", "none"}))
}

// String writes the policy as ParseFailOn reads it.
func (p Policy) String() string {
	if p.Internal == p.External {
		return p.Internal.String()
	}
	return "internal:" + p.Internal.String() + ",external:" + p.External.String()
}

// Fails tells whether there are findings at or above the fail level.
func (p Policy) Fails(s *crawler.Summary) bool {
	return p.Internal.fails(s.Internal) || p.External.fails(s.External)
}

// Exit returns the exit status of a run:
//
//	a start target could not be read   3 when nothing else was checked, else 1
//	nothing was checked                3
//	cut short                          3, but 1 when it fails and a broken link was found
//	findings at or above the level     1
//	else                               0
func (p Policy) Exit(s *crawler.Summary) int {
	if failed := len(s.StartFailed); failed > 0 {
		if s.OK+s.Broken+s.Unverified <= failed {
			return ExitUnsound
		}
		return ExitFindings
	}
	fails := p.Fails(s)
	if (!s.Complete || nothingChecked(s)) && !(fails && s.Broken > 0) {
		return ExitUnsound
	}
	if fails {
		return ExitFindings
	}
	return ExitOK
}

// nothingChecked tells a run that looked at nothing: a site without a single link,
// which is what one made by scripts looks like, and documents all of whose links
// a rule left out, for the rule may be a mistake. A single document without links
// is fine, and so are links that no one can check (tel:, javascript:).
func nothingChecked(s *crawler.Summary) bool {
	if s.Crawled && noLinks(s) {
		return true
	}
	if s.OK+s.Broken+s.Unverified > 0 {
		return false
	}
	return s.Pages == 0 || s.Skipped > s.ByCode[check.CodeSchemeUnchecked]
}
