package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Show is the set of results that a report lists. The counts of the summary do not depend
// on it.
type Show uint8

// The bit of a verdict is 1 << verdict. ShowWarning lists targets with warnings, whatever
// their verdict is. ShowInfo adds information such as temporary redirects to the targets
// that are listed; it lists no target by itself, since information is not a finding, except
// those with [check.VerdictInfo].
// ShowKnown makes every format list the findings that a baseline has; without it, formats
// with [Format.NewOnly] omit them.
const (
	ShowOK         Show = 1 << check.OK
	ShowBroken     Show = 1 << check.Broken
	ShowUnverified Show = 1 << check.Unverified
	ShowSkipped    Show = 1 << check.Skipped
	ShowWarning    Show = 1 << check.VerdictWarning
	ShowInfo       Show = 1 << check.VerdictInfo
	ShowKnown      Show = 1 << 6

	ShowDefault = ShowBroken | ShowUnverified | ShowWarning
	ShowAll     = ShowDefault | ShowOK | ShowSkipped | ShowInfo | ShowKnown
)

// showWords are in the order in which String prints them.
var showWords = []struct {
	word string
	set  Show
}{
	{"all", ShowAll},
	{"broken", ShowBroken},
	{"unverified", ShowUnverified},
	{"warning", ShowWarning},
	{"ok", ShowOK},
	{"skipped", ShowSkipped},
	{"known", ShowKnown},
}

// ParseShow parses a comma-separated list of verdicts, "warning" and "known"; "all" means
// everything. "known" alone adds the findings of a baseline to the default.
func ParseShow(s string) (Show, error) {
	var set Show
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		found := false
		for _, w := range showWords {
			if strings.EqualFold(word, w.word) {
				set |= w.set
				found = true
			}
		}
		if !found {
			return 0, fmt.Errorf("unknown kind of result %q: %s", word, allowedValues(word, []string{"broken", "unverified", "warning", "ok", "skipped", "known", "all"}))
		}
	}
	if set == ShowKnown {
		set |= ShowDefault
	}
	return set, nil
}

// String returns the set in the syntax of ParseShow.
func (s Show) String() string {
	s = s.orDefault()
	var words []string
	for _, w := range showWords {
		if s&w.set == w.set {
			words = append(words, w.word)
			s &^= w.set
		}
	}
	return strings.Join(words, ",")
}

// Shows returns the results that any output lists.
func (o *Options) Shows() Show { return o.Show.orDefault() | o.PrintedShow }

func (s Show) orDefault() Show {
	if s == 0 {
		return ShowDefault
	}
	return s
}

// Lists reports whether a result is listed.
func (s Show) Lists(r *result.Result) bool {
	return s&(1<<r.Verdict) != 0 ||
		s&ShowWarning != 0 && slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return !w.IsInfo() })
}

// ListsWarning reports whether a warning of a listed result is listed. Information is listed
// only with ShowInfo.
func (s Show) ListsWarning(w check.Warning) bool {
	return s&ShowInfo != 0 || !w.IsInfo()
}

// isFinding reports whether a verdict can fail a run.
func isFinding(v check.Verdict) bool {
	return v == check.Broken || v == check.Unverified || v == check.VerdictWarning
}
