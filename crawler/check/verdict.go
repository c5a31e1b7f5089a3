package check

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is what we say of a target. A build goes red only on evidence.
type Verdict uint8

const (
	// OK: it is there, and so is the fragment.
	OK Verdict = iota
	// Broken: proven that it is not there, or that no reader could use it.
	Broken
	// Unverified: it could not be told.
	Unverified
	// Skipped: not checked, by a rule that is named.
	Skipped
)

var verdictNames = [...]string{"ok", "broken", "unverified", "skipped"}

func (v Verdict) String() string { return verdictNames[v] }

// ParseVerdict reads a verdict's name.
func ParseVerdict(s string) (Verdict, error) {
	for i, name := range verdictNames {
		if s == name {
			return Verdict(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a verdict: use ok, broken, unverified or skipped", s)
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(b []byte) (err error) {
	*v, err = ParseVerdict(string(b))
	return err
}

// Warning is something about a target that is there, and that a person should know.
type Warning struct {
	Code     Code   `json:"code"`
	Message  string `json:"message"`
	Proposal string `json:"proposal,omitempty"` // the URL to use instead
}

// Suggestion is a URL that may have been meant.
type Suggestion struct {
	URL string `json:"url"`
	Why string `json:"why"`
	// Unique is true when nothing else is as close, so that a program may write it
	// into the reference.
	Unique bool `json:"unique,omitempty"`
}

// archivedCopy is how the reason of a suggestion begins that leads to an archive.
const archivedCopy = "archived copy"

// ArchivedCopy suggests a copy of a page as it was on a day; the zero time is unknown.
func ArchivedCopy(url string, made time.Time) Suggestion {
	s := Suggestion{URL: url, Why: archivedCopy}
	if !made.IsZero() {
		s.Why += " of " + made.Format(time.DateOnly)
	}
	return s
}

// IsArchived reports whether a suggestion leads to a copy in an archive, rather than
// to what was probably meant.
func IsArchived(s Suggestion) bool { return strings.HasPrefix(s.Why, archivedCopy) }

// Judgement is the verdict on one target with one fragment.
type Judgement struct {
	Verdict  Verdict
	Code     Code
	Message  string
	Warnings []Warning
}
