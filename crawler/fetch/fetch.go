package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A Fetcher sends one request. It returns either a Response or an error that is a
// *Fault, or the context's error when the run was cancelled.
type Fetcher interface {
	Fetch(ctx context.Context, req *Request) (*Response, error)
}

// Need says how much of the target is wanted.
type Need uint8

const (
	// Existence asks whether the target is there: HEAD, then GET when HEAD says
	// anything but 2xx. No body is read.
	Existence Need = iota
	// Content asks for the body: GET at once.
	Content
)

// Destination is what a reference wants a target for, in the sense of the Fetch
// Standard (section 2.2.5). Servers that choose between representations look at
// the Accept header it leads to.
type Destination uint8

const (
	// Page is a document a reader would see.
	Page Destination = iota
	// Image is an image of a page.
	Image
	// Style is a style sheet.
	Style
	// Script is a script, or anything else a page loads.
	Script
)

// Request is one question to one target.
type Request struct {
	URL      urinorm.URL // its fragment is not sent
	Need     Need
	Referrer string // URL of a page that links here; empty for none
	Internal bool   // credentials given for the internal hosts may go along
	Header   http.Header
	// Destination is what the reference wants the target for; it shapes Accept.
	Destination Destination
	// Follow is how many redirects within the host are followed here. It is 0 but
	// for a chain that led back to itself: the cookies set on the way may break it.
	Follow int
	// Validators make a request for Content conditional.
	Validators Validators
}

// A Hurrier is a body that comes over a network.
type TimeLimiter interface {
	// LimitTime bounds the time that all further reading may take. Whoever reads calls it.
	LimitTime(limit time.Duration)
}

// Response is what the target answered.
type Response struct {
	// Status is the HTTP status code, 0 for schemes without one.
	Status int
	Header http.Header
	// Body is the content, codings removed; nil when Need was Existence. The
	// caller closes it. Reading it may return a *Fault.
	Body io.ReadCloser
	// Location is the redirect's target as written; the URL it resolves to is
	// the caller's affair.
	Location string
	// ContentType is the declared media type with its parameters; for local files the one its name implies.
	ContentType string
	// Size is the declared length in bytes, -1 when unknown.
	Size     int64
	Modified time.Time // zero when unknown
	// Requests counts what was sent for this answer.
	Requests int
	// URL is what answered: the requested one, unless the request said Follow. It
	// is set for http and https.
	URL urinorm.URL
	// Excerpt is the beginning of an error page, at most 16 KiB, where a GET had to
	// ask for existence; walls against robots are known by it.
	Excerpt []byte
	// Proxy is the host of the proxy that answered in place of the target: it refused
	// to connect to it, or wants an account (407). Empty where the target answered.
	Proxy string
	// Path is the local file that answered, as the operating system spells it; empty for the network.
	Path string
	// TLS is nil for plain connections.
	TLS *tls.ConnectionState
	// Notes are codes of warnings about the way here, such as "tls-incomplete-chain".
	Notes []Note
	// Conditional is true when the request that was answered asked for changes only,
	// so that 304 is an answer to it.
	Conditional bool
	// SentCookies is true when cookies that were set in this run went along.
	SentCookies bool
}

// Note is a remark on a response: the code of a warning and a sentence.
type Note struct{ Code, Message string }

// Fault says why there is no answer. Kind is one of the contract's codes.
type Fault struct {
	Kind     string // "dns-not-found", "connect-refused", "timeout", "file-missing" …
	Op       string // what was attempted: "look up", "connect", "read"
	Target   string // the object, passwords removed
	Hint     string // what may help: the file name that differs only in case
	Err      error  // the cause
	Retry    bool   // asking again may mend it
	Local    bool   // our own machine's limits are to blame, not the target
	Requests int    // how many requests were sent before it was given up
}

// Error says operation, object and cause.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s %s: %v", f.Op, f.Target, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Mux picks a Fetcher by the URL's scheme.
type Mux map[string]Fetcher

// Fetch passes the request to the Fetcher of its scheme.
func (m Mux) Fetch(ctx context.Context, req *Request) (*Response, error) {
	f := m[req.URL.Scheme()]
	if f == nil {
		return nil, &Fault{Kind: "scheme-unchecked", Op: "fetch", Target: req.URL.Printed(), Err: fmt.Errorf("no fetcher for scheme %q", req.URL.Scheme())}
	}
	return f.Fetch(ctx, req)
}

// Has reports whether a scheme has a Fetcher.
func (m Mux) Has(scheme string) bool { return m[scheme] != nil }

// CloseIdleConnections closes what its fetchers keep.
func (m Mux) CloseIdleConnections() {
	for _, f := range m {
		if keeper, ok := f.(interface{ CloseIdleConnections() }); ok {
			keeper.CloseIdleConnections()
		}
	}
}

// standardInput is the Path of a document that no file holds.
const standardInput = "-"

// LocalFile is the file that a document is read from; "" when there is none.
func (r *Response) LocalFile() string {
	if r.Path == standardInput {
		return ""
	}
	return r.Path
}
