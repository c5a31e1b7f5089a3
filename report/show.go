package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Show is a set of what a report lists. The counts of its summary do not depend
// on it.
type Show uint8

// A verdict's bit is 1 << verdict. ShowWarning lists targets with warnings,
// whatever their verdict. ShowInfo lists what is information only, such as
// temporary redirects: alone it lists no target, for information is not a
// finding. ShowKnown lists what a baseline has in every format; without it those
// that show people what to mend leave it out (see [Format.NewOnly]).
const (
	ShowOK         Show = 1 << check.OK
	ShowBroken     Show = 1 << check.Broken
	ShowUnverified Show = 1 << check.Unverified
	ShowSkipped    Show = 1 << check.Skipped
	ShowWarning    Show = 1 << 4
	ShowInfo       Show = 1 << 5
	ShowKnown      Show = 1 << 6

	ShowDefault = ShowBroken | ShowUnverified | ShowWarning
	ShowAll     = ShowDefault | ShowOK | ShowSkipped | ShowInfo | ShowKnown
)

// showWords are in the order they are printed.
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

// ParseShow reads a list of verdicts and "warning", separated by commas; "all" is
// everything. "known" alone adds what a baseline has to the usual.
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
			return 0, fmt.Errorf("%q cannot be shown: %s", word, oneOf(word, []string{"broken", "unverified", "warning", "ok", "skipped", "known", "all"}))
		}
	}
	if set == ShowKnown {
		set |= ShowDefault
	}
	return set, nil
}

// String writes the set as ParseShow reads it.
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

func (s Show) orDefault() Show {
	if s == 0 {
		return ShowDefault
	}
	return s
}

// result tells whether r is listed.
func (s Show) result(r *crawler.Result) bool {
	return s&(1<<r.Verdict) != 0 ||
		s&ShowWarning != 0 && slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return !isInfo(w.Code) })
}

// warning tells whether a warning of a listed result is listed: what is
// information only when all is.
func (s Show) warning(w check.Warning) bool {
	return s&ShowInfo != 0 || !isInfo(w.Code)
}

// isInfo tells codes that are no finding.
func isInfo(code check.Code) bool {
	entry, ok := check.Lookup(code)
	return ok && entry.Severity == check.SeverityInfo
}

func isFinding(v check.Verdict) bool { return v == check.Broken || v == check.Unverified }
