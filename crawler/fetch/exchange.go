package fetch

import (
	"context"
	"crypto/tls"
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
	silence  atomic.Bool // the timer waits for something sooner than the deadline
}

func newExchange(ctx context.Context, whole time.Duration) *exchange {
	ex := &exchange{deadline: time.Now().Add(whole)}
	ex.ctx, ex.cancel = context.WithCancelCause(ctx)
	ex.timer = time.AfterFunc(whole, func() {
		if ex.silence.Load() {
			ex.cancel(errSilence)
		} else {
			ex.cancel(errWholeTimeout)
		}
	})
	return ex
}

// wait starts the timer for at most limit and what is left of the whole.
func (ex *exchange) wait(limit time.Duration) {
	left := time.Until(ex.deadline)
	ex.silence.Store(limit < left)
	ex.timer.Reset(max(0, min(limit, left)))
}

// hurry leaves only so much time for what is read from now on.
func (ex *exchange) hurry(limit time.Duration) {
	if deadline := time.Now().Add(limit); deadline.Before(ex.deadline) {
		ex.deadline = deadline
	}
}

func (ex *exchange) pause() { ex.timer.Stop() }

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
		ans.ex.hurry(drainTime)
		ans.ex.wait(drainTime)
		// One byte more finds the end, which gives the connection back.
		_, err := io.CopyN(io.Discard, ans.Body, limit+1)
		cut = errors.Is(err, io.ErrUnexpectedEOF)
	}
	ans.Body.Close()
	ans.ex.end()
	return cut
}

// connecting watches how far a connection has come, to tell a fault of the
// handshake from one of the exchange. The transport may call it after the
// request was answered over another connection.
type connecting struct {
	sendings       atomic.Int32 // connections the request was put on, less those that did not take it
	handshakes     atomic.Int32
	failed         atomic.Pointer[error] // how the last handshake failed
	gotConn, http2 atomic.Bool
	limit          time.Duration // of tunnel
	tunnel         *time.Timer   // runs while a proxy connects to the target; nil without one
}

// maxHandshakes bounds the handshakes of one request. Where a server drops each
// new HTTP/2 connection or complains of each stream, net/http would connect
// anew for ever; with a proxy over TLS each connection takes two.
const maxHandshakes = 4

// sendingTrace counts how often the request is sent: net/http sends it again, and
// says nothing, when a connection that it used before turns out to be closed.
func (c *connecting) sendingTrace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { c.sendings.Add(1) },
		WroteRequest: c.wrote,
	}
}

func (c *connecting) wrote(info httptrace.WroteRequestInfo) {
	if info.Err != nil {
		c.sendings.Add(-1)
	}
}

// trace watches connecting too.
func (c *connecting) trace(ex *exchange) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		WroteRequest: c.wrote,
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				c.tunnelling(ex)
			}
		},
		TLSHandshakeStart: func() {
			c.tunnelled()
			if c.handshakes.Add(1) > maxHandshakes {
				ex.cancel(errReconnects)
			}
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			if err != nil {
				c.failed.Store(&err)
			}
			c.http2.Store(state.NegotiatedProtocol == "h2")
			c.tunnelling(ex) // it may have been the proxy's own
		},
		GotConn: func(info httptrace.GotConnInfo) {
			c.tunnelled()
			c.sendings.Add(1)
			c.gotConn.Store(true)
			if conn, ok := info.Conn.(*tls.Conn); ok {
				c.http2.Store(conn.ConnectionState().NegotiatedProtocol == "h2")
			}
		},
	}
}

// tunnelling and tunnelled bound the time that a proxy may take to connect, which
// net/http does not: the first is called whenever the proxy has its turn.
func (c *connecting) tunnelling(ex *exchange) {
	if c.tunnel != nil && ex.ctx.Err() == nil {
		c.tunnel.Reset(c.limit)
	}
}

func (c *connecting) tunnelled() {
	if c.tunnel != nil {
		c.tunnel.Stop()
	}
}

// inHandshake reports whether it is a handshake that failed with err.
func (c *connecting) inHandshake(err error) bool {
	failed := c.failed.Load()
	return failed != nil && errors.Is(err, *failed)
}

// roundTrip sends one request and waits for the header of its answer. A request
// whose HTTP/2 connection or stream broke is sent once more over HTTP/1.1, one
// that met an incomplete certificate chain once more when the chain could be
// completed.
func (a *asking) roundTrip(ctx context.Context, method string, header http.Header) (*answer, error) {
	transport := a.transports.remote
	if a.loopback {
		transport = a.transports.loopback
	}
	if a.memory.onlyHTTP1.Load() {
		transport = a.transports.fallback
	}
	completed := false
	for {
		ans, conn, err := a.once(ctx, transport, method, header)
		if err == nil {
			if transport == a.transports.fallback && ans.TLS != nil {
				a.memory.onlyHTTP1.Store(true)
			}
			return ans, nil
		}
		var chain *chainError
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &chain) && !completed:
			completed = true
			if a.issuers.complete(ctx, chain.certs) {
				a.requests-- // the handshake failed; nothing was sent
				continue
			}
		case conn.http2.Load() && transport != a.transports.fallback && !isTimeout(err):
			transport = a.transports.fallback
			continue
		}
		return nil, exchangeFault(ctx, a.printed(), conn.inHandshake(err), a.timeout, err)
	}
}

// once is roundTrip without second tries.
func (a *asking) once(ctx context.Context, transport *http.Transport, method string, header http.Header) (*answer, *connecting, error) {
	a.requests++
	conn := &connecting{limit: a.timeout}
	ex := newExchange(ctx, wholeFactor*a.timeout)
	u := a.req.URL
	proxy, err := a.proxies.of(u.Scheme(), u.Authority())
	if err == nil && proxy != nil {
		conn.tunnel = time.AfterFunc(a.timeout, func() {
			if !conn.gotConn.Load() { // else another connection came free meanwhile
				ex.cancel(errTunnel)
			}
		})
		conn.tunnel.Stop()
		defer conn.tunnel.Stop()
		err = a.dialer.checkProxied(ctx, u.Host(), u.Authority())
	}
	if err != nil {
		ex.end()
		return nil, conn, err
	}
	trace := conn.sendingTrace()
	if u.Scheme() == "https" || proxy != nil {
		trace = conn.trace(ex)
	}
	requestContext := httptrace.WithClientTrace(ex.ctx, trace)
	if u.Scheme() == "https" || proxy != nil {
		if a.req.Internal {
			requestContext = context.WithValue(requestContext, internalKey{}, true)
		}
	}
	r := a.httpRequest(requestContext, method, header, proxy)
	resp, err := a.transports.holding(transport, u, proxy).RoundTrip(r)
	ex.pause()
	a.requests += max(0, int(conn.sendings.Load())-1)
	if err != nil {
		var refused *proxyStatusError
		if errors.As(err, &refused) {
			return &answer{refused.response(), ex, proxy.Host}, conn, nil
		}
		if ctx.Err() == nil {
			switch context.Cause(ex.ctx) {
			case errWholeTimeout:
				err = wholeTimeout("fetch", a.printed(), a.timeout, err)
			case errReconnects:
				err = errReconnects
			case errTunnel:
				err = &Fault{Kind: "timeout", Op: "connect", Target: u.Authority(), Retry: true, Err: &cause{"the proxy did not connect within " + a.timeout.String(), err}}
			}
		}
		ex.end()
		return nil, conn, err
	}
	if u.Scheme() != "https" {
		resp.TLS = nil // it was the proxy's
	}
	if err := a.verifier.address(resp.TLS, u.Host()); err != nil {
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
func (a *asking) httpRequest(ctx context.Context, method string, header http.Header, proxy *url.URL) *http.Request {
	u := a.req.URL
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

// body is the content of an answer, its codings undone.
type body struct {
	*asking
	ex    *exchange
	raw   io.ReadCloser
	plain io.ReadCloser
	err   error
}

// content returns the body of an answer for its reader.
func (a *asking) content(ans *answer) *body {
	b := &body{asking: a, ex: ans.ex, raw: ans.Body}
	b.plain = rawBody{b}
	if label := ans.Header.Get("Content-Encoding"); label != "" {
		b.plain = decodeBody(rawBody{b}, label, a.maxBody+inflateAllowed)
	}
	return b
}

// rawBody reads what came over the wire; silence and breakage become faults here,
// below the decoders, so that neither is taken for corrupt data.
type rawBody struct{ b *body }

func (r rawBody) Read(p []byte) (int, error) {
	b := r.b
	b.ex.wait(b.timeout)
	n, err := b.raw.Read(p)
	b.ex.pause()
	if err != nil && err != io.EOF {
		if isHTTP2(err) && b.ex.ctx.Err() == nil {
			b.memory.onlyHTTP1.Store(true) // a retry shall fare better
		}
		err = bodyFault(b.ex.ctx, b.printed(), b.timeout, err)
	}
	return n, err
}

// Close does nothing: the body that r is part of is closed.
func (rawBody) Close() error { return nil }

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.plain.Read(p)
	if err == nil || err == io.EOF {
		b.err = err
		return n, err
	}
	var fault *Fault
	var coding *codingError
	switch {
	case errors.As(err, &fault):
	case errors.As(err, &coding):
		err = &Fault{Kind: "protocol-error", Op: "read", Target: b.printed(), Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.printed(), Retry: true, Err: &cause{"the body ended within its content coding", err}}
	case err == errInflated:
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.printed(), Err: err}
	}
	b.err = err
	return n, err
}

// Hurry implements Hurrier.
func (b *body) Hurry(limit time.Duration) { b.ex.hurry(limit) }

// Close ends the exchange. The connection is used again when the body was read to
// its end.
func (b *body) Close() error {
	if b.err == nil || b.err == io.EOF {
		b.err = http.ErrBodyReadAfterClose
	}
	b.plain.Close()
	err := b.raw.Close()
	b.ex.end()
	return err
}
