package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

// State is how far the result of a run can be relied on.
type State uint8

const (
	// Sound: every link that the user asked for was looked at.
	Sound State = iota
	// Partial: what is reported holds, but something was left out.
	Partial
	// Unsound: nothing can be concluded, although nothing was left out.
	Unsound
)

// Values of Soundness.StoppedBy that a caller may treat in its own way: the user ended the run, or
// it reached a limit of its Config.
const (
	ByInterrupt = "interrupt"
	ByMaxTime   = "max-time"
	ByMaxPages  = "max-pages"
)

// Soundness says how far the result of a run can be relied on. The zero value is that of a
// sound run. It is computed once for each run; a report has it, and all that
// depends on it, such as the exit status, is a function of it.
type Soundness struct {
	State State
	// StoppedBy is the name of the gap that matters most, "" if nothing was left out.
	StoppedBy string
	// Why says in words why the run is not sound, "" if it is.
	Why string
	// Checked of Known targets have a verdict from an observation. Both are 0 if nothing was
	// left out.
	Checked, Known int
}

// whyStartUnread says that a run could not begin. Saved reports have it in words alone.
const whyStartUnread = "nothing was checked: no start target could be read"

// Because returns the kind of reason for which the run is not sound, "" if it is sound:
// nothing-verified, start-unread, max-time, max-pages, interrupted or login.
func (s *Soundness) Because() string {
	switch g := gap.Named(s.StoppedBy); {
	case s.IsSound():
		return ""
	case g != gap.None:
		return g.Info().Because
	case s.Why == whyStartUnread:
		return "start-unread"
	}
	return "nothing-verified"
}

// IsSound reports whether the run may be called green if it has no findings.
func (s *Soundness) IsSound() bool { return s.State == Sound }

// Complete reports whether nothing was left out.
func (s *Soundness) Complete() bool { return s.State != Partial }

// Ended reports whether the run ended before the crawl was over. With a store that outlives
// the process, another run can resume it.
func (s *Soundness) Ended() bool { return gap.Named(s.StoppedBy).Info().Ends }

// Progress returns how many targets were checked, in words: "47 of 121 targets checked". It is
// "" if nothing was left out, or if the numbers are unknown.
func (s *Soundness) Progress() string {
	if s.Known == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d targets checked", s.Checked, s.Known)
}

// notSound returns the soundness of a run that left nothing out, but whose result says
// nothing for a reason.
func notSound(format string, args ...any) Soundness {
	return Soundness{State: Unsound, Why: fmt.Sprintf(format, args...)}
}

// Read returns the soundness that a saved report states.
func Read(complete bool, stoppedBy, unsound string) Soundness {
	switch {
	case !complete && unsound == "" && stoppedBy == "":
		return Soundness{State: Partial, Why: "the run is incomplete"}
	case !complete:
		s := Soundness{State: Partial, StoppedBy: stoppedBy, Why: unsound}
		if g := gap.Named(stoppedBy); g != gap.None && s.Why == "" {
			s.Why = g.Info().Title
		}
		if s.Why == "" {
			s.Why = "the run was stopped by " + stoppedBy
		}
		return s
	case unsound != "":
		return Soundness{State: Unsound, Why: unsound}
	}
	return Soundness{}
}

// SoundnessOf returns how far the result of a run that left nothing out can be relied on, from its
// counts and the number of pages without links and text. Each link has a verdict, and the first case
// that applies decides; a link is verified if it is ok or broken.
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
func SoundnessOf(s *Summary, blank int) Soundness {
	broken, unverified := s.BrokenTargets()
	checked := s.Checked()
	byUser := s.ByCode[check.CodeExcluded] + s.ByCode[check.CodeExternal]
	unasked := s.Skipped - byUser - s.ByCode[check.CodeSchemeUnchecked]
	switch {
	case len(s.StartFailed) > 0 && checked <= len(s.StartFailed):
		return notSound(whyStartUnread)
	case s.Crawled && s.NoLinks() && s.Findings == nil && !s.Narrowed && (blank >= s.Pages || s.Pages > 1 && s.OK == 0):
		return notSound("nothing was checked: no link was found")
	case s.OK-s.StartDocuments+broken > 0:
		return Soundness{}
	case unverified+max(unasked, 0) > 0:
		return notSound("no link could be verified: %s", unverifiedCodes(s))
	case s.Narrowed || s.OK > 0, s.Results > 0 && s.ByCode[check.CodeSchemeUnchecked] == s.Results: // the user named tel: alone
		return Soundness{}
	case s.Pages == 0:
		return notSound("nothing was checked: no document that can be read for links was found")
	case byUser > 0:
		return notSound("nothing was checked: every link was excluded by a rule; --show all names the rules")
	}
	return Soundness{}
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
