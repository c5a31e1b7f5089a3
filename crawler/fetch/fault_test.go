package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestServerFaults has a row for each way in which a server can fail on a new connection.
func TestServerFaults(t *testing.T) {
	say := func(text string) func(*rawConn) {
		return func(c *rawConn) { c.send(text); c.quit() }
	}
	for _, row := range []struct {
		name   string
		handle func(*rawConn)
		kind   string // of the fault from Fetch or from the body
		text   string // the message that users see
		retry  bool
	}{
		{"reset", (*rawConn).reset, "connection-reset", "the connection was closed without an answer", true},
		{"closed", (*rawConn).quit, "connection-reset", "the connection was closed without an answer", true},
		{"half a line", say("HTTP/"), "protocol-error", "the answer is not HTTP", false},
		{"half a status", say("HTTP/1.1 20"), "protocol-error", "the answer's status line is malformed", false},
		{"half a header", say("HTTP/1.1 200 OK\r\nContent-Ty"), "protocol-error", "the answer's header is malformed", false},
		{"header without end", say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"), "connection-reset", "the connection was closed without an answer", true},
		{"not HTTP", say("SSH-2.0-OpenSSH_9.2\r\n"), "protocol-error", "the answer is not HTTP", false},
		{"garbage", say("\x00\xff\xfe\x01\x02\r\n\r\n"), "protocol-error", "the answer is not HTTP", false},
		{"HTTP/0.9", say("<html>hello</html>\r\n"), "protocol-error", "the answer is not HTTP", false},
		{"bad status", say("HTTP/1.1 abc OK\r\n\r\n"), "protocol-error", "the answer's status line is malformed", false},
		{"bad version", say("HTTP/x 200 OK\r\n\r\n"), "protocol-error", "the answer is not HTTP", false},
		{"bad header", say("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"), "protocol-error", "the answer's header is malformed", false},
		{"bad length", say("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), "protocol-error", "the answer's Content-Length is malformed", false},
		{"two lengths", say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), "protocol-error", "the answer's Content-Length is malformed", false},
		{"unknown transfer encoding", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: smoke\r\n\r\n"), "protocol-error", "the answer's transfer encoding is unknown", false},
		{"endless header", func(c *rawConn) {
			c.send("HTTP/1.1 200 OK\r\n")
			for !c.closed {
				c.send("X-Filler: " + strings.Repeat("x", 1000) + "\r\n")
			}
		}, "protocol-error", "the answer's header is larger than 1 MB", false},
		{"endless header line", func(c *rawConn) {
			c.send("HTTP/1.1 200 OK\r\nX: ")
			for !c.closed {
				c.send(strings.Repeat("x", 1000))
			}
		}, "protocol-error", "the answer's header is larger than 1 MB", false},
		{"endless chunk extensions", func(c *rawConn) {
			c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for !c.closed {
				c.send("1;a=" + strings.Repeat("b", 4000) + "\r\nx\r\n")
			}
		}, "protocol-error", "the chunked coding of the body is malformed", false},
		{"endless trailer", func(c *rawConn) {
			c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
			for !c.closed {
				c.send("X-A: b\r\n")
			}
		}, "protocol-error", "the chunked coding of the body is malformed", false},
		{"endless informational responses", func(c *rawConn) {
			for !c.closed {
				c.send("HTTP/1.1 103 Early Hints\r\n\r\n")
			}
		}, "protocol-error", "the answer", false},
		{"short body", say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"), "body-truncated", "the body ended early", true},
		{"reset body", func(c *rawConn) { c.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"); c.reset() }, "body-truncated", "the body ended early", true},
		{"chunks cut off", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), "body-truncated", "the body ended early", true},
		{"chunk cut off", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhello"), "body-truncated", "the body ended early", true},
		{"bad chunk size", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"), "protocol-error", "the chunked coding of the body is malformed", false},
		{"bad chunk end", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n"), "protocol-error", "the chunked coding of the body is malformed", false},
		{"huge chunk size", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello"), "protocol-error", "the chunked coding of the body is malformed", false},
		{"long chunk line", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("x", 10000) + "\r\nhello\r\n0\r\n\r\n"), "protocol-error", "the chunked coding of the body is malformed", false},
		{"not gzip at all", say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"), "protocol-error", "the gzip coding of the body is corrupt", false},
		{"gzip cut off", say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzipped("hello, hello, hello")[:20]), "body-truncated", "the encoded body ended early", true},
		{"gzip corrupt", say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + corrupt(gzipped(strings.Repeat("hello", 100)), 14)), "protocol-error", "the gzip coding of the body is corrupt", false},
	} {
		server := serveRaw(t, row.handle)
		h := newHTTP(t, HTTPConfig{Timeout: time.Minute})
		_, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: Content})
		var f *Fault
		if !errors.As(err, &f) {
			t.Errorf("%s: %v is not a fault", row.name, err)
			continue
		}
		if f.Kind != row.kind || !strings.Contains(err.Error(), row.text) || f.Retry != row.retry || f.Local {
			t.Errorf("%s: %s %q retry=%v local=%v, want %s %q retry=%v", row.name, f.Kind, err, f.Retry, f.Local, row.kind, row.text, row.retry)
		}
		if !strings.Contains(err.Error(), server.url+"/x") {
			t.Errorf("%s: %q does not name the place", row.name, err)
		}
		for _, raw := range []string{"net/http", "http:", "EOF", "transport", "unexpected", "read tcp"} {
			if strings.Contains(strings.ReplaceAll(err.Error(), "http://", ""), raw) {
				t.Errorf("%s: %q contains an error text of Go", row.name, err)
			}
		}
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func corrupt(s string, at int) string {
	b := []byte(s)
	b[at] ^= 0xff
	return string(b)
}

// These answers look wrong but work in browsers, and here too.
func TestServerOddities(t *testing.T) {
	for _, row := range []struct {
		name, answer string
		status       int
		body         string
	}{
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
		{"HTTP/1.0 until close", "HTTP/1.0 200 OK\r\n\r\nok", 200, "ok"},
		{"bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok"},
		{"unknown status", "HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nok", 999, "ok"},
		{"odd content type", "HTTP/1.1 200 OK\r\nContent-Type: ;;;=text/html; \"\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
		{"early hints", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
		{"same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
		{"64 KB of policy", "HTTP/1.1 200 OK\r\nContent-Security-Policy: " + strings.Repeat("x", 64<<10) + "\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
		{"900 KB of header", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 900) + "Content-Length: 2\r\n\r\nok", 200, "ok"},
		{"unknown coding", "HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\nContent-Length: 5\r\n\r\nplain", 200, "plain"},
		{"empty gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", 200, ""},
		{"chunk extensions and trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2;a=b\r\nok\r\n0\r\nX: y\r\n\r\n", 200, "ok"},
	} {
		server := serveRaw(t, func(c *rawConn) { c.send(row.answer); c.quit() })
		h := newHTTP(t, HTTPConfig{})
		resp, text, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: Content})
		if err != nil || resp.Status != row.status || text != row.body {
			t.Errorf("%s: %+v %q, %v", row.name, resp, text, err)
		}
	}
}

// If the server has closed an idle connection, the next request still succeeds, and only
// requests that the server received are counted.
func TestStaleConnection(t *testing.T) {
	for _, end := range []func(*rawConn){(*rawConn).quit, (*rawConn).reset} {
		for _, need := range []Need{Existence, Content} {
			closed := make(chan bool, 1)
			server := serveRaw(t, func(c *rawConn) {
				c.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				end(c)
				closed <- true
			})
			h := newHTTP(t, HTTPConfig{})
			counted := 0
			for i := range 20 {
				resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: need})
				if err != nil {
					t.Fatalf("request %d: %+v, %v", i, resp, err)
				}
				counted += resp.Requests
				<-closed
			}
			server.mu.Lock()
			if got := len(server.lines); got != counted {
				t.Errorf("%d requests arrived, %d were counted", got, counted)
			}
			server.mu.Unlock()
		}
	}
}

// If the server ends connections because of a request, it receives the request once, even
// if there are idle connections, over which net/http would send it again.
func TestLostRequestIsNotRepeated(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	for _, end := range []func(*rawConn){(*rawConn).quit, (*rawConn).reset} {
		var waiting sync.WaitGroup
		waiting.Add(5)
		server := serveRaw(t, func(c *rawConn) {
			if c.request.URL.Path == "/lost" {
				end(c)
				return
			}
			waiting.Done()
			waiting.Wait() // so that there are as many connections
			c.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		})
		h := newHTTP(t, HTTPConfig{})
		var others sync.WaitGroup
		for range 5 {
			others.Go(func() { ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: Content}) })
		}
		others.Wait()
		for range 6 {
			_, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/lost"), Need: Content})
			var f *Fault
			if !errors.As(err, &f) || f.Kind != "connection-reset" || f.Requests != 1 || !f.Retry {
				t.Errorf("%+v", err)
			}
		}
		server.mu.Lock()
		if got := len(server.lines); got != 5+6 {
			t.Errorf("%d requests arrived, want %d", got, 5+6)
		}
		server.mu.Unlock()
	}
	// The same over TLS.
	var lost atomic.Int32
	server := serveTLS(t, root.Leaf(t, "example.com").Chain(), false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/lost" {
			lost.Add(1)
			panic(http.ErrAbortHandler)
		}
	})
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
	if _, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/x"), Need: Content}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/lost"), Need: Content}); kindOfError(err) != "connection-reset" || lost.Load() != 1 {
		t.Errorf("over TLS: %v after %d requests", err, lost.Load())
	}
}

// If GET was necessary to check a leaf and its short body ends early, there is a note,
// but the leaf exists.
func TestTruncatedLeaf(t *testing.T) {
	for _, row := range []struct {
		answer string
		cut    bool
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\ncut", true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnot", false},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\ncut", false},
	} {
		server := serveRaw(t, func(c *rawConn) {
			if c.request.Method == "HEAD" {
				c.send("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
				return
			}
			c.send(row.answer)
			c.quit()
		})
		h := newHTTP(t, HTTPConfig{})
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: Existence})
		if err != nil || (len(resp.Notes) > 0 && resp.Notes[0].Code == "body-truncated") != row.cut {
			t.Errorf("%q: %+v, %v", row.answer, resp, err)
		}
	}
}

// Ignoring an endless body costs next to nothing.
func TestEndlessBodyIsNotRead(t *testing.T) {
	for _, head := range []string{"Content-Type: application/octet-stream\r\nConnection: close", "Transfer-Encoding: chunked", "Content-Length: 99999999999"} {
		ended := make(chan int, 1)
		server := serveRaw(t, func(c *rawConn) {
			if c.request.Method == "HEAD" {
				c.send("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
				return
			}
			c.SetWriteBuffer(1 << 10)
			c.send("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n")
			chunk := "400\r\n" + strings.Repeat("x", 1024) + "\r\n"
			sent := 0
			for ; !c.closed; sent += len(chunk) {
				c.send(chunk)
			}
			ended <- sent
		})
		h := newHTTP(t, HTTPConfig{})
		read := 0
		dial := h.dialer.connect
		h.dialer.connect = countingDial(dial, &read)
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x")})
		if err != nil || resp.Status != 200 {
			t.Fatalf("%s: %+v, %v", head, resp, err)
		}
		<-ended // the server saw the connection close
		if read > 128<<10 {
			t.Errorf("%s: %d bytes were read", head, read)
		}
	}
}

// A short body that is not needed is read so that its connection can be reused.
func TestShortBodyKeepsConnection(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("x", 5000),
		"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"HTTP/1.1 301 No\r\nLocation: /y\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	} {
		server := serveRaw(t, func(c *rawConn) {
			if c.request.Method == "HEAD" {
				answer := "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"
				c.send(answer)
				return
			}
			c.send(answer)
		})
		h := newHTTP(t, HTTPConfig{})
		for range 3 {
			if _, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Internal: true}); err != nil {
				t.Fatal(err)
			}
		}
		if n := server.connections(); n != 1 {
			t.Errorf("%.20q took %d connections", answer, n)
		}
	}
}

func TestConnectionRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	h := newHTTP(t, HTTPConfig{})
	_, err = h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://"+address+"/x")})
	var f *Fault
	if !errors.As(err, &f) || f.Kind != "connect-refused" || !f.Retry || f.Local || f.Requests != 1 {
		t.Errorf("%+v", err)
	}
	if want := "connect " + address + ": connection refused"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if !HasErrno(err, syscall.ECONNREFUSED) {
		t.Error("the fault does not wrap its cause")
	}
}

func TestConnectFaults(t *testing.T) {
	for _, row := range []struct {
		err   error
		kind  string
		text  string
		retry bool
		local bool
	}{
		{syscall.ECONNREFUSED, "connect-refused", "connection refused", true, false},
		{syscall.ECONNRESET, "connection-reset", "the connection was reset", true, false},
		{syscall.ETIMEDOUT, "timeout", "no answer within 1s", true, false},
		{syscall.EHOSTUNREACH, "timeout", "no route to the host", true, false},
		{syscall.EMFILE, "timeout", "this process has too many open files", true, true},
		{syscall.ENFILE, "timeout", "this machine has too many open files", true, true},
		{syscall.EADDRNOTAVAIL, "timeout", "no free local port or address", true, true},
		{syscall.ENOBUFS, "timeout", "no buffer space for another connection", true, true},
		{syscall.ENETUNREACH, "timeout", "this machine has no route to the network", true, true},
		{syscall.EACCES, "timeout", "this machine does not allow the connection", true, true},
		{syscall.Errno(10013), "timeout", "this machine does not allow the connection", true, true}, // Windows sockets
		{syscall.Errno(10051), "timeout", "this machine has no route to the network", true, true},
		{syscall.Errno(10053), "connection-reset", "the connection was reset", true, false},
		{syscall.Errno(10054), "connection-reset", "the connection was reset", true, false},
		{syscall.Errno(10055), "timeout", "no buffer space for another connection", true, true},
		{syscall.Errno(10060), "timeout", "no answer within 1s", true, false},
		{syscall.Errno(10061), "connect-refused", "connection refused", true, false},
		{errors.New("whatever"), "timeout", "no connection", true, false},
	} {
		wrapped := &net.OpError{Op: "dial", Net: "tcp", Err: row.err}
		err := connectFault("example.com:443", time.Second, t.Context(), wrapped)
		var f *Fault
		if !errors.As(err, &f) || f.Kind != row.kind || f.Retry != row.retry || f.Local != row.local || err.Error() != "connect example.com:443: "+row.text {
			t.Errorf("%v: %+v %q", row.err, f, err)
		}
	}
}
