package fetch

import (
	"bytes"
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

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// Limits on bodies that are not read.
const (
	drainKnown   = 64 << 10 // bytes; a body with a shorter declared length is read so that the connection can be reused
	drainUnknown = 16 << 10 // bytes read of an error page or redirect without a declared length
	drainTime    = time.Second
	excerptSize  = 16 << 10
)

// exchange is one HTTP request and its answer, with a time limit. Its timer runs while
// the exchange waits for the server and stops while the caller processes data.
type exchange struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	deadline time.Time   // of the whole exchange
	idle     atomic.Bool // the timer ends before the deadline of the whole exchange
	pass     *gatePass
}

func newExchange(ctx context.Context, whole time.Duration, pass *gatePass) *exchange {
	ex := &exchange{deadline: time.Now().Add(whole), pass: pass}
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

// startTimer starts the timer with limit or the time left until the deadline, whichever
// is shorter.
func (ex *exchange) startTimer(limit time.Duration) {
	left := time.Until(ex.deadline)
	ex.idle.Store(limit < left)
	ex.timer.Reset(max(0, min(limit, left)))
}

// limitTime moves the deadline so that all further reads together take at most limit.
func (ex *exchange) limitTime(limit time.Duration) {
	if deadline := time.Now().Add(limit); deadline.Before(ex.deadline) {
		ex.deadline = deadline
	}
}

func (ex *exchange) stopTimer() { ex.timer.Stop() }

// end releases the exchange and cancels whatever is still in progress.
func (ex *exchange) end() {
	ex.timer.Stop()
	ex.cancel(errClosed)
	ex.pass.leave()
}

// answer is a response whose body has not been read yet.
type answer struct {
	*http.Response
	ex    *exchange
	proxy string // the proxy that answered instead of the target
	notes []Note
}

// discard closes an answer and reuses the connection if the rest of the body is short.
// It reports whether the body ended before its declared length.
func (ans *answer) discard() (cut bool) {
	limit := int64(drainUnknown)
	switch {
	case ans.ContentLength >= 0:
		if limit = ans.ContentLength; limit > drainKnown {
			limit = 0
		}
	case ans.StatusCode < 300:
		limit = 0 // may be endless
	}
	if limit > 0 {
		ans.ex.limitTime(drainTime)
		ans.ex.startTimer(drainTime)
		// Reading one byte more finds the end, which makes the connection reusable.
		_, err := io.CopyN(io.Discard, ans.Body, limit+1)
		cut = errors.Is(err, io.ErrUnexpectedEOF)
	}
	ans.ex.cancel(errClosed) // otherwise the transport may go on reading after Close
	ans.Body.Close()
	ans.ex.end()
	return cut
}

// roundTrip sends one request and waits for the header of its answer. It repeats a
// request once over HTTP/1.1 if its HTTP/2 connection or stream failed, once if it could
// complete an incomplete certificate chain, and once if the header of the answer contains
// control characters.
func (f *httpFetch) roundTrip(ctx context.Context, method string, header http.Header) (*answer, error) {
	transport := f.by.transports.remote
	if f.loopback {
		transport = f.by.transports.loopback
	}
	if f.facts.onlyHTTP1.Load() {
		transport = f.by.transports.fallback
	}
	completed := false
	pace := traffic.PaceOf(ctx)
	for {
		if pace != nil {
			if err := pace.Next(ctx); err != nil {
				return nil, err
			}
		}
		host := f.req.URL.Authority()
		pass, err := passGate(ctx, host)
		if err != nil {
			return nil, err
		}
		ans, conn, err := f.attempt(ctx, transport, method, header, pass)
		if err == nil {
			observeAnswer(ctx, host, ans.StatusCode, ans.Header)
			if transport == f.by.transports.fallback && ans.TLS != nil {
				f.facts.onlyHTTP1.Store(true)
			}
			return ans, nil
		}
		var chain *chainError
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case conn.late != nil:
			return nil, conn.late
		case errors.As(err, &chain) && !completed:
			completed = true
			if f.by.completeChain(ctx, chain.certs, &f.requests) {
				f.requests-- // the handshake failed, so nothing was sent
				continue
			}
		case f.req.Form != nil: // it is sent once
		case transport != f.by.transports.lenient && isMendable(err):
			transport = f.by.transports.lenient
			continue
		case conn.http2.Load() && transport != f.by.transports.fallback && !isTimeout(err):
			transport = f.by.transports.fallback
			continue
		}
		return nil, exchangeFault(ctx, f.printed(), conn.isHandshakeError(err), f.by.timeout, err)
	}
}

// attempt is roundTrip without repetitions.
func (f *httpFetch) attempt(ctx context.Context, transport *http.Transport, method string, header http.Header, pass *gatePass) (*answer, *connTrace, error) {
	f.requests++
	ex := newExchange(ctx, totalTimeoutFactor*f.by.timeout, pass)
	conn := &connTrace{ex: ex, limit: f.by.timeout}
	conn.pace = traffic.PaceOf(ctx)
	if f.conn = conn; f.recorder != nil {
		conn.head = &headCapture{}
	}
	u := f.req.URL
	proxy, err := f.by.proxies.forURL(u.Scheme(), u.Authority())
	if err == nil && proxy != nil {
		conn.tunnel = time.AfterFunc(f.by.timeout, func() {
			if !conn.gotConn.Load() { // otherwise another connection has become available
				ex.cancel(errTunnel)
			}
		})
		conn.tunnel.Stop()
		defer conn.tunnel.Stop()
		err = f.by.dialer.checkProxied(ctx, u.Host(), u.Authority())
	}
	if err != nil {
		ex.end()
		return nil, conn, err
	}
	trace := conn.plainTrace()
	if u.Scheme() == "https" || proxy != nil {
		trace = conn.fullTrace()
	}
	requestContext := httptrace.WithClientTrace(ex.ctx, trace)
	if u.Scheme() == "https" && f.by.origins.Has(u) {
		requestContext = context.WithValue(requestContext, startTargetKey{}, true)
	}
	if transport == f.by.transports.lenient && u.Scheme() == "http" && !isSOCKS(proxy) {
		requestContext = context.WithValue(requestContext, plainKey{}, true)
	}
	r := f.httpRequest(requestContext, method, header, proxy)
	resp, err := f.by.transports.forTarget(transport, u, proxy).RoundTrip(r)
	ex.stopTimer()
	f.requests += max(0, int(conn.writes.Load())-1)
	if proxy == nil {
		f.dialed = max(f.dialed, time.Duration(conn.dialed.Load()))
	}
	if err != nil {
		var refused *proxyStatusError
		if errors.As(err, &refused) {
			return &answer{Response: refused.response(), ex: ex, proxy: proxy.Host}, conn, nil
		}
		if ctx.Err() == nil {
			switch context.Cause(ex.ctx) {
			case errTotalTimeout:
				err = totalTimeout("fetch", f.printed(), f.by.timeout, err)
			case errReconnects:
				err = errReconnects
			case errTunnel:
				err = &Fault{Kind: "timeout", Op: "connect", Target: u.Authority(), Retry: true, Err: &cause{"the proxy did not connect within " + f.by.timeout.String(), err}}
			case errLost:
				err = errLost
			}
		}
		ex.end()
		return nil, conn, err
	}
	switch {
	case u.Scheme() != "https":
		resp.TLS = nil // it belonged to the connection to the proxy
	case resp.TLS == nil:
		resp.TLS = conn.tls
	}
	if err := f.by.verifier.verifyAddress(resp.TLS, u.Host()); err != nil {
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

// httpRequest builds a request whose target is sent exactly as in the URL. net/url
// would decode and encode it again.
func (f *httpFetch) httpRequest(ctx context.Context, method string, header http.Header, proxy *url.URL) *http.Request {
	u := f.req.URL
	target, authority := u.RequestTarget(), u.Authority()
	at := &url.URL{Scheme: u.Scheme(), Host: authority, Opaque: target}
	if proxy != nil && strings.HasPrefix(proxy.Scheme, "http") && at.Scheme == "http" || strings.HasPrefix(target, "//") && !setPath(at, target) {
		// This is the absolute form, which every server must accept (RFC 9112 section
		// 3.2.2). net/http uses it for an opaque part that begins with "//".
		at.Opaque = "//" + authority + target
	}
	r := blankRequest.WithContext(ctx) // a copy
	r.Method, r.URL, r.Host, r.Header = method, at, authority, header
	if f.req.Form != nil {
		// The transport calls GetBody only to repeat a request of which the server has
		// seen nothing.
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.req.Form.Body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(f.req.Form.Body))
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
		delete(header, "Host")
	}
	return r
}

// setPath sets the path and the query of a request's target in a URL, if net/url keeps them as they are.
// A server that compares targets with its own need not know the absolute form.
func setPath(at *url.URL, target string) bool {
	escaped, query, hasQuery := strings.Cut(target, "?")
	path, err := url.PathUnescape(escaped)
	as := url.URL{Scheme: at.Scheme, Host: at.Host, Path: path, RawPath: escaped, RawQuery: query, ForceQuery: hasQuery && query == ""}
	if err != nil || as.RequestURI() != target {
		return false
	}
	*at = as
	return true
}

// exchange sends a request as roundTrip does, and lets the Recorder see it and its answer.
func (f *httpFetch) exchange(ctx context.Context, method string, header http.Header) (*answer, error) {
	if f.replay != nil {
		return f.replayed(ctx, method, header)
	}
	if f.recorder == nil {
		return f.roundTrip(ctx, method, header)
	}
	asker := traffic.AskerOf(ctx, f.req.URL)
	if asker.Hidden {
		return f.roundTrip(ctx, method, header)
	}
	sent := &traffic.Sent{URL: f.req.URL.WithoutFragment(), Asker: asker, Again: f.exchanges > 0, Resent: f.resent, Page: isPage(asker, f.req), Method: method, Target: f.req.URL.RequestTarget(),
		Header: header, Host: f.req.URL.Authority(), At: time.Now()}
	if host := header.Get("Host"); host != "" {
		sent.Host, sent.Header = host, header.Clone()
		sent.Header.Del("Host")
	}
	f.exchanges++
	r := &recordedExchange{of: f, to: f.recorder.Begin(sent)}
	before := f.requests
	ans, err := f.roundTrip(ctx, method, header)
	got := &traffic.Received{Size: -1, Requests: f.requests - before}
	if f.conn != nil {
		got.Reached = f.conn.writes.Load() > 0
		got.Order = f.conn.head.names()
		if address := f.conn.address.Load(); address != nil {
			got.Address = *address
		}
	}
	if err != nil {
		var fault *Fault
		if !errors.As(err, &fault) {
			got = nil // the run is over
		}
		r.to.Finish(got, fault)
		return nil, err
	}
	got.Status, got.Reason, got.Header, got.Size, got.Proxy = ans.StatusCode, ans.Status, ans.Header.Clone(), ans.ContentLength, ans.proxy
	if ans.ProtoMajor == 2 {
		got.Protocol = "h2"
	}
	f.by.describeCertificate(got, ans.TLS)
	r.got, r.body, r.ans, r.whole = got, ans.Body, ans, method == http.MethodHead || ans.ContentLength == 0
	ans.Body = r
	return ans, nil
}

// replayed gives a request the answer that was kept for it. Nothing is sent.
func (f *httpFetch) replayed(ctx context.Context, method string, header http.Header) (*answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	kept := f.replay.Next(method)
	if kept == nil {
		return nil, f.fault(EvidenceMissing, "replay", f.replay.Missing())
	}
	if kept.Status == 0 {
		fault := *kept.Fault
		return nil, &fault
	}
	ans := &answer{ex: newExchange(ctx, totalTimeoutFactor*f.by.timeout, nil), proxy: kept.Proxy, notes: f.by.verifier.keptNotes(kept)}
	ans.ex.stopTimer()
	ans.Response = &http.Response{Status: kept.Reason, StatusCode: kept.Status, ProtoMajor: 1, ProtoMinor: 1, Header: kept.Header, ContentLength: kept.Size,
		Body: kept.Body, Request: &http.Request{Method: method, Header: header}}
	if method == http.MethodHead {
		kept.Body.Close()
		ans.Body = http.NoBody
	}
	return ans, nil
}

// describeCertificate notes what is reported of a server's certificate.
func (h *HTTP) describeCertificate(got *traffic.Received, state *tls.ConnectionState) {
	if state == nil || len(state.PeerCertificates) == 0 || h.verifier.insecure {
		return
	}
	leaf := state.PeerCertificates[0]
	if got.NotAfter = leaf.NotAfter; h.verifier.extra(leaf) != nil {
		got.Issuer = leaf.Issuer.String()
	}
}

// recordedExchange is the body of an answer, which a Recorder sees.
type recordedExchange struct {
	of    *httpFetch
	to    Recording
	got   *traffic.Received
	ans   *answer
	body  io.ReadCloser
	n     int64
	whole bool
	err   error
}

func (r *recordedExchange) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if n > 0 {
		r.to.Keep(p[:n])
		r.n += int64(n)
	}
	switch {
	case err == io.EOF, err == nil && r.n == r.got.Size:
		r.whole = true
	case err != nil && r.err == nil:
		r.err = bodyFault(r.ans.ex.ctx, r.of.printed(), r.of.by.timeout, err)
	}
	return n, err
}

// noteText notes the beginning of the body without its content coding.
func (r *recordedExchange) noteText(p []byte) {
	const enough = 512 // the title of a page is mostly in it
	if room := enough - len(r.got.Text); room > 0 {
		r.got.Text = append(r.got.Text, p[:min(len(p), room)]...)
	}
}

func (r *recordedExchange) Close() error {
	err := r.body.Close()
	got := r.got
	if got == nil {
		return err // closed before
	}
	r.got = nil
	var fault *Fault
	switch {
	case r.err != nil:
		if !errors.As(r.err, &fault) {
			got = nil
		} else if got.Cut = "disconnect"; fault.Kind == "timeout" {
			got.Cut = "time"
		}
	case !r.whole:
		got.Cut = "length"
	}
	r.to.Finish(got, fault)
	return err
}
