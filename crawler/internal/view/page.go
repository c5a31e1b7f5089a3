package view

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Opening is a document that was read, and is opened in the browser for a target.
type Opening struct {
	Browser *Browser
	Doc     *document.Document // its outcome gets what the browser shows
	Of      *admit.Target
	Page    *references.Page // collects what the document refers to

	Requests int    // that were sent for it
	Note     string // that no more pages are rendered, or ""
}

// open renders the URL of a document, whose answer is known.
func (o *Opening) open(ctx context.Context, u urinorm.URL) (*Opened, error) {
	b := o.Browser
	if b.Renderer == nil {
		return nil, errors.New(b.Trouble)
	}
	_, view := u.Fragment()
	op := &Opened{}
	err := b.load(ctx, &render.Request{URL: u.String(), Text: view}, ownReply(o.Doc.Response, o.Doc.Body, o.Doc.Read.Charset), op)
	o.Requests += op.requests
	if errors.Is(err, render.ErrEnded) {
		o.Note = b.noteEnd()
	}
	if err != nil {
		return nil, err
	}
	if op.Shown.Leads == "" {
		in := b.Input
		in.Body, in.ContentType, in.Name, in.MaxLinks = op.Shown.HTML, "text/html; charset=utf-8", scope.DocumentName(o.Doc.URL), document.MaxNetworkLinks
		extract.ExtractInto(&op.doc, in)
	}
	return op, nil
}

// ownReply returns the answer to a page's own request as the browser gets it.
func ownReply(resp *fetch.Response, body []byte, charset string) render.Reply {
	reply := render.Reply{Status: resp.Status, Header: resp.Header.Clone(), Body: body}
	if resp.Path != "" || reply.Header.Get("Content-Type") == "" {
		if reply.Header == nil {
			reply.Header = http.Header{}
		}
		mediaType, _, _ := strings.Cut(resp.ContentType, ";")
		if mediaType == "" {
			mediaType = "text/html"
		}
		if charset != "" {
			mediaType += "; charset=" + charset
		}
		reply.Header.Set("Content-Type", mediaType)
	}
	reply.Header.Del("Refresh")
	return reply
}

// Renders reports whether a page that was read is rendered as well.
func (b *Browser) Renders(d *document.Document, t *admit.Target) bool {
	if b == nil || !t.Follow || !showsPage(d) {
		return false
	}
	switch b.Door.Scope().RenderModeOf(b.Print.URL(d.URL)) {
	case scope.RenderAlways:
		return true
	case scope.RenderAuto:
		return t.Render && !d.Read.Static || document.NeedsScripts(d.Body, d.Read)
	}
	return false
}

// RendersView reports whether the view of a document that was read is rendered.
func (b *Browser) RendersView(d *document.Document, t *admit.Target) bool {
	if !t.Follow || !showsPage(d) {
		return false
	}
	switch b.Door.Scope().RenderModeOf(b.Print.URL(t.At)) {
	case scope.RenderAlways:
		return true
	case scope.RenderAuto:
		return !d.Read.Static
	}
	return false
}

// showsPage reports whether a document is an internal page that exists.
func showsPage(d *document.Document) bool {
	o := &d.Outcome
	return d.Internal && d.Read.Format == "html" && o.Code == check.CodeOK && document.IsPage(o.ContentType) && (o.Status == 0 || o.Status/100 == 2)
}

// Render lets a browser render the page, and makes the anchors of the rendered document
// part of the one that was read. It returns nil if the browser could not do so.
func (o *Opening) Render(ctx context.Context) *Opened {
	doc := o.Doc.Read
	op, err := o.open(ctx, o.Doc.URL.WithoutFragment())
	if err != nil {
		if ctx.Err() == nil {
			o.Doc.Warn(check.Warning{Code: judging.CodeRenderFailed, Message: failedBecause(err)})
		}
		return nil
	}
	o.warnOf(op)
	if op.Shown.Leads != "" {
		return op
	}
	if differs := o.differences(op); len(differs) > 0 {
		o.Doc.Warn(check.Warning{Code: judging.CodeRenderDiffers, Message: "scripts change " + strings.Join(differs, ", ")})
	}
	doc.Anchors = append(doc.Anchors, op.doc.Anchors...)
	doc.AnchorHashes = slices.Compact(slices.Sorted(slices.Values(slices.Concat(doc.AnchorHashes, op.doc.AnchorHashes))))
	return op
}

// failedBecause returns the message about a page that could not be rendered.
func failedBecause(err error) string { return "the page was not rendered: " + err.Error() }

// warnOf adds what is said of a rendered page to its outcome.
func (o *Opening) warnOf(op *Opened) {
	page := op.Shown
	for _, text := range page.Errors {
		o.Doc.Warn(check.Warning{Code: judging.CodeScriptError, Message: text})
	}
	if page.Leads != "" {
		to := page.Leads
		if u, _, err := urinorm.ParseWeb(to); err == nil {
			to = o.Browser.Print.URL(u)
		}
		o.Doc.Warn(check.Warning{Code: judging.CodeScriptRedirect, Message: "a script of the page leads to " + to, Proposal: to})
		return
	}
	if page.Unsettled != "" {
		o.Doc.Warn(check.Warning{Code: judging.CodeRenderUnsettled, Message: page.Unsettled})
	}
	if page.Empty {
		o.Doc.Warn(check.Warning{Code: judging.CodeRenderEmpty, Message: "the page shows nothing, even after its scripts have run"})
	}
}

// differences names what scripts have changed of what search engines read.
func (o *Opening) differences(op *Opened) (names []string) {
	doc := o.Doc.Read
	base, _ := urinorm.NewBase(o.Doc.URL, "")
	resolved := func(d *extract.Document, own string) map[string]bool {
		b := document.BaseOf(o.Doc.URL, d)
		if own != "" {
			if u, _, err := urinorm.ParseWeb(own); err == nil {
				if other, err := urinorm.NewBase(u, ""); err == nil {
					b = other
				}
			}
		}
		if b == nil {
			b = base
		}
		set := map[string]bool{}
		for i := range d.Links {
			if l := &d.Links[i]; l.Kind == extract.Navigation {
				if u, _, err := b.Resolve(l.Ref); err == nil {
					set[u.String()] = true
				}
			}
		}
		return set
	}
	if doc.Title != op.doc.Title {
		names = append(names, "title")
	}
	if doc.Canonical != op.doc.Canonical {
		names = append(names, "canonical")
	}
	if doc.NoIndex != op.doc.NoIndex || doc.NoFollow != op.doc.NoFollow {
		names = append(names, "robots")
	}
	if !maps.Equal(resolved(doc, ""), resolved(&op.doc, op.Shown.Base)) {
		names = append(names, "links")
	}
	return names
}

// Enter enters the references that only the scripts of a page make: links of the
// document, and what the scripts have requested, but for the URLs in without. It returns what
// the page has loaded, and whether a later run may keep the page instead of rendering it again.
func (op *Opened) Enter(page *references.Page, in *scope.Scope, without map[string]bool) (loaded []recall.Loaded, ok bool) {
	var found []extract.Link
	add := func(links []extract.Link, selector func(i int) string) {
		for _, i := range references.AddRendered(page, links, selector) {
			found = append(found, links[i])
		}
	}
	elements := map[string]bool{} // scripts that elements of the document load
	if op.Shown.Leads == "" {
		if u, _, err := urinorm.ParseWeb(op.Shown.Base); err == nil {
			if base, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
				page.Against(base)
				for i := range op.doc.Links {
					if l := &op.doc.Links[i]; l.Element == "script" || l.Element == "link" {
						if u, _, err := base.Resolve(l.Ref); err == nil {
							elements[u.WithoutFragment().String()] = true
						}
					}
				}
			}
		}
		for i := range op.doc.Links {
			l := &op.doc.Links[i]
			l.Raw, l.Repeats, l.Tag = l.Ref, 0, 0
		}
		add(op.doc.Links, func(i int) string { return op.Shown.Selector(op.doc.Links[i].Line) })
	}
	var links []extract.Link
	for _, a := range op.Shown.Asked {
		u, _, err := urinorm.ParseWeb(a.URL)
		if without[a.URL] || a.Type == render.Script && err == nil && elements[u.String()] {
			continue
		}
		kind := extract.Resource
		if a.Type == render.Navigation {
			kind = extract.Navigation
		}
		raw := a.URL
		if err == nil && in.Sites.SyntheticHost(u.Authority()) {
			raw = in.Print.URL(u)
		}
		links = append(links, extract.Link{Raw: raw, Ref: a.URL, Element: "script", Kind: kind})
	}
	add(links, func(int) string { return "" })
	return op.keepable(found)
}
