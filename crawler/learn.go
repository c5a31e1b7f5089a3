package crawler

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// What is kept for later runs, by what was observed:
//
//	a target that is there                 its status, type and size; its anchors
//	                                       when its body was read
//	a page of the site, with a validator   its links, too; nothing without one
//	a permanent redirect that leaves       where it leads
//	Cache-Control: no-store                that the target is there, and no more;
//	                                       likewise an answer that varies by what
//	                                       is not known beforehand
//	anything else                          nothing, and what was kept is forgotten

// heard is the request of a visit and what came of it.
type heard struct {
	req       *fetch.Request
	resp      *fetch.Response
	entry     *cache.Entry // what it asks for changes of
	unchanged bool
	page      *cache.Page // what was read for links
	told      *Page       // the same, as the sink is told when the target is settled
}

// prepare makes a request for content conditional, when all that is wanted of the
// content is known of an earlier state of it.
func (w *worker) prepare(t *frontier.Target, req *fetch.Request) {
	w.heard = heard{req: req}
	if w.earlier == nil || req.Need != fetch.Content || t.Tries > 0 || w.compares(req.URL) {
		return
	}
	key, ok := w.key(req)
	if !ok {
		return
	}
	entry := w.earlier.cache.Get(key)
	switch {
	case entry == nil, !entry.Content, entry.Outcome.Code != check.CodeOK, entry.Outcome.Size > w.cfg.MaxBody,
		t.Follow && (entry.Page == nil || entry.Page.Reader != w.earlier.reader):
		return
	}
	w.heard.entry, req.Validators = entry, entry.Validators
}

// unchanged makes a page that has not changed what it was.
func (w *worker) unchanged(t *frontier.Target, u urinorm.URL, resp *fetch.Response, o *check.Outcome) {
	entry := w.heard.entry
	w.heard.unchanged = true
	notes := o.Warnings
	requests := o.Requests
	*o = entry.Outcome
	o.Requests = requests
	o.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool { return aboutTLS(known.Code) })
	for _, note := range notes {
		o.Warn(note)
	}
	if !t.Follow {
		return
	}
	p := entry.Page
	doc := &extract.Document{Format: p.Format, Base: p.Base, Charset: p.Charset, NoFollow: p.NoFollow, NoIndex: p.NoIndex, Canonical: p.Canonical, Title: o.Title, Static: o.Static, Links: p.Links}
	o.Next = ""
	w.follows(t, u, doc, p.Header, o, p.Shell)
}

// aboutTLS are the warnings that each connection tells anew.
func aboutTLS(c check.Code) bool {
	return c == check.CodeTLSExpiresSoon || c == check.CodeTLSIncompleteChain
}

// pageOf is what is kept of a page; nil without a cache, and for a page that holds
// a password, which no file of ours shall.
func (w *worker) pageOf(doc *extract.Document, header http.Header, shell bool) *cache.Page {
	if w.earlier == nil || secret(doc.Base) || secret(doc.Canonical) {
		return nil
	}
	for i := range doc.Links {
		if l := &doc.Links[i]; secret(l.Ref) || secret(l.Raw) || secret(l.Base) {
			return nil
		}
	}
	return &cache.Page{Reader: w.earlier.reader, Format: doc.Format, Base: doc.Base, Charset: doc.Charset,
		NoFollow: doc.NoFollow, NoIndex: doc.NoIndex, Canonical: doc.Canonical, Shell: shell, Header: cache.PageHeader(header), Links: doc.Links}
}

// secret reports whether a reference holds a password.
func secret(ref string) bool {
	return strings.IndexByte(ref, '@') >= 0 && urinorm.Redact(ref) != ref
}

// learn keeps what a visit observed, or forgets what was kept.
func (w *worker) learn(t *frontier.Target, u urinorm.URL, o *check.Outcome) {
	h := &w.heard
	if w.earlier == nil || h.req == nil || o.Code == check.CodeLimit { // that tells nothing of the target
		return
	}
	key, ok := w.key(h.req)
	if !ok {
		return
	}
	c := w.earlier.cache
	var entry *cache.Entry
	if h.resp != nil {
		entry = w.entryOf(t, o)
	}
	switch {
	case entry != nil && h.unchanged:
		if !t.Internal {
			c.Confirm(key, w.earlier.run, w.sameBefore(u, o))
		}
	case entry != nil:
		if entry.Run = w.earlier.run; !t.Internal {
			entry.Before = w.sameBefore(u, o)
		}
		c.Put(key, w.print.URL(u), entry)
	case t.Internal && o.Code == check.CodeOK && h.req.Need == fetch.Existence: // its page, if it is one, was not looked at
	case c.Get(key) != nil:
		c.Delete(key)
	}
}

// entryOf is what is kept of a visit; nil for nothing.
func (w *worker) entryOf(t *frontier.Target, o *check.Outcome) *cache.Entry {
	h := &w.heard
	header := h.resp.Header
	e := &cache.Entry{Checked: time.Now(), Content: h.req.Need == fetch.Content}
	if h.resp.TLS != nil && len(h.resp.TLS.PeerCertificates) > 0 {
		e.NotAfter = h.resp.TLS.PeerCertificates[0].NotAfter
	}
	bare := noStore(header) || variesUnseen(h.resp)
	switch {
	case h.unchanged:
		if bare {
			return nil
		}
		return h.entry
	case o.IsRedirect():
		permanent := o.Status == http.StatusMovedPermanently || o.Status == http.StatusPermanentRedirect
		if t.Internal || !permanent || bare || len(header["Set-Cookie"]) > 0 || secret(o.Next) {
			return nil
		}
		e.Content = false
	case o.Code != check.CodeOK || h.resp.Status < 200 || h.resp.Status > 299, // a chain that led to itself was unwound
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
			e.Page = h.page
		}
		if t.Internal && e.Validators.IsZero() {
			return nil
		}
	}
	e.Outcome = *o
	e.Outcome.Requests, e.Outcome.Elapsed = 0, 0
	// What was seen by asking more, or holds for this day, is not kept.
	e.Outcome.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool {
		switch known.Code {
		case check.CodeTLSExpiresSoon, check.CodeInsecureHTTP, check.CodeSoft404:
			return true
		}
		return false
	})
	return e
}

// noStore reports whether an answer must not be stored (RFC 9111 section 5.2.2.5).
func noStore(h http.Header) bool {
	for _, value := range h["Cache-Control"] {
		for directive := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "no-store") {
				return true
			}
		}
	}
	return false
}

// variesUnseen reports whether the next request might get another answer although
// it is the same to us: the server says that it looks at more than the request, or
// at cookies, some of which it set itself. All other fields that we send are part of
// what an answer is kept under.
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
