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

// maxHeaderBytes is the size limit of an answer's header. Some sites send 64 KB of
// Content-Security-Policy.
const maxHeaderBytes = 1 << 20

// maxAddressTransports is the maximum number of hosts with transports of their own.
const maxAddressTransports = 512

// transports holds the connections to hosts, including idle ones.
type transports struct {
	remote   *http.Transport // HTTP/2 where the server offers it
	fallback *http.Transport // HTTP/1.1 only, for hosts with broken HTTP/2
	loopback *http.Transport
	lenient  *http.Transport // for answers whose header net/http rejects and browsers accept

	verifier *verifier
	mu       sync.Mutex
	byHost   map[transportKey]*http.Transport // for hosts that are IP addresses
}

type transportKey struct {
	of    *http.Transport
	hosts string
}

// newTransports returns the transports for a configuration. template has all settings
// that they share.
func newTransports(template *http.Transport, dialer *dialer, verifier *verifier, config HTTPConfig) *transports {
	concurrency, perHost := config.Concurrency, config.PerHost
	if concurrency <= 0 {
		concurrency = defaultConcurrency
	}
	if perHost <= 0 {
		perHost = defaultPerHost
	}
	transport := func(http2 bool, perHost int) *http.Transport {
		t := template.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = concurrency+perHost, perHost
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
		t.Protocols.SetHTTP2(http2)
		if http2 {
			// Without pings, each request on a connection that a middlebox has dropped
			// would wait for a timeout.
			t.HTTP2 = &http.HTTP2Config{SendPingTimeout: t.TLSHandshakeTimeout / 2, PingTimeout: t.TLSHandshakeTimeout / 2}
		}
		return t
	}
	return &transports{
		remote:   transport(true, perHost),
		fallback: transport(false, perHost),
		loopback: transport(true, concurrency),
		lenient:  newLenient(transport(false, perHost), dialer, verifier),
		verifier: verifier,
	}
}

// forTarget returns the transport for a URL and its proxy: t, or a copy of t that
// verifies certificates for IP addresses. If both target and proxy are IP addresses
// reached over TLS, the copy cannot tell their certificates apart and accepts either;
// the target's is verified again with the answer.
//
// TLS does not send the IP address of a server as its name (RFC 6066 section 3), so
// crypto/tls cannot tell VerifyConnection which server was meant. Each such host has
// its own transport, so that its certificate is verified before anything is sent,
// especially credentials.
func (ts *transports) forTarget(t *http.Transport, u urinorm.URL, proxy *url.URL) *http.Transport {
	var hosts []string
	if u.Scheme() == "https" && isAddress(u.Host()) {
		hosts = append(hosts, u.Host())
	}
	if proxy != nil && proxy.Scheme == "https" && isAddress(proxy.Hostname()) {
		hosts = append(hosts, proxy.Hostname())
	}
	if len(hosts) == 0 || ts.verifier.insecure || t == ts.lenient && proxy == nil {
		return t
	}
	key := transportKey{t, strings.Join(hosts, " ")}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if known := ts.byHost[key]; known != nil {
		return known
	}
	for old, transport := range ts.byHost {
		if len(ts.byHost) < maxAddressTransports {
			break
		}
		transport.CloseIdleConnections()
		delete(ts.byHost, old)
	}
	own := t.Clone()
	own.TLSClientConfig.VerifyConnection = func(state tls.ConnectionState) (err error) {
		if state.ServerName != "" {
			return ts.verifier.verify(state)
		}
		for _, host := range hosts {
			state.ServerName = host
			if err = ts.verifier.verify(state); err == nil {
				return nil
			}
		}
		return err
	}
	if ts.byHost == nil {
		ts.byHost = make(map[transportKey]*http.Transport)
	}
	ts.byHost[key] = own
	return own
}

// closeIdle closes idle connections.
func (ts *transports) closeIdle() {
	for _, t := range []*http.Transport{ts.remote, ts.fallback, ts.loopback, ts.lenient} {
		t.CloseIdleConnections()
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byHost {
		t.CloseIdleConnections()
	}
}

// isAddress reports whether a URL's host is an IP address.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
