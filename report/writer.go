package report

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Writer receives one report: Begin once, Result for each result, End once. After an
// error no method is called again. A Writer keeps the strings and slices of results until
// End, so they must not change.
type Writer interface {
	Begin(*Head) error
	Result(*result.Result) error
	// End writes the rest of the report. It does not close the file.
	End(*result.Summary) error
}

// PageWriter is a Writer that also draws the graph of the site; see [Format.Pages]. Page
// is called between Begin and End, in any order of pages.
type PageWriter interface {
	Writer
	Page(*result.Page) error
}

// Head is what is known about a run before its results.
type Head struct {
	Tool    Tool
	Started time.Time
	Targets []string // as the user wrote them
	Codes   []Code   // that plugins declared
	// Command has the words of the command that started the run, and Settings what differs
	// from the defaults, both without secrets. They are empty if they are not known.
	Command  []string
	Settings []Setting
	// Baseline has the findings of the earlier run that this one is compared with. It may be nil.
	Baseline *Baseline
	// Summary is set for formats that do not stream, so that they can write the counts
	// before the results. For other formats it is nil.
	Summary *result.Summary

	compared *Diff               // the comparison that is written; nil for a run
	hops     map[string]passedOn // redirects of results that are not listed
}

// of returns when the run started, and its targets. They may be known from its summary only, which may
// be nil.
func (h *Head) of(s *result.Summary) (started time.Time, targets []string) {
	started, targets = h.Started, h.Targets
	if s != nil && started.IsZero() {
		started = s.Started
	}
	if s != nil && targets == nil {
		targets = s.Targets
	}
	return started, targets
}

// Setting is a setting of a run, by the name of its flag.
type Setting struct{ Name, Value string }

// Code is a code of findings that a plugin declared.
type Code struct {
	Code     check.Code    `json:"code"`
	Title    string        `json:"title"`
	Severity check.Verdict `json:"severity"`
	Advice   string        `json:"advice,omitempty"`
}

// Tool names the program that wrote a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Clamd   string `json:"clamd,omitempty"` // version of the scanner for viruses, if there was one
}

// Options control how a report is written. The zero value gives the defaults.
type Options struct {
	Show Show // which results are listed; the zero value means [ShowDefault]
	// PrintedShow is which results are listed on standard output, if not those that Show lists
	// in files; the zero value means the same.
	PrintedShow Show
	// EveryPlace makes the text report list every place of each finding. Otherwise it lists
	// what several pages have in common once.
	EveryPlace bool
	// FindingsOnly omits everything but findings from the text report, its summary included.
	FindingsOnly bool
	// Sorted is true when results arrive sorted by URL, as those of a run do. The results of a
	// run arrive in another order if a format streams.
	Sorted bool
	// Color permits terminal colors. A report contains no other escape sequences.
	Color bool
	// Width is the width of the terminal in columns, or 0 if it is unknown. The text report
	// fits into it, as far as it need not break URLs, and omits the origin of the site.
	Width int
	// RunDir is the working directory of the run, or "" if it is not known. The text report
	// names files outside it by their absolute paths.
	RunDir string
	// workingDir is the directory of output files with relative names. Empty means the
	// working directory of the process.
	workingDir string
	// Prefix is the path of the working directory from the root of its repository, such
	// as "docs", for formats whose readers expect paths from that root. Empty means the
	// root.
	Prefix string
	// FailOn is the policy that decides which findings fail the run, for formats that mark failures.
	FailOn Policy
	// Baseline is true when the run is compared with a baseline, for formats that state
	// for each finding whether it is new.
	Baseline bool
	// MarkdownSize is the maximum size of a Markdown report in bytes; 0 means 65,000.
	MarkdownSize int
}

// Sizes of Markdown that GitHub accepts, in bytes. A comment has at most 65,536
// characters; the default leaves some of them for what its author adds.
const (
	defaultMarkdownSize = 65_000
	summaryMarkdownSize = 1 << 20 // the job summary of a step
)

// projectURL is the address of the project, for reports that link to their tool.
const projectURL = "https://github.com/orbweaver/orbweaver"
