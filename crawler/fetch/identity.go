package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A CacheableFetcher is a Fetcher whose answers may be cached from one run to the next.
type CacheableFetcher interface {
	Fetcher
	// Identity returns the identity of a request; ok is false if the answer must not be
	// cached.
	Identity(req *Request) (traffic.Identity, bool)
	// ExpiryNote returns the note about a certificate that expires at notAfter; soon is
	// false if there is nothing to report.
	ExpiryNote(notAfter time.Time) (note Note, soon bool)
}

// identify prepares the part of the identity that all requests share. It ignores the
// version in the default User-Agent, so that a new release does not invalidate every
// cache.
func (h *HTTP) identify(config HTTPConfig) error {
	agent := config.UserAgent
	if agent == "" {
		agent = "own"
	}
	h.commonIdentity = fmt.Sprintf("agent %q language %q ca %q insecure %t dns %q private %t", agent, language[0],
		h.verifier.digest, config.Insecure, config.DNSServer, !config.DenyPrivate)
	if config.DenyPrivate && len(config.AllowPrivate) > 0 {
		h.commonIdentity += fmt.Sprintf(" allowed %v", config.AllowPrivate)
	}
	if config.ClientCert == "" {
		return nil
	}
	pem, err := os.ReadFile(config.ClientCert)
	if err != nil {
		return fmt.Errorf("read client certificate %s: %w", config.ClientCert, errors.Unwrap(err))
	}
	h.clientCertIdentity = fmt.Sprintf("%x", sha256.Sum256(pem))
	return nil
}

// Identity implements CacheableFetcher.
func (h *HTTP) Identity(req *Request) (traffic.Identity, bool) {
	var open, secret strings.Builder
	u := req.URL
	open.WriteString(h.commonIdentity + " internal " + strconv.FormatBool(req.Internal) + " for 0") // the 0 is in all states
	if port := u.EffectivePort(); slices.Contains(h.allowPorts, port) && BlockedPort(port) != "" {
		open.WriteString(" port allowed")
	}
	h.identifyRoute(&open, &secret, u)
	if h.origins.Has(u) {
		fmt.Fprintf(&open, " certificate %q", h.clientCertIdentity)
		writeHeaders(&secret, h.profiles.given)
	}
	writeHeaders(&secret, req.Header)
	if user := h.accounts.forURL(u); user != nil {
		fmt.Fprintf(&secret, "user %q %q ", user.name, user.password)
	}
	return traffic.Identity{Open: open.String(), Secret: secret.String(), Cookies: h.cookies.fromUser(u)}, true
}

// identifyRoute writes where a connection goes.
func (h *HTTP) identifyRoute(open, secret *strings.Builder, u urinorm.URL) {
	hostport := fmt.Sprintf("%s:%d", u.Host(), u.EffectivePort())
	if to := redirectConnection(h.proxies.direct, hostport); to != hostport {
		fmt.Fprintf(open, " to %q", to)
	}
	proxy, err := h.proxies.forURL(u.Scheme(), u.Authority())
	if err != nil || proxy == nil {
		return
	}
	fmt.Fprintf(open, " proxy %q", proxy.Scheme+"://"+proxy.Host)
	if proxy.User != nil {
		fmt.Fprintf(secret, "proxy user %q ", proxy.User.String())
	}
}

// ExpiryNote implements CacheableFetcher.
func (h *HTTP) ExpiryNote(notAfter time.Time) (Note, bool) {
	return h.verifier.expiryNote(notAfter, time.Now())
}

// writeHeaders writes header fields in the order of their names.
func writeHeaders(w *strings.Builder, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "header %q %q ", http.CanonicalHeaderKey(name), h[name])
	}
}

// Identity implements CacheableFetcher by asking the Fetcher of the scheme.
func (m Mux) Identity(req *Request) (traffic.Identity, bool) {
	k, ok := m[req.URL.Scheme()].(CacheableFetcher)
	if !ok {
		return traffic.Identity{}, false
	}
	return k.Identity(req)
}

// ExpiryNote implements CacheableFetcher by asking the Fetcher for https.
func (m Mux) ExpiryNote(notAfter time.Time) (Note, bool) {
	k, ok := m["https"].(CacheableFetcher)
	if !ok {
		return Note{}, false
	}
	return k.ExpiryNote(notAfter)
}
