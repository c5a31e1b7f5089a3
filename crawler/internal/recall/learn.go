package recall

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Request is a request for a target. The zero value is one whose answer is not kept.
type Request struct {
	// Known is the state that makes the request conditional, nil for none.
	Known *Entry

	target  *admit.Target
	need    fetch.Need
	key     cacheentry.Key
	kept    bool              // the answer is kept
	earlier *frontier.Earlier // has Known, if it is in the store of the crawl before
	stored  []byte            // the stored form of Known in there
	elapsed time.Duration     // of the request for Known
}

// Earlier returns what the store of the crawl before has of the document, nil for nothing.
func (r *Request) Earlier() *frontier.Earlier { return r.earlier }

// Elapsed returns how long the request took by which the document was read that an answer says is
// unchanged: the present one, unless no request was sent but a file found unchanged.
func (r *Request) Elapsed(resp *fetch.Response, present time.Duration) time.Duration {
	if r.earlier == nil || resp.LocalFile() == "" {
		return present
	}
	return r.elapsed
}

// Condition returns what is known of a request for content: everything needed from the content, in
// an earlier state.
func (m *Memory) Condition(t *admit.Target, req *fetch.Request, scope *scope.Scope) Request {
	r := Request{target: t, need: req.Need}
	if m == nil || t.Session || m.Renders && t.Internal && (!t.Follow || t.View || m.RobotsFirst) {
		return r
	}
	if scope.Sites.Of(req.URL) != nil && (!t.Follow || m.Renders) { // to open a file costs less than to look it up
		return r
	}
	if r.key, r.kept = m.key(req, scope); !r.kept || m.none || req.Need != fetch.Content || t.Tries > 0 || scope.Compares(req.URL) ||
		t.Follow && m.ReportsLinks {
		return r
	}
	var known *Entry
	if t.Follow {
		known = m.inPrevious(&r, t.At)
	}
	if known == nil {
		record, _ := m.Cache.Get(r.key)
		known, r.earlier, r.stored = entryIn(record), nil, nil
	}
	switch {
	case known == nil, !known.Content, m.Sketches && !t.Internal && known.Outcome.Sketch == nil, m.readsText(req.URL), known.Outcome.Code != check.CodeOK, known.Outcome.Size > m.MaxBody,
		t.Follow && (known.Page == nil || known.Page.Reader != m.Reader(t, scope)):
	default:
		r.Known = known
	}
	return r
}

// Unchanged reports whether an answer says that the document is the one that is known: by its
// status, or as it is the same version of the same file.
func (r *Request) Unchanged(resp *fetch.Response) bool {
	if r.Known == nil || resp.LocalFile() == "" {
		return resp.Status == http.StatusNotModified
	}
	o := &r.Known.Outcome
	return resp.Path == o.Path && resp.Status == o.Status && resp.Version.Match(r.Known.Validators)
}

// Restore returns the outcome of a document that has not changed, according to an answer.
func (m *Memory) Restore(known *Entry, answer *judging.Outcome) judging.Outcome {
	o := known.Outcome
	o.Requests = answer.Requests
	if !m.Inspects {
		o.Inspection = nil
	}
	if !m.Sketches {
		o.Sketch = nil
	}
	o.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool { return aboutTLS(known.Code) })
	for _, note := range answer.Warnings {
		o.Warn(note)
	}
	return o
}

// aboutTLS reports whether a warning is about the connection: each connection has its own
// warnings.
func aboutTLS(c check.Code) bool {
	return c == judging.CodeTLSExpiresSoon || c == judging.CodeTLSIncompleteChain
}

// Answer is what a run observed of a target.
type Answer struct {
	Outcome   *judging.Outcome
	Response  *fetch.Response // nil when there was no answer
	Page      *Page           // what was read for links
	Unchanged bool            // the outcome is that of an earlier state
	Views     bool            // views of the document were read
	InStore   bool            // the store has the page, with references
}

// Learn keeps what a run observed in the cache, or deletes what was kept. It returns what the
// store keeps with the page, if anything.
func (m *Memory) Learn(r Request, a Answer, scope *scope.Scope) (withPage []byte) {
	if !r.kept || a.Outcome.Code == check.CodeLimit { // a limit of this run says nothing about the target
		return nil
	}
	t := r.target
	var entry *Entry
	if a.Response != nil && !a.Views {
		entry = m.entryOf(&r, &a)
	}
	switch {
	case entry != nil && m.PagesInStore && entry.Page != nil && a.InStore && !(t.Seed && m.ReadsSitemaps):
		if r.stored != nil && a.Unchanged {
			return r.stored
		}
		return encodePage(r.key, entry)
	case entry != nil && a.Unchanged:
		if !t.Internal {
			m.Cache.Confirm(r.key, m.run, m.sameBefore(t.At, a.Outcome, scope))
		}
	case entry != nil:
		record := cacheentry.Record{Checked: time.Now(), Run: m.run, Data: encode(entry), URL: m.Print.URL(t.At), Kind: entry.kind(), Status: entry.Outcome.Status}
		if !t.Internal {
			record.Before = m.sameBefore(t.At, a.Outcome, scope)
		}
		m.Cache.Put(r.key, record)
	case scope.Sites.Of(t.At) != nil: // what is known of another version of the file is still true
	case t.Internal && a.Outcome.Code == check.CodeOK && r.need == fetch.Existence: // the page, if it is one, was not read
	default:
		m.Cache.Delete(r.key)
	}
	return nil
}

// entryOf returns what is kept of an answer, or nil for nothing.
func (m *Memory) entryOf(r *Request, a *Answer) *Entry {
	t, o, header := r.target, a.Outcome, a.Response.Header
	e := &Entry{Content: r.need == fetch.Content}
	if tls := a.Response.TLS; tls != nil && len(tls.PeerCertificates) > 0 {
		e.NotAfter = tls.PeerCertificates[0].NotAfter
	}
	bare := NoStore(header) || variesUnseen(a.Response)
	switch {
	case a.Unchanged:
		if bare {
			return nil
		}
		return r.Known
	case o.IsRedirect():
		permanent := o.Status == http.StatusMovedPermanently || o.Status == http.StatusPermanentRedirect
		if t.Internal || !permanent || bare || len(header["Set-Cookie"]) > 0 || HasPassword(o.Next) || m.Remaps {
			return nil
		}
		e.Content = false
	case o.Code != check.CodeOK || !hasContent(a.Response), // a cycle of redirects was unwound
		slices.ContainsFunc(o.Warnings, func(known check.Warning) bool { return known.Code == check.CodeBodyTruncated }):
		return nil
	case t.Internal && (bare || !e.Content):
		return nil
	case bare:
		e.Content = false
		e.Outcome = judging.Outcome{Code: check.CodeOK, Status: o.Status, ContentType: o.ContentType, Size: -1, Content: judging.Content{Sketch: o.Sketch}}
		return e
	default:
		if e.Content {
			e.Validators = validatorsOf(a.Response, m.now)
		}
		if t.Follow {
			e.Page = a.Page
		}
		if t.Internal && e.Validators.IsZero() || a.Response.LocalFile() != "" && e.Page == nil {
			return nil
		}
	}
	e.Outcome = *o
	forgetPassing(&e.Outcome)
	return e
}

// hasContent reports whether an answer has the content of its target.
func hasContent(resp *fetch.Response) bool {
	return resp.Status/100 == 2 || resp.Status == 0 && resp.LocalFile() != ""
}

// validatorsOf returns the validators of an answer to a request that was sent after the given time.
func validatorsOf(resp *fetch.Response, began time.Time) versions.Validators {
	if resp.LocalFile() != "" {
		return resp.Version.Validators(began)
	}
	return versions.Of(resp.Header)
}

// Forget deletes what the cache keeps of an internal document.
func (m *Memory) Forget(document urinorm.URL, scope *scope.Scope) {
	if m == nil {
		return
	}
	if key, ok := m.key(m.request(document, true, scope), scope); ok {
		m.Cache.Delete(key)
	}
}

// forgetPassing removes from an outcome what the request brought, and warnings that needed extra
// requests, or that depend on the date.
func forgetPassing(o *judging.Outcome) {
	o.Requests, o.Elapsed = 0, 0
	o.Warnings = slices.DeleteFunc(slices.Clone(o.Warnings), func(known check.Warning) bool {
		switch known.Code {
		case judging.CodeTLSExpiresSoon, judging.CodeInsecureHTTP, check.CodeSoft404:
			return true
		}
		return false
	})
}

// NoStore reports whether an answer must not be stored (RFC 9111 section 5.2.2.5).
func NoStore(h http.Header) bool {
	for _, value := range h["Cache-Control"] {
		for directive := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "no-store") {
				return true
			}
		}
	}
	return false
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

// HasPassword reports whether a reference contains a password, which is not written to files.
func HasPassword(ref string) bool {
	return strings.IndexByte(ref, '@') >= 0 && urinorm.Redact(ref) != ref
}

// Keepable reports whether the references of a document may be kept: no password is among them.
func Keepable(doc *extract.Document) bool {
	for i := range doc.Links {
		if l := &doc.Links[i]; HasPassword(l.Ref) || HasPassword(l.Raw) || HasPassword(l.Base) {
			return false
		}
	}
	return !HasPassword(doc.Base) && !HasPassword(doc.Canonical)
}

// LoadedFile returns what is kept of a file that a page loaded, from the answer to its request;
// false if nobody can tell whether it changes.
func LoadedFile(url string, status int, h http.Header) (Loaded, bool) {
	v := versions.Of(h)
	return Loaded{URL: url, Validators: v}, status/100 == 2 && !v.IsZero() && !NoStore(h) && !HasPassword(url)
}

// decider identifies how the links of pages are decided about.
type decider struct {
	scope *scope.Scope // the last one that was asked for
	name  string
}

// Reader returns what identifies how a page is read: by which edition, how it is rendered, and how
// its links are decided about by a scope.
func (m *Memory) Reader(t *admit.Target, scope *scope.Scope) string {
	reader := m.deciderOf(scope)
	if m.LimitsDepth {
		reader = fmt.Sprint(reader, "\x00", t.Depth)
	}
	if t.Rendered != "" {
		reader += "\x00rendered " + t.Rendered
	}
	return reader
}

// deciderOf identifies how links are decided about with a scope: by its settings, and the
// fingerprints of this run.
func (m *Memory) deciderOf(scope *scope.Scope) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.decider.scope != scope {
		key := m.Frontier.Fingerprint([]byte("key"))
		sum := sha256.Sum256(fmt.Appendf(nil, "%x %x %s", key.Low, key.High, scope.Decides()))
		m.decider = decider{scope, string(sum[:16])}
	}
	return m.decider.name
}

// inPrevious returns what the crawl before kept of the page that a request is for, nil if there is
// nothing.
func (s *Sources) inPrevious(r *Request, u urinorm.URL) *Entry {
	if s.Previous == nil {
		return nil
	}
	r.earlier = s.Previous.Page(s.fingerprint(u))
	if r.earlier == nil {
		return nil
	}
	_, form, err := stored.DecodePage(r.earlier.Page)
	if err != nil || len(form) == 0 {
		return nil
	}
	o, err := judging.DecodeOutcome(r.earlier.Outcome)
	if err != nil {
		return nil
	}
	r.stored, r.elapsed = form, o.Elapsed
	forgetPassing(&o)
	return decodePage(r.key, form, &o, r.earlier.Links)
}
