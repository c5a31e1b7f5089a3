package crawler

import (
	"context"
	"net/http"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// reading is the document that answers for a visit: its body becomes anchors and, when
// the target is a page, links.
type reading struct {
	visit *visit
	*document.Document
}

// read reads the document that answers for a visit. It returns the outcome with what the
// document shows, and for a page what the cache keeps.
func read(ctx context.Context, v *visit, u urinorm.URL, resp *fetch.Response, o check.Outcome) (check.Outcome, *recall.Page) {
	t, scope, d := v.t, v.run.door.Scope(), &v.worker.document
	*d = document.Document{Response: resp, Outcome: o, Target: document.Target{URL: u, Seen: v.u, Scope: scope, Rule: v.run.door.Rules.Of(u),
		Seed: t.Seed, Internal: t.Internal, Follow: t.Follow, Content: t.Content, Sitemap: v.run.listsSitemap(u), View: v.target.View}}
	if site := scope.SiteOf(u); t.Follow && resp.Path != "" && site != nil && scope.Crawled(site) {
		d.Elsewhere = v.run.seeds.documents.Elsewhere(site, u, resp.Path)
	}
	page := reading{v, d}.read(ctx)
	return v.run.reader.Release(d), page
}

func (r reading) read(ctx context.Context) *recall.Page {
	v, d, reader := r.visit, r.Document, r.visit.run.reader
	if v.run.cfg.Inspector.Scans(d.Internal) {
		v.worker.releaseSlot() // a worker with a slot must not wait for room
		v.run.slots.waitForRoom()
		reader.Scan(ctx, d)
		v.worker.tally.leftOut(reader.Lost())
	}
	if !d.Readable() {
		reader.InspectTarget(d)
		return nil
	}
	if !v.worker.busy {
		v.run.slots.waitForRoom() // data stays in the network until a worker has time to read it
	}
	if !reader.Take(d, v.worker.busy) || d.Large && !r.beginLarge() {
		return nil
	}
	v.worker.takeSlot()
	page, bare := v.finds(), reader.MayBeBare(d) && v.run.env.MayBeBare(d.Response, d.Body)
	if bare {
		page.ReadBare(d.Body)
		defer page.ReleaseBody()
	}
	var part func(links []extract.Link, all int)
	if d.InParts {
		part = func(links []extract.Link, all int) { r.startLinks().AddPart(links, all) }
	}
	if !reader.Read(d, &page.Document, bare, part) {
		page.Reset(v.run.env, v.page, v.t.Depth)
		return nil
	}
	if d.View {
		showing{r}.readView(ctx)
		d.Describe()
		return nil
	}
	var op *opened
	if d.Links() && (showing{r}).rendersPage() {
		op = showing{r}.render(ctx)
	}
	d.Describe()
	if v.session != nil {
		v.session.read(v, d)
	}
	if reader.Begin(d) {
		if v.run.cfg.Inspector.Waits() {
			v.worker.releaseSlot()
		}
		reader.Inspect(ctx, d, d.WantsIcon() && r.hasIcon(ctx))
		v.worker.tally.leftOut(reader.Lost())
	}
	if v.run.door.Scope().Compares(d.URL) && document.IsPage(&d.Outcome) {
		d.Note(v.run.door.Probes.Compare(d.URL, d.Body))
	}
	if !d.Links() || d.Response.LocalFile() == "" && !r.admitsSitemap(d.Read.Format, d.Read.SitemapIndex, len(d.Read.Links)) {
		return nil
	}
	return r.enter(op)
}

// enter enters what a page refers to, and what its scripts added when it was opened in a browser,
// which is nil for a page that was not. It returns what the cache keeps of the page.
func (r reading) enter(op *opened) *recall.Page {
	v, d, found := r.visit, r.Document, r.visit.finds()
	if d.Response.LocalFile() != "" {
		found.ReadFile(d.Body)
		defer found.ReadFile(nil) // the body is released
	}
	shell := op == nil && d.Outcome.Code == check.CodeOK && document.IsPage(&d.Outcome) && r.wantsShell() && document.IsShell(d.Body, d.Read)
	page := r.enterLinks(shell)
	page.Blank = shell || op == nil && len(d.Read.Links) == 0 && document.IsBlank(d.Body, d.Read.Format)
	r.conclude(page)
	complete := !d.Outcome.RenderFailed()
	if op != nil {
		page.Loaded, page.Rendered = showing{r}.enterRendered(op, nil)
		complete = complete && page.Rendered
		d.Note(check.Facts{Static: true}) // the anchors that scripts make are known
	}
	r.wantContent()
	if !complete || v.run.memory == nil || v.run.cfg.Changed != nil || !recall.Keepable(d.Read) {
		return nil
	}
	page.Reader = v.run.memory.Reader(&v.target, references.ScopeOf(v.found))
	page.Targets, page.References = references.Keep(v.found)
	return page
}

// beginLarge waits until no other worker reads a large document, and reports whether this one is
// still to be read.
func (r reading) beginLarge() bool {
	v := r.visit
	if v.large {
		return true
	}
	v.run.reader.BeginLarge()
	v.large = true
	pattern, cut := v.run.door.Cut(&v.target)
	if cut { // because of the documents before
		v.leaveOutTrap(pattern)
	}
	return !cut
}

// wantContent requests the content of targets that are needed to judge a page, unless the cache
// has what the checks of this run know of them.
func (r reading) wantContent() {
	inspector := r.visit.run.cfg.Inspector
	for _, u := range r.Wants {
		r.visit.found.WantContent(u, func(known *check.Outcome) bool { return inspector.Knows(known, false) })
	}
}

// admitsSitemap reports whether what a document of a format lists is entered: it is, unless the
// document is a sitemap and the limits of sitemaps are exceeded. index is set for an index of
// sitemaps.
func (r reading) admitsSitemap(format string, index bool, links int) bool {
	v := r.visit
	if format != "sitemap" {
		return true
	}
	v.sitemap = admit.URLSitemap
	if index {
		v.sitemap = admit.IndexSitemap
	}
	pattern, ok := v.run.door.Sitemaps.Admit(v.t.ID(), v.sitemap, links)
	if !ok {
		v.leaveOutTrap(pattern)
	}
	return ok
}

// wantsShell reports whether it matters if a script fills the page: it does unless the page is
// a single document.
func (r reading) wantsShell() bool {
	site := r.visit.run.door.Scope().SiteOf(r.URL)
	return site == nil || r.visit.run.door.Scope().Crawled(site)
}

// enterLinks enters the references of a page and returns what else is known of it. shell is set if
// the page is only the frame that a script fills.
func (r reading) enterLinks(shell bool) *recall.Page {
	doc, header := r.Read, r.Response.Header
	doc.NoFollow = doc.NoFollow || robots.NoFollowHeader(header, r.visit.run.cfg.RobotsAgent)
	page := r.startLinks()
	if refresh := document.Refresh(doc); refresh != nil && !r.Outcome.Static {
		r.Note(check.Facts{Next: page.Lead(refresh)})
	}
	page.AddAll(doc)
	r.enterHeader(header)
	canonical := document.Canonical(r.URL, doc)
	r.visit.run.ownBases.Note(r.visit.run.door.Scope().SiteOf(r.URL), r.URL, canonical, doc)
	return &recall.Page{Format: doc.Format, Canonical: canonical.String(), NoIndex: doc.NoIndex || robots.NoIndexHeader(header), Shell: shell,
		Unfollowed: page.FollowsNone() && slices.ContainsFunc(doc.Links, isNavigation), SitemapIndex: doc.SitemapIndex, Listed: len(doc.Links)}
}

// conclude counts a page whose references have been entered, and describes it.
func (r reading) conclude(p *recall.Page) {
	v, run, tally := r.visit, r.visit.run, &r.visit.worker.tally
	if p.Format == "css" { // not a page to a reader
		return
	}
	v.isPage = true
	if p.Unfollowed && run.cfg.WithinDepth(v.t.Depth+1) {
		tally.count(countUnfollowed, 1)
	}
	switch {
	case !p.Shell:
	case v.t.Seed && run.door.Scope().SiteOf(r.URL) == nil:
		v.worker.tally.leftOut(check.GapScript)
	default:
		tally.count(countShells, 1)
	}
	if !v.again {
		tally.count(countPages, 1)
		if p.Blank {
			tally.count(countBlank, 1)
		}
	}
	if !run.cfg.Pages && !run.frontier.Durable() {
		return
	}
	page := v.finds()
	report := result.Page{URL: run.print.URL(r.URL), Title: r.Outcome.Title, Depth: v.t.Depth, Modified: r.Outcome.Modified, Format: p.Format,
		NoIndex: p.NoIndex, Links: page.Edges()}
	if c, _, err := urinorm.ParseWeb(p.Canonical); err == nil {
		report.Canonical = run.print.URL(c)
	}
	if run.frontier.Durable() {
		page.About = rules.EncodePage(&report)
	}
	if run.cfg.Pages {
		v.report = &report
	}
}

// startLinks sets what holds for all links of the document.
func (r reading) startLinks() *references.Page {
	v, scope := r.visit, r.visit.run.door.Scope()
	changed := v.run.cfg.Changed
	page := v.finds()
	page.From(references.Source{Base: document.BaseOf(r.URL, r.Read), Local: scope.SiteOf(r.URL) != nil || r.URL.Scheme() == "file",
		NoFollow: r.Read.NoFollow && scope.ObeysNoFollow(v.page), Unchanged: changed != nil && !changed(r.Outcome.Path)})
	return page
}

// enterHeader enters what the header of a page refers to. A selector asks for links
// inside elements, and a header is not inside any.
func (r reading) enterHeader(header http.Header) {
	if len(header) == 0 || !r.visit.run.cfg.Select.IsZero() {
		return
	}
	own, err := urinorm.NewBase(r.URL, "")
	if err != nil {
		return
	}
	page := r.visit.finds()
	page.Against(own)
	links := extract.FromHeaders(header)
	for i := range links {
		page.Add(&links[i])
	}
}

func isNavigation(l extract.Link) bool { return l.Kind == extract.Navigation }

// hasIcon reports whether the host of a page has an icon for pages that name none.
func (r reading) hasIcon(ctx context.Context) bool {
	v := r.visit
	v.worker.releaseSlot() // the network is slower than other workers
	has, requests := v.run.door.HasIcon(ctx, &v.target, r.URL)
	v.worker.tally.count(countRequests, requests)
	return has
}
