package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// countingDial counts the bytes read from connections, in tests that use one connection
// at a time.
func countingDial(dial func(context.Context, string, string) (net.Conn, error), read *int) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &countedConn{conn, read}, nil
	}
}

type countedConn struct {
	net.Conn
	read *int
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	*c.read += n
	return n, err
}

// TestDialed tests that an answer says how long it took to connect for it.
func TestDialed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") }))
	defer server.Close()
	h := newHTTP(t, HTTPConfig{})
	for i, fresh := range []bool{true, false, true} {
		if i == 2 {
			h.CloseIdleConnections()
		}
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/"), Need: Content})
		if err != nil || resp.Dialed > 0 != fresh {
			t.Errorf("request %d: %+v, %v; a new connection: want %v", i, resp, err, fresh)
		}
	}
}
