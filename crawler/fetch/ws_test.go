package fetch

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/websocket"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// serveSockets starts a WebSocket server of another implementation, with ordinary pages
// next to it.
func serveSockets(t *testing.T) (http.Handler, chan error) {
	closed := make(chan error, 16)
	mux := http.NewServeMux()
	mux.Handle("/socket", websocket.Handler(func(conn *websocket.Conn) {
		_, err := conn.Read(make([]byte, 1))
		closed <- err // io.EOF for a Close frame
	}))
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("hello")) })
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/socket", http.StatusFound) })
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		// This path accepts the handshake without computing the key, as a server
		// without WebSocket support might.
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n"))
		conn.Close()
	})
	return mux, closed
}

func TestWebSocket(t *testing.T) {
	handler, closed := serveSockets(t)
	plain := httptest.NewServer(handler)
	defer plain.Close()
	root := crawlertest.NewAuthority(t, "Root")
	secure := serveTLS(t, root.Leaf(t, "example.com", loopback).Chain(), true, handler.ServeHTTP) // HTTP/2 must not be chosen
	_, others := newOtherSchemes(t, HTTPConfig{CAFile: root.File(t)}, OtherSchemesConfig{})
	_, strict := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for _, base := range []string{"ws" + strings.TrimPrefix(plain.URL, "http"), "ws" + strings.TrimPrefix(secure.URL, "http")} {
		for path, want := range map[string]string{
			"/socket": "101", "/socket?a=b#c": "101", "/page": "protocol-error", "/nothing": "404", "/private": "403",
			"/moved": "redirect-invalid", "/echo": "protocol-error",
		} {
			resp, _, fault := fetchURL(t, others, base+path, Existence)
			if got := verdict(resp, fault); got != want {
				t.Errorf("%s%s: %s (%v), want %s", base, path, got, fault, want)
				continue
			}
			if fault != nil && fault.Requests != 1 || fault == nil && resp.Requests != 1 {
				t.Errorf("%s: want one request", path)
			}
			if want == "101" {
				if err := <-closed; err != io.EOF {
					t.Errorf("%s: closed with %v", path, err)
				}
			}
		}
		if strings.HasPrefix(base, "wss") {
			if _, _, fault := fetchURL(t, strict, base+"/socket", Existence); fault == nil || fault.Kind != "tls-untrusted" {
				t.Errorf("%v, want tls-untrusted", fault)
			}
		}
	}
	if _, _, fault := fetchURL(t, strict, "wss"+strings.TrimPrefix(plain.URL, "http")+"/socket", Existence); fault == nil || fault.Kind != "tls-error" {
		t.Errorf("%v, want tls-error", fault)
	}
}

// The example of RFC 6455 section 1.3.
func TestAcceptKey(t *testing.T) {
	if got := acceptKey("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Error(got)
	}
}
