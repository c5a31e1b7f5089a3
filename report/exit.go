package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
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
	FailOnBroken           // the default
	FailOnUnverified       // and broken
	FailOnWarning          // and unverified and broken
)

var levelNames = []string{"none", "broken", "unverified", "warning"}

func (l Level) String() string { return levelNames[l+1] }

// fails reports whether the findings of one side reach the level.
func (l Level) fails(t crawler.Tally) bool {
	return l >= FailOnBroken && t.Broken > 0 ||
		l >= FailOnUnverified && t.Unverified > 0 ||
		l >= FailOnWarning && t.Warnings > 0
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

// Fails reports whether there are findings at or above the fail level.
func (p Policy) Fails(s *crawler.Summary) bool {
	return p.Internal.fails(s.Internal) || p.External.fails(s.External)
}

// Exit returns the exit status of a run:
//
//	a start target could not be read   3 if nothing else was checked, else 1
//	nothing was checked or verified    3, or 1 if it fails and a broken link was found; see Unsound
//	the run was cut short              3, or 1 if it fails and a broken link was found
//	findings at or above the level     1
//	otherwise                          0
func (p Policy) Exit(s *crawler.Summary) int {
	if failed := len(s.StartFailed); failed > 0 {
		if broken, unverified := brokenTargets(s); s.OK+broken+unverified <= failed {
			return ExitUnsound
		}
		return ExitFindings
	}
	fails := p.Fails(s)
	if (!s.Complete || Unsound(s) != "") && !(fails && s.Broken > 0) {
		return ExitUnsound
	}
	if fails {
		return ExitFindings
	}
	return ExitOK
}

// Unsound returns why the result of a complete run is not reliable, although each of its
// links has a verdict; "" if it is reliable. A link is verified if it is ok or broken. With
// the first reason that applies:
//
//	a crawled site has no link            unsound: that is how a site made by scripts looks;
//	                                      sound if content checks looked at its pages
//	a link was verified                   sound; the start page of a site is one
//	another link is unverified, or was
//	skipped for a reason of its own       unsound: no link could be verified
//	all others are unchanged (--since)    sound
//	nothing was read or asked             unsound
//	the user's rules skipped every link   unsound: the rules may be wrong
//	the links cannot be checked (tel:),
//	or there are none                     sound
//
// What content checks found on pages makes a run neither sound nor unsound. The documents that
// the user named are read in any case, so none of them counts as a verified link. A named
// document whose links the user's rules skip is sound, since the rules are written for more
// documents than this.
func Unsound(s *crawler.Summary) string {
	if s.Unsound != "" || !s.Complete {
		return s.Unsound
	}
	broken, unverified := brokenTargets(s)
	skippedByUser := s.ByCode[check.CodeExcluded] + s.ByCode[check.CodeExternal]
	unasked := s.Skipped - skippedByUser - s.ByCode[check.CodeSchemeUnchecked]
	switch {
	case s.Crawled && noLinks(s) && !s.Narrowed && s.Findings == nil:
		return "nothing was checked: no link was found"
	case s.OK-s.StartDocuments+broken > 0:
		return ""
	case unverified+max(unasked, 0) > 0:
		return "no link could be verified: " + unverifiedCodes(s)
	case s.Narrowed || s.OK > 0:
		return ""
	case s.Pages == 0:
		return "nothing was checked: no document that can be read for links was found"
	case skippedByUser > 0:
		return "nothing was checked: every link was excluded by a rule; --show all names the rules"
	}
	return ""
}

// brokenTargets returns the numbers of targets that are broken or unverified, without what
// content checks found on pages.
func brokenTargets(s *crawler.Summary) (broken, unverified int) {
	if s.Findings == nil {
		return s.Broken, s.Unverified
	}
	return s.Broken - s.Findings.Broken, s.Unverified - s.Findings.Unverified
}

// unverifiedCodes counts the codes of links that could not be verified: "2 rate-limited, 1
// timeout".
func unverifiedCodes(s *crawler.Summary) string {
	var counts []string
	for _, code := range slices.Sorted(maps.Keys(s.ByCode)) {
		if e, _ := check.Lookup(code); e.Internal != check.OK && e.Group == "" && code != check.CodeSchemeUnchecked {
			counts = append(counts, fmt.Sprintf("%d %s", s.ByCode[code], code))
		}
	}
	return strings.Join(counts, ", ")
}
