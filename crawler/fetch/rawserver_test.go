package fetch

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// rawServer is a server that sends exactly what a test wants, HTTP or not.
type rawServer struct {
	url string

	mu    sync.Mutex
	lines []string // request lines, oldest first
	conns int
}

// rawConn is one request on a connection.
type rawConn struct {
	*net.TCPConn
	server  *rawServer
	request *http.Request
	number  int // of the request on its connection, from 0
	nth     int // of the connection, from 0
	closed  bool
}

// send writes text; the connection can take further requests.
func (c *rawConn) send(text string) {
	if _, err := c.Write([]byte(text)); err != nil {
		c.closed = true
	}
}

// reset closes the connection with RST.
func (c *rawConn) reset() {
	c.SetLinger(0)
	c.Close()
	c.closed = true
}

// quit closes the connection normally.
func (c *rawConn) quit() {
	c.Close()
	c.closed = true
}

// serveRaw answers each request with handle.
func serveRaw(t testing.TB, handle func(*rawConn)) *rawServer {
	t.Helper()
	s := &rawServer{}
	s.url = "http://" + crawlertest.ServeConns(t, func(conn *net.TCPConn, nth int) {
		s.mu.Lock()
		s.conns++
		s.mu.Unlock()
		s.talk(conn, nth, handle)
	}).String()
	return s
}

func (s *rawServer) talk(conn *net.TCPConn, nth int, handle func(*rawConn)) {
	in := bufio.NewReader(conn)
	for number := 0; ; number++ {
		head := ""
		for !strings.HasSuffix(head, "\r\n\r\n") {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if head += line; strings.Count(head, "\n") == 1 {
				s.mu.Lock()
				s.lines = append(s.lines, strings.TrimRight(line, "\r\n"))
				s.mu.Unlock()
			}
		}
		// A target that Go refuses to parse is still a request.
		request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil {
			request = &http.Request{Method: strings.Fields(head)[0]}
		}
		c := &rawConn{TCPConn: conn, server: s, request: request, number: number, nth: nth}
		if handle(c); c.closed {
			return
		}
	}
}

func (s *rawServer) lastLine() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[len(s.lines)-1]
}

func (s *rawServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// serveHello returns the address of a server that closes each connection when it
// receives data, such as the beginning of a handshake.
func serveHello(t testing.TB, end func(*rawConn)) string {
	t.Helper()
	return crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		conn.Read(make([]byte, 4096))
		end(&rawConn{TCPConn: conn})
	}).String()
}
