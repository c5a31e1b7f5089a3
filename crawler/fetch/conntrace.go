package fetch

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// connTrace records the progress of a connection, to distinguish a failed handshake
// from a failed exchange. The transport may call it even after the request was answered
// over another connection.
type connTrace struct {
	ex             *exchange
	writes         atomic.Int32 // connections that the request was written to
	handshakes     atomic.Int32
	failed         atomic.Pointer[error] // the error of the last failed handshake
	gotConn, http2 atomic.Bool
	tls            *tls.ConnectionState   // of a lenientConn, which net/http does not know
	limit          time.Duration          // of tunnel
	tunnel         *time.Timer            // runs while a proxy connects to the target; nil without a proxy
	head           *headCapture           // of the answer; nil if nobody wants it
	address        atomic.Pointer[string] // the IP address of the connection
	dialed         atomic.Int64           // how long it took to connect for the request, a time.Duration
	pace           traffic.Pace           // nil if nothing bounds the request
	late           error                  // of pace, when there was a connection
}

// maxHandshakes is the maximum number of handshakes for one request. If a server drops each new
// HTTP/2 connection or resets each stream, net/http reconnects forever. Through a TLS
// proxy each connection takes two handshakes.
const maxHandshakes = 4

// plainTrace counts how often the request is sent.
func (c *connTrace) plainTrace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: c.count}
}

// count counts a request that is about to be sent, when its pace allows that: over HTTP/1.1 when it is written, and
// over HTTP/2, where other requests share the connection, at once.
func (c *connTrace) count(info httptrace.GotConnInfo) {
	c.awaitPace()
	if host, _, err := net.SplitHostPort(info.Conn.RemoteAddr().String()); err == nil {
		c.address.Store(&host)
	}
	if lenient, ok := info.Conn.(*lenientConn); ok {
		c.tls = lenient.tls
	}
	if conn := watchedConnOf(info.Conn); conn != nil {
		conn.begin(c, info)
	} else {
		c.writes.Add(1)
	}
}

// fullTrace also traces connections and handshakes.
func (c *connTrace) fullTrace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				c.startTunnelTimer()
			}
		},
		TLSHandshakeStart: func() {
			c.stopTunnelTimer()
			if c.handshakes.Add(1) > maxHandshakes {
				c.ex.cancel(errReconnects)
			}
		},
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			if err != nil {
				c.failed.Store(&err)
			}
			c.http2.Store(state.NegotiatedProtocol == "h2")
			c.startTunnelTimer() // the handshake may have been with the proxy
		},
		GotConn: func(info httptrace.GotConnInfo) {
			c.stopTunnelTimer()
			c.count(info)
			c.gotConn.Store(true)
			if conn, ok := info.Conn.(*tls.Conn); ok {
				c.http2.Store(conn.ConnectionState().NegotiatedProtocol == "h2")
			}
		},
	}
}

// startTunnelTimer and stopTunnelTimer limit the time that a proxy may take to connect,
// which net/http does not. startTunnelTimer is called whenever it is the proxy's turn.
func (c *connTrace) startTunnelTimer() {
	if c.tunnel != nil && c.ex.ctx.Err() == nil {
		c.tunnel.Reset(c.limit)
	}
}

func (c *connTrace) stopTunnelTimer() {
	if c.tunnel != nil {
		c.tunnel.Stop()
	}
}

// isHandshakeError reports whether err is the error of a failed handshake.
func (c *connTrace) isHandshakeError(err error) bool {
	failed := c.failed.Load()
	return failed != nil && errors.Is(err, *failed)
}

// awaitPace waits until a request may be sent over its connection.
func (c *connTrace) awaitPace() {
	if c.pace == nil {
		return
	}
	if err := c.pace.Connected(c.ex.ctx); err != nil {
		c.late = err
		c.ex.cancel(err)
	}
}
