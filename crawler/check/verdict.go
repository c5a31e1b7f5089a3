package check

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// Verdict is the result of checking a target. Broken needs proof.
type Verdict uint8

const (
	// OK: the target and its fragment exist.
	OK Verdict = iota
	// Broken: it is proven that the target does not exist, or that no reader can use it.
	Broken
	// Unverified: the check could not tell.
	Unverified
	// Skipped: not checked; the message says why.
	Skipped
	// VerdictWarning and VerdictInfo: a finding that the user made less severe.
	VerdictWarning
	VerdictInfo
)

var verdictNames = [...]string{"ok", "broken", "unverified", "skipped", "warning", "info"}

func (v Verdict) String() string { return verdictNames[v] }

// ParseVerdict returns the verdict with a name.
func ParseVerdict(s string) (Verdict, error) {
	for i, name := range verdictNames {
		if s == name {
			return Verdict(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a verdict: use ok, broken, unverified, skipped, warning or info", s)
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(b []byte) (err error) {
	*v, err = ParseVerdict(string(b))
	return err
}

// Warning is something that a person should know about a target that is ok.
type Warning struct {
	Code     Code   `json:"code"`
	Message  string `json:"message"`
	Proposal string `json:"proposal,omitempty"` // the URL to use instead
	Level    Level  `json:"level,omitempty"`    // set by the user
	*Drift          // only with the code content-drift
}

// Drift says how much of the text of a page has changed since it was first seen.
type Drift struct {
	Similarity float64   `json:"similarity"` // how much of the first text is still there, from 0 to 1
	FirstSeen  time.Time `json:"first_seen"`
	LastSame   time.Time `json:"last_same"`           // the last run in which it had not drifted
	Change     string    `json:"change"`              // "replaced" by another text, "parked" (for sale) or "emptied" of almost all text
	TitleWas   string    `json:"title_was,omitempty"` // only if the title has changed
	TitleIs    string    `json:"title_is,omitempty"`
}

// IsInfo reports whether a warning is only information, which is never counted, and listed
// only if everything is listed.
func (w *Warning) IsInfo() bool {
	if w.Level != "" {
		return w.Level == LevelInfo
	}
	e, ok := Lookup(w.Code)
	return ok && e.Severity == SeverityInfo
}

// IsVerdict reports whether a warning of a result with the given code is its verdict, because
// the user made it so severe. It is then listed and counted as the verdict.
func (w *Warning) IsVerdict(code Code) bool {
	return w.Code == code && (w.Level == LevelBroken || w.Level == LevelUnverified)
}

// Suggestion is a URL that was probably meant.
type Suggestion struct {
	URL string `json:"url"`
	Why string `json:"why"`
	// Unique is true if no other URL is as close, so that a program may write it into the
	// reference.
	Unique bool `json:"unique,omitempty"`
}

// Archived is what an archive knows of a page that is gone. Times are in UTC, and zero if they are
// not known.
type Archived struct {
	Service   string    `json:"service"` // "wayback" or "memento"
	Class     string    `json:"class"`   // what has become of the page: NeverSeen, "rotted", "moved" or "unclear"
	FirstSeen time.Time `json:"first_seen,omitzero"`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	LastGood  *Copy     `json:"last_good,omitempty"` // the newest capture of the page itself
	MovedTo   string    `json:"moved_to,omitempty"`
}

// Copy is a copy in an archive.
type Copy struct {
	URL  string    `json:"url"`
	Time time.Time `json:"time"`
}

// NeverSeen is the Class of a page of which an archive has no capture. Of other pages there are
// captures: a page that rotted was there, one that moved was redirected permanently at last, and of
// one that is unclear there are only errors.
const NeverSeen = "never-seen"

// archivedCopy begins the reason of a suggestion that leads to an archive.
const archivedCopy = "archived copy"

// ArchivedCopy suggests an archived copy of a page. The time when it was made is zero if
// it is not known.
func ArchivedCopy(url string, made time.Time) Suggestion {
	s := Suggestion{URL: url, Why: archivedCopy}
	if !made.IsZero() {
		s.Why += " of " + made.Format(time.DateOnly)
	}
	return s
}

// WhyForm is the reason of a Suggestion of the same page in another form. It applies to pages
// only; the broken target may be another kind of file.
const WhyForm = "same page in another form"

// IsArchived reports whether a suggestion leads to a copy in an archive, rather than to
// the target that was probably meant.
func IsArchived(s Suggestion) bool { return strings.HasPrefix(s.Why, archivedCopy) }

// RedirectedTo begins the message about a fragment that a redirect brings.
const RedirectedTo = "redirected to "

// NamesRedirect reports whether a message names the redirect that brings the fragment.
func NamesRedirect(message string) bool { return strings.HasPrefix(message, RedirectedTo) }

// sourceForms are extensions of files from which pages are generated. The generator
// should have replaced them in links.
var sourceForms = map[string]bool{
	"md": true, "markdown": true, "mdx": true, "rst": true, "adoc": true, "asciidoc": true, "org": true, "ipynb": true,
}

// IsSource reports whether a file with this name is the source of a page, which browsers
// do not display.
func IsSource(name string) bool {
	return sourceForms[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}
