package report

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler"
)

// Writer receives one report: Begin once, Result for each result, End once. After
// an error nothing more is called. Strings and slices of a result are kept until
// End, so they must not change after they are given.
type Writer interface {
	Begin(*Head) error
	Result(*crawler.Result) error
	// End writes what is left to write. It does not close anything.
	End(*crawler.Summary) error
}

// PageWriter is a Writer that draws the site's graph as well; see [Format.Pages].
// Pages come in any order between Begin and End.
type PageWriter interface {
	Writer
	Page(*crawler.Page) error
}

// Head is what is known of a report before its results.
type Head struct {
	Tool    Tool
	Started time.Time
	Targets []string // as the user named them
	// Summary is set for formats that do not stream: their results come after the
	// run, so that counts can be written first. It is nil for the others.
	Summary *crawler.Summary
}

// Tool names the program that made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Options say how a report is written. The zero value is the default.
type Options struct {
	Show Show // which results; the zero value is [ShowDefault]
	// Color permits terminal colours. They are the only escape sequences a report
	// ever holds.
	Color bool
	// Width is the terminal's width in columns; 0 is unknown. It shortens link
	// texts, never URLs.
	Width int
	// WorkingDir is the directory that relative output files are put in; empty is
	// the process's own.
	WorkingDir string
	// Prefix is the working directory's path from the root of its repository, for
	// formats whose readers look for files there: "docs". Empty is the root itself.
	Prefix string
	// FailOn is what fails the run, for formats that tell failures from the rest.
	FailOn Policy
	// Baseline is true when the run is compared to a baseline, for formats that say so of
	// each finding.
	Baseline bool
	// MarkdownSize bounds a Markdown report, in bytes; zero is [DefaultMarkdownSize].
	MarkdownSize int
}

// Sizes of Markdown that GitHub takes, in bytes. A comment has 65,536 characters;
// a little is left for what its author adds.
const (
	DefaultMarkdownSize = 65_000
	SummaryMarkdownSize = 1 << 20 // a step's job summary
)

// projectURL is the address of the project, for reports that name their tool.
const projectURL = "https://github.com/orbweaver/orbweaver"
