package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/urinorm"
)

// session is one Request to a server of another scheme, from the connection to the end
// of the body.
type session struct {
	by       *schemeFetcher
	parent   context.Context // the caller's context
	ctx      context.Context // also canceled by end
	cancel   context.CancelFunc
	req      *Request
	deadline time.Time // of the whole session
	requests int       // requests sent to servers; a login does not count
	conns    []*boundedConn
	proxied  bool // through a SOCKS proxy
	notes    []Note
}

func (d *schemeFetcher) newSession(ctx context.Context, req *Request) *session {
	s := &session{by: d, parent: ctx, req: req, deadline: time.Now().Add(totalTimeoutFactor * d.connector.timeout)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// end closes all connections.
func (s *session) end() {
	s.cancel()
	for _, c := range s.conns {
		c.Close()
	}
	s.conns = nil
}

// refusal returns the fault for a negative answer of a server. text is the server's own
// message.
func refusal(u urinorm.URL, kind, what, text string) *Fault {
	f := urlFault(u, kind, what)
	if text = oneLine(text); text != "" {
		f.Err = errors.New(what + ": " + text)
	}
	f.Retry = kind == "rate-limited"
	return f
}

// Errors that the server causes.
var (
	errLineTooLong  = errors.New("the answer contains a line that is too long")
	errTooLarge     = errors.New("the answer is too long")
	errTooManyLines = errors.New("the answer has too many lines")
	errNoReplyCode  = errors.New("the answer does not begin with a status code")
	errNoAnswer     = errors.New("the connection was closed without an answer")
)

// fault returns the fault for an error. A Fault keeps its kind.
func (s *session) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		g := *f // the dialer's, which all requests that waited for the same name share
		g.Requests = s.requests
		return &g
	}
	if s.parent.Err() != nil {
		return context.Cause(s.parent)
	}
	limit := s.by.connector.timeout
	f = &Fault{Kind: "protocol-error", Op: op, Target: s.req.URL.WithoutFragment().Printed(), Requests: s.requests}
	switch {
	case isTimeout(err):
		f.Kind, f.Retry = "timeout", true
		if !time.Now().Before(s.deadline) {
			return totalTimeout(op, f.Target, limit, err)
		}
		f.Err = &cause{"no answer within " + limit.String(), err}
	case limitErrno(err) != 0:
		f.Kind, f.Retry, f.Local, f.Err = "timeout", true, true, localLimit(err)
	case isHandshake(err):
		f = tlsFault(f.Target, limit, err)
		f.Requests = s.requests
	case errors.Is(err, bufio.ErrTooLong):
		f.Err = errLineTooLong
	case errors.Is(err, errLineTooLong), errors.Is(err, errTooLarge), errors.Is(err, errTooManyLines), errors.Is(err, errNoReplyCode):
		f.Err = err
	case isReset(err):
		f.Kind, f.Retry, f.Err = "connection-reset", true, &cause{errNoAnswer.Error(), err}
	default:
		f.Err = &cause{"the answer is malformed", err}
	}
	return f
}

// bodyFault returns the fault for an error within a body.
func (s *session) bodyFault(err error) error {
	err = s.fault("read", err)
	var f *Fault
	if errors.As(err, &f) && (f.Kind == "connection-reset" || f.Kind == "protocol-error") {
		f.Kind, f.Retry = "body-truncated", true
		f.Err = &cause{"the body ended early", f.Err}
	}
	return err
}

// isHandshake reports whether an error comes from TLS, during the handshake or later.
func isHandshake(err error) bool {
	var chain *chainError
	text := err.Error()
	return errors.As(err, &chain) || strings.Contains(text, "tls: ") || strings.Contains(text, "x509: ")
}

// open connects to a server, over TLS if secure is true. limit is the maximum number of bytes to
// read from it.
func (s *session) open(server serverAddr, secure bool, limit int64) (*boundedConn, error) {
	for completed := false; ; completed = true {
		c, err := s.dial(server, limit)
		if err != nil || !secure {
			return c, err
		}
		err = s.handshake(c, server.host)
		var chain *chainError
		switch {
		case err == nil:
			return c, nil
		case s.ctx.Err() != nil:
			return nil, context.Cause(s.ctx)
		case errors.As(err, &chain) && !completed && s.by.web.completeChain(s.ctx, chain.certs, &s.requests):
			continue
		}
		return nil, tlsFault(s.req.URL.WithoutFragment().Printed(), s.by.connector.timeout, err)
	}
}

func (s *session) dial(server serverAddr, limit int64) (*boundedConn, error) {
	s.requests++
	conn, proxied, err := s.by.connector.connect(s.ctx, server.hostport())
	if err != nil {
		return nil, err
	}
	s.proxied = proxied
	return s.bound(conn, limit), nil
}

// dialPeer opens another connection to a connected host at a known address.
func (s *session) dialPeer(to netip.AddrPort, limit int64) (*boundedConn, error) {
	conn, err := s.by.connector.dialer.dialKnown(s.ctx, to)
	if err != nil {
		return nil, err
	}
	return s.bound(conn, limit), nil
}

// handshake adds TLS to a connection, below its limits, which apply to the plain text.
func (s *session) handshake(c *boundedConn, host string) error {
	ctx, with := s.ctx, &s.by.connector
	if with.origins.Has(s.req.URL) && host == strings.Trim(s.req.URL.Host(), "[]") { // not a proxy
		ctx = context.WithValue(ctx, startTargetKey{}, true)
	}
	ctx, cancel := context.WithTimeout(ctx, with.timeout)
	defer cancel()
	conn := tls.Client(c.Conn, with.tlsFor(host))
	if err := conn.HandshakeContext(ctx); err != nil {
		c.Close()
		return err
	}
	c.Conn = conn
	c.step()
	state := conn.ConnectionState()
	state.ServerName = host
	s.notes = with.verifier.notes(&state)
	return nil
}

// bound adds a connection to the session, which closes it at its end or when the
// context is canceled.
func (s *session) bound(conn net.Conn, limit int64) *boundedConn {
	c := &boundedConn{Conn: conn, timeout: s.by.connector.timeout, deadline: s.deadline, remaining: limit}
	context.AfterFunc(s.ctx, func() { conn.Close() })
	c.step()
	s.conns = append(s.conns, c)
	return c
}

// sessionBody is what a server sends in a session, or what is made of it. Closing it ends the
// session.
type sessionBody struct {
	io.Reader
	session *session
}

func (b *sessionBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = b.session.bodyFault(err)
	}
	return n, err
}

func (b *sessionBody) Close() error { b.session.end(); return nil }

// maxQuotedText is the maximum number of bytes of a server's message that are quoted.
const maxQuotedText = 120

// oneLine makes a server's text fit for a message: printable, on one line, and short.
func oneLine(text string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.TrimSpace(text) {
		if r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) {
			space = true
			continue
		}
		if b.Len() >= maxQuotedText {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote returns a name in quotes for a message.
func quote(name string) string { return `"` + oneLine(name) + `"` }
