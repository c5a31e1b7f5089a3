package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A Recorder keeps what is sent and what is answered. It is safe for concurrent use.
type Recorder interface {
	// Begin is called before a request is sent over HTTP.
	Begin(*Sent) Recording
	// Other is called at the end of a request over another scheme.
	Other(*Other)
}

// Recording is one exchange. One goroutine after another calls its methods.
type Recording interface {
	// Keep is called with each part of the body, as it came: without its transfer coding, but
	// with its content coding. The part is valid during the call only.
	Keep(part []byte)
	// Finish is called once, at the end. It gets nil if the exchange was cut off with the run,
	// and is worth nothing.
	Finish(*Received)
}

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

// Received is what became of a request: an answer with a status, or a Fault.
type Received struct {
	Status int // 0 if there was no answer
	Reason string
	Header http.Header // the Recording may change it
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
	// Fault says why there is no answer, or why the body is not all. It may be nil.
	Fault *Fault
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
	// Hidden is set if the request contains secrets, so that no Recorder sees it.
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

// Other is what became of a request over another scheme than http and https.
type Other struct {
	URL   urinorm.URL // without fragment
	Asker Asker
	Page  bool // it was to be read as a page of the site itself
	Need  Need
	At    time.Time // of the request

	Response *Response // nil if there was none; its Body is not to be used
	Body     []byte    // what was read of the body, at most 10 MiB and a byte; nil if there was none
	Fault    *Fault    // why there is no response, or why the body is not all
}

// maxOtherBody is how much of a body of other schemes is kept, in bytes.
const maxOtherBody = 10<<20 + 1

// isPage reports whether what is requested is to be read as a page of the site itself.
func isPage(asker Asker, req *Request) bool {
	return asker.Visit && req.Internal && req.Need == Content
}

// otherBody is the body of a response, which a Recorder sees when it is closed.
type otherBody struct {
	io.ReadCloser
	to  Recorder
	got *Other // nil once it was closed
}

func (b *otherBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.got != nil {
		b.got.Body = append(b.got.Body, p[:min(n, maxOtherBody-len(b.got.Body))]...)
		errors.As(err, &b.got.Fault)
	}
	return n, err
}

func (b *otherBody) Close() error {
	err := b.ReadCloser.Close()
	if b.got != nil {
		b.to.Other(b.got)
		b.got = nil
	}
	return err
}
