package crawler

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What the cache keeps for later runs depends on what was observed:
//
//	a target that exists                   its status, type and size; its anchors
//	                                       when its body was read
//	a page of the site, with a validator   its references and their targets, too, as they
//	                                       were decided about; nothing without one
//	a permanent redirect to another site   where it leads
//	Cache-Control: no-store                only that the target exists;
//	                                       likewise an answer that varies by
//	                                       something not known beforehand
//	anything else                          nothing, and what was kept is deleted
//
// With a state, what is kept of pages is in the store, and a page is looked up in the store of the
// crawl before (keepsInStore).
//
// Nothing is kept of an answer to a request that is part of a session, or answers one. In a
// run that renders pages, of the site nothing is kept but pages: the browser may need the
// contents of other files.
//
// A page is not rendered again in a later run if neither it nor anything that it loaded has
// changed. What it loaded is asked about first, with a conditional HEAD request for each file in
// a run. So the body of the page is requested only if it is to be rendered, and no URL is
// requested twice with GET. A document with views is always read again, as each view needs it.

// key returns the cache's key for a request, nil if its answer is not kept.
func (r recollection) key(req *fetch.Request) *cache.Key {
	known, run := r.visit.run.earlier, r.visit.run
	if known == nil || r.visit.session != nil {
		return nil
	}
	if run.rendering != nil && r.visit.t.Internal && (!r.visit.t.Follow || run.rendering.isView(r.visit.u) || run.cfg.Robots == RobotsStrict) {
		return nil
	}
	if key, ok := known.key(req); ok {
		return &key
	}
	return nil
}

// prepare makes a request for content conditional if everything needed from the content
// is known for an earlier state, which becomes that of the answer.
func (r recollection) prepare(ctx context.Context, a *answer) {
	t, known, key, req := r.visit.t, r.visit.run.earlier, a.key, a.req
	if key == nil || !known.any() || req.Need != fetch.Content || t.Tries > 0 || r.visit.run.requests.scope().Compares(req.URL) ||
		t.Follow && (r.visit.run.cfg.Pages || r.visit.run.cfg.Changed != nil) { // its links are delivered, or decided about in another way
		return
	}
	var entry *cache.Entry
	if t.Follow {
		entry, a.stored = known.inPrevious(*key, r.visit.u)
	}
	if entry == nil {
		entry, a.stored = known.cache.Get(*key), nil
	}
	switch {
	case entry == nil, !entry.Content, !r.visit.run.checks.isInspected(&entry.Outcome, t.Internal), t.Seed && r.visit.run.checks.inspector.AsksIcon(), entry.Outcome.Code != check.CodeOK, entry.Outcome.Size > r.visit.run.cfg.MaxBody,
		t.Follow && (entry.Page == nil || entry.Page.Reader != r.readerOf(r.visit.run.requests.scope()) || r.needsContent(ctx, entry.Page)):
		return
	}
	req.Validators, a.known = entry.Validators, entry
}

// restore fills in the outcome and the links of a document that has not changed.
func (r recollection) restore(a *answer) error {
	o, entry := a.o, a.known
	a.unchanged = true
	notes := o.Warnings
	requests := o.Requests
	*o = entry.Outcome
	o.Requests = requests
	if r.visit.run.checks.inspector == nil {
		o.Inspection = nil
	}
	o.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool { return aboutTLS(known.Code) })
	for _, note := range notes {
		o.Warn(note)
	}
	if !r.visit.t.Follow {
		return nil
	}
	p := entry.Page
	read := reading{visit: r.visit, u: r.visit.u, resp: a.resp, o: o}
	if !read.admitsSitemap(p.Format, p.SitemapIndex, p.Listed) {
		return nil
	}
	if err := references.TakeOver(r.visit.finds(), p.Targets, p.References); err != nil {
		return fmt.Errorf("visit target %d: %w", r.visit.t.ID(), err)
	}
	read.conclude(p)
	if r.visit.run.checks.inspector != nil {
		found, _ := inspect.Reuse(o.Inspection) // the cache has checked that it is not damaged
		checks := inspecting{&read}
		checks.want(checks.judgedBy(&found))
	}
	return nil
}

// aboutTLS reports whether a warning is about the connection: each connection has its own
// warnings.
func aboutTLS(c check.Code) bool {
	return c == check.CodeTLSExpiresSoon || c == check.CodeTLSIncompleteChain
}

// keep completes what the cache keeps of a page, after all that it refers to has been entered. It
// returns nil without a cache, in a run that is limited to what has changed, and for a page that
// contains a password, because passwords are not written to files.
func (r recollection) keep(p *cache.Page, doc *extract.Document) *cache.Page {
	if r.visit.run.earlier == nil || r.visit.run.cfg.Changed != nil || secret(doc.Base) || secret(doc.Canonical) {
		return nil
	}
	for i := range doc.Links {
		if l := &doc.Links[i]; secret(l.Ref) || secret(l.Raw) || secret(l.Base) {
			return nil
		}
	}
	page := r.visit.finds()
	p.Reader = r.readerOf(references.ScopeOf(page))
	p.Targets, p.References = references.Keep(page)
	return p
}

// learn keeps what a visit observed in the cache, or deletes what was kept.
func (r recollection) learn(a *answer) {
	run, t, known := r.visit.run, r.visit.t, r.visit.run.earlier
	u, o := r.visit.u, a.o
	if a.key == nil || r.visit.session != nil || o.Code == check.CodeLimit { // a limit of this run says nothing about the target
		return
	}
	c, key := known.cache, *a.key
	var entry *cache.Entry
	if a.resp != nil && !run.rendering.hasViews(u) {
		entry = r.entryOf(a)
	}
	switch {
	case entry != nil && r.keepsInStore(entry):
		if a.stored == nil || !a.unchanged {
			a.stored = cache.EncodePage(key, entry)
		}
		r.visit.found.About = append(r.visit.found.About, a.stored...)
	case entry != nil && a.unchanged:
		if !t.Internal {
			c.Confirm(key, known.run, known.sameBefore(u, o))
		}
	case entry != nil:
		if entry.Run = known.run; !t.Internal {
			entry.Before = known.sameBefore(u, o)
		}
		c.Put(key, run.requests.print.URL(u), entry)
	case t.Internal && o.Code == check.CodeOK && a.req.Need == fetch.Existence: // the page, if it is one, was not read
	default:
		c.Delete(key)
	}
}

// keepsInStore reports whether what is kept of a page is kept in the store: it is, unless the store
// has more references of the page, those to the sitemaps of its host.
func (r recollection) keepsInStore(entry *cache.Entry) bool {
	v := r.visit
	return v.run.cfg.KeepPages && entry.Page != nil && v.isPage && len(v.found.About) > 0 && !(v.t.Seed && v.run.cfg.Sitemaps)
}

// entryOf returns what the cache keeps of a visit, or nil for nothing.
func (r recollection) entryOf(a *answer) *cache.Entry {
	t, o := r.visit.t, a.o
	header := a.resp.Header
	e := &cache.Entry{Checked: time.Now(), Content: a.req.Need == fetch.Content}
	if a.resp.TLS != nil && len(a.resp.TLS.PeerCertificates) > 0 {
		e.NotAfter = a.resp.TLS.PeerCertificates[0].NotAfter
	}
	bare := noStore(header) || variesUnseen(a.resp)
	switch {
	case a.unchanged:
		if bare {
			return nil
		}
		return a.known
	case o.IsRedirect():
		permanent := o.Status == http.StatusMovedPermanently || o.Status == http.StatusPermanentRedirect
		if t.Internal || !permanent || bare || len(header["Set-Cookie"]) > 0 || secret(o.Next) || len(r.visit.run.cfg.Remaps) > 0 {
			return nil
		}
		e.Content = false
	case o.Code != check.CodeOK || a.resp.Status < 200 || a.resp.Status > 299, // a cycle of redirects was unwound
		slices.ContainsFunc(o.Warnings, func(known check.Warning) bool { return known.Code == check.CodeBodyTruncated }):
		return nil
	case t.Internal && (bare || !e.Content):
		return nil
	case bare:
		e.Content = false
		e.Outcome = check.Outcome{Code: check.CodeOK, Status: o.Status, ContentType: o.ContentType, Size: -1}
		return e
	default:
		if e.Content {
			e.Validators = fetch.ValidatorsOf(header)
		}
		if t.Follow {
			e.Page = a.page
		}
		if t.Internal && e.Validators.IsZero() {
			return nil
		}
	}
	e.Outcome = *o
	forgetPassing(&e.Outcome)
	return e
}

// variesUnseen reports whether the next request might get another answer although it is
// the same request: the server says that the answer depends on more than the request,
// or on cookies, some of which it set itself. All other fields that we send are part of
// the cache's key.
func variesUnseen(resp *fetch.Response) bool {
	for _, value := range resp.Header["Vary"] {
		for field := range strings.SplitSeq(value, ",") {
			field = strings.TrimSpace(field)
			if field == "*" || resp.SentCookies && strings.EqualFold(field, "Cookie") {
				return true
			}
		}
	}
	return false
}

// readerOf returns what identifies how a page is read: by this edition, how it is rendered, and
// how its links are decided about by a scope.
func (r recollection) readerOf(scope *rules.Scope) string {
	v, cfg := r.visit, r.visit.run.cfg
	reader := v.run.earlier.readerOf(scope)
	if cfg.LimitsDepth() {
		reader = fmt.Sprint(reader, "\x00", v.t.Depth)
	}
	if v.run.rendering == nil {
		return reader
	}
	if mode := cfg.RenderModeOf(v.run.requests.print.URL(v.u)); mode > rules.RenderNever {
		return fmt.Sprint(reader, "\x00rendered ", mode, "\x00", cfg.RenderedBy)
	}
	return reader
}

// needsContent reports whether a browser may need the content of a document of which an entry is
// kept: it is loaded by pages, it was not rendered and is to be, or something has changed that it
// loads.
func (r recollection) needsContent(ctx context.Context, p *cache.Page) bool {
	v := r.visit
	switch {
	case v.run.rendering == nil || !v.t.Internal:
		return false
	case p.Format != "html":
		return true
	case !p.Rendered:
		return v.t.Render || v.run.cfg.RenderModeOf(v.run.requests.print.URL(v.u)) == rules.RenderAlways
	}
	for i := range p.Loaded {
		unchanged, requests := v.run.rendering.unchanged(ctx, &p.Loaded[i])
		v.worker.tally.count(countRequests, requests)
		if !unchanged {
			return true
		}
	}
	return false
}

// forgetDocument deletes what the cache keeps of a document with views.
func (r recollection) forgetDocument(document urinorm.URL) {
	known := r.visit.run.earlier
	if known == nil {
		return
	}
	req, _ := r.visit.run.requests.request(document, true)
	if key, ok := known.key(req); ok {
		known.cache.Delete(key)
	}
}
