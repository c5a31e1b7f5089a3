package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Reasons for which this side ends an exchange.
var (
	errTimeout      = errors.New("no connection within the time limit")
	errIdle         = errors.New("the body paused for longer than the time limit")
	errTotalTimeout = errors.New("the whole exchange took longer than five times the time limit")
	errTunnel       = errors.New("the proxy did not connect within the time limit")
	errReconnects   = errors.New("the server closes every connection that it has accepted")
	errClosed       = errors.New("closed")
)

// connectFault classifies the error of a failed connection attempt. It handles no DNS
// errors, because names are resolved before.
func connectFault(hostport string, limit time.Duration, ctx context.Context, err error) error {
	f := &Fault{Kind: "timeout", Op: "connect", Target: hostport, Retry: true}
	switch {
	case ctx.Err() != nil && context.Cause(ctx) != errTimeout && !errors.Is(err, errTimeout):
		return context.Cause(ctx) // the request was canceled, or its time is up
	case ctx.Err() != nil, isTimeout(err):
		f.Err = &cause{"no answer within " + limit.String(), err}
	case HasErrno(err, syscall.ECONNREFUSED):
		f.Kind, f.Err = "connect-refused", &cause{"connection refused", err}
	case HasErrno(err, syscall.EHOSTUNREACH):
		f.Err = &cause{"no route to the host", err}
	case HasErrno(err, syscall.ECONNRESET), HasErrno(err, syscall.ECONNABORTED):
		f.Kind, f.Err = "connection-reset", &cause{"the connection was reset", err}
	case limitErrno(err) != 0:
		f.Local, f.Err = true, localLimit(err)
	default:
		f.Err = &cause{"no connection", err}
	}
	return f
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || HasErrno(err, syscall.ETIMEDOUT)
}

// isReset reports whether the other side ended the connection without an answer: by a
// reset, or by closing it where data had to follow.
func isReset(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		HasErrno(err, syscall.ECONNRESET) || HasErrno(err, syscall.EPIPE) || HasErrno(err, syscall.ECONNABORTED) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "server closed idle connection") ||
		strings.HasSuffix(text, "EOF") ||
		strings.Contains(text, "transport failed to read from server") ||
		strings.Contains(text, "http2: client connection lost")
}

// exchangeFault classifies the error of a request in progress. target is the URL
// without passwords, inTLS is true if the TLS handshake failed, and limit is the time
// limit.
func exchangeFault(ctx context.Context, target string, inTLS bool, limit time.Duration, err error) error {
	var f *Fault
	if errors.As(err, &f) {
		g := *f // the dialer's, which all requests that waited for the same name share
		return &g
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		return err // the HTTP has been closed
	}
	// Two errors appear after the handshake: that the certificate is not for the
	// address, and that the server rejects this side's certificate (TLS 1.3).
	var hostname x509.HostnameError
	if inTLS || errors.As(err, &hostname) || strings.Contains(err.Error(), remoteAlert) {
		f = tlsFault(target, limit, err)
		var way *net.OpError
		if errors.As(err, &way) && way.Op == "proxyconnect" {
			return unreachable("the proxy", f) // the certificate is not the target's
		}
		return f
	}
	if strings.Contains(err.Error(), "socks connect") {
		return socksFault(target, err)
	}
	failed := &Fault{Kind: "protocol-error", Op: "fetch", Target: target}
	switch {
	case isTimeout(err):
		failed.Kind, failed.Retry = "timeout", true
		failed.Err = &cause{"no answer within " + limit.String(), err}
	case limitErrno(err) != 0:
		failed.Kind, failed.Retry, failed.Local = "timeout", true, true
		failed.Err = localLimit(err)
	case err == errReconnects:
		failed.Kind, failed.Retry, failed.Err = "connection-reset", true, err
	case isReset(err):
		failed.Kind, failed.Retry = "connection-reset", true
		failed.Err = &cause{"the connection was closed without an answer", err}
	case isHTTP2(err):
		failed.Err = &cause{"the server aborted the HTTP/2 stream", err}
	default:
		failed.Err = malformedAnswer(err)
	}
	return failed
}

// unreachable returns the fault of a connection to a proxy, as one that says nothing about the target.
func unreachable(proxy string, f *Fault) *Fault {
	return &Fault{Kind: f.Kind, Op: f.Op, Target: f.Target, Hint: f.Hint, Requests: f.Requests, Local: true, Retry: true,
		Err: &cause{proxy + " is unreachable: " + f.Err.Error(), f.Err}}
}

// countRequests notes in the fault of an error how many requests were sent before it.
func countRequests(err error, n int) {
	var f *Fault
	if errors.As(err, &f) {
		f.Requests = n
	}
}

// totalTimeoutFactor is the ratio of the time limit for a whole exchange to the time
// limit for one step.
const totalTimeoutFactor = 5

// totalTimeout returns the fault of an exchange that took too long as a whole.
func totalTimeout(op, target string, limit time.Duration, err error) *Fault {
	return &Fault{Kind: "timeout", Op: op, Target: target, Err: &cause{"the exchange took longer than " + (totalTimeoutFactor * limit).String(), err}, Retry: true}
}

// malformedAnswer describes what is wrong with an answer that is not valid HTTP. The
// error texts of net/http are stable enough to distinguish a few cases; all others get
// one message.
func malformedAnswer(err error) error {
	for _, row := range []struct{ has, text string }{
		{"server response headers exceeded", "the answer's header is larger than 1 MB"},
		{"response header list larger", "the answer's header is larger than 1 MB"},
		{"malformed HTTP response", "the answer is not HTTP"},
		{"malformed HTTP version", "the answer is not HTTP"},
		{"malformed HTTP status", "the answer's status line is malformed"},
		{"malformed MIME header", "the answer's header is malformed"},
		{"transfer encoding", "the answer's transfer encoding is unknown"},
		{"Content-Length", "the answer's Content-Length is malformed"},
		{"1xx informational responses", "the server sent only informational responses"},
	} {
		if strings.Contains(err.Error(), row.has) {
			return &cause{row.text, err}
		}
	}
	return &cause{"the answer is malformed", err}
}

// socksFault classifies an error of a SOCKS proxy (RFC 1928 section 6). If the proxy
// refuses to serve this client, the fault says nothing about the target.
func socksFault(target string, err error) *Fault {
	f := &Fault{Op: "connect", Target: target, Retry: true}
	text, reason := err.Error(), ""
	switch {
	case isTimeout(err):
		f.Kind, reason = "timeout", "the proxy did not connect in time"
	case strings.Contains(text, "connection refused"):
		f.Kind, reason = "connect-refused", "the proxy reported: connection refused"
	case strings.Contains(text, "host unreachable"), strings.Contains(text, "network unreachable"), strings.Contains(text, "TTL expired"):
		f.Kind, reason = "timeout", "the proxy cannot reach the host"
	case strings.Contains(text, "authentication failed"):
		f.Kind, f.Local, reason = "connection-reset", true, "the proxy rejected the user name and password"
	case strings.Contains(text, "authentication method"):
		f.Kind, f.Local, reason = "connection-reset", true, "the proxy requires another authentication method, such as a user name and password"
	default:
		f.Kind, reason = "connection-reset", "the proxy could not connect"
	}
	f.Err = &cause{reason, err}
	return f
}

// isHTTP2 reports whether an error belongs to HTTP/2 itself, so that the server may
// work over HTTP/1.1. net/http does not export these errors; a test checks the texts.
func isHTTP2(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "http2:") || strings.Contains(text, "stream error:") ||
		strings.Contains(text, "connection error:") || strings.Contains(text, "HTTP/1.1 header")
}

// remoteAlert is the prefix that crypto/tls gives to the errors that the other side
// reports. net/http may add text in front of it.
const remoteAlert = "remote error: tls: "

// tlsFault classifies the error of a failed handshake.
func tlsFault(target string, limit time.Duration, err error) *Fault {
	f := &Fault{Kind: "tls-error", Op: "handshake with", Target: target}
	var (
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		authority x509.UnknownAuthorityError
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		f.Kind, f.Err = "tls-expired", expiryError(invalid, err)
	case errors.As(err, &hostname):
		f.Kind, f.Err = "tls-hostname", &cause{"the certificate is for " + certificateNames(hostname.Certificate) + ", not for " + hostname.Host, err}
	case errors.As(err, &authority):
		f.Kind, f.Err = "tls-untrusted", &cause{untrustedReason(authority.Cert), err}
	case errors.As(err, &invalid), errors.As(err, &verify):
		f.Kind, f.Err = "tls-untrusted", &cause{"the certificate cannot be verified", err}
	case isTimeout(err):
		f.Kind, f.Retry = "timeout", true
		f.Err = &cause{"the TLS handshake took longer than " + limit.String(), err}
	case limitErrno(err) != 0:
		f.Retry, f.Local, f.Err = true, true, localLimit(err)
	case errors.As(err, &record):
		f.Err = &cause{"the server answered the TLS handshake in plain text", err}
	case strings.Contains(err.Error(), remoteAlert):
		_, alert, _ := strings.Cut(err.Error(), remoteAlert)
		f.Err = &cause{"the server refused the TLS handshake: " + alert, err}
	case isReset(err):
		f.Retry = true // servers reset accepted connections while they restart
		f.Err = &cause{"the connection was closed during the TLS handshake", err}
	default:
		f.Err = &cause{"the TLS handshake failed: " + strings.TrimPrefix(err.Error(), "tls: "), err}
	}
	return f
}

// expiryError describes the end or the future start of a certificate's validity.
func expiryError(invalid x509.CertificateInvalidError, err error) error {
	if invalid.Cert == nil {
		return &cause{"the certificate has expired or is not valid yet", err}
	}
	if time.Now().Before(invalid.Cert.NotBefore) {
		return &cause{"the certificate is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly), err}
	}
	return &cause{"the certificate expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly), err}
}

// maxNamesShown is the maximum number of names of a certificate that a message lists.
const maxNamesShown = 3

func certificateNames(cert *x509.Certificate) string {
	if cert == nil {
		return "another host"
	}
	names := append([]string(nil), cert.DNSNames...)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	switch {
	case len(names) == 0:
		return "no host at all"
	case len(names) > maxNamesShown:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamesShown], ", "), len(names)-maxNamesShown)
	}
	return strings.Join(names, ", ")
}

func untrustedReason(cert *x509.Certificate) string {
	switch {
	case cert == nil:
		return "the certificate is signed by an unknown authority"
	case string(cert.RawIssuer) == string(cert.RawSubject):
		return "the certificate is self-signed"
	case cert.Issuer.String() == "":
		return "the certificate is signed by an unnamed authority"
	}
	return "the certificate is signed by an untrusted authority: " + cert.Issuer.String()
}

// bodyFault classifies an error that occurred while a body was read.
func bodyFault(ctx context.Context, target string, limit time.Duration, err error) error {
	var f *Fault
	if errors.As(err, &f) {
		return err
	}
	switch end := context.Cause(ctx); {
	case end == errIdle:
		return &Fault{Kind: "timeout", Op: "read", Target: target, Err: &cause{"the body paused for longer than " + limit.String(), err}, Retry: true}
	case end == errTotalTimeout:
		return totalTimeout("read", target, limit, err)
	case end == errClosed:
		return &Fault{Kind: "body-truncated", Op: "read", Target: target, Err: http.ErrBodyReadAfterClose}
	case end != nil:
		return end
	}
	failed := &Fault{Kind: "body-truncated", Op: "read", Target: target, Retry: true}
	switch {
	case limitErrno(err) != 0:
		failed.Local, failed.Err = true, localLimit(err)
	case isHTTP2(err):
		failed.Err = &cause{"the server aborted the HTTP/2 stream within the body", err}
	case isChunking(err):
		failed.Kind, failed.Retry = "protocol-error", false
		failed.Err = &cause{"the chunked coding of the body is malformed", err}
	case isTimeout(err):
		failed.Kind, failed.Err = "timeout", &cause{"the body paused for too long", err}
	default:
		failed.Err = &cause{"the body ended early", err}
	}
	return failed
}

// isChunking reports whether the chunked coding (RFC 9112 section 7.1) is malformed. A
// chunk at the end of a connection counts as a truncated body instead.
func isChunking(err error) bool {
	text := err.Error()
	for _, has := range []string{"chunk", "header line too long", "long trailer", "malformed MIME"} {
		if strings.Contains(text, has) {
			return true
		}
	}
	return false
}
