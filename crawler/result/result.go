package result

import (
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Kind is what a Result is about.
type Kind string

const (
	// KindTarget is the verdict on a target and every place that refers to it.
	KindTarget Kind = ""
	// KindPage is one finding of a content check about a page. Its URL is that of the page,
	// and its only reference is the place on the page.
	KindPage Kind = "page"
)

// Result is the verdict on one target, a normalized absolute URI with its fragment, and
// every place that refers to it. The places that inline marks exclude have another result
// with the same URL, which is skipped.
type Result struct {
	Kind        Kind
	URL         string // as printed; of a file without a published address, its path, percent-encoded
	Verdict     check.Verdict
	Code        check.Code
	Message     string
	Internal    bool
	Status      int // 0 where the scheme has none
	Attempts    int // requests sent for it, including followed redirects
	Elapsed     time.Duration
	FinalURL    string   // without fragment
	Targets     []string // the normalized URLs, without fragments, of an internal target and of those that it redirects to, for runs of the same site; nil for others
	Title       string   // of the page that answered; "" if it was not read, as for a link to another site without a fragment
	ContentType string   // media type, no parameters
	Size        int64    // bytes; -1 when unknown
	Redirects   []Hop
	Warnings    []check.Warning
	Suggestions []check.Suggestion
	Archive     *check.Archived // what an archive knows of it; nil if none was asked, or none answered
	References  []Reference     // sorted by page, line, column
	Level       check.Level     // of the verdict, if the user set it
	Rule        string          // of KindPage: names the kind of the finding if the code has several
	Proposal    string          // of KindPage: what to write in place of the reference's Raw
	// Cached is true if no request was sent for it: an earlier run observed all of it.
	Cached bool
	// RemappedFrom is the printed URL that Config.Scope.Remaps replaced by this one; the first in
	// alphabetical order if there are several, and "" for none.
	RemappedFrom string

	// A run leaves the following fields empty. They are for callers that compare runs.

	// Known are the codes of its findings that a baseline contains at every place.
	Known []check.Code
	// BrokenRuns is the number of consecutive runs in which it was broken, including this one, and
	// BrokenSince is the start of the first of them; zero if runs are not counted.
	BrokenRuns  int
	BrokenSince time.Time
	// FailsAfter is the number of consecutive runs after which it fails a run, if it has not
	// reached that number; 0 otherwise.
	FailsAfter int
}

// Hop is one answer on the way to the final URL.
type Hop struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
}

// Reference is one place that refers to a target.
type Reference struct {
	Page      string `json:"page"` // the page's URL or file path, "command line", or "-" for standard input
	Line      int    `json:"line"` // from 1; 0 when the place has none
	Column    int    `json:"column"`
	Element   string `json:"element"`
	Attribute string `json:"attribute"`
	Raw       string `json:"raw"`  // source text before entity decoding
	Text      string `json:"text"` // link text or alternative text
	Folder    string `json:"-"`    // of a bookmark: its path with slashes; "" elsewhere and at the root
	// Rendered is true if only the scripts of the page make the reference. It then has no
	// line, and Selector is a CSS selector for its element, in which " >>> " leads into a
	// shadow root; "" if there is no element.
	Rendered bool   `json:"rendered,omitempty"`
	Selector string `json:"selector,omitempty"`
	Known    bool   `json:"-"` // a baseline contains the broken or unverified target at this place
	// Source is the place in the source file from which the page was built, if it is
	// known; nil otherwise. Editors and annotations should point there.
	Source *Place `json:"-"`
	// Unaffected lists the codes, separated by spaces, of the warnings of the
	// result that do not concern this place. If one link misspells a target and another
	// spells it correctly, the warning is about the first.
	Unaffected string `json:"-"`
	// RemappedFrom is the printed URL that Config.Scope.Remaps replaced, or "".
	RemappedFrom string `json:"-"`
}

// Concerns reports whether a finding of the result concerns this place.
func (r *Reference) Concerns(finding check.Code) bool {
	return r.Unaffected == "" || !slices.Contains(strings.Fields(r.Unaffected), string(finding))
}

// At returns the place where a person should look for a reference: in the source if that
// is known, or else on the page.
func (r *Reference) At() Place {
	if r.Source != nil {
		return *r.Source
	}
	return Place{File: r.Page, Line: r.Line, Column: r.Column, Raw: r.Raw}
}

// Place is the position of a reference in a file.
type Place struct {
	File         string // path relative to the working directory, with slashes; or the URL of a page, as in Reference.Page
	Line, Column int    // from 1, columns in code points
	Raw          string // the reference as written there
}

// CommandLine is the Page of a target that the user named.
const CommandLine = "command line"

// Page is a document that was read: a node of the site's graph.
type Page struct {
	URL       string // as printed
	Title     string
	Depth     int
	Modified  time.Time
	Format    string // what it was read as: "html", "pdf", …; see extract.Document
	NoIndex   bool   // it asks search engines not to index it
	Canonical string // its canonical address, as printed; empty for none
	Links     []Edge
	Status    int           // as in Result
	Elapsed   time.Duration // as in Result
	Size      int64         // as in Result
}

// Edge is a link of a page to a target, for graphs.
type Edge struct {
	URL  string // as printed, with its fragment
	Text string
}

// Summary counts a run.
type Summary struct {
	Started time.Time
	Elapsed time.Duration
	// Soundness says how far the result can be relied on.
	Soundness  Soundness
	Targets    []string
	Pages      int  // documents read for links, without style sheets
	Crawled    bool // a site was crawled, not only documents read
	Results    int  // distinct targets: OK + Broken + Unverified + Skipped
	References int  // to targets, including those that the user named
	Links      int  // references in documents
	Requests   int
	Cached     int // targets without a request, because an earlier run observed them
	OK         int
	Broken     int
	// BrokenDocuments is the number of documents that broken targets lead to, if it is smaller
	// than that of the targets, or else 0. Documents that only lack a fragment do not count.
	BrokenDocuments int
	Unverified      int
	Skipped         int
	Warnings        int
	// ByCode counts results by code, except "ok", warnings by their code, and information of
	// content checks by its code.
	ByCode map[check.Code]int
	// OKByHost counts the targets of OK by their hosts with ports; "" is the host of local
	// documents, and targets without a host have the name of their scheme, with a colon. It is
	// nil unless Config.Deliver.Pages is set.
	OKByHost map[string]int
	// Findings counts the results of KindPage, which Targets, OK and Skipped do not include.
	// It is nil if no content was checked.
	Findings *FindingCounts
	// Internal and External count broken, unverified and warnings of each side, for the fail level.
	Internal, External Tally
	// Known and Recent count findings that Internal and External do not include: those
	// that a baseline contains, and targets that have not been broken for long enough.
	Known  Tally
	Recent int
	// Hidden is the number of targets, of links, and of findings about pages, that Config.Judging.Hides leaves out,
	// replaces or makes less severe.
	Hidden int
	// Fixed is the number of references that were corrected in their files after the run. A
	// run leaves it 0; the other counts do not include findings without any other reference.
	Fixed int
	// StartFailed names start targets that could not be read.
	StartFailed []string
	// StartDocuments counts targets among OK that are documents on disk which the user
	// named and no document links to. They were read, but no link was verified by that.
	StartDocuments int
	// Search tells how much was searched for suggestions.
	Search Search
	// Narrowed is set if only what has changed was checked (Config.Scope.Changed).
	Narrowed bool
}

// Search is how much of its limits a run needed to find suggestions. What is suggested for a broken target depends
// on the limits only if these are exceeded.
type Search struct {
	Paths     float64 // the part of the limits for similar paths that was used
	Fragments int     // number of targets with a fragment that is missing, or may be
	Fragment  float64 // the part of the limit for all fragments that one of them may take, at most
}

// Plus returns what one run needs at most for what two runs have searched for.
func (s Search) Plus(other Search) Search {
	return Search{s.Paths + other.Paths, s.Fragments + other.Fragments, max(s.Fragment, other.Fragment)}
}

// IsLimited reports whether limits may be exceeded.
func (s Search) IsLimited() bool { return s.Paths > 1 || float64(s.Fragments)*s.Fragment > 1 }

// NoLinks reports whether documents were read that contain no links.
func (s *Summary) NoLinks() bool { return s.Pages > 0 && s.Links == 0 }

// Checked returns the number of targets with a verdict from an observation: all but those
// that were skipped.
func (s *Summary) Checked() int {
	broken, unverified := s.BrokenTargets()
	return s.OK + broken + unverified
}

// BrokenTargets returns the numbers of targets that are broken or unverified, without what
// content checks found on pages.
func (s *Summary) BrokenTargets() (broken, unverified int) {
	if s.Findings == nil {
		return s.Broken, s.Unverified
	}
	return s.Broken - s.Findings.Broken, s.Unverified - s.Findings.Unverified
}

// Watched is the verdict on a target that the caller of a run waits for.
type Watched struct {
	URL     string // as printed
	Verdict check.Verdict
}

// Count adds n times what was found about a target to the counts of results and findings.
func (s *Summary) Count(internal bool, verdict check.Verdict, code check.Code, warnings []check.Warning, n int) {
	side := &s.External
	if internal {
		side = &s.Internal
	}
	s.Results += n
	switch verdict {
	case check.OK:
		s.OK += n
	case check.Broken:
		s.Broken += n
		side.Broken += n
	case check.Unverified:
		s.Unverified += n
		side.Unverified += n
	case check.Skipped:
		s.Skipped += n
	case check.VerdictWarning:
		s.Warnings += n
		side.Warnings += n
	}
	if verdict != check.OK {
		s.countCode(code, n)
	}
	for _, w := range warnings {
		switch {
		case w.IsVerdict(code):
		case !w.IsInfo():
			s.Warnings += n
			side.Warnings += n
			s.countCode(w.Code, n)
		case check.OfContent(w.Code): // counted like information about a page
			s.countCode(w.Code, n)
		}
	}
}

func (s *Summary) countCode(code check.Code, n int) {
	if s.ByCode[code] += n; s.ByCode[code] == 0 {
		delete(s.ByCode, code)
	}
}

// FindingCounts counts the findings of content checks by their verdicts.
type FindingCounts struct{ Broken, Unverified, Warning, Info int }

// CountFinding adds n times a finding about a page to the counts of findings.
func (s *Summary) CountFinding(internal bool, verdict check.Verdict, code check.Code, n int) {
	side := &s.External
	if internal {
		side = &s.Internal
	}
	switch verdict {
	case check.Broken:
		s.Findings.Broken += n
		s.Broken += n
		side.Broken += n
	case check.Unverified:
		s.Findings.Unverified += n
		s.Unverified += n
		side.Unverified += n
	case check.VerdictInfo:
		s.Findings.Info += n
	default:
		s.Findings.Warning += n
		s.Warnings += n
		side.Warnings += n
	}
	s.countCode(code, n)
}

// Tally counts what may fail a run.
type Tally struct{ Broken, Unverified, Warnings int }

// Sink receives what a run finds. Its methods are called one at a time, never
// after Run has returned. An error ends the run.
type Sink interface {
	// Result is called once for each target the Config asks for. Results whose
	// references are complete come as soon as they are known.
	Result(*Result) error
	// Page is called for each document that was read, when Config.Deliver.Pages asks for it.
	Page(*Page) error
	// Note is called for a remark about the run as a whole.
	Note(Note) error
	// Progress is called at most a few times a second.
	Progress(Progress)
}

// Func is a Sink for callers that want the results alone.
type Func func(*Result) error

// Result calls f.
func (f Func) Result(r *Result) error { return f(r) }

// Page does nothing.
func (Func) Page(*Page) error { return nil }

// Note does nothing.
func (Func) Note(Note) error { return nil }

// Progress does nothing.
func (Func) Progress(Progress) {}

// Note is a remark about the run as a whole.
type Note struct{ Message string }

// Progress is the state of a run in progress.
type Progress struct {
	Elapsed  time.Duration
	Pages    int // documents read
	Checked  int // targets that are settled
	Queued   int // targets that are known and not settled, without those in flight
	InFlight int // targets that are visited now
	Broken   int // settled targets that are broken, without those that lack a fragment
	Requests int
	// Slowest is the target that is visited for the longest time.
	Slowest      InFlight
	WaitingHost  string    // a host that must rest, "" for none
	WaitingUntil time.Time // the end of its rest
}

// InFlight is a target that is visited.
type InFlight struct {
	URL      string // as printed; "" for none
	Internal bool
	Try      int           // from 1
	Tries    int           // at most, without the second pass; 0 in the second pass
	Age      time.Duration // of this try
}

// Show selects the results that a Sink receives: those with one of the selected verdicts,
// and those with warnings of a selected kind. If no kind of result is selected, the zero
// value stands for Broken, Unverified and Warning.
type Show struct {
	OK, Broken, Unverified, Skipped, Warning, Info bool
	// None selects no result, if no kind of result is selected: they are only counted.
	None bool
	// SkipPageReferences leaves out the References of results that are shown only for
	// warnings about the page itself (check.OfPage). There can be many of them, and
	// collecting them takes time.
	SkipPageReferences bool
}

// WithDefault returns a selection in which the default is spelled out.
func (s Show) WithDefault() Show {
	if !s.None && !s.OK && !s.Broken && !s.Unverified && !s.Skipped && !s.Warning && !s.Info {
		s.Broken, s.Unverified, s.Warning = true, true, true
	}
	return s
}
