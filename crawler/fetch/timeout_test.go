package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pipeNet replaces the network in tests of time limits: connections are pipes, so that
// all waiting uses the fake clock of a synctest bubble.
type pipeNet struct {
	*HTTP
	t *testing.T
	// answer handles the server's side of a connection until it returns.
	answer  func(addr string, conn net.Conn)
	servers sync.WaitGroup
}

// Close closes the client and waits for its servers to end.
func (n *pipeNet) Close() {
	n.HTTP.Close()
	n.servers.Wait()
}

// newPipeNet must be called within a synctest bubble.
func newPipeNet(t *testing.T, config HTTPConfig, answer func(string, net.Conn)) *pipeNet {
	t.Helper()
	h, err := NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	n := &pipeNet{HTTP: h, t: t, answer: answer}
	h.resolver.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
	}
	h.dialer.connect = func(_ context.Context, _, addr string) (net.Conn, error) {
		client, server := net.Pipe()
		n.servers.Go(func() {
			defer server.Close()
			n.answer(addr, server)
		})
		return client, nil
	}
	return n
}

// wait requests a URL, reads the answer and returns how long that took.
func (n *pipeNet) wait(req *Request) (resp *Response, took time.Duration, err error) {
	n.t.Helper()
	start := time.Now()
	resp, _, err = ask(n.t, n.HTTP, req)
	return resp, time.Since(start), err
}

// readHead reads a request's head.
func readHead(conn net.Conn) string {
	var head []byte
	b := make([]byte, 1)
	for !strings.HasSuffix(string(head), "\r\n\r\n") {
		if _, err := conn.Read(b); err != nil {
			return ""
		}
		head = append(head, b...)
	}
	return string(head)
}

// untilClosed waits until the client closes the connection.
func untilClosed(conn net.Conn) { io.Copy(io.Discard, conn) }

func TestTimeLimits(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	trickle := func(conn net.Conn, text string, every time.Duration) {
		go untilClosed(conn)
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
			time.Sleep(every)
		}
	}
	for _, row := range []struct {
		name   string
		url    string
		answer func(string, net.Conn)
		text   string
		took   time.Duration
	}{
		{"no handshake", "https://example.com/", func(_ string, c net.Conn) { untilClosed(c) },
			"handshake with https://example.com/: the TLS handshake took longer than 20s", 20 * time.Second},
		{"no answer", "http://example.com/", func(_ string, c net.Conn) { readHead(c); untilClosed(c) },
			"fetch http://example.com/: no answer within 20s", 20 * time.Second},
		{"header byte by byte", "http://example.com/", func(_ string, c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			trickle(c, "x", 5*time.Second)
		}, "fetch http://example.com/: no answer within 20s", 20 * time.Second},
		{"no body", "http://example.com/", func(_ string, c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
			untilClosed(c)
		}, "read http://example.com/: the body paused for longer than 20s", 20 * time.Second},
		{"half a body", "http://example.com/", func(_ string, c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
			untilClosed(c)
		}, "read http://example.com/: the body paused for longer than 20s", 20 * time.Second},
		{"body byte by byte", "http://example.com/", func(_ string, c net.Conn) {
			readHead(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			trickle(c, "x", 5*time.Second)
		}, "read http://example.com/: the exchange took longer than 1m40s", 100 * time.Second},
		{"informational responses forever", "http://example.com/", func(_ string, c net.Conn) {
			readHead(c)
			trickle(c, "HTTP/1.1 103 Early Hints\r\n\r\n", 15*time.Second)
		}, "fetch http://example.com/: no answer within 20s", 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newPipeNet(t, HTTPConfig{}, row.answer)
			_, took, err := n.wait(&Request{URL: mustParse(t, row.url), Need: Content})
			n.Close()
			var f *Fault
			if !errors.As(err, &f) || err.Error() != row.text || took != row.took {
				t.Errorf("%s: %v after %v, want %s after %v", row.name, err, took, row.text, row.took)
			}
			if f != nil && f.Kind == "timeout" && !f.Retry {
				t.Errorf("%s: Retry is false", row.name)
			}
		})
	}
}

func TestConnectTimeouts(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{Timeout: 3 * time.Second}, nil)
		defer n.Close()
		n.dialer.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		// There is no second request with GET, because an unreachable host cannot
		// answer that either.
		_, took, err := n.wait(&Request{URL: mustParse(t, "http://example.com/")})
		if err == nil || err.Error() != "connect example.com:80: no answer within 3s" || took != 3*time.Second || kindOfError(err) != "timeout" {
			t.Errorf("%v after %v", err, took)
		}
		n.resolver.lookup = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, took, err = n.wait(&Request{URL: mustParse(t, "http://other.example/")})
		if err == nil || err.Error() != "look up other.example: the name server did not answer in time" || took != 3*time.Second || kindOfError(err) != "dns-failure" {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// A HEAD request without an answer costs one time limit, once for its host.
func TestHeadTimesOut(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, func(_ string, conn net.Conn) {
			for {
				head := readHead(conn)
				if !strings.HasPrefix(head, "GET ") {
					untilClosed(conn)
					return
				}
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		})
		defer n.Close()
		for i, want := range []time.Duration{20 * time.Second, 0, 0} {
			resp, took, err := n.wait(&Request{URL: mustParse(t, "http://example.com/")})
			if err != nil || resp.Status != 200 || took != want || resp.Requests != 1+min(1, int(want)) {
				t.Errorf("request %d: %+v, %v after %v, want %v", i, resp, err, took, want)
			}
		}
	})
}

// The time that the reader of a body takes does not count.
func TestSlowReader(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, func(_ string, conn net.Conn) {
			readHead(conn)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow")
			untilClosed(conn)
		})
		defer n.Close()
		resp, err := n.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/"), Need: Content})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		time.Sleep(time.Minute)
		text, err := io.ReadAll(resp.Body)
		if err != nil || string(text) != "slow" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A reader with a time limit gets the data received until then.
func TestLimitTime(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, func(_ string, conn net.Conn) {
			readHead(conn)
			go untilClosed(conn)
			io.WriteString(conn, "HTTP/1.1 404 Not Found\r\n\r\n")
			for {
				time.Sleep(500 * time.Millisecond)
				if _, err := io.WriteString(conn, "x"); err != nil {
					return
				}
			}
		})
		defer n.Close()
		resp, err := n.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/"), Need: Content, Internal: true})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		start := time.Now()
		resp.LimitTime(2100 * time.Millisecond)
		text, err := io.ReadAll(resp.Body)
		if took := time.Since(start); err == nil || string(text) != "xxxx" || took != 2100*time.Millisecond {
			t.Errorf("%q, %v after %v", text, err, took)
		}
	})
}

// An error page that arrives slowly causes no long delay.
func TestSlowErrorPage(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, func(_ string, conn net.Conn) {
			for {
				head := readHead(conn)
				if head == "" {
					return
				}
				if strings.HasPrefix(head, "HEAD ") {
					io.WriteString(conn, "HTTP/1.1 410 Gone\r\nContent-Length: 1000\r\n\r\n")
					continue
				}
				go untilClosed(conn)
				io.WriteString(conn, "HTTP/1.1 410 Gone\r\nContent-Length: 1000\r\n\r\ngone")
				for {
					time.Sleep(500 * time.Millisecond)
					if _, err := io.WriteString(conn, "!"); err != nil {
						return
					}
				}
			}
		})
		defer n.Close()
		resp, took, err := n.wait(&Request{URL: mustParse(t, "http://example.com/")})
		if err != nil || resp.Status != 410 || took > 2*drainTime || !strings.HasPrefix(string(resp.Excerpt), "gone!") {
			t.Errorf("%+v, %v after %v", resp, err, took)
		}
	})
}

func TestHappyEyeballs(t *testing.T) {
	v4, v6, v4b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.2")
	dead, refused, unreachable := "dead", "refused", "unreachable"
	for _, row := range []struct {
		name   string
		addrs  []netip.Addr
		fate   map[netip.Addr]string
		winner string
		took   time.Duration
		fault  string
	}{
		{"dead AAAA", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: dead}, "192.0.2.1:80", 250 * time.Millisecond, ""},
		{"refused AAAA", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: refused}, "192.0.2.1:80", 0, ""},
		{"first is best", []netip.Addr{v6, v4}, nil, "[2001:db8::1]:80", 0, ""},
		{"families alternate", []netip.Addr{v4, v4b, v6}, map[netip.Addr]string{v4: dead, v4b: dead}, "[2001:db8::1]:80", 250 * time.Millisecond, ""},
		{"all refuse", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: refused, v4: refused}, "", 0, "connect-refused"},
		{"no IPv6 here", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: unreachable, v4: refused}, "", 0, "connect-refused"},
		{"one without answer", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: dead, v4: refused}, "", 20 * time.Second, "timeout"},
		{"all without answer", []netip.Addr{v6, v4}, map[netip.Addr]string{v6: dead, v4: dead}, "", 20 * time.Second, "timeout"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newResolver("", time.Second)
			r.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return row.addrs, nil }
			d := newDialer(r, 20*time.Second)
			d.connect = func(ctx context.Context, _, addr string) (net.Conn, error) {
				switch row.fate[netip.MustParseAddrPort(addr).Addr()] {
				case dead:
					<-ctx.Done()
					return nil, ctx.Err()
				case refused:
					return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				case unreachable:
					return nil, &net.OpError{Op: "dial", Err: syscall.ENETUNREACH}
				}
				return namedConn{addr: addr}, nil
			}
			start := time.Now()
			conn, err := d.dial(t.Context(), "tcp", "example.com:80")
			took := time.Since(start)
			r.close()
			winner := ""
			if conn != nil {
				winner = conn.(namedConn).addr
			}
			if winner != row.winner || took != row.took || kindOfError(err) != row.fault {
				t.Errorf("%s: %q, %v after %v", row.name, winner, err, took)
			}
		})
	}
}

// namedConn is a connection that only knows its address.
type namedConn struct {
	net.Conn
	addr string
}

func (namedConn) Close() error { return nil }

// Close cancels pending requests and leaves no goroutine behind.
func TestCloseWhileConnecting(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, nil)
		n.dialer.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		done := make(chan error)
		go func() {
			_, err := n.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/")})
			done <- err
		}()
		synctest.Wait()
		n.Close()
		if err := <-done; err == nil {
			t.Error("no error")
		}
		if _, err := n.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/")}); err == nil {
			t.Error("no error after Close")
		}
	})
}

// A handshake ends when its request is canceled.
func TestCancelDuringHandshake(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	synctest.Test(t, func(t *testing.T) {
		n := newPipeNet(t, HTTPConfig{}, func(_ string, c net.Conn) { untilClosed(c) })
		defer n.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := n.Fetch(ctx, &Request{URL: mustParse(t, "https://example.com/")})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
