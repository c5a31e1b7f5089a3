package crawler

import (
	"context"
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/inspect/clamd"
	"github.com/orbweaver/orbweaver/urinorm"
)

// contentChecks lets the content checks of a run look at what was fetched. Without an
// inspector it does nothing.
type contentChecks struct{ inspector *inspect.Inspector }

// inspected is what the engine knows of a document that was read.
type inspected struct {
	inspect.Page
	input extract.Input
	read  *extract.Document
	begun *inspect.Reading // its tokens were looked at; nil if not
}

// look lets the checks look at a document of the site. The links that plugins found are added
// to it.
func (c contentChecks) look(ctx context.Context, d *inspected) inspect.Result {
	begun := d.begun
	if begun == nil {
		d.Text, d.Charset = d.read.Decoded(d.input)
		d.Body, d.Format = d.input.Body, d.read.Format
		if d.Format == "html" && extract.IsXHTML(d.input) {
			d.Format = "xhtml"
		}
		reading := c.inspector.Begin(&d.Page, false)
		begun = &reading
	} else {
		begun.Page().AsksIcon = d.AsksIcon
	}
	found := begun.End(ctx)
	for _, l := range found.Links {
		d.read.Links = append(d.read.Links, extract.Link{Ref: l.URL, Raw: l.URL, Line: l.Line, Column: l.Column,
			Element: "plugin", Attribute: l.Plugin, Kind: extract.Navigation})
	}
	return found
}

// scan passes a body to the scanner for viruses, and notes in the outcome what could not be
// scanned. It returns the name of the virus that was found, or "". err is what the body ended
// with; longer is set if it is longer than the limit.
func (c contentChecks) scan(ctx context.Context, data []byte, err error, longer bool, o *check.Outcome) (virus string) {
	unscanned := ""
	switch {
	case err != nil:
		unscanned = "the body ended before it was complete"
	case longer:
		unscanned = clamd.TooLong(c.inspector.ScanMax())
	default:
		virus, unscanned = c.inspector.Scan(ctx, data)
	}
	if unscanned != "" {
		o.Warn(check.Warning{Code: check.CodeVirusUnscanned, Message: unscanned})
	}
	return virus
}

// replayed is a body whose beginning has been read.
type replayed struct {
	data []byte
	err  error // that followed the beginning; nil if the rest is in from
	from io.ReadCloser
}

// Read implements io.Reader.
func (r *replayed) Read(b []byte) (n int, err error) {
	if len(r.data) > 0 {
		n = copy(b, r.data)
		r.data = r.data[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.from.Read(b)
}

// Close implements io.Closer.
func (r *replayed) Close() error { return r.from.Close() }

// isInspected reports whether the checks of this run looked at a document that has not
// changed since it was kept.
func (c contentChecks) isInspected(known *check.Outcome, internal bool) bool {
	if c.inspector == nil {
		return true
	}
	checks, made := check.MadeChecks(known.Inspection)
	return made && checks == c.inspector.Checks() && checks != 0 && !c.inspector.Scans(internal)
}

// pageOf returns what is known of the document that answered.
func pageOf(u urinorm.URL, base *urinorm.Base, resp *fetch.Response) inspect.Page {
	return inspect.Page{Address: u, Base: base, Status: resp.Status, Header: resp.Header, ContentType: fetch.MediaType(resp.ContentType), OverHTTP: resp.Header != nil && resp.LocalFile() == ""}
}
