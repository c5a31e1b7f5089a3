package traffic

import (
	"context"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A Pace bounds the requests of one visit, which are sent one after another. An error of its
// methods ends the Fetch as it is.
type Pace interface {
	// Next is called before each request: a Fetch may send several, such as GET after HEAD. It
	// returns when the request may be sent.
	Next(context.Context) error
	// Connected is called when a request is about to be sent over a connection, which may
	// have taken long to make. It returns when the request may be sent.
	Connected(context.Context) error
}

type paceKey struct{}

// WithPace returns a context for the requests of one visit. A nil pace bounds nothing.
func WithPace(ctx context.Context, p Pace) context.Context {
	return context.WithValue(ctx, paceKey{}, p)
}

// PaceOf returns the pace of the requests with a context, or nil.
func PaceOf(ctx context.Context) Pace {
	p, _ := ctx.Value(paceKey{}).(Pace)
	return p
}

// AdmitIssuer decides whether the certificate at a URL, which a server did not send, may be
// requested now. It may wait for its turn. It also returns the number of requests that were
// necessary to decide. Certificates that its own requests would need are not fetched.
type AdmitIssuer func(ctx context.Context, u urinorm.URL) (ok bool, requests int)

type admitIssuerKey struct{}

// WithIssuers returns a context for requests that lets admit decide about requests for
// certificates; nil refuses them all. Without it, all are sent.
func WithIssuers(ctx context.Context, admit AdmitIssuer) context.Context {
	return context.WithValue(ctx, admitIssuerKey{}, admit)
}

// IssuersOf returns what decides about requests for certificates, if the context says it.
func IssuersOf(ctx context.Context) (admit AdmitIssuer, given bool) {
	admit, given = ctx.Value(admitIssuerKey{}).(AdmitIssuer)
	return admit, given
}
