package fetch

import (
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// connTrace watches how far a connection has come, to tell a fault of the
// handshake from one of the exchange. The transport may call it after the
// request was answered over another connection.
type connTrace struct {
	writes         atomic.Int32 // connections the request was put on, less those that did not take it
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

// plainTrace counts how often the request is sent: net/http sends it again, and
// says nothing, when a connection that it used before turns out to be closed.
func (c *connTrace) plainTrace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { c.writes.Add(1) },
		WroteRequest: c.wroteRequest,
	}
}

func (c *connTrace) wroteRequest(info httptrace.WroteRequestInfo) {
	if info.Err != nil {
		c.writes.Add(-1)
	}
}

// fullTrace watches connecting too.
func (c *connTrace) fullTrace(ex *exchange) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		WroteRequest: c.wroteRequest,
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				c.startTunnelTimer(ex)
			}
		},
		TLSHandshakeStart: func() {
			c.stopTunnelTimer()
			if c.handshakes.Add(1) > maxHandshakes {
				ex.cancel(errReconnects)
			}
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			if err != nil {
				c.failed.Store(&err)
			}
			c.http2.Store(state.NegotiatedProtocol == "h2")
			c.startTunnelTimer(ex) // it may have been the proxy's own
		},
		GotConn: func(info httptrace.GotConnInfo) {
			c.stopTunnelTimer()
			c.writes.Add(1)
			c.gotConn.Store(true)
			if conn, ok := info.Conn.(*tls.Conn); ok {
				c.http2.Store(conn.ConnectionState().NegotiatedProtocol == "h2")
			}
		},
	}
}

// startTunnelTimer and tunnelled bound the time that a proxy may take to connect, which
// net/http does not: the first is called whenever the proxy has its turn.
func (c *connTrace) startTunnelTimer(ex *exchange) {
	if c.tunnel != nil && ex.ctx.Err() == nil {
		c.tunnel.Reset(c.limit)
	}
}

func (c *connTrace) stopTunnelTimer() {
	if c.tunnel != nil {
		c.tunnel.Stop()
	}
}

// isHandshakeError reports whether it is a handshake that failed with err.
func (c *connTrace) isHandshakeError(err error) bool {
	failed := c.failed.Load()
	return failed != nil && errors.Is(err, *failed)
}
