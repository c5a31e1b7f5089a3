package fetch

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// webSocket answers ws and wss URLs with the opening handshake of RFC 6455 section 4,
// and then closes the connection. It uses the connections, accounts and cookies of
// HTTP.
//
// Only status 101 means that a WebSocket server answered. A redirect is a fault,
// because browsers do not follow redirects here (WebSockets Standard, "establish a
// WebSocket connection").
type webSocket struct{ web *HTTP }

// Fetch performs the opening handshake.
func (w *webSocket) Fetch(ctx context.Context, req *Request) (*Response, error) {
	return w.web.other(ctx, req, w.send)
}

func (w *webSocket) send(ctx context.Context, req *Request) (*Response, error) {
	h := w.web
	u, _, err := urinorm.ParseWeb("http" + strings.TrimPrefix(req.URL.WithoutFragment().String(), "ws"))
	if err != nil {
		return nil, urlFault(req.URL, "uri-invalid", "the URL is malformed")
	}
	if port := u.EffectivePort(); !slices.Contains(h.allowPorts, port) {
		if reason := BlockedPort(port); reason != "" {
			return nil, urlFault(req.URL, "port-blocked", reason)
		}
	}
	if len(u.Host()) > maxHostName+2 {
		return nil, urlFault(req.URL, "dns-not-found", "the host name is longer than DNS allows")
	}
	var nonce [16]byte
	rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])

	upgrade := *req
	upgrade.URL, upgrade.Need = u, Existence
	upgrade.Header = req.Header.Clone()
	if upgrade.Header == nil {
		upgrade.Header = http.Header{}
	}
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-Websocket-Version": "13", "Sec-Websocket-Key": key,
		"Origin":          u.Scheme() + "://" + u.Authority(), // as if from a page on the same host, the usual case
		"Accept-Encoding": "identity", "Cache-Control": "no-cache", "Accept": "*/*",
	} {
		upgrade.Header.Set(name, value)
	}
	a := &httpFetch{by: h, req: &upgrade, loopback: isLoopback(u.Host()), facts: h.hosts.factsOf(u)}
	ans, err := a.send(ctx, http.MethodGet, firstProfile, false)
	if err != nil {
		countRequests(err, a.requests)
		return nil, err
	}
	resp := &Response{Status: ans.StatusCode, Header: ans.Header, Size: -1, Requests: a.requests, TLS: ans.TLS}
	if ans.TLS != nil {
		resp.Notes = h.verifier.notes(ans.TLS)
	}
	fault := func(kind, reason string) (*Response, error) {
		ans.discard()
		f := urlFault(req.URL, kind, reason)
		countRequests(f, a.requests)
		return nil, f
	}
	switch {
	case ans.StatusCode == http.StatusSwitchingProtocols:
		if !strings.EqualFold(ans.Header.Get("Upgrade"), "websocket") || ans.Header.Get("Sec-Websocket-Accept") != acceptKey(key) {
			return fault("protocol-error", "the server switched to a protocol other than WebSocket")
		}
		if conn, ok := ans.Body.(io.Writer); ok {
			conn.Write(closeFrame())
		}
		ans.Body.Close()
		ans.ex.end()
		return resp, nil
	case isOK(ans.StatusCode):
		return fault("protocol-error", fmt.Sprintf("the server answered %d to the WebSocket handshake, so the URL leads to a page and not to a WebSocket", ans.StatusCode))
	case isRedirect(ans.StatusCode):
		return fault("redirect-invalid", fmt.Sprintf("the server answered %d, but browsers do not follow redirects of WebSockets", ans.StatusCode))
	}
	resp.Excerpt = a.excerpt(ans)
	ans.discard()
	return resp, nil
}

// acceptKey returns the Sec-WebSocket-Accept value for a key (RFC 6455 section 4.2.2,
// item 5.4).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// closeFrame returns a Close frame with the code 1000, masked as all client frames must
// be (RFC 6455 sections 5.2 and 5.5.1).
func closeFrame() []byte {
	frame := []byte{0x88, 0x80 | 2, 0, 0, 0, 0, 1000 >> 8, 1000 & 0xFF}
	mask := frame[2:6]
	rand.Read(mask)
	frame[6] ^= mask[0]
	frame[7] ^= mask[1]
	return frame
}
