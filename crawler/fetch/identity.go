package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Identity is what may change the answer to a request, its URL and method aside:
// an answer that is kept stands only for requests of the same identity.
type Identity struct {
	// Open may be kept as it is.
	Open string
	// Secret holds passwords and headers, which may hold some, and must not be kept.
	// It is empty when none go along, and the same for all URLs of a host.
	Secret string
	// Cookies are those that the user gave. They must not be kept either; but they are
	// nothing that people make up, so that they cannot be guessed from a hash.
	Cookies string
}

// A Keeper is a Fetcher whose answers may be kept from one run to the next.
type CacheableFetcher interface {
	Fetcher
	// Identity is that of a request; false means that its answer must not be kept.
	Identity(req *Request) (Identity, bool)
	// ExpiryNote is what there is to say today of a certificate that ends at a time,
	// when that is soon.
	ExpiryNote(notAfter time.Time) (note Note, soon bool)
}

// identify prepares what is the same for all requests. Our own User-Agent counts as
// one whatever the version: a release must not make every cache cold.
func (h *HTTP) identify(config HTTPConfig) error {
	agent := config.UserAgent
	if agent == "" {
		agent = "own"
	}
	h.commonIdentity = fmt.Sprintf("agent %q language %q ca %q insecure %t dns %q private %t", agent, h.profiles.language[0],
		h.verifier.digest, config.Insecure, config.DNSServer, !config.DenyPrivate)
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

// Identity implements Keeper.
func (h *HTTP) Identity(req *Request) (Identity, bool) {
	var open, secret strings.Builder
	u := req.URL
	fmt.Fprintf(&open, "%s internal %t for %d", h.commonIdentity, req.Internal, req.Destination)
	if port := u.EffectivePort(); slices.Contains(h.allowPorts, port) && BlockedPort(port) != "" {
		open.WriteString(" port allowed")
	}
	h.identifyRoute(&open, &secret, u)
	if req.Internal {
		fmt.Fprintf(&open, " certificate %q", h.clientCertIdentity)
		writeHeaders(&secret, h.profiles.internal)
	}
	writeHeaders(&secret, req.Header)
	if user := h.accounts.forURL(u, req.Internal); user != nil {
		fmt.Fprintf(&secret, "user %q %q ", user.name, user.password)
	}
	return Identity{Open: open.String(), Secret: secret.String(), Cookies: h.cookies.fromUser(u)}, true
}

// identifyRoute writes where a connection leads.
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

// ExpiryNote implements Keeper.
func (h *HTTP) ExpiryNote(notAfter time.Time) (Note, bool) { return h.verifier.expiryNote(notAfter) }

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

// Identity implements Keeper: it asks the Fetcher of the scheme.
func (m Mux) Identity(req *Request) (Identity, bool) {
	k, ok := m[req.URL.Scheme()].(CacheableFetcher)
	if !ok {
		return Identity{}, false
	}
	return k.Identity(req)
}

// ExpiryNote implements Keeper; certificates are https's.
func (m Mux) ExpiryNote(notAfter time.Time) (Note, bool) {
	k, ok := m["https"].(CacheableFetcher)
	if !ok {
		return Note{}, false
	}
	return k.ExpiryNote(notAfter)
}
