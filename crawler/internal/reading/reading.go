// Package reading reads the document that answers for a target into what the engine settles: links as
// references, what later runs need of a page, and what is reported of it. It lets each step be done by
// the package that knows it: bounds, format and content checks (document), a browser (view), links
// (references), sessions (signin).
package reading

import (
	"context"
	"fmt"
	"hash/crc32"
	"net/http"
	"runtime"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/inspected"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/view"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Engine is what documents are read for, and with.
type Engine struct {
	Selects  bool // only links within some elements count
	Door     *admit.Door
	Env      *references.Env
	Memory   *recall.Memory
	Sessions []*formlogin.Session
	Browser  *view.Browser // nil if no page is rendered
	Out      *account.Outlet
	Files    *document.Documents // the seeds that are in directories
	Asks     *result.Paths       // nil if it is not told which documents ask for files
}

// Reader reads the documents that answer for targets: their bodies become anchors and, when a
// target is a page, links.
type Reader struct {
	Engine
	Documents *document.Reader
	Slots     *local.Slots
	Buffers   buffers.Pool
	pages     local.Pool[references.Page]
	ownBases  document.OwnBases
}

// New returns a reader that uses all processors.
func New(e Engine, s document.Settings) *Reader {
	processors := runtime.GOMAXPROCS(0)
	r := &Reader{Engine: e, Slots: local.NewSlots(processors),
		pages: local.Pool[references.Page]{Most: 2 * processors}}
	r.Buffers.Most = 4 * processors
	r.Documents = document.NewReader(s, &r.Buffers)
	return r
}

// Content is what was found in the document that answers for a target.
type Content struct {
	At      urinorm.URL       // the document: the target, or the end of its redirects
	Page    *references.Page  // what it refers to; nil until something is found
	IsPage  bool              // it was read for links
	Text    uint32            // checksum of a page from the network; 0 if it is not known
	Sitemap admit.SitemapKind // as what it lists links
	Report  *result.Page      // what is reported to the sink; nil for nothing
	Large   bool              // no other large document is read for links until its use ends
}

// Reading is what a document that was read has brought.
type Reading struct {
	Content
	Outcome judging.Outcome // with what the document shows
	Counts  stored.Counts
	Gaps    []gap.Kind
	Kept    *recall.Page    // what later runs need of a page; nil for nothing
	SignIn  *formlogin.Page // the document, if it asks for a password
}

// Workspace is the memory of a worker for what it reads, one document after another.
type Workspace struct {
	Slot     local.Slot
	document documentReading
}

// checksum is that of recall.Page.Text. It need not be stronger: few pages of a site that have the
// same one by chance change nothing.
var checksum = crc32.MakeTable(crc32.Castagnoli)

// documentReading reads one document.
type documentReading struct {
	*Reader
	document.Document
	of  *admit.Target // for which it answers
	w   *Workspace    // of the worker
	got Reading       // so far; the outcome is in the document
}

// Page returns the page in which what a target refers to is collected.
func (p *Reader) Page(f *Content, t *admit.Target) *references.Page {
	if f.Page == nil {
		f.Page = p.pages.Take()
		f.Page.Reset(p.Env, scope.HrefOf(f.At), t.Depth)
	}
	return f.Page
}

// Shrink gives memory back that only documents need which are still to be read.
func (p *Reader) Shrink() {
	p.pages.Empty()
	p.Buffers.Release()
}

// OwnBase returns the address that the pages of the directories name as that of their site, how many
// do, and whether a sitemap lists it.
func (p *Reader) OwnBase() (base string, pages int, listed bool) { return p.ownBases.Usual() }

// Moved returns the site of a start page, and what that page calls it if that is another.
func (p *Reader) Moved() (from, to string) { return p.ownBases.Moved() }

// Release ends the use of what was found, and returns its memory to the pool.
func (p *Reader) Release(f *Content) {
	defer p.EndLarge(f)
	if f.Page != nil {
		f.Page.Shrink()
		p.pages.Put(f.Page)
		f.Page = nil
	}
}

// EndLarge lets another worker read a large document.
func (p *Reader) EndLarge(f *Content) {
	if f.Large {
		p.Documents.EndLarge()
		f.Large = false
	}
}

// ListsSitemap reports whether the document of a URL is read as a sitemap because
// robots.txt names it.
func (p *Reader) ListsSitemap(u urinorm.URL) bool {
	return p.Door.Scope().Rules.Sitemaps && p.Door.Sitemaps.Has(u)
}

// ReadAnswer reads the document that answers for a target, to the request for a URL. The outcome is that
// of the response.
func (p *Reader) ReadAnswer(ctx context.Context, w *Workspace, t *admit.Target, u urinorm.URL, resp *fetch.Response, o judging.Outcome) Reading {
	scope, r := p.Door.Scope(), &w.document
	*r = documentReading{Reader: p, of: t, w: w, Document: document.Document{Response: resp, Outcome: o, Target: document.Target{URL: u, Seen: t.At, Scope: scope, Rule: p.Door.Rules.Of(u),
		Seed: t.Seed, Internal: t.Internal, Follow: t.Follow, Content: t.Content, Sitemap: p.ListsSitemap(u), View: t.View}}}
	r.got.At = u
	r.Elsewhere = p.ReadElsewhere(t, u, resp)
	r.got.Kept = r.read(ctx)
	got := r.got
	got.Outcome = p.Documents.Release(&r.Document)
	*r = documentReading{}
	return got
}

// ReadElsewhere reports whether the document that answers for a target is read under another URL.
func (p *Reader) ReadElsewhere(t *admit.Target, u urinorm.URL, resp *fetch.Response) bool {
	site := p.Door.Scope().Sites.Of(u)
	return t.Follow && resp.Path != "" && site != nil && p.Door.Scope().Crawled(site) && p.Files.Elsewhere(site, u, resp.Path)
}

func (r *documentReading) read(ctx context.Context) *recall.Page {
	d, reader := &r.Document, r.Documents
	if r.Door.Scope().Judging.Inspector.Needs().Scans(d.Internal) {
		r.w.Slot.Release() // a worker with a slot must not wait for room
		r.Slots.WaitForRoom()
		reader.Scan(ctx, d)
		r.got.Gaps = account.WithGap(r.got.Gaps, reader.Lost())
	}
	if !d.Readable() {
		reader.InspectTarget(d)
		return nil
	}
	if !r.w.Slot.Taken {
		r.Slots.WaitForRoom() // data stays in the network until a worker has time to read it
	}
	if !reader.Take(d, r.w.Slot.Taken) || d.IsLarge() && !r.beginLarge() {
		return nil
	}
	r.w.Slot.Take()
	page, bare := r.page(), reader.MayBeBare(d) && r.Env.MayBeBare(d.Response, d.Body)
	if bare {
		page.ReadBare(d.Body)
		defer page.ReleaseBody()
	}
	var part func(links []extract.Link, all int)
	if d.InParts {
		part = func(links []extract.Link, all int) {
			if ctx.Err() == nil {
				r.startLinks().AddPart(links, all)
			}
		}
	}
	if !reader.Read(d, &page.Document, bare, part) {
		page.Reset(r.Env, scope.HrefOf(d.URL), r.of.Depth)
		return nil
	}
	if d.View {
		r.readView(ctx)
		d.Describe()
		return nil
	}
	var op *view.Opened
	if d.Links() {
		op = r.render(ctx)
	}
	d.Describe()
	if r.of.Session {
		r.got.SignIn = signin.Page(r.Sessions, d)
	}
	if reader.Begin(d) {
		if r.Door.Scope().Judging.Inspector.Needs().Waits {
			r.w.Slot.Release()
		}
		reader.Inspect(ctx, d, d.WantsIcon() && r.hasIcon(ctx))
		r.got.Gaps = account.WithGap(r.got.Gaps, reader.Lost())
	}
	if r.Door.Scope().Compares(d.URL) && document.IsPage(d.Outcome.ContentType) {
		d.Note(r.Door.Probes.Compare(d.URL, d.Body))
	}
	if !d.Links() || d.Response.LocalFile() == "" && !r.admitsSitemap(&r.got, r.of, d.Read.Format, d.Read.SitemapIndex, len(d.Read.Links)) {
		return nil
	}
	return r.enter(ctx, op)
}

// page returns the page in which what the document refers to is collected.
func (r *documentReading) page() *references.Page { return r.Reader.Page(&r.got.Content, r.of) }

// enter enters what a page refers to, and what its scripts added when it was opened in a browser,
// which is nil for a page that was not. It returns what the cache keeps of the page.
func (r *documentReading) enter(ctx context.Context, op *view.Opened) *recall.Page {
	d, found := &r.Document, r.page()
	if d.Response.LocalFile() != "" {
		found.ReadFile(d.Body)
		defer found.ReadFile(nil) // the body is released
	}
	shell := op == nil && d.Outcome.Code == check.CodeOK && document.IsPage(d.Outcome.ContentType) && r.wantsShell() && document.IsShell(d.Body, d.Read)
	page := r.enterLinks(ctx, shell)
	if op == nil && d.Response.LocalFile() == "" {
		page.Text = crc32.Checksum(d.Body, checksum)
	}
	page.Blank = shell || op == nil && len(d.Read.Links) == 0 && document.IsBlank(d.Body, d.Read.Format)
	r.got = r.describe(r.got, r.of, &d.Outcome, page)
	if r.Asks != nil && references.AsksFiles(found) {
		r.Asks.Add(d.Outcome.Path)
	}
	complete := !d.Outcome.RenderFailed()
	if op != nil {
		page.Loaded, page.Rendered = op.Enter(found, r.Door.Scope(), nil)
		complete = complete && page.Rendered
		d.Note(judging.Facts{Content: judging.Content{Static: true}}) // the anchors that scripts make are known
	}
	r.wantContent(found, d.Wants)
	if !complete || r.Memory == nil || r.Door.Scope().Rules.Changed != nil || !recall.Keepable(d.Read) || references.DependsOnFiles(found) {
		return nil
	}
	page.Reader = r.Memory.Reader(r.of, references.ScopeOf(found))
	page.Targets, page.References = references.Keep(found)
	return page
}

// beginLarge waits until no other worker reads a large document, and reports whether this one is
// still to be read.
func (r *documentReading) beginLarge() bool {
	r.Documents.BeginLarge()
	r.got.Large = true
	pattern, cut := r.Door.Cut(r.of)
	if cut { // because of the documents before
		r.got.LeaveOut(pattern)
	}
	return !cut
}

// LeaveOut notes that links are not read because they are part of an endless series.
func (got *Reading) LeaveOut(pattern string) {
	got.Counts.Traps = append(got.Counts.Traps, pattern)
	got.Gaps = append(got.Gaps, gap.Trap)
}

// wantContent requests the content of targets that are needed to judge a page, unless the cache
// has what the checks of this run know of them.
func (p *Reader) wantContent(page *references.Page, wants []urinorm.URL) {
	for _, u := range wants {
		page.WantContent(u, func(known *judging.Outcome) bool { return p.Door.Scope().Judging.Inspector.Knows(known, false) })
	}
}

// admitsSitemap reports whether what a document of a format lists is entered: it is, unless the
// document is a sitemap and the limits of sitemaps are exceeded. index is set for an index of
// sitemaps.
func (p *Reader) admitsSitemap(got *Reading, t *admit.Target, format string, index bool, links int) bool {
	if format != "sitemap" {
		return true
	}
	got.Sitemap = admit.URLSitemap
	if index {
		got.Sitemap = admit.IndexSitemap
	}
	pattern, ok := p.Door.Sitemaps.Admit(t.Lease.ID, got.Sitemap, links)
	if !ok {
		got.LeaveOut(pattern)
	}
	return ok
}

// wantsShell reports whether it matters if a script fills the page: it does unless the page is
// a single document.
func (r *documentReading) wantsShell() bool {
	site := r.Door.Scope().Sites.Of(r.URL)
	return site == nil || r.Door.Scope().Crawled(site)
}

// enterLinks enters the references of a page and returns what else is known of it. shell is set if
// the page is only the frame that a script fills.
func (r *documentReading) enterLinks(ctx context.Context, shell bool) *recall.Page {
	doc, header := r.Read, r.Response.Header
	doc.NoFollow = doc.NoFollow || robots.NoFollowHeader(header, r.Door.Scope().Rules.RobotsAgent)
	page := r.startLinks()
	if refresh := document.Refresh(doc); refresh != nil && !r.Outcome.Static {
		r.Note(judging.Facts{Next: page.Lead(refresh)})
	}
	page.AddAll(ctx, doc)
	r.enterHeader(page, header)
	canonical := document.Canonical(r.URL, doc)
	site := r.Door.Scope().Sites.Of(r.URL)
	r.ownBases.Note(site, r.URL, canonical)
	if doc.Format == "sitemap" {
		r.ownBases.NoteSitemap(site, doc)
	}
	hidden := references.Remapped(page)
	if hides := r.Door.Scope().Judging.Hides; hides != nil && hides.Select {
		hidden += doc.Unselected
	}
	return &recall.Page{Format: doc.Format, Hidden: min(hidden, extract.MaxLinks), Canonical: canonical.String(), NoIndex: doc.NoIndex || robots.NoIndexHeader(header), Shell: shell,
		Unfollowed: page.FollowsNone() && slices.ContainsFunc(doc.Links, isNavigation), SitemapIndex: doc.SitemapIndex, Listed: len(doc.Links)}
}

// describe adds to what was read that it is a page whose references have been entered: its counts,
// and what is reported and stored of it.
func (p *Reader) describe(got Reading, t *admit.Target, o *judging.Outcome, about *recall.Page) Reading {
	if about.Format == "css" { // not a page to a reader
		return got
	}
	got.IsPage, got.Text = true, about.Text
	if t.Seed && p.Door.Scope().Sites.Of(got.At) == nil {
		p.noteStart(&got.Content, t, about.Canonical)
	}
	if about.Unfollowed && p.Door.Scope().Rules.WithinDepth(t.Depth+1) {
		got.Counts.Of[stored.Unfollowed]++
	}
	switch {
	case !about.Shell:
	case t.Seed && p.Door.Scope().Sites.Of(got.At) == nil:
		got.Gaps = append(got.Gaps, gap.Script)
	default:
		got.Counts.Of[stored.Shells]++
	}
	if !t.Again {
		got.Counts.Of[stored.Pages]++
		got.Counts.Of[stored.Hidden] += about.Hidden
		if about.Blank {
			got.Counts.Of[stored.Blank]++
		}
	}
	durable := p.Env.Frontier.Durable()
	if !p.Env.Pages && !durable {
		return got
	}
	page := p.Page(&got.Content, t)
	report := result.Page{URL: p.Env.Print.URL(got.At), Title: o.Title, Depth: t.Depth, Modified: o.Modified, Format: about.Format,
		NoIndex: about.NoIndex, Links: page.Edges()}
	if c, _, err := urinorm.ParseWeb(about.Canonical); err == nil {
		report.Canonical = p.Env.Print.URL(c)
	}
	if durable {
		page.About = stored.EncodePage(&report)
	}
	if p.Env.Pages {
		got.Report = &report
	}
	return got
}

// noteStart notes what the start page of a website calls its site, if that is another: its canonical
// URL says so, or one of its links, by another name of this machine.
func (p *Reader) noteStart(f *Content, t *admit.Target, canonical string) {
	named, _, err := urinorm.ParseWeb(canonical)
	if err == nil {
		if inside, _ := p.Door.Scope().Internal(scope.HrefOf(named)); inside {
			return
		}
	} else {
		named = references.OnThisMachine(p.Page(f, t), f.At)
	}
	p.ownBases.NoteStart(f.At, named)
}

// startLinks sets what holds for all links of the document.
func (r *documentReading) startLinks() *references.Page {
	in, changed := r.Door.Scope(), r.Door.Scope().Rules.Changed
	page := r.page()
	page.From(references.Source{Base: document.BaseOf(r.URL, r.Read), Local: in.Sites.Of(r.URL) != nil || r.URL.Scheme() == "file",
		NoFollow: r.Read.NoFollow && in.ObeysNoFollow(scope.HrefOf(r.URL)), Unchanged: changed != nil && !changed.Has(r.Outcome.Path)})
	return page
}

// enterHeader enters what the header of a page refers to. A selector asks for links
// inside elements, and a header is not inside any.
func (r *documentReading) enterHeader(page *references.Page, header http.Header) {
	if len(header) == 0 || r.Selects {
		return
	}
	own, err := urinorm.NewBase(r.URL, "")
	if err != nil {
		return
	}
	page.Against(own)
	links := extract.FromHeaders(header)
	for i := range links {
		page.Add(&links[i])
	}
}

func isNavigation(l extract.Link) bool { return l.Kind == extract.Navigation }

// hasIcon reports whether the host of a page has an icon for pages that name none.
func (r *documentReading) hasIcon(ctx context.Context) bool {
	r.w.Slot.Release() // the network is slower than other workers
	has, requests := r.Door.HasIcon(ctx, r.of, r.URL)
	r.got.Counts.Of[stored.Requests] += requests
	return has
}

// Restore returns what a document has brought in an earlier state, if it has not changed. The
// outcome is the one that it had.
func (p *Reader) Restore(t *admit.Target, known *recall.Entry, resp *fetch.Response, o judging.Outcome) (got Reading, err error) {
	got.At, got.Outcome = t.At, o
	about := known.Page
	if !t.Follow || !p.admitsSitemap(&got, t, about.Format, about.SitemapIndex, about.Listed) {
		return got, nil
	}
	if canonical, _, err := urinorm.ParseWeb(about.Canonical); err == nil {
		p.ownBases.Note(p.Door.Scope().Sites.Of(t.At), t.At, canonical)
	}
	page := p.Page(&got.Content, t)
	if err := references.TakeOver(page, about.Targets, about.References); err != nil {
		return got, fmt.Errorf("visit target %d: %w", t.Lease.ID, err)
	}
	got = p.describe(got, t, &o, about)
	if p.Door.Scope().Judging.Inspector != nil {
		found, _ := inspected.Reuse(o.Inspection) // the cache has checked that it is not damaged
		p.wantContent(page, document.Wants(&found, p.Door.Scope(), resp))
	}
	return got, nil
}

// opening returns the document for the browser. What that loads needs the places that this worker
// holds.
func (r *documentReading) opening() *view.Opening {
	if r.Browser.Renderer != nil {
		r.w.Slot.Release()
		r.EndLarge(&r.got.Content)
		r.Door.Leave(r.of)
	}
	references.LeaveAlone(r.startLinks(), r.Read)
	return &view.Opening{Browser: r.Browser, Doc: &r.Document, Of: r.of, Page: r.page()}
}

// closed counts what the browser has requested for the document.
func (r *documentReading) closed(o *view.Opening) {
	r.got.Counts.Of[stored.Requests] += o.Requests
	if o.Note != "" {
		r.Out.Note(o.Note)
	}
}

// render lets the browser render a page that was read, if it is to be rendered. It returns nil if
// it was not.
func (r *documentReading) render(ctx context.Context) *view.Opened {
	if !r.Browser.Renders(&r.Document, r.of) {
		return nil
	}
	o := r.opening()
	op := o.Render(ctx)
	if r.closed(o); op != nil && op.Shown.Leads == "" {
		r.w.Slot.Take()
	}
	return op
}

// readView lets the browser render a view, whose document was read.
func (r *documentReading) readView(ctx context.Context) {
	if !r.Browser.RendersView(&r.Document, r.of) {
		return
	}
	o := r.opening()
	op, own := o.View(ctx)
	if r.closed(o); op == nil {
		return
	}
	r.w.Slot.Take()
	r.startLinks()
	references.Shadow(o.Page, r.Read)
	op.Enter(o.Page, r.Door.Scope(), own)
	r.got.IsPage = true
	r.got.Counts.Of[stored.Pages]++
}
