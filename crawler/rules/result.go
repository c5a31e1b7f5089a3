package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Result is what a run says of one target: a normalized absolute URI with its
// Fragment, its verdict, and every place that refers to it.
type Result struct {
	URL         string // as printed; a local file's path, percent-encoded
	Verdict     check.Verdict
	Code        check.Code
	Message     string
	Internal    bool
	Status      int // 0 where the scheme has none
	Attempts    int // requests sent for it, redirects followed included
	Elapsed     time.Duration
	FinalURL    string // without fragment
	ContentType string // media type, no parameters
	Size        int64  // bytes; -1 when unknown
	Redirects   []Hop
	Warnings    []check.Warning
	Suggestions []check.Suggestion
	References  []Reference // sorted by page, line, column
	// Cached is true when nothing was asked for it: an earlier run was told all of it.
	Cached bool

	// What follows is no matter of a run: whoever compares it with others fills it in.

	// Known are codes of its findings that a baseline has, at every place.
	Known []check.Code
	// BrokenRuns is in how many runs in a row it was broken, this one included, and
	// BrokenSince when the first of them began; zero when nobody keeps count.
	BrokenRuns  int
	BrokenSince time.Time
	// FailsAfter is how many runs that must be before it fails one, where they are
	// not enough yet; 0 otherwise.
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
	Known     bool   `json:"-"`    // a baseline has the broken or unverified target at this place
	// Source is the place in the source that the page was made from, where that is
	// known; nil otherwise. It is where an editor or an annotation should lead.
	Source *Place `json:"-"`
	// Unaffected are the codes, with a blank between two, of those warnings of the
	// result that do not concern this place: of a target that one link misspells and
	// another writes well, the warning is about the first.
	Unaffected string `json:"-"`
}

// Concerns reports whether a finding of the result is one at this place.
func (r *Reference) Concerns(finding check.Code) bool {
	return r.Unaffected == "" || !slices.Contains(strings.Fields(r.Unaffected), string(finding))
}

// At is where a person should look for a reference: its source where that is
// known, else its place on the page.
func (r *Reference) At() Place {
	if r.Source != nil {
		return *r.Source
	}
	return Place{File: r.Page, Line: r.Line, Column: r.Column, Raw: r.Raw}
}

// Place is where in a file a reference is written.
type Place struct {
	File         string // path relative to the working directory, with slashes; of a page, what Reference.Page holds
	Line, Column int    // from 1, columns in code points
	Raw          string // the reference as it is written there
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
	NoIndex   bool   // it asks search engines not to list it
	Canonical string // the address it says is its own, as printed; empty for none
	Links     []Edge
}

// Edge is a link of a page to a target, for graphs.
type Edge struct {
	URL  string // as printed, with its fragment
	Text string
}

// Summary counts a run.
type Summary struct {
	Started    time.Time
	Elapsed    time.Duration
	Complete   bool   // every target was looked at
	StoppedBy  string // "", "interrupt", "max-time", "max-pages", "trap", "script-rendered", "local-limit", "file-changed"; why Complete is false
	Targets    []string
	Pages      int  // documents read for links, style sheets aside
	Crawled    bool // a site was crawled, not only documents read
	Results    int  // distinct targets: OK + Broken + Unverified + Skipped
	References int  // to targets, those the user named included
	Links      int  // references that documents hold
	Requests   int
	Cached     int // targets that were not asked, as an earlier run had been told
	OK         int
	Broken     int
	Unverified int
	Skipped    int
	Warnings   int
	// ByCode counts results by code, "ok" left out, and warnings by theirs.
	ByCode map[check.Code]int
	// Internal and External count broken, unverified and warnings of each side, for the fail level.
	Internal, External Tally
	// Known and Recent are findings that are left out of internal and External: those
	// that a baseline has, and targets that have not been broken for long enough.
	Known  Tally
	Recent int
	// StartFailed names start targets that could not be read.
	StartFailed []string
}

// Tally counts what may fail a run.
type Tally struct{ Broken, Unverified, Warnings int }

// Sink receives what a run finds. Its methods are called one at a time, never
// after Run has returned. An error ends the run.
type Sink interface {
	// Result is called once for each target the Config asks for. Results whose
	// references are complete come as soon as they are known.
	Result(*Result) error
	// Page is called for each document that was read, when Config.Pages asks for it.
	Page(*Page) error
	// Note tells something about the run that belongs to no link.
	Note(Note) error
	// Progress is called at most a few times a second.
	Progress(Progress)
}

// Note is a remark about the run as a whole.
type Note struct{ Message string }

// Progress says how far a run has come.
type Progress struct {
	Elapsed                time.Duration
	Pages, Checked, Queued int
	Broken, Requests       int
	WaitingHost            string    // a host that must rest, "" for none
	WaitingUntil           time.Time // when it may be asked again
}

// Informational reports whether a warning is only information: listed when all is
// shown, never counted.
func Informational(c check.Code) bool {
	e, _ := check.Lookup(c)
	return e.Severity == check.SeverityInfo
}
