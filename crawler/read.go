package crawler

import (
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/references"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Of an error page only the beginning is read, to know a wall against robots by it.
const (
	excerptSize = 16 << 10
	excerptTime = time.Second
)

// recognise looks at the beginning of an error page.
func (w *worker) recognise(resp *fetch.Response, o *check.Outcome) {
	body, _ := w.buffers.Read(resp.Body, excerptSize, excerptSize, true) // what there is is enough
	defer w.buffers.Give(body)
	o.RecognizeWall(resp.Header, body)
}

// read reads a body for its anchors and, when the target is a page, its links.
func (w *worker) read(t *frontier.Target, u urinorm.URL, resp *fetch.Response, o *check.Outcome) {
	limit := w.mostOf(t, u, resp)
	follow := t.Follow && !w.readElsewhere(u, resp)
	name := rules.DocumentName(u)
	if _, readable := extract.Readable(resp.ContentType, name, nil); !readable && resp.ContentType != "" {
		return
	}
	file := resp.LocalFile()
	if !w.busy {
		w.places.await() // the network keeps what nobody has the time to read
	}
	lots := follow && w.takesLots(resp)
	body, format, rest, err := w.readBeginning(resp, name, limit, lots && file != "")
	inPlace := false
	if rest == nil && err == nil {
		body, format, inPlace, err = w.readBody(resp, name, file != "", limit+1, body)
	}
	defer func() { w.buffers.Give(body) }()
	switch {
	case inPlace:
	case err != nil:
		if cutOff(o, err, t.Follow) {
			return
		}
	case int64(len(body)) > limit:
		body = body[:limit]
		o.Truncate(limit)
	default:
		o.Size = int64(len(body))
	}
	if resp.Header != nil && o.RecognizeWall(resp.Header, body) {
		return
	}
	if format == "" || !t.Seed && !extract.InDirectory(format) && !w.isListed(u) {
		return
	}
	w.compute()
	doc, bare := &w.finds().Document, follow && err == nil && rest == nil && w.env.MayBeBare(resp, body)
	if bare {
		w.found.ReadBare(body)
		defer w.found.ReleaseBody()
	}
	in := extract.Input{Body: body, ContentType: resp.ContentType, Name: name, Path: file,
		Select: w.cfg.Select, IgnoreSelect: w.cfg.IgnoreSelect, AnchorsOnly: !follow, Bare: bare}
	if rest != nil {
		in.Rest, in.Length = rest, resp.Size
	}
	if lots {
		in.Batch = func(links []extract.Link, all int) { w.lot(u, doc, o, links, all) }
	}
	extract.ExtractInto(doc, in)
	if rest != nil {
		if o.Size += rest.length; rest.err != nil && cutOff(o, rest.err, t.Follow) {
			w.found.Reset(w.env, w.page, w.depth)
			return
		}
	}
	if t.Follow && !follow || !t.Internal { // told of the page elsewhere; nobody here can mend it
		doc.Duplicates = nil
	}
	o.ReadDocument(doc)
	if !bare {
		o.KeepNames(doc)
	}
	if w.compares(u) && isPage(o) {
		w.compare(u, body, o)
	}
	if !follow {
		return
	}
	if file != "" {
		w.found.ReadFile(body)
	}
	shell := o.Code == check.CodeOK && isPage(o) && w.wantsShell(t, u) && isShell(body, doc)
	w.heard.page = w.pageOf(doc, resp.Header, shell)
	w.follows(t, u, doc, resp.Header, o, shell)
	w.found.ReadFile(nil) // the body goes
}

// cutOff takes note of an error that a body ended with, and reports whether nothing is
// to be made of what came before it.
func cutOff(o *check.Outcome, err error, page bool) bool {
	o.NoteBodyError(err, page)
	return o.Code != check.CodeOK && o.Code != check.CodeBodyTruncated
}

// follows enters what a page refers to, and counts it. shell says that it is only
// the frame that a script fills.
func (w *worker) follows(t *frontier.Target, u urinorm.URL, doc *extract.Document, header http.Header, o *check.Outcome, shell bool) {
	doc.NoFollow = doc.NoFollow || robots.NoFollowHeader(header, w.cfg.RobotsAgent)
	w.links(u, doc, o)
	w.headers(u, header)
	if doc.Format == "css" { // no page to a reader
		return
	}
	w.isPage = true
	if w.finds().FollowsNone() && (w.cfg.Depth < 0 || t.Depth < w.cfg.Depth) && slices.ContainsFunc(doc.Links, isNavigation) {
		w.count(countUnfollowed, 1)
	}
	switch {
	case !shell:
	case w.scope().SiteOf(u) != nil:
		w.count(countShells, 1)
	case t.Seed:
		w.shell.Store(true)
		w.leavesOut(rules.StoppedByScript)
	}
	w.count(countPages, 1)
	if !w.cfg.Pages && !w.frontier.Durable() {
		return
	}
	page := Page{URL: w.print.URL(u), Title: doc.Title, Depth: t.Depth, Modified: o.Modified, Format: doc.Format,
		NoIndex: doc.NoIndex || robots.NoIndexHeader(header), Canonical: w.canonical(u, doc), Links: w.finds().Edges()}
	if w.frontier.Durable() {
		w.finds().About = rules.EncodePage(&page)
	}
	if w.cfg.Pages {
		w.heard.told = &page
	}
}

// mostOf is how much of a body is read, in bytes.
func (w *worker) mostOf(t *frontier.Target, u urinorm.URL, resp *fetch.Response) int64 {
	if !t.Seed || resp.Path == "" || w.cfg.MaxBodyGiven {
		return w.cfg.MaxBody
	}
	if site := w.scope().SiteOf(u); site != nil && w.scope().Crawled(site) {
		return w.cfg.MaxBody
	}
	return extract.MaxBody
}

// readBody reads at most so many bytes of a body, of which the beginning may have been
// read; of a file that is read in its place only the beginning.
func (w *worker) readBody(resp *fetch.Response, name string, isFile bool, most int64, begun []byte) (body []byte, format string, inPlace bool, err error) {
	if body = begun; isFile && body == nil {
		if format, _ = extract.Readable(resp.ContentType, name, nil); format == "" || extract.ReadInPlace(format) {
			body, err = w.buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true)
			format, _ = extract.Readable(resp.ContentType, name, body)
			if err != nil || extract.ReadInPlace(format) {
				return body, format, err == nil, err
			}
		}
	}
	if body == nil {
		body, err = w.buffers.Read(resp.Body, resp.Size, most, isFile)
	} else { // its beginning
		body, err = w.buffers.ReadOn(body, resp.Body, resp.Size, most)
	}
	format, _ = extract.Readable(resp.ContentType, name, body)
	return body, format, isFile && err == nil && extract.ReadInPlace(format), err
}

// readElsewhere reports whether the file that answers for a URL is read for its
// links under its own name: "guide/" is the same document as "guide/index.html",
// and what lies in "latest/", a symbolic link to "v2/", is what lies there. Its findings are
// told once, and a link to a directory above it has no end otherwise.
func (w *worker) readElsewhere(u urinorm.URL, resp *fetch.Response) bool {
	if resp.Path == "" {
		return false
	}
	site := w.scope().SiteOf(u)
	if site == nil || !w.scope().Crawled(site) {
		return false
	}
	if site.IsExactPath(u, resp.Path) && w.isSeed(u) {
		return false
	}
	rel, err := filepath.Rel(site.Dir(), resp.Path)
	if err != nil {
		return false
	}
	own, err := site.URLOf(filepath.ToSlash(rel))
	switch {
	case err != nil:
		return false
	case w.isSeed(own):
		return own.Directory() == u.Directory() && own.String() != u.WithoutFragment().String()
	}
	return w.inLinkedDirectory(site, resp.Path)
}

// inLinkedDirectory reports whether the way to a file leads through a symbolic link to
// a directory, and the file is one of the site's documents where it really lies.
func (w *worker) inLinkedDirectory(site *disk.Site, path string) bool {
	root, err := w.paths.ofDir(site.Dir())
	if err != nil {
		return false
	}
	real, err := w.paths.ofFile(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	own, err := site.URLOf(filepath.ToSlash(rel))
	return err == nil && w.isSeed(own)
}

// canonical is the address that a page says is its own, as printed.
func (w *worker) canonical(u urinorm.URL, doc *extract.Document) string {
	if doc.Canonical == "" {
		return ""
	}
	c, _, err := documentBase(u, doc).Resolve(doc.Canonical)
	if err != nil {
		return ""
	}
	return w.print.URL(c)
}

// headers enters what the header of a page refers to. A selector asks for links
// inside elements, and a header is in none.
func (w *worker) headers(u urinorm.URL, header http.Header) {
	if len(header) == 0 || !w.cfg.Select.IsZero() {
		return
	}
	own, err := urinorm.NewBase(u, "")
	if err != nil {
		return
	}
	page := w.finds()
	page.Against(own)
	links := extract.FromHeaders(header)
	for i := range links {
		page.Add(&links[i])
	}
}

func isNavigation(l extract.Link) bool { return l.Kind == extract.Navigation }

// startFrom says what holds for all links of a page.
func (w *worker) startFrom(u urinorm.URL, doc *extract.Document, o *check.Outcome) *references.Page {
	page := w.finds()
	page.From(references.Source{Base: documentBase(u, doc), Local: w.scope().SiteOf(u) != nil || u.Scheme() == "file",
		NoFollow: doc.NoFollow && w.scope().ObeysNoFollow(w.page), Unchanged: w.cfg.Changed != nil && !w.cfg.Changed(o.Path)})
	return page
}

// links enters everything a page refers to.
func (w *worker) links(u urinorm.URL, doc *extract.Document, o *check.Outcome) {
	page := w.startFrom(u, doc, o)
	if refresh := refreshOf(doc); refresh != nil && !o.Static {
		o.Next = page.Lead(refresh)
	}
	page.AddAll(doc)
}

// refreshOf is the page that a document hands its readers on to, or nil.
func refreshOf(doc *extract.Document) *extract.Link {
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Element == "meta" && l.Kind == extract.Navigation && !l.Ignored {
			return l
		}
	}
	return nil
}

// documentBase is the base URL of a document: its first base element's href,
// resolved against the document's own URL, unless that makes no sense (HTML
// Standard 4.2.3).
func documentBase(u urinorm.URL, doc *extract.Document) *urinorm.Base {
	own, err := urinorm.NewBase(u, doc.Charset)
	if err != nil {
		own, _ = urinorm.NewBase(u, "")
	}
	if doc.Base == "" {
		return own
	}
	b, _, err := own.Resolve(doc.Base)
	if err != nil || b.Scheme() == "data" || b.Scheme() == "javascript" {
		return own
	}
	other, err := urinorm.NewBase(b.WithoutFragment(), doc.Charset)
	if err != nil {
		return own
	}
	return other
}
