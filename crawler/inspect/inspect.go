package inspect

import (
	"context"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/clamd"
	"github.com/orbweaver/orbweaver/crawler/inspect/page"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Config says what an Inspector looks for. The zero value looks for nothing.
type Config struct {
	Groups Groups

	Clamd        clamd.Address // of the group virus
	VirusAll     bool          // scan also the targets of other sites
	VirusMax     int64         // bytes of the largest body that is scanned
	VirusTimeout time.Duration // of each exchange with clamd

	SyntaxMax int   // findings of html-syntax and of css-syntax for each page
	ImageMax  int64 // bytes from which an image is large
}

// IsZero reports whether nothing is looked for.
func (c *Config) IsZero() bool { return c.Groups == 0 }

// Page is a document to look at.
type Page = page.Page

// Inspector looks at documents. It is safe for concurrent use. A nil Inspector looks at none.
type Inspector struct {
	cfg     Config
	checks  uint64
	scanner *clamd.Scanner // nil without the group virus
}

// Open connects to the programs that the checks need, or starts them. It returns nil if there is
// nothing to look for. The caller closes the Inspector.
func Open(ctx context.Context, cfg Config) (*Inspector, error) {
	if cfg.IsZero() {
		return nil, nil
	}
	i := &Inspector{cfg: cfg}
	if cfg.Groups.Has(Virus) {
		scanner, err := clamd.Open(ctx, cfg.Clamd, cfg.VirusTimeout)
		if err != nil {
			return nil, err
		}
		i.scanner = scanner
	}
	return i, nil
}

// ClamdVersion returns what clamd says about itself, "" if there is none.
func (i *Inspector) ClamdVersion() string {
	if i == nil || i.scanner == nil {
		return ""
	}
	return i.scanner.Version()
}

// Notes returns remarks for the user about the programs that are used.
func (i *Inspector) Notes(now time.Time) (notes []string) {
	if i != nil && i.scanner != nil {
		if note := i.scanner.Note(now); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// Close ends the programs that the Inspector has started.
func (i *Inspector) Close() {}

// Lost returns why the rest of the run is not checked completely: the name of what was lost,
// as Summary.StoppedBy has it, or "".
func (i *Inspector) Lost() string {
	if i.scanner != nil && i.scanner.Lost() != nil {
		return "clamd"
	}
	return ""
}

// Checks identifies what the Inspector looks for, for check.Inspection. It is 0 if the
// inspection of an unchanged document must not be reused.
func (i *Inspector) Checks() uint64 { return i.checks }

// Scans reports whether targets of one's own site, or others, are scanned for viruses.
func (i *Inspector) Scans(internal bool) bool {
	return i != nil && i.scanner != nil && (internal || i.cfg.VirusAll)
}

// ScanMax is the size of the largest body that is scanned, in bytes.
func (i *Inspector) ScanMax() int64 { return i.cfg.VirusMax }

// Scan scans a body. It returns the name of the virus that was found, or why the body could
// not be scanned.
func (i *Inspector) Scan(ctx context.Context, body []byte) (virus, unscanned string) {
	r := i.scanner.Scan(ctx, body)
	return r.Signature, r.Reason
}

// Reads reports whether documents of a format (extract.Document.Format) are looked at.
func (i *Inspector) Reads(format string) bool {
	return format == "html" || format == "xhtml" || format == "css"
}

// Waits reports whether Page may wait for other programs.
func (i *Inspector) Waits() bool { return false }

// FindsLinks reports whether Page may find links.
func (i *Inspector) FindsLinks() bool { return false }

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

// Page looks at a document.
func (i *Inspector) Page(ctx context.Context, p *Page) Result {
	return Result{Inspection: check.Inspection{Checks: i.checks}}
}

// Target looks at the content of a target that is not looked at as a page, such as an image or
// a script of another site. It reads no more than it needs, and at most the limit, in bytes.
func (i *Inspector) Target(contentType string, body io.Reader, limit int64) check.Inspection {
	return check.Inspection{Checks: i.checks}
}
