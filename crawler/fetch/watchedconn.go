package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"
)

// watchedConn is a connection of a transport. It knows the request that it was last
// given to, and writes each request to one connection only.
//
// If a connection that is used again ends before an answer, net/http sends the request
// over every other idle connection, too: the server may have closed the connection just
// before the request arrived. A server that ends connections because of the request
// would receive it many times, a different number in each run. Here the second
// connection refuses the request, and it is up to the crawler to send it again. So that
// this does not happen for connections that were idle for too long, nothing is written
// to a connection that has ended already; net/http still repeats such requests.
type watchedConn struct {
	net.Conn
	idle    idleProbe
	reused  bool                        // the request in progress is not the first
	dialed  time.Duration               // how long it took to connect
	request atomic.Pointer[connTrace]   // the request in progress; nil after it is written, and over HTTP/2
	head    atomic.Pointer[headCapture] // of the answer; nil if nobody wants it, or it is complete
}

var (
	// errEnded is the error of a request that was not written because the connection has
	// ended.
	errEnded = errors.New("the server has closed the idle connection")
	// errLost is the error of a request that was written to a connection that ended
	// before an answer.
	errLost = fmt.Errorf("the connection ended before an answer: %w", io.EOF)
)

func newWatchedConn(conn net.Conn, dialed time.Duration) *watchedConn {
	w := &watchedConn{Conn: conn, dialed: dialed}
	if c, ok := conn.(syscall.Conn); ok {
		w.idle.watch(c)
	}
	return w
}

// watchedConnOf returns the watchedConn below a transport's connection, or nil for HTTP/2,
// over which net/http repeats only requests that the server has not processed.
func watchedConnOf(conn net.Conn) *watchedConn {
	for {
		switch c := conn.(type) {
		case *watchedConn:
			return c
		case *lenientConn:
			conn = c.Conn
		case *tls.Conn:
			if c.ConnectionState().NegotiatedProtocol == "h2" {
				return nil
			}
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

// begin is called when the transport gives the connection to a request.
func (w *watchedConn) begin(c *connTrace, info httptrace.GotConnInfo) {
	if c.writes.Load() > 0 {
		c.ex.cancel(errLost)
	}
	if w.reused = info.Reused; !w.reused {
		c.dialed.Store(int64(w.dialed))
	}
	w.head.Store(c.head)
	w.request.Store(c)
}

func (w *watchedConn) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if h := w.head.Load(); h != nil && !h.add(p[:n]) {
		w.head.Store(nil)
	}
	return n, err
}

func (w *watchedConn) Write(p []byte) (int, error) {
	c := w.request.Load()
	if c == nil {
		return w.Conn.Write(p)
	}
	switch {
	case c.writes.Load() > 0:
		return 0, errLost
	case w.reused && w.idle.hasInput():
		return 0, errEnded
	}
	w.request.Store(nil)
	c.writes.Add(1)
	n, err := w.Conn.Write(p)
	if n == 0 && err != nil {
		c.writes.Add(-1)
	}
	return n, err
}
