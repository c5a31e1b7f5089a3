package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// SoundnessOf returns how far the result of a run can be relied on, from its counts, its gaps, and
// the number of pages without links and text. A run that left something out is partial. In any other run each link has a verdict, and the first case that applies
// decides; a link is verified if it is ok or broken.
//
//	no named target could be read         unsound: nothing else was checked
//	a site of pages without links, all
//	of them empty or filled by scripts    unsound: that is how a site made by scripts looks;
//	                                      sound if content checks looked at its pages
//	a directory of several pages, none
//	of which has a link                   unsound: its links are in a form that is not read
//	a link was verified                   sound; a named target that answered is one
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
func SoundnessOf(s *Summary, gaps result.GapCounts, blank int) result.Soundness {
	broken, unverified := s.BrokenTargets()
	checked := s.Checked()
	limited := s.ByCode[check.CodeInterrupted] + s.ByCode[check.CodeLimit]
	if gaps.First() != check.NoGap {
		return result.LeftOut(gaps, checked, checked+limited)
	}
	byUser := s.ByCode[check.CodeExcluded] + s.ByCode[check.CodeExternal]
	unasked := s.Skipped - byUser - s.ByCode[check.CodeSchemeUnchecked]
	switch {
	case len(s.StartFailed) > 0 && checked <= len(s.StartFailed):
		return result.NotSound("nothing was checked: no start target could be read")
	case s.Crawled && s.NoLinks() && s.Findings == nil && !s.Narrowed && (blank >= s.Pages || s.Pages > 1 && s.OK == 0):
		return result.NotSound("nothing was checked: no link was found")
	case s.OK-s.StartDocuments+broken > 0:
		return result.Soundness{}
	case unverified+max(unasked, 0) > 0:
		return result.NotSound("no link could be verified: %s", unverifiedCodes(s))
	case s.Narrowed || s.OK > 0:
		return result.Soundness{}
	case s.Pages == 0:
		return result.NotSound("nothing was checked: no document that can be read for links was found")
	case byUser > 0:
		return result.NotSound("nothing was checked: every link was excluded by a rule; --show all names the rules")
	}
	return result.Soundness{}
}

// unverifiedCodes counts the codes of links that could not be verified: "2 rate-limited, 1
// timeout".
func unverifiedCodes(s *Summary) string {
	var counts []string
	for _, code := range slices.Sorted(maps.Keys(s.ByCode)) {
		if e, _ := check.Lookup(code); e.Internal != check.OK && e.Group == "" && code != check.CodeSchemeUnchecked {
			counts = append(counts, fmt.Sprintf("%d %s", s.ByCode[code], code))
		}
	}
	return strings.Join(counts, ", ")
}
