package document

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/clamd"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/inspected"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Lost returns the gap that a lost program leaves, which the content checks need.
func (r *Reader) Lost() gap.Kind {
	name, _ := r.Inspector.Lost()
	return gap.Named(name)
}

// Scan passes the whole body of a document to the scanner for viruses, before it is taken. The
// outcome of a document with a virus says so when it is released.
func (r *Reader) Scan(ctx context.Context, d *Document) {
	most := r.Inspector.Needs().ScanMax + 1
	d.err = r.fill(d, most, true)
	unscanned := ""
	switch {
	case d.err != nil:
		unscanned = "the body ended before it was complete"
	case int64(len(d.Body)) == most:
		unscanned = clamd.TooLong(r.Inspector.Needs().ScanMax)
	default:
		d.virus, unscanned = r.Inspector.Scan(ctx, d.Body)
	}
	if unscanned != "" {
		d.Warn(check.Warning{Code: judging.CodeVirusUnscanned, Message: unscanned})
	}
}

// maxHead is how much of a document is searched for a base element. One that is found later only
// takes time.
const maxHead = 4096

// outline makes the content checks look at the tokens of an HTML document before its links are
// read, which saves the search for them.
func (r *Reader) outline(d *Document) {
	if r.Inspector == nil || !d.Links() || d.View || d.Format != "html" || d.rest != nil || !d.Internal || !d.answered() ||
		len(d.Body) > extract.MaxBody || bytes.Contains(d.Body[:min(len(d.Body), maxHead)], []byte("<base")) {
		return
	}
	d.input.Outline = func(text []byte, charset string) []int32 {
		base, err := urinorm.NewBase(d.URL, charset)
		if err != nil || !r.Inspector.Reads("html", d.Outcome.ContentType) {
			return nil
		}
		begun := r.Inspector.Begin(r.page(d, base, text, charset, "html"), true)
		d.begun = &begun
		return begun.Marks()
	}
}

// answered reports whether the document is all of what was asked for.
func (d *Document) answered() bool {
	status := d.Outcome.Status
	return d.Outcome.Code == check.CodeOK && (status == 0 || status/100 == 2) && !d.Outcome.Incomplete() // what is missing may be in the rest
}

// page returns what is known of a document that answered, and its decoded text.
func (r *Reader) page(d *Document, base *urinorm.Base, text []byte, charset, format string) *page.Page {
	resp := d.Response
	p := &page.Page{Address: d.URL, Base: base, Status: resp.Status, Header: resp.Header, ContentType: fetch.MediaType(resp.ContentType),
		OverHTTP: resp.Header != nil && resp.LocalFile() == "", URL: r.Print.URL(d.URL), Seen: r.Print.URL(d.Seen), Start: isStart(d.Scope.Sites.Of(d.URL), resp.Path, d.Seed),
		MadeUp: d.Scope.Sites.SyntheticHost(d.URL.Authority()), Body: d.Body,
		Text: text, Charset: charset, Format: format}
	if resp.Path != "" {
		p.URL = r.Print.Path(resp.Path)
	}
	return p
}

// isStart reports whether a document is the start page of a site: one that a crawl starts
// from, or the index of a directory. The site is nil for a document that is in no directory.
func isStart(site *disk.Site, path string, seed bool) bool {
	if site == nil || path == "" {
		return seed
	}
	name := filepath.Base(path)
	return filepath.Dir(path) == filepath.Clean(site.Dir()) && strings.TrimSuffix(name, filepath.Ext(name)) == "index"
}

// Begin lets the content checks look at the tokens of a document that was read, and reports
// whether Inspect is to follow. Of a document that no check looks at as a page, only what other
// pages need is noted.
func (r *Reader) Begin(d *Document) bool {
	if r.Inspector == nil {
		return false
	}
	looks := d.Links() && d.Internal && d.answered() && r.Inspector.Reads(d.Read.Format, d.Outcome.ContentType)
	if d.begun != nil && (!looks || d.Read.Base != "" || d.Read.Format != "html") {
		d.begun.Drop()
		d.begun = nil
	}
	if !looks {
		target := r.targetOf(d)
		d.Note(judging.Facts{Content: judging.Content{Inspection: target.Encode()}})
		return false
	}
	if d.begun == nil {
		text, charset := d.Read.Decoded(d.input)
		format := d.Read.Format
		if format == "html" && extract.IsXHTML(d.input) {
			format = "xhtml"
		}
		reading := r.Inspector.Begin(r.page(d, BaseOf(d.URL, d.Read), text, charset, format), false)
		d.begun = &reading
	}
	return true
}

// WantsIcon reports whether Inspect needs to know if the host has an icon at /favicon.ico.
func (d *Document) WantsIcon() bool { return d.begun.WantsIcon() }

// Inspect lets the content checks look at a document that was begun. What they find becomes part
// of its outcome, the links that plugins found become its links, and Wants the targets whose
// content is needed to judge it.
func (r *Reader) Inspect(ctx context.Context, d *Document, hasIcon bool) {
	d.begun.Page().HasIcon = hasIcon
	found := d.begun.End(ctx)
	d.begun = nil
	for _, l := range found.Links {
		d.Read.Links = append(d.Read.Links, extract.Link{Ref: l.URL, Raw: l.URL, Line: l.Line, Column: l.Column,
			Element: "plugin", Attribute: l.Plugin, Kind: extract.Navigation})
	}
	if found.Inspection.Facts == nil { // a style sheet
		found.Inspection.Facts = r.targetOf(d).Facts
	}
	d.Note(judging.Facts{Content: judging.Content{Inspection: found.Inspection.Encode()}})
	d.Wants = Wants(&found, d.Scope, d.Response)
}

// Wants returns the targets whose content is needed to judge a page that was inspected.
func Wants(found *inspected.Result, in *scope.Scope, resp *fetch.Response) []urinorm.URL {
	content := found.Integrities
	for _, u := range found.Images {
		if inside, _ := in.Internal(scope.HrefOf(u)); inside || resp.LocalFile() != "" {
			content = append(content, u)
		}
	}
	return content
}

// targetOf returns what the content checks need to know of a body that is not looked at as a
// page.
func (r *Reader) targetOf(d *Document) judging.Inspection {
	limit := r.limit(d)
	if d.Outcome.Incomplete() {
		limit = int64(len(d.Body)) - 1 // this is not the whole body
	}
	return r.Inspector.Target(bytes.NewReader(d.Body), limit, d.Response.Header, d.origin())
}

// origin returns the origin that the request for the document named, "" for none.
func (d *Document) origin() string {
	if !d.Content || d.Follow {
		return ""
	}
	return d.Scope.CORS.Origin(d.URL)
}

// InspectTarget lets the content checks look at a target that is no document, such as an
// image, if its content is needed.
func (r *Reader) InspectTarget(d *Document) {
	if r.Inspector == nil || !d.Content {
		return
	}
	limit := r.limit(d)
	body := &rest{from: io.LimitReader(io.MultiReader(bytes.NewReader(d.Body), d.Response.Body), limit+1)}
	target := r.Inspector.Target(body, limit, d.Response.Header, d.origin())
	d.Note(judging.Facts{Content: judging.Content{Inspection: target.Encode()}})
	if d.Outcome.Size >= 0 {
		return
	}
	if _, err := io.Copy(io.Discard, body); err == nil && d.err == nil && body.length <= limit {
		d.Note(judging.Facts{Size: body.length, Sized: true}) // which the header does not tell
	}
}
