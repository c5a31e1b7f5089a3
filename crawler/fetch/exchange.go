package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Bounds of bodies that nobody wants.
const (
	drainKnown   = 64 << 10 // a body declared this short is read, so that the connection can be used again
	drainUnknown = 16 << 10 // of an error page or redirect without a declared length
	drainTime    = time.Second
	excerptSize  = 16 << 10
)

// exchange is one HTTP request and its answer, bounded in time. Its timer runs
// while we wait for the server and stands still while the caller thinks.
type exchange struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	deadline time.Time   // of the whole
	idle     atomic.Bool // the timer waits for something sooner than the deadline
}

func newExchange(ctx context.Context, whole time.Duration) *exchange {
	ex := &exchange{deadline: time.Now().Add(whole)}
	ex.ctx, ex.cancel = context.WithCancelCause(ctx)
	ex.timer = time.AfterFunc(whole, func() {
		if ex.idle.Load() {
			ex.cancel(errIdle)
		} else {
			ex.cancel(errTotalTimeout)
		}
	})
	return ex
}

// startTimer starts the timer for at most limit and what is left of the whole.
func (ex *exchange) startTimer(limit time.Duration) {
	left := time.Until(ex.deadline)
	ex.idle.Store(limit < left)
	ex.timer.Reset(max(0, min(limit, left)))
}

// limitTime leaves only so much time for what is read from now on.
func (ex *exchange) limitTime(limit time.Duration) {
	if deadline := time.Now().Add(limit); deadline.Before(ex.deadline) {
		ex.deadline = deadline
	}
}

func (ex *exchange) stopTimer() { ex.timer.Stop() }

// end releases the exchange; what is still under way is broken off.
func (ex *exchange) end() {
	ex.timer.Stop()
	ex.cancel(errClosed)
}

// answer is a response whose body was not touched yet.
type answer struct {
	*http.Response
	ex    *exchange
	proxy string // that answered in place of the target
}

// discard gets rid of an answer nobody wants, keeping the connection when that is
// cheap. It reports whether the body was seen to end before its declared end.
func (ans *answer) discard() (cut bool) {
	limit := int64(drainUnknown)
	switch {
	case ans.ContentLength >= 0:
		if limit = ans.ContentLength; limit > drainKnown {
			limit = 0
		}
	case ans.StatusCode < 300:
		limit = 0 // perhaps endless
	}
	if limit > 0 {
		ans.ex.limitTime(drainTime)
		ans.ex.startTimer(drainTime)
		// One byte more finds the end, which gives the connection back.
		_, err := io.CopyN(io.Discard, ans.Body, limit+1)
		cut = errors.Is(err, io.ErrUnexpectedEOF)
	}
	ans.Body.Close()
	ans.ex.end()
	return cut
}

// roundTrip sends one request and waits for the header of its answer. A request
// whose HTTP/2 connection or stream broke is sent once more over HTTP/1.1, one
// that met an incomplete certificate chain once more when the chain could be
// completed.
func (f *httpFetch) roundTrip(ctx context.Context, method string, header http.Header) (*answer, error) {
	transport := f.transports.remote
	if f.loopback {
		transport = f.transports.loopback
	}
	if f.facts.onlyHTTP1.Load() {
		transport = f.transports.fallback
	}
	completed := false
	for {
		ans, conn, err := f.attempt(ctx, transport, method, header)
		if err == nil {
			if transport == f.transports.fallback && ans.TLS != nil {
				f.facts.onlyHTTP1.Store(true)
			}
			return ans, nil
		}
		var chain *chainError
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &chain) && !completed:
			completed = true
			if f.issuers.complete(ctx, chain.certs) {
				f.requests-- // the handshake failed; nothing was sent
				continue
			}
		case conn.http2.Load() && transport != f.transports.fallback && !isTimeout(err):
			transport = f.transports.fallback
			continue
		}
		return nil, exchangeFault(ctx, f.printed(), conn.isHandshakeError(err), f.timeout, err)
	}
}

// once is roundTrip without second tries.
func (f *httpFetch) attempt(ctx context.Context, transport *http.Transport, method string, header http.Header) (*answer, *connTrace, error) {
	f.requests++
	conn := &connTrace{limit: f.timeout}
	ex := newExchange(ctx, totalTimeoutFactor*f.timeout)
	u := f.req.URL
	proxy, err := f.proxies.forURL(u.Scheme(), u.Authority())
	if err == nil && proxy != nil {
		conn.tunnel = time.AfterFunc(f.timeout, func() {
			if !conn.gotConn.Load() { // else another connection came free meanwhile
				ex.cancel(errTunnel)
			}
		})
		conn.tunnel.Stop()
		defer conn.tunnel.Stop()
		err = f.dialer.checkProxied(ctx, u.Host(), u.Authority())
	}
	if err != nil {
		ex.end()
		return nil, conn, err
	}
	trace := conn.plainTrace()
	if u.Scheme() == "https" || proxy != nil {
		trace = conn.fullTrace(ex)
	}
	requestContext := httptrace.WithClientTrace(ex.ctx, trace)
	if u.Scheme() == "https" || proxy != nil {
		if f.req.Internal {
			requestContext = context.WithValue(requestContext, internalKey{}, true)
		}
	}
	r := f.httpRequest(requestContext, method, header, proxy)
	resp, err := f.transports.forTarget(transport, u, proxy).RoundTrip(r)
	ex.stopTimer()
	f.requests += max(0, int(conn.writes.Load())-1)
	if err != nil {
		var refused *proxyStatusError
		if errors.As(err, &refused) {
			return &answer{refused.response(), ex, proxy.Host}, conn, nil
		}
		if ctx.Err() == nil {
			switch context.Cause(ex.ctx) {
			case errTotalTimeout:
				err = totalTimeout("fetch", f.printed(), f.timeout, err)
			case errReconnects:
				err = errReconnects
			case errTunnel:
				err = &Fault{Kind: "timeout", Op: "connect", Target: u.Authority(), Retry: true, Err: &cause{"the proxy did not connect within " + f.timeout.String(), err}}
			}
		}
		ex.end()
		return nil, conn, err
	}
	if u.Scheme() != "https" {
		resp.TLS = nil // it was the proxy's
	}
	if err := f.verifier.verifyAddress(resp.TLS, u.Host()); err != nil {
		resp.Body.Close()
		ex.end()
		return nil, conn, err
	}
	ans := &answer{Response: resp, ex: ex}
	if proxy != nil && resp.StatusCode == http.StatusProxyAuthRequired {
		ans.proxy = proxy.Host
	}
	return ans, conn, nil
}

var blankRequest = http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// httpRequest builds the request so that its target goes on the wire byte for
// byte as the URL has it: net/url would decode and encode it again.
func (f *httpFetch) httpRequest(ctx context.Context, method string, header http.Header, proxy *url.URL) *http.Request {
	u := f.req.URL
	target, authority := u.RequestTarget(), u.Authority()
	at := &url.URL{Scheme: u.Scheme(), Host: authority, Opaque: target}
	if strings.HasPrefix(target, "//") || proxy != nil && strings.HasPrefix(proxy.Scheme, "http") && at.Scheme == "http" {
		// The absolute form, which every server must accept (RFC 9112 section 3.2.2):
		// net/http makes it of an opaque part that begins with "//".
		at.Opaque = "//" + authority + target
	}
	r := blankRequest.WithContext(ctx) // a copy
	r.Method, r.URL, r.Host, r.Header = method, at, authority, header
	if host := header.Get("Host"); host != "" {
		r.Host = host
		delete(header, "Host")
	}
	return r
}
