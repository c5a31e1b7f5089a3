package fetch

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// Control characters in the value of a header are accepted as in browsers; NUL, CR and
// control characters elsewhere are not.
func TestControlCharactersInHeaders(t *testing.T) {
	for _, row := range []struct {
		header string
		name   string // of the header to compare
		want   string
		kind   string
	}{
		{"X-Odd: a\x01b\x7f\tc", "X-Odd", "a%01b%7F\tc", ""},
		{"X-Odd: a\r\n \x02b", "X-Odd", "a %02b", ""},
		{"Location: /\x1fa", "Location", "/%1Fa", ""},
		{"X-Odd: plain", "X-Odd", "plain", ""},
		{"X-Odd: a\x00b", "", "", "protocol-error"},
		{"X-Odd: a\x01\x00b", "", "", "protocol-error"},
		{"X-Odd: a\rX-Split: b", "", "", "protocol-error"},
		{"X-Odd: \x01a\rX-Split: b", "", "", "protocol-error"},
		{"X-\x01Odd: a", "", "", "protocol-error"},
	} {
		for _, before := range []string{"", "HTTP/1.1 103 Early Hints\r\nLink: <\x01>\r\n\r\n"} {
			const body = "\x01body\r\n\r\n\x02: \x03"
			server := serveRaw(t, func(c *rawConn) {
				c.send(before + "HTTP/1.1 200 OK\r\n" + row.header + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(body)) + body)
			})
			h := newHTTP(t, HTTPConfig{})
			resp, text, err := ask(t, h, &Request{URL: mustParse(t, server.url+"/x"), Need: Content})
			if kindOfError(err) != row.kind {
				t.Errorf("%q: %v, want %q", row.header, err, row.kind)
			}
			if err == nil && (resp.Header.Get(row.name) != row.want || text != body || resp.Header.Get("X-Split") != "") {
				t.Errorf("%q: %q, %q", row.header, resp.Header, text)
			}
			if server.mu.Lock(); err == nil && resp.Requests != len(server.lines) {
				t.Errorf("%q: %d requests, %d were counted", row.header, len(server.lines), resp.Requests)
			}
			server.mu.Unlock()
		}
	}
}

// A list of equal lengths is one length; another is malformed (RFC 9110, section 8.6).
func TestListOfLengths(t *testing.T) {
	for _, row := range []struct{ header, kind string }{
		{"Content-Length: 5, 5", ""},
		{"content-length:5,5 ,\t5", ""},
		{"X-Odd: 1, \x01\r\nContent-Length: 5, 5\r\nX-List: Content-Length: 1, 2", ""},
		{"Content-Length: 5, 6", "protocol-error"},
		{"Content-Length: 5,", "protocol-error"},
		{"Content-Length: , 5", "protocol-error"},
		{"Content-Length: 5, five", "protocol-error"},
		{"Content-Length: 5, 5\r\nContent-Length: 6", "protocol-error"},
	} {
		for _, need := range []Need{Existence, Content} {
			server := serveRaw(t, func(c *rawConn) { c.send("HTTP/1.1 200 OK\r\n" + row.header + "\r\n\r\nhello and more") })
			resp, text, err := ask(t, newHTTP(t, HTTPConfig{}), &Request{URL: mustParse(t, server.url+"/x"), Need: need})
			if kindOfError(err) != row.kind || err == nil && (resp.Status != 200 || need == Content && text != "hello") {
				t.Errorf("%q: %+v, %q, %v, want %q", row.header, resp, text, err, row.kind)
			}
		}
	}
}

// The same over TLS, where the certificate is verified again, and through a proxy.
func TestControlCharactersElsewhere(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	config := &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "example.com").Chain()}}
	address := crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		secure := tls.Server(conn, config)
		if _, err := secure.Read(make([]byte, 4096)); err == nil {
			io.WriteString(secure, "HTTP/1.1 200 OK\r\nX-Odd: \x01\r\nContent-Length: 2\r\n\r\nok")
			secure.CloseWrite()
		}
	})
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: []ConnectTo{{From: ":", To: address.String()}}})
	resp, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
	if err != nil || text != "ok" || resp.TLS == nil || resp.Header.Get("X-Odd") != "%01" {
		t.Errorf("over TLS: %+v %q, %v", resp, text, err)
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Odd: \x01\r\nContent-Length: 2\r\n\r\nok")
	}))
	defer proxy.Close()
	h = newHTTP(t, HTTPConfig{Proxy: proxy.URL})
	if _, text, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/"), Need: Content}); err != nil || text != "ok" {
		t.Errorf("through a proxy: %q, %v", text, err)
	}
}

// FuzzLenientConn checks that escaping depends neither on how the bytes arrive nor
// changes anything but control characters and lists of lengths.
func FuzzLenientConn(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n\x01", 3)
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nA: ,\r\n\r\nContent-Length: 1,1", 2)
	f.Add("HTTP/1.1 100 \nA\x01: b\x02\n \x03\n\nHTTP/1.0 204\n\n", 1)
	f.Fuzz(func(t *testing.T, answer string, step int) {
		read := func(step int) string {
			ours, theirs := net.Pipe()
			go func() {
				for rest := answer; rest != ""; {
					n := min(max(1, step), len(rest))
					io.WriteString(theirs, rest[:n])
					rest = rest[n:]
				}
				theirs.Close()
			}()
			text, _ := io.ReadAll(&lenientConn{Conn: ours})
			return string(text)
		}
		whole := read(len(answer))
		if pieces := read(step); pieces != whole {
			t.Errorf("%q in pieces, %q at once", pieces, whole)
		}
		joined := func(s string) string { return strings.ReplaceAll(s, "\r\n"+lengthName, ",") }
		if !strings.ContainsFunc(answer, func(c rune) bool { return c < 0x80 && isEscaped(byte(c)) }) && joined(whole) != joined(answer) {
			t.Errorf("%q became %q", answer, whole)
		}
	})
}
