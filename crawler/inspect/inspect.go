package inspect

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/page"
)

// Config says what an Inspector looks for.
type Config struct {
	Groups    Groups
	SyntaxMax int   // findings of html-syntax and css-syntax for each page; 0 means 20
	ImageMax  int64 // bytes; 0 means 500 KiB
}

// Inspector looks at documents. It is safe for concurrent use.
type Inspector struct {
	cfg    Config
	checks uint64
}

// New returns an Inspector.
func New(cfg Config) *Inspector {
	return &Inspector{cfg: cfg}
}

// Checks identifies what the Inspector looks for, for check.Inspection. It is 0 if the
// inspection of an unchanged document must not be reused.
func (i *Inspector) Checks() uint64 { return i.checks }

// Reads reports whether documents of a format (extract.Document.Format) are looked at.
func (i *Inspector) Reads(format string) bool {
	return format == "html" || format == "xhtml" || format == "css"
}

// Link is a link that a plugin found on a page.
type Link struct {
	URL          string
	Line, Column int
	Plugin       string
}

// Result is what an Inspector found in a document.
type Result struct {
	Inspection *check.Inspection
	Links      []Link
	// Content lists the URLs, as written on the page, whose content must be requested
	// to judge it.
	Content []string
}

// Page looks at a document.
func (i *Inspector) Page(ctx context.Context, p *page.Page) Result {
	return Result{Inspection: &check.Inspection{Checks: i.checks}}
}

// Lost returns why the rest of the run is not checked completely: the name of what was lost,
// as Summary.StoppedBy has it, or "".
func (i *Inspector) Lost() string { return "" }

// Close ends the programs that the Inspector has started.
func (i *Inspector) Close() {}
