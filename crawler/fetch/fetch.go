package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A Fetcher sends one request. It returns either a Response or an error, which is a
// *Fault, or the context's error if the context is done.
type Fetcher interface {
	Fetch(ctx context.Context, req *Request) (*Response, error)
}

// A Locator is a Fetcher that knows where it sends requests.
type Locator interface {
	// Locate returns the address of the server that a request to a URL is sent to: the lowest, if
	// there are several, and false if it is not known. It looks up the name of the host.
	Locate(ctx context.Context, u urinorm.URL) (netip.Addr, bool)
}

// Need says how much of the target the request needs.
type Need uint8

const (
	// Existence checks that the target exists: HEAD, then GET unless the answer to HEAD
	// is 2xx. No body is read.
	Existence Need = iota
	// Content requests the body: GET at once.
	Content
)

// Request is a request to one target.
type Request struct {
	URL      urinorm.URL // its fragment is not sent
	Need     Need
	Referrer string // URL of a page that links to the target; "" if there is none
	// Origin is the value of the header Origin, as browsers send it to other origins when they need
	// CORS (Fetch 3.3); "" for none. It is no part of the Identity.
	Origin   string
	Internal bool // a page of the site itself; secrets depend on HTTPConfig.Origins instead
	Header   http.Header
	// Validators make a request for Content conditional.
	Validators versions.Validators
	// Form is sent with POST, once, whatever the answer: no redirect is followed and no challenge
	// answered. Need must be Content.
	Form *Form
	// Anonymous sends no cookies but those in Header, and stores none.
	Anonymous bool
	// Final means that no further try follows, so that GET must be sent even if the answer to
	// HEAD asks for a pause.
	Final bool
}

// Form is the encoded content of an HTML form.
type Form struct {
	ContentType string
	Body        []byte
}

// Response is the answer of a target.
type Response struct {
	// Status is the HTTP status code, 0 for schemes without one.
	Status int
	Header http.Header
	// Body is the decoded content; nil if Need was Existence. The caller closes it.
	// Reading it may return a *Fault.
	Body io.ReadCloser
	// Location is the target of a redirect as written; the caller resolves it.
	Location string
	// ContentType is the declared media type with its parameters, or for local files
	// the type that the file name implies.
	ContentType string
	// Size is the declared length in bytes, -1 when unknown.
	Size     int64
	Modified time.Time // zero when unknown
	// Requests is the number of requests sent for this answer, and Kept how many of them
	// were sent and counted for another one before.
	Requests, Kept int
	// Dialed is how long it took to connect to the host, without its lookup: the longest time if
	// there were several connections, 0 if connections that were idle did.
	Dialed time.Duration
	// URL is the URL that answered: the requested one. It is set for http and https only.
	URL urinorm.URL
	// Excerpt is the beginning of an error page, at most 16 KiB, if a GET was necessary
	// to check existence. It is used to recognize bot walls.
	Excerpt []byte
	// Proxy is the host of a proxy that answered instead of the target, because it
	// refused to connect or requires authentication (407). It is empty if the target
	// answered.
	Proxy string
	// Path is the local file that answered, as the operating system spells it; "" for
	// answers from the network.
	Path string
	// Version is that of the file at Path; zero if it is not known.
	Version versions.File
	// Converted is true if Body is what a program made of the file at Path.
	Converted bool
	// TLS is nil for plain connections.
	TLS *tls.ConnectionState
	// Notes are warnings about the request, such as "tls-incomplete-chain".
	Notes []Note
	// Conditional is true if the request was conditional, so that 304 is a valid
	// answer.
	Conditional bool
	// SentCookies is true if the request included cookies that were set in this run.
	SentCookies bool
}

// Note is a remark on a response: the code of a warning and a message.
type Note struct{ Code, Message string }

// Fault says why there is no answer. Kind is one of the codes of the report.
type Fault struct {
	Kind     string // "dns-not-found", "connect-refused", "timeout", "file-missing" …
	Op       string // the operation: "look up", "connect", "read"
	Target   string // the object, without passwords
	Hint     string // what may help, such as a file name that differs only in case
	Err      error  // the cause
	Retry    bool   // a retry may succeed
	Local    bool   // a limit of this machine is the cause, not the target
	Requests int    // number of requests sent before the failure
}

// Error returns the operation, the object and the cause.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s %s: %v", f.Op, f.Target, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Mux selects a Fetcher by the URL's scheme.
type Mux map[string]Fetcher

// Fetch passes the request to the Fetcher of its scheme.
func (m Mux) Fetch(ctx context.Context, req *Request) (*Response, error) {
	f := m[req.URL.Scheme()]
	if f == nil {
		return nil, &Fault{Kind: "scheme-unchecked", Op: "fetch", Target: req.URL.Printed(), Err: fmt.Errorf("no fetcher for scheme %q", req.URL.Scheme())}
	}
	return f.Fetch(ctx, req)
}

// Locate implements Locator by the Fetcher of the scheme.
func (m Mux) Locate(ctx context.Context, u urinorm.URL) (netip.Addr, bool) {
	if f, ok := m[u.Scheme()].(Locator); ok {
		return f.Locate(ctx, u)
	}
	return netip.Addr{}, false
}

// SecretHosts returns those of the Fetcher for https (HTTP.SecretHosts).
func (m Mux) SecretHosts() []string {
	if f, ok := m["https"].(interface{ SecretHosts() []string }); ok {
		return f.SecretHosts()
	}
	return nil
}

// Schemes returns the schemes that the Mux supports, sorted.
func (m Mux) Schemes() []string { return slices.Sorted(maps.Keys(m)) }

// CloseIdleConnections closes the idle connections of its fetchers.
func (m Mux) CloseIdleConnections() {
	for _, f := range m {
		if keeper, ok := f.(interface{ CloseIdleConnections() }); ok {
			keeper.CloseIdleConnections()
		}
	}
}

// standardInput is the Path of a document that is not in a file.
const standardInput = "-"

// LocalFile returns the file that the document was read from, or "".
func (r *Response) LocalFile() string {
	if r.Path == standardInput || r.Converted {
		return ""
	}
	return r.Path
}
