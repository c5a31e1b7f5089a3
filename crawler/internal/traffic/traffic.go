// Package traffic is what a client sends and is answered, for those who keep it: see fetch.Recorder.
package traffic

import (
	"context"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Sent is a request that is about to be sent.
type Sent struct {
	URL    urinorm.URL // without fragment
	Asker  Asker
	Resent bool // it repeats the last one, because the answer set a cookie or asked for credentials
	Again  bool // an earlier exchange of the same Fetch had another answer
	Page   bool // it is to be read as a page of the site itself
	Method string
	Target string      // of the request line
	Header http.Header // valid while Begin is called
	Host   string
	At     time.Time
}

// Received is what became of a request: an answer with a status, or a fault.
type Received struct {
	Status int // 0 if there was no answer
	Reason string
	Header http.Header // the one who keeps it may change it
	Text   []byte      // the beginning of the body without its content coding, if it was read and has one
	// Order has the names of the fields as they came. It is nil if that is not known: over TLS.
	Order    []string
	Size     int64  // the declared length of the body, -1 if it is unknown
	Protocol string // such as "h2"; "" for HTTP/1
	Cut      string // why the body that was kept is not all: "length", "disconnect", "time"; "" if it is all
	Address  string // the IP address that was asked; "" if there was no connection
	Reached  bool   // the request was sent
	Requests int    // number of requests sent for this exchange
	// Proxy is the host of a proxy that answered instead of the target.
	Proxy string
	// NotAfter is when the certificate of the server ends, zero without one that was verified.
	// Issuer is the name of the issuer whose certificate the server did not send, or "".
	NotAfter time.Time
	Issuer   string
}

// Asker is what needs the answer to a request.
type Asker struct {
	URL urinorm.URL // without fragment
	// Visit is set if it is the target of a visit. Otherwise the request is one beside all visits,
	// such as that for a robots.txt, and the URL is that of its first request.
	Visit bool
	// First is set for the first request of a visit that repeats none: what an earlier session asked
	// for the target counts no more.
	First bool
	// Hidden is set if the request contains secrets, so that it is not kept.
	Hidden bool
}

type askerKey struct{}

// WithAsker returns a context for requests that something needs. Without it, each request is one
// beside all visits.
func WithAsker(ctx context.Context, a Asker) context.Context {
	a.URL = a.URL.WithoutFragment()
	return context.WithValue(ctx, askerKey{}, a)
}

// AskerOf returns what needs the answer to a request for u.
func AskerOf(ctx context.Context, u urinorm.URL) Asker {
	if a, ok := ctx.Value(askerKey{}).(Asker); ok {
		return a
	}
	return Asker{URL: u.WithoutFragment()}
}
