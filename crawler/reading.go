package crawler

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
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
	u     urinorm.URL // of the document
	resp  *fetch.Response
	o     *check.Outcome
	large bool             // there is room for its body among the large ones
	begun *inspect.Reading // the content checks have looked at its tokens
}

// body is what was read of a document.
type body struct {
	data    []byte
	format  string
	rest    *restOf // what follows the data; nil for nothing
	inPlace bool    // data is only the beginning of a file that is read in place
	large   bool    // there was room for it among the large bodies
}

// Only the beginning of an error page is read, to recognize a page that blocks robots.
const (
	excerptSize = 16 << 10
	excerptTime = time.Second
)

// recognizeWall looks at the beginning of an error page.
func (r reading) recognizeWall() {
	buffers := &r.visit.run.buffers
	data, _ := buffers.Read(r.resp.Body, excerptSize, excerptSize, true) // as much as there is is enough
	defer buffers.Give(data)
	r.o.RecognizeWall(r.resp.Header, data)
}

// read reads a body for its anchors and, when the target is a page, its links. For a
// page it returns what the cache keeps.
func (r reading) read(ctx context.Context) *cache.Page {
	v, name := r.visit, rules.DocumentName(r.u)
	if v.run.checks.inspector.Scans(v.t.Internal) {
		defer inspecting{&r}.scan(ctx)()
	}
	follow := v.t.Follow && !r.readElsewhere()
	if _, readable := extract.Readable(r.resp.ContentType, name, nil); !readable && r.resp.ContentType != "" && !v.run.listsSitemap(r.u) {
		inspecting{&r}.inspectTarget()
		return nil
	}
	if !v.worker.busy {
		v.run.slots.waitForRoom() // data stays in the network until a worker has time to read it
	}
	limit := r.limit()
	inParts := follow && r.takesParts()
	b, err := r.take(name, limit, inParts)
	defer func() {
		v.run.buffers.Give(b.data)
		if b.large {
			v.run.large.release()
		}
	}()
	contentType, name := r.documentType(&b, name)
	_, typed := v.run.cfg.Types.Set(name)
	typed = typed || r.resp.Converted
	if !r.measure(&b, err, limit) || b.format == "" || !v.t.Seed && !typed && !extract.InDirectory(b.format) && !v.run.listsSitemap(r.u) {
		return nil
	}
	if (b.large || r.large) && !v.large {
		v.run.large.begin()
		v.large = true
		if pattern, cut := (gate{v}).cut(); cut { // because of the documents before
			v.leaveOutTrap(pattern)
			return nil
		}
	}
	v.worker.takeSlot()
	if len(v.run.cfg.Rules) > 0 {
		defer r.callBroken(b.data, contentType, name)()
	}
	doc, bare := &v.finds().Document, follow && err == nil && b.rest == nil && (v.run.checks.inspector == nil || b.format == "html") && v.run.env.MayBeBare(r.resp, b.data)
	if bare {
		v.found.ReadBare(b.data)
		defer v.found.ReleaseBody()
	}
	in := extract.Input{Body: b.data, ContentType: contentType, Name: name, Path: r.resp.LocalFile(),
		Acts: v.run.cfg.Acts(), Select: v.run.cfg.Select, IgnoreSelect: v.run.cfg.IgnoreSelect, Options: v.run.cfg.Reading, AnchorsOnly: !follow, Bare: bare}
	if r.resp.LocalFile() == "" {
		in.MaxLinks = maxNetworkLinks
	}
	if b.rest != nil {
		in.Rest, in.Length = b.rest, r.resp.Size
	}
	if inParts {
		in.Batch = func(links []extract.Link, all int) { r.startLinks(doc).AddPart(links, all) }
	}
	if follow && b.format == "html" && b.rest == nil && !v.run.rendering.isView(v.u) {
		inspecting{&r}.outline(&in)
	}
	extract.ExtractInto(doc, in)
	if b.rest != nil {
		if r.o.Size += b.rest.length; b.rest.err != nil && r.cutOff(b.rest.err) {
			v.found.Reset(v.run.env, v.page, v.t.Depth)
			return nil
		}
	}
	if v.run.rendering.isView(v.u) {
		showing{&r}.readView(ctx, b.data, doc)
		r.o.ReadDocument(doc)
		return nil
	}
	var op *opened
	if follow && (showing{&r}).rendersPage(b.data, doc) {
		op = showing{&r}.render(ctx, b.data, doc)
	}
	if v.t.Follow && !follow || !v.t.Internal { // reported with the page elsewhere; not the user's to fix
		doc.Duplicates = nil
	}
	r.o.ReadDocument(doc)
	if v.session != nil {
		v.session.read(r, doc, b.data)
	}
	r.o.RecognizeSignIn(r.u, doc)
	content := inspecting{&r}.inspect(ctx, in, doc, follow)
	if !bare {
		r.o.KeepNames(doc)
	}
	if v.run.requests.scope().Compares(r.u) && isPage(r.o) {
		v.run.probes.compare(r.u, b.data, r.o)
	}
	if !follow || r.resp.LocalFile() == "" && !r.admitsSitemap(doc.Format, doc.SitemapIndex, len(doc.Links)) {
		return nil
	}
	if r.resp.LocalFile() != "" {
		v.found.ReadFile(b.data)
		defer v.found.ReadFile(nil) // the body is released
	}
	shell := op == nil && r.o.Code == check.CodeOK && isPage(r.o) && r.wantsShell() && document.IsShell(b.data, doc)
	page := r.enterLinks(doc, shell)
	page.Blank = shell || op == nil && len(doc.Links) == 0 && document.IsBlank(b.data, doc.Format)
	r.conclude(page)
	complete := !r.o.RenderFailed()
	if op != nil {
		page.Loaded, page.Rendered = showing{&r}.enterRendered(op, nil)
		complete = complete && page.Rendered
		r.o.Static = true // the anchors that scripts make are known
	}
	inspecting{&r}.want(content)
	if !complete || v.run.memory == nil || v.run.cfg.Changed != nil || !recall.Keepable(doc) {
		return nil
	}
	page.Reader = v.run.memory.Reader(recollection{v}.target(), references.ScopeOf(v.found))
	page.Targets, page.References = references.Keep(v.found)
	return page
}

// callBroken looks for the texts that a rule calls broken, and returns what is to be done about
// them when the document has been read.
func (r reading) callBroken(data []byte, contentType, name string) func() {
	rule := r.visit.run.requests.rules.Of(r.u)
	if rule == nil || len(rule.BrokenTexts) == 0 {
		return func() {}
	}
	text, _, ok := extract.Decode(extract.Input{Body: data, ContentType: contentType, Name: name})
	if !ok {
		return func() {}
	}
	shown := string(text)
	if isPage(r.o) {
		shown = visible.OfPage(text)
	}
	pattern := rule.BrokenText(shown)
	return func() {
		if pattern != "" {
			r.o.CallBroken("its text contains " + strconv.Quote(pattern) + ", which " + rule.Name + " calls broken")
		}
	}
}

// take reads at most limit bytes of the body, and one more to know whether there are more.
func (r reading) take(name string, limit int64, inParts bool) (b body, err error) {
	if inParts && r.resp.LocalFile() != "" {
		b, err = r.beginning(name, limit)
	}
	if b.rest == nil && err == nil {
		b, err = r.readBody(name, limit+1, b.data)
	}
	return b, err
}

// measure notes the size of a body, or the error that it ended with, and reports whether
// its content is read.
func (r reading) measure(b *body, err error, limit int64) bool {
	switch {
	case b.inPlace:
	case err != nil:
		if r.cutOff(err) {
			return false
		}
	case int64(len(b.data)) > limit:
		b.data = b.data[:limit]
		r.o.Truncate(limit)
	default:
		r.o.Size = int64(len(b.data))
	}
	return r.resp.Header == nil || !r.o.RecognizeWall(r.resp.Header, b.data)
}

// cutOff notes an error that a body ended with, and reports whether what came before it
// is dropped.
func (r reading) cutOff(err error) bool {
	r.o.NoteBodyError(err, r.visit.t.Follow)
	return r.o.Code != check.CodeOK && r.o.Code != check.CodeBodyTruncated
}

// documentType returns the media type and the name by which a document is read, and sets its
// format accordingly. For a sitemap that robots.txt names, the content comes before what the
// server declares: some servers send sitemaps as text/plain or text/html, unpacked ones as
// gzip, or packed ones as XML. Text that the user named is read whatever its name is.
func (r reading) documentType(b *body, name string) (contentType, documentName string) {
	if r.visit.run.listsSitemap(r.u) {
		switch format, known := extract.Readable("", "", b.data); {
		case known && format != b.format:
			b.format = format
			return "", ""
		case !known && b.format == "":
			contentType = "text/plain"
			b.format, _ = extract.Readable(contentType, "", b.data)
			return contentType, ""
		}
	}
	if b.format == "" && r.visit.t.Seed && r.resp.ContentType == "" && extract.IsText(b.data) {
		b.format = "text"
		return "text/plain", ""
	}
	return r.resp.ContentType, name
}

// admitsSitemap reports whether what a document of a format lists is entered: it is, unless the
// document is a sitemap and the limits of sitemaps are exceeded. index is set for an index of
// sitemaps.
func (r reading) admitsSitemap(format string, index bool, links int) bool {
	v := r.visit
	if format != "sitemap" {
		return true
	}
	v.sitemap = urlSitemap
	if index {
		v.sitemap = indexSitemap
	}
	pattern, ok := v.run.sitemaps.admit(v.t.ID(), v.sitemap, links)
	if !ok {
		v.leaveOutTrap(pattern)
	}
	return ok
}

// wantsShell reports whether it matters if a script fills the page: it does unless the page is
// a single document.
func (r reading) wantsShell() bool {
	site := r.visit.run.requests.scope().SiteOf(r.u)
	return site == nil || r.visit.run.requests.scope().Crawled(site)
}

// enterLinks enters the references of a page and returns what else is known of it. shell is set if
// the page is only the frame that a script fills.
func (r reading) enterLinks(doc *extract.Document, shell bool) *cache.Page {
	header := r.resp.Header
	doc.NoFollow = doc.NoFollow || robots.NoFollowHeader(header, r.visit.run.cfg.RobotsAgent)
	page := r.startLinks(doc)
	if refresh := document.Refresh(doc); refresh != nil && !r.o.Static {
		r.o.Next = page.Lead(refresh)
	}
	page.AddAll(doc)
	r.enterHeader(header)
	canonical := document.Canonical(r.u, doc)
	r.visit.run.ownBases.Note(r.visit.run.requests.scope().SiteOf(r.u), r.u, canonical, doc)
	return &cache.Page{Format: doc.Format, Canonical: canonical.String(), NoIndex: doc.NoIndex || robots.NoIndexHeader(header), Shell: shell,
		Unfollowed: page.FollowsNone() && slices.ContainsFunc(doc.Links, isNavigation), SitemapIndex: doc.SitemapIndex, Listed: len(doc.Links)}
}

// conclude counts a page whose references have been entered, and describes it.
func (r reading) conclude(p *cache.Page) {
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
	case v.t.Seed && run.requests.scope().SiteOf(r.u) == nil:
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
	report := result.Page{URL: run.requests.print.URL(r.u), Title: r.o.Title, Depth: v.t.Depth, Modified: r.o.Modified, Format: p.Format,
		NoIndex: p.NoIndex, Links: page.Edges()}
	if c, _, err := urinorm.ParseWeb(p.Canonical); err == nil {
		report.Canonical = run.requests.print.URL(c)
	}
	if run.frontier.Durable() {
		page.About = rules.EncodePage(&report)
	}
	if run.cfg.Pages {
		v.report = &report
	}
}

// startLinks sets what holds for all links of the document.
func (r reading) startLinks(doc *extract.Document) *references.Page {
	v, scope := r.visit, r.visit.run.requests.scope()
	changed := v.run.cfg.Changed
	page := v.finds()
	page.From(references.Source{Base: document.BaseOf(r.u, doc), Local: scope.SiteOf(r.u) != nil || r.u.Scheme() == "file",
		NoFollow: doc.NoFollow && scope.ObeysNoFollow(v.page), Unchanged: changed != nil && !changed(r.o.Path)})
	return page
}

// limit returns how much of the body is read, in bytes.
func (r reading) limit() int64 {
	run := r.visit.run
	if !r.visit.t.Seed || r.resp.Path == "" || run.cfg.MaxBodyGiven {
		return run.cfg.MaxBody
	}
	if site := run.requests.scope().SiteOf(r.u); site != nil && run.requests.scope().Crawled(site) {
		return run.cfg.MaxBody
	}
	return extract.MaxBody
}

// readBody reads at most the given number of bytes of a body, the beginning of which
// may have been read already; it reads only the beginning of a file that is read in
// place.
func (r reading) readBody(name string, most int64, begun []byte) (b body, err error) {
	resp, buffers := r.resp, &r.visit.run.buffers
	isFile := resp.LocalFile() != ""
	if b.data = begun; isFile && b.data == nil {
		if b.format, _ = extract.Readable(resp.ContentType, name, nil); b.format == "" || extract.ReadInPlace(b.format) {
			b.data, err = buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true)
			b.format, _ = extract.Readable(resp.ContentType, name, b.data)
			if err != nil || extract.ReadInPlace(b.format) {
				b.inPlace = err == nil
				return b, err
			}
		}
	}
	if b.data == nil {
		b.data, err = buffers.Read(resp.Body, resp.Size, r.smallPart(most), isFile)
		if err == nil && int64(len(b.data)) < most && int64(len(b.data)) == r.smallPart(most) {
			if !r.large {
				r.visit.run.large.await(resp.Body)
				b.large = true
			}
			b.data, err = buffers.ReadOn(b.data, resp.Body, resp.Size, most)
		}
	} else { // its beginning
		b.data, err = buffers.ReadOn(b.data, resp.Body, resp.Size, most)
	}
	b.format, _ = extract.Readable(resp.ContentType, name, b.data)
	b.inPlace = isFile && err == nil && extract.ReadInPlace(b.format)
	return b, err
}

// smallPart returns how much of a body is read before it waits for room among the large
// ones. A file is already limited by the slot of its worker.
func (r reading) smallPart(most int64) int64 {
	if r.visit.worker.busy || r.resp.LocalFile() != "" {
		return most
	}
	return min(most, smallBody)
}

// readElsewhere reports whether the file that answers for a URL is read for its links under
// another one.
func (r reading) readElsewhere() bool {
	scope := r.visit.run.requests.scope()
	site := scope.SiteOf(r.u)
	return r.resp.Path != "" && site != nil && scope.Crawled(site) && r.visit.run.seeds.documents.Elsewhere(site, r.u, r.resp.Path)
}

// enterHeader enters what the header of a page refers to. A selector asks for links
// inside elements, and a header is not inside any.
func (r reading) enterHeader(header http.Header) {
	if len(header) == 0 || !r.visit.run.cfg.Select.IsZero() {
		return
	}
	own, err := urinorm.NewBase(r.u, "")
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

// A bookmark file may hold half a million links. They are entered some at a time while
// it is read (extract.Input.Batch), and a long file is read piece by piece
// (extract.Input.Rest), so that neither is in memory as a whole.

// takesParts reports whether the links of a bookmark file may be entered while it is read:
// nothing needs all of them at once, and no header says more about them.
func (r reading) takesParts() bool {
	return r.visit.run.checks.inspector == nil && r.visit.run.memory == nil && !r.visit.run.cfg.Pages && len(r.resp.Header) == 0
}

// restOf returns what follows the beginning of a file.
type restOf struct {
	from   io.Reader
	length int64 // bytes that were read
	err    error // that ended it early
}

func (r *restOf) Read(b []byte) (n int, err error) {
	n, err = r.from.Read(b)
	if r.length += int64(n); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// beginning reads the beginning of a long file whose format is read in pieces, and
// returns the rest with it. Any other document has no rest: what was read of it is its
// beginning, and its format is unknown.
func (r reading) beginning(name string, limit int64) (b body, err error) {
	const long = 4 * document.MaxShell
	resp, buffers := r.resp, &r.visit.run.buffers
	if resp.Size < long || resp.Size > limit {
		return b, nil
	}
	if b.format, _ = extract.Readable(resp.ContentType, name, nil); b.format != "html" {
		return body{}, nil
	}
	if b.data, err = buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true); err != nil {
		return b, err
	}
	if b.format, _ = extract.Readable(resp.ContentType, name, b.data); !extract.ReadInPieces(b.format) {
		b.data = buffers.GrowTo(b.data, int(resp.Size))
		return b, nil
	}
	if b.data, err = buffers.ReadOn(b.data, resp.Body, document.MaxShell, document.MaxShell); err == nil {
		b.rest = &restOf{from: io.LimitReader(resp.Body, limit-int64(len(b.data)))}
	}
	return b, err
}
