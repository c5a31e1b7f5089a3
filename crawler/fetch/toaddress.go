package fetch

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// TLS names no server that is addressed by its IP (RFC 6066 section 3), and
// crypto/tls then does not tell VerifyConnection whom we meant. So that a
// certificate is held to the address before anything is sent, credentials above
// all, each such host has a transport of its own, which knows.

// maxAddressed bounds how many of these are kept.
const maxAddressed = 512

type addressed struct {
	mu         sync.Mutex
	transports map[addressedKey]*http.Transport
}

type addressedKey struct {
	of   *http.Transport
	host string
}

// holding returns the transport for a URL: t, or one like it that holds the
// certificate to the URL's address. Behind a proxy that is itself asked over TLS
// it is t, as that proxy's certificate would be held to the address, too.
func (h *HTTP) holding(t *http.Transport, u urinorm.URL, proxy *url.URL) *http.Transport {
	if u.Scheme() != "https" || h.verifier.insecure || !isAddress(u.Host()) || proxy != nil && proxy.Scheme == "https" {
		return t
	}
	key := addressedKey{t, u.Host()}
	h.addressed.mu.Lock()
	defer h.addressed.mu.Unlock()
	if known := h.addressed.transports[key]; known != nil {
		return known
	}
	for old, transport := range h.addressed.transports {
		if len(h.addressed.transports) < maxAddressed {
			break
		}
		transport.CloseIdleConnections()
		delete(h.addressed.transports, old)
	}
	own := t.Clone()
	own.TLSClientConfig.VerifyConnection = func(state tls.ConnectionState) error {
		state.ServerName = key.host
		return h.verifier.verify(state)
	}
	if h.addressed.transports == nil {
		h.addressed.transports = make(map[addressedKey]*http.Transport)
	}
	h.addressed.transports[key] = own
	return own
}

// isAddress reports whether a URL's host is an IP address.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
