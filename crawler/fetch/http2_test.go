package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// HTTP/2 is used if the server offers it.
func TestHTTP2(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	server := serveTLS(t, root.Leaf(t, "example.com").Chain(), true, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) })
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
	// Go's server reports the last one as a protocol error, in both versions.
	for target, want := range map[string]string{"/": "HTTP/2.0", "//x/y|z": "HTTP/2.0", "/?a=%zz": "HTTP/2.0"} {
		_, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com"+target), Need: Content, Internal: true})
		if err != nil || text != want {
			t.Errorf("%s: %q, %v", target, text, err)
		}
	}
	resp, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/%zz"), Need: Content, Internal: true})
	if err != nil || resp.Status != 400 || resp.Requests < 2 || resp.Requests > maxHandshakes+2 {
		t.Errorf("/%%zz: %+v, %v", resp, err)
	}
}

// A header of hundreds of kilobytes is valid over HTTP/2 too.
func TestHTTP2LargeHeader(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	server := serveTLS(t, root.Leaf(t, "example.com").Chain(), true, func(w http.ResponseWriter, r *http.Request) {
		size := 900 << 10
		if r.URL.Path == "/huge" {
			size = 3 << 20
		}
		for range size / 1000 {
			w.Header().Add("X-Filler", strings.Repeat("x", 960))
		}
		fmt.Fprint(w, r.Proto)
	})
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
	_, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
	if err != nil || text != "HTTP/2.0" {
		t.Errorf("%q, %v", text, err)
	}
	_, _, err = ask(t, h, &Request{URL: mustParse(t, "https://example.com/huge"), Need: Content})
	if kindOfError(err) != "protocol-error" || !strings.HasSuffix(err.Error(), "the answer's header is larger than 1 MB") {
		t.Errorf("%v", err)
	}
}

// A server with broken HTTP/2 gets HTTP/1.1 requests, from the second fetch on without
// another attempt.
func TestHTTP2Fallback(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	for name, broken := range map[string]func(*tls.Conn){
		"stream reset": resetStreams,
		"goaway": func(c *tls.Conn) {
			c.Write(append(emptySettings, frame(7, 0, 0, make([]byte, 8))...))
			io.Copy(io.Discard, c)
		},
		"bad frame": func(c *tls.Conn) {
			c.Write(append(emptySettings, frame(0, 0, 0, []byte("data on stream 0"))...))
			io.Copy(io.Discard, c)
		},
		"closed":    func(c *tls.Conn) { c.Write(emptySettings); c.CloseWrite() },
		"no HTTP/2": func(c *tls.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")); c.CloseWrite() },
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
		server.TLS = &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "example.com").Chain()}, NextProtos: []string{"h2", "http/1.1"}}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
			"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) { broken(c) },
		}
		server.StartTLS()
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
		for i, want := range []int{2, 1} {
			resp, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
			most := want
			if name == "goaway" && i == 0 {
				most = maxHandshakes + 2 // net/http assumes that the server did not process the request and repeats it
			}
			if err != nil || text != "HTTP/1.1" || resp.Requests < want || resp.Requests > most {
				t.Errorf("%s, request %d: %+v %q, %v", name, i, resp, text, err)
			}
		}
		h.Close()
		server.Close()
	}
}

// A stream that fails within the body cannot be repaired; the next attempt uses
// HTTP/1.1.
func TestHTTP2BreaksWithinBody(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	server := serveTLS(t, root.Leaf(t, "example.com").Chain(), true, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "the beginning")
		if r.ProtoMajor == 2 {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
	req := &Request{URL: mustParse(t, "https://example.com/"), Need: Content}
	_, text, err := ask(t, h, req)
	var f *Fault
	if !errors.As(err, &f) || f.Kind != "body-truncated" || !f.Retry || text != "the beginning" {
		t.Errorf("%q, %v", text, err)
	}
	if _, text, err := ask(t, h, req); err != nil || text != "the beginning" {
		t.Errorf("%q, %v", text, err)
	}
}

// frame is an HTTP/2 frame (RFC 9113 section 4.1).
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	n := len(payload)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, byte(stream >> 24), byte(stream >> 16), byte(stream >> 8), byte(stream)}
	return append(head, payload...)
}

var emptySettings = frame(4, 0, 0, nil)

// resetStreams answers each request with RST_STREAM, INTERNAL_ERROR.
func resetStreams(c *tls.Conn) {
	c.Write(emptySettings)
	preface := make([]byte, 24)
	if _, err := io.ReadFull(c, preface); err != nil {
		return
	}
	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(head[0])<<16|int64(head[1])<<8|int64(head[2])); err != nil {
			return
		}
		if head[3] == 1 { // HEADERS
			stream := uint32(head[5])<<24 | uint32(head[6])<<16 | uint32(head[7])<<8 | uint32(head[8])
			c.Write(frame(3, 0, stream, []byte{0, 0, 0, 2}))
		}
	}
}

func TestIsHTTP2(t *testing.T) {
	for text, want := range map[string]bool{
		"stream error: stream ID 1; INTERNAL_ERROR; received from peer":                                     true,
		"http2: server sent GOAWAY and closed the connection; LastStreamID=0, ErrCode=NO_ERROR, debug=\"\"": true,
		"connection error: PROTOCOL_ERROR":                                                                  true,
		"EOF":                                                                                               false,
	} {
		if isHTTP2(errors.New(text)) != want {
			t.Errorf("%q", text)
		}
	}
	if isHTTP2(nil) || isHTTP2(context.Canceled) {
		t.Error("no HTTP/2 error")
	}
}
