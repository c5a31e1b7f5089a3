package crawler

import (
	"bufio"
	"crypto/tls"
	"math/big"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A fault server says exactly what a test wants, HTTP or not. The names of a test
// lie under .test (RFC 6761), so that they are treated as hosts of the real web;
// ConnectTo leads them here.

// exchange is one request as it came, and the connection it came over.
type exchange struct {
	net.Conn
	request *http.Request
	nth     int // of the requests for this host, method and target, from 1
	closed  bool
}

// send writes text as it is.
func (x *exchange) send(text string) {
	if _, err := x.Write([]byte(text)); err != nil {
		x.closed = true
	}
}

// say answers with a head, a Content-Length and a body; the connection stays open.
func (x *exchange) say(status string, headers string, body string) {
	length := "Content-Length: " + itoa(len(body)) + "\r\n"
	if x.request.Method == http.MethodHead {
		body = ""
	}
	x.send("HTTP/1.1 " + status + "\r\n" + headers + length + "\r\n" + body)
}

func itoa(n int) string { return big.NewInt(int64(n)).String() }

// quit closes the connection in order.
func (x *exchange) quit() {
	x.Close()
	x.closed = true
}

// reset closes it with RST.
func (x *exchange) reset() {
	if tcp, ok := x.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	x.quit()
}

// hang waits until the client gives up.
func (x *exchange) hang() {
	x.Read(make([]byte, 1))
	x.quit()
}

// faultServer answers by the Host that is asked for.
type faultServer struct {
	addr string

	mu     sync.Mutex
	asked  map[string]int // "METHOD host/target"
	order  []string
	header map[string]http.Header // the last of each
}

// serveFaults answers on a loopback port until the test ends; with a TLS config over TLS.
func serveFaults(t testing.TB, config *tls.Config, answer func(*exchange)) *faultServer {
	t.Helper()
	s := &faultServer{asked: map[string]int{}, header: map[string]http.Header{}}
	s.addr = crawlertest.ServeConns(t, func(tcp *net.TCPConn, _ int) {
		var conn net.Conn = tcp
		if config != nil {
			conn = tls.Server(conn, config)
		}
		s.talk(conn, answer)
	}).String()
	return s
}

func (s *faultServer) talk(conn net.Conn, answer func(*exchange)) {
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		key := r.Method + " " + r.Host + r.RequestURI
		s.mu.Lock()
		s.asked[key]++
		s.order = append(s.order, key)
		s.header[key] = r.Header
		x := &exchange{Conn: conn, request: r, nth: s.asked[key]}
		s.mu.Unlock()
		if answer(x); x.closed {
			return
		}
	}
}

// count is how often something was asked for: "GET host/target", or any method without one.
func (s *faultServer) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(key, " ") {
		return s.asked[key]
	}
	return s.asked["GET "+key] + s.asked["HEAD "+key]
}

// got returns the header of the last such request.
func (s *faultServer) got(key string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header[key]
}

// closedAddr is a loopback address that refuses connections.
func closedAddr(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// serveHandshakes does something to each connection that begins to talk.
func serveHandshakes(t testing.TB, end func(net.Conn)) string {
	t.Helper()
	return crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		conn.Read(make([]byte, 4096))
		end(conn)
	}).String()
}

func patterns(expressions ...string) (res []*regexp.Regexp) {
	for _, e := range expressions {
		res = append(res, regexp.MustCompile(e))
	}
	return res
}

// tlsOf serves one certificate.
func tlsOf(leaf *crawlertest.Authority) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{leaf.Chain()}}
}
