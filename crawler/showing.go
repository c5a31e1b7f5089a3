package crawler

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/urinorm"
)

// showing is the part of a reading that lets a browser show the document.
//
// A fragment that begins with a slash names a view of an application: the script of the
// document shows it. Each view is a target and a page of its own. Its status does not tell
// whether it exists. Evidence is the data that it asks for, and a view that cannot exist:
// one is opened for each document.
type showing struct{ *documentReading }

// open renders the URL of a document, whose answer is known.
func (r showing) open(ctx context.Context, u urinorm.URL) (*opened, error) {
	_, view := u.Fragment()
	g := r.rendering
	if r.cfg.Render.Renderer == nil {
		return nil, errors.New(r.cfg.Render.Trouble)
	}
	r.w.slot.release()
	r.endLarge(&r.got.content)
	r.door.Leave(r.of) // what the page loads needs the place
	op := &opened{}
	page, err := g.load(ctx, &render.Request{URL: u.String(), Text: view}, ownReply(r.Response, r.Body, r.Read.Charset), op)
	r.got.Counts.Of[stored.Requests] += op.requests
	if errors.Is(err, render.ErrEnded) {
		g.noteEnd()
	}
	if err != nil {
		return nil, err
	}
	op.page = page
	if page.Leads == "" {
		extract.ExtractInto(&op.doc, extract.Input{Body: page.HTML, ContentType: "text/html; charset=utf-8", Name: scope.DocumentName(r.URL),
			Acts: r.door.Scope().Rules.Acts(), Select: r.cfg.Reading.Select, IgnoreSelect: r.cfg.Reading.IgnoreSelect, MaxLinks: document.MaxNetworkLinks})
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

// rendersPage reports whether a document that was read is rendered as well.
func (r showing) rendersPage() bool {
	if r.rendering == nil || !r.of.Follow || !r.showsPage() {
		return false
	}
	switch r.door.Scope().RenderModeOf(r.env.Print.URL(r.URL)) {
	case scope.RenderAlways:
		return true
	case scope.RenderAuto:
		return r.of.Render && !r.Read.Static || document.NeedsScripts(r.Body, r.Read)
	}
	return false
}

// showsPage reports whether a document is an internal page that exists.
func (r showing) showsPage() bool {
	o := &r.Outcome
	return r.Internal && r.Read.Format == "html" && o.Code == check.CodeOK && document.IsPage(o) && (o.Status == 0 || o.Status/100 == 2)
}

// render lets a browser render the page, and makes the anchors of the rendered document
// part of the one that was read. It returns nil if the browser could not do so.
func (r showing) render(ctx context.Context) *opened {
	doc := r.Read
	op, err := r.open(ctx, r.URL.WithoutFragment())
	if err != nil {
		if ctx.Err() == nil {
			r.Warn(check.Warning{Code: check.CodeRenderFailed, Message: failedBecause(err)})
		}
		return nil
	}
	r.warnOf(op)
	if op.page.Leads != "" {
		return op
	}
	if differs := r.differences(op); len(differs) > 0 {
		r.Warn(check.Warning{Code: check.CodeRenderDiffers, Message: "scripts change " + strings.Join(differs, ", ")})
	}
	doc.Anchors = append(doc.Anchors, op.doc.Anchors...)
	doc.AnchorHashes = slices.Compact(slices.Sorted(slices.Values(slices.Concat(doc.AnchorHashes, op.doc.AnchorHashes))))
	r.w.slot.take()
	return op
}

// failedBecause returns the message about a page that could not be rendered.
func failedBecause(err error) string { return "the page was not rendered: " + err.Error() }

// warnOf adds what is said of a rendered page to its outcome.
func (r showing) warnOf(op *opened) {
	page := op.page
	for _, text := range page.Errors {
		r.Warn(check.Warning{Code: check.CodeScriptError, Message: text})
	}
	if page.Leads != "" {
		to := page.Leads
		if u, _, err := urinorm.ParseWeb(to); err == nil {
			to = r.env.Print.URL(u)
		}
		r.Warn(check.Warning{Code: check.CodeScriptRedirect, Message: "a script of the page leads to " + to, Proposal: to})
		return
	}
	if page.Unsettled != "" {
		r.Warn(check.Warning{Code: check.CodeRenderUnsettled, Message: page.Unsettled})
	}
	if page.Empty {
		r.Warn(check.Warning{Code: check.CodeRenderEmpty, Message: "the page shows nothing, even after its scripts have run"})
	}
}

// differences names what scripts have changed of what search engines read.
func (r showing) differences(op *opened) (names []string) {
	doc := r.Read
	base, _ := urinorm.NewBase(r.URL, "")
	resolved := func(d *extract.Document, own string) map[string]bool {
		b := document.BaseOf(r.URL, d)
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
	if !maps.Equal(resolved(doc, ""), resolved(&op.doc, op.page.Base)) {
		names = append(names, "links")
	}
	return names
}

// enterRendered enters the references that only the scripts of a page make: links of the
// document, and what the scripts have requested, but for the URLs in without. It returns what
// keepable does.
func (r showing) enterRendered(op *opened, without map[string]bool) (loaded []recall.Loaded, ok bool) {
	page := r.page()
	var found []extract.Link
	add := func(links []extract.Link, selector func(i int) string) {
		for _, i := range references.AddRendered(page, links, selector) {
			found = append(found, links[i])
		}
	}
	elements := map[string]bool{} // scripts that elements of the document load
	if op.page.Leads == "" {
		if u, _, err := urinorm.ParseWeb(op.page.Base); err == nil {
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
		add(op.doc.Links, func(i int) string { return op.page.Selector(op.doc.Links[i].Line) })
	}
	var links []extract.Link
	for _, a := range op.page.Asked {
		u, _, err := urinorm.ParseWeb(a.URL)
		if without[a.URL] || a.Type == render.Script && err == nil && elements[u.String()] {
			continue
		}
		kind := extract.Resource
		if a.Type == render.Navigation {
			kind = extract.Navigation
		}
		raw := a.URL
		if err == nil && r.door.Scope().SyntheticHost(u.Authority()) {
			raw = r.env.Print.URL(u)
		}
		links = append(links, extract.Link{Raw: raw, Ref: a.URL, Element: "script", Kind: kind})
	}
	add(links, func(int) string { return "" })
	return op.keepable(found)
}

// isView reports whether a target is a view.
func (g *rendering) isView(u urinorm.URL) bool {
	if g == nil {
		return false
	}
	fragment, has := u.Fragment()
	return has && references.IsRoute(fragment)
}

// readView renders a view and judges whether it exists. Its document has been read.
func (r showing) readView(ctx context.Context) {
	t, doc := r.of, r.Read
	if !t.Follow || !r.showsPage() {
		return
	}
	switch r.door.Scope().RenderModeOf(r.env.Print.URL(t.At)) {
	case scope.RenderNever, scope.RenderUnset:
		return
	case scope.RenderAuto:
		if doc.Static {
			return
		}
	}
	whole := t.At.WithoutFragment()
	needed := r.door.Scope().RenderModeOf(r.env.Print.URL(whole)) == scope.RenderAuto && !document.NeedsScripts(r.Body, doc) // the others are rendered anyway
	references.EnterRoute(r.page(), scope.HrefOf(whole), t.Target, needed)
	w := r.rendering.viewsOf(whole.String())
	w.once.Do(func() {
		r.memory.Forget(whole, r.door.Scope())
		r.openMadeUp(ctx, w, whole)
	})
	fragment, _ := t.At.Fragment()
	err := w.err
	if err == nil && w.made.page.Docsify {
		if route, query, has := strings.Cut(fragment, "?"); has {
			if base, _, err := urinorm.ParseWeb(whole.String() + "#" + route); err == nil {
				r.judgeAnchor(ctx, w, base, query)
			}
			return
		}
	}
	var op *opened
	if err == nil {
		op, err = r.open(ctx, t.At)
	}
	if err != nil {
		if ctx.Err() == nil {
			r.Note(check.Facts{Code: check.CodeRenderFailed, Message: failedBecause(err)})
		}
		return
	}
	judged, own := r.judgeView(w, op, fragment)
	r.Note(judged)
	if err == nil && w.made.page.Docsify {
		w.viewOf(fragment).once.Do(func() {
			w.viewOf(fragment).set(op, judged)
		})
	}
	doc.Anchors, doc.AnchorHashes = op.doc.Anchors, op.doc.AnchorHashes
	if judged.Code != "" {
		return
	}
	r.warnOf(op)
	r.w.slot.take()
	page := r.page()
	r.startLinks()
	references.Shadow(page, doc)
	r.enterRendered(op, own)
	r.got.IsPage = true
	r.got.Counts.Of[stored.Pages]++
}

// set notes the anchors and the outcome of a view that was rendered.
func (k *view) set(op *opened, judged check.Facts) {
	k.anchors = slices.Clone(op.doc.AnchorHashes)
	k.judged = check.Facts{Code: judged.Code, Message: judged.Message}
}

// openMadeUp opens a view that cannot exist.
func (r showing) openMadeUp(ctx context.Context, w *views, document urinorm.URL) {
	var digits [8]byte
	rand.Read(digits[:]) // never fails
	w.name = "/" + hex.EncodeToString(digits[:])
	u, _, err := urinorm.ParseWeb(document.String() + "#" + w.name)
	if err != nil {
		w.err = err
		return
	}
	w.made, w.err = r.open(ctx, u)
}

// judgeAnchor judges a link to an anchor of a docsify view, which its query names.
func (r showing) judgeAnchor(ctx context.Context, w *views, base urinorm.URL, query string) {
	route, _ := base.Fragment()
	references.EnterRoute(r.page(), scope.HrefOf(base), r.of.Target, false)
	k := w.viewOf(route)
	k.once.Do(func() {
		op, err := r.open(ctx, base)
		if err != nil {
			k.judged = check.Facts{Code: check.CodeRenderFailed, Message: failedBecause(err)}
			return
		}
		judged, _ := r.judgeView(w, op, route)
		k.set(op, judged)
	})
	r.Read.Anchors, r.Read.AnchorHashes = nil, nil
	r.Note(k.judged)
	if k.judged.Code != "" {
		return
	}
	values, _ := url.ParseQuery(query)
	id := values.Get("id")
	if id == "" {
		return
	}
	if _, found := slices.BinarySearch(k.anchors, check.HashAnchor(id)); !found {
		r.Note(check.Facts{Code: check.CodeFragmentMissing, Message: fmt.Sprintf("no element of the view %s has the id %q", route, id)})
	}
}

// judgeView judges whether a view exists: it does not if data that it alone has asked for
// is missing, and it shows what the made-up view shows. It returns that data, too, which is no
// target of its own.
func (r showing) judgeView(w *views, op *opened, fragment string) (judged check.Facts, own map[string]bool) {
	if op.page.Leads != "" || strings.Trim(fragment, "/!") == "" { // the first view is shown for any that does not exist
		return judged, nil
	}
	missing := r.missingData(w, op)
	same := comparable(op.page.Text, fragment, w.name) == comparable(w.made.page.Text, fragment, w.name) && w.made.page.Leads == ""
	switch {
	case missing.URL != "" && same:
		judged.Code = check.CodeRouteMissing
		judged.Message = fmt.Sprintf("the view asks for %s, which answers %d, and shows the same text as a made-up view", r.printed(missing.URL), missing.Status)
	case missing.URL != "":
		judged.Warnings = []check.Warning{{Code: check.CodeSoft404, Message: fmt.Sprintf("the view asks for %s, which answers %d", r.printed(missing.URL), missing.Status)}}
	case same:
		judged.Warnings = []check.Warning{{Code: check.CodeSoft404, Message: "the view shows the same text as a made-up view"}}
	default:
		return judged, nil
	}
	return judged, map[string]bool{missing.URL: true}
}

// printed returns a URL as reports show it.
func (r showing) printed(raw string) string {
	u, _, err := urinorm.ParseWeb(raw)
	if err != nil {
		return urinorm.Redact(raw)
	}
	return r.env.Print.URL(u)
}

// missingData returns the first request for data that a view has made and the made-up view
// has not, and that answered 404 or 410.
func (r showing) missingData(w *views, op *opened) render.Asked {
	for _, a := range op.page.Asked {
		u, _, err := urinorm.ParseWeb(a.URL)
		if err != nil || a.Status != 404 && a.Status != 410 || a.Type != render.Data && a.Type != render.Navigation ||
			u.Scheme() != r.URL.Scheme() || u.Authority() != r.URL.Authority() {
			continue
		}
		if !slices.ContainsFunc(w.made.page.Asked, func(other render.Asked) bool { return other.URL == a.URL }) {
			return a
		}
	}
	return render.Asked{}
}

// comparable returns the text of a view without the names of some views: a view that does not
// exist may show its name, and a menu may show those of others.
func comparable(text string, fragments ...string) string {
	for _, fragment := range fragments {
		name := strings.Trim(fragment, "/!")
		text = withoutWord(text, name)
		if decoded, err := url.PathUnescape(name); err == nil && decoded != name {
			text = withoutWord(text, decoded)
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "/", " ")), " ")
}

// withoutWord returns a text without a word: where no letter or digit comes before or after it.
func withoutWord(text, word string) string {
	if word == "" {
		return text
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	var kept strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, word)
		kept.WriteString(before)
		if !found {
			return kept.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if inWord(last) || inWord(next) {
			kept.WriteString(word)
		}
		rest = after
	}
}
