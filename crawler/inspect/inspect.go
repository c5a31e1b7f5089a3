package inspect

import (
	"context"
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/page"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Config says what an Inspector looks for.
type Config struct {
	Groups    Groups
	SyntaxMax int   // findings of html-syntax and css-syntax for each page; 0 means 20
	ImageMax  int64 // bytes; 0 means 500 KiB
}

// Page is a document to look at.
type Page = page.Page

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
	Inspection check.Inspection
	Links      []Link
	// Content lists the targets whose content must be requested to judge the page.
	Content []urinorm.URL
}

// Scans reports whether targets of one's own site, or others, are scanned for viruses. A nil
// Inspector scans none.
func (i *Inspector) Scans(internal bool) bool { return i != nil && i.cfg.Groups.Has(Virus) && internal }

// ScanMax is the size of the largest body that is scanned, in bytes.
func (i *Inspector) ScanMax() int64 { return 25 << 20 }

// Scan scans a body. It returns the name of the virus that was found, or why the body could
// not be scanned.
func (i *Inspector) Scan(ctx context.Context, body []byte) (virus, unscanned string) { return "", "" }

// Waits reports whether Page may wait for other programs.
func (i *Inspector) Waits() bool { return false }

// FindsLinks reports whether Page may find links.
func (i *Inspector) FindsLinks() bool { return false }

// Target looks at the content of a target that is not looked at as a page, such as an image or
// a script of another site. It reads no more than it needs, and at most the limit, in bytes.
func (i *Inspector) Target(contentType string, body io.Reader, limit int64) check.Inspection {
	return check.Inspection{Checks: i.checks}
}

// Page looks at a document.
func (i *Inspector) Page(ctx context.Context, p *Page) Result {
	return Result{Inspection: check.Inspection{Checks: i.checks}}
}

// Lost returns why the rest of the run is not checked completely: the name of what was lost,
// as Summary.StoppedBy has it, or "".
func (i *Inspector) Lost() string { return "" }

// Close ends the programs that the Inspector has started.
func (i *Inspector) Close() {}
