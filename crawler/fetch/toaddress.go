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
	of    *http.Transport
	hosts string
}

// holding returns the transport for a URL and its proxy: t, or one like it that
// holds certificates to their addresses. Where both have one and are asked over TLS,
// it cannot tell whose certificate it sees, and either will do; the target's is
// looked at once more with the answer.
func (h *HTTP) holding(t *http.Transport, u urinorm.URL, proxy *url.URL) *http.Transport {
	var hosts []string
	if u.Scheme() == "https" && isAddress(u.Host()) {
		hosts = append(hosts, u.Host())
	}
	if proxy != nil && proxy.Scheme == "https" && isAddress(proxy.Hostname()) {
		hosts = append(hosts, proxy.Hostname())
	}
	if len(hosts) == 0 || h.verifier.insecure {
		return t
	}
	key := addressedKey{t, strings.Join(hosts, " ")}
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
	own.TLSClientConfig.VerifyConnection = func(state tls.ConnectionState) (err error) {
		if state.ServerName != "" {
			return h.verifier.verify(state)
		}
		for _, host := range hosts {
			state.ServerName = host
			if err = h.verifier.verify(state); err == nil {
				return nil
			}
		}
		return err
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
