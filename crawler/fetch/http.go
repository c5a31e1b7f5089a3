package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Defaults of an HTTPConfig.
const (
	DefaultTimeout     = 20 * time.Second
	DefaultConcurrency = 64
	DefaultPerHost     = 8
	DefaultMaxBody     = 10 << 20
	DefaultTLSExpiry   = 14 * 24 * time.Hour
)

// wholeFactor times the time limit bounds a whole exchange.
const wholeFactor = 5

// maxHeaderBytes bounds the header of an answer. Real sites send 64 KB of
// Content-Security-Policy.
const maxHeaderBytes = 1 << 20

// HTTPConfig says how requests over HTTP are sent. The zero value has the
// defaults of the command line.
type HTTPConfig struct {
	UserAgent      string // "" means DefaultUserAgent(Version)
	Version        string // of the program, for the User-Agent
	AcceptLanguage string // "" means English first, then any

	// Timeout bounds, each: connecting, the TLS handshake, the wait for the
	// answer's header, the longest silence within a body, and the lookup of a name.
	// A whole exchange may take five times that. 0 means 20 s.
	Timeout time.Duration
	// Concurrency is how many requests are under way at once, PerHost how many to
	// one host: so many idle connections are kept. 0 means 64 and 8. A loopback
	// host may have Concurrency of them.
	Concurrency, PerHost int
	// MaxBody is how much of a body its reader will want, in bytes, content
	// codings removed; 0 means 10 MiB. Bodies are not cut here: the reader takes one
	// byte more to learn that there was more.
	MaxBody int64

	CAFile                string        // PEM file of authorities trusted beside the system's
	Insecure              bool          // certificates are not verified
	ClientCert, ClientKey string        // PEM files; offered to internal hosts only
	TLSExpiry             time.Duration // certificates that expire sooner are noted; 0 means 14 days, negative never

	// Proxy is an http, https, socks5 or socks5h URL, used for every host that
	// NO_PROXY does not name; "" means the environment's proxies, which are never
	// used for loopback hosts.
	Proxy     string
	ConnectTo []ConnectTo // connections to these hosts go elsewhere, and past any proxy
	DNSServer string      // "address:port"; "" means the system's

	// Credentials are NAME:PASSWORD for the internal hosts, by Basic or Digest.
	Credentials string
	// Logins are NAME:PASSWORD by authority, for internal hosts: what stood in the
	// URLs that the user named. Credentials win over them.
	Logins map[string]string
	// Netrc is a netrc file; each entry is for its own machine, "default" for the
	// internal hosts.
	Netrc string
	// Header is sent to internal hosts only.
	Header http.Header
	// Cookies is a cookies.txt file in Netscape format; each cookie goes to its own
	// domain.
	Cookies string

	// AllowPorts are ports that are asked although browsers refuse them.
	AllowPorts []int
	// DenyPrivate refuses to connect to addresses that are not public.
	DenyPrivate bool
}

// HTTP is a Fetcher for http and https. It never follows a redirect, with one
// exception: where a host answers with a redirect to the very same URL and sets a
// cookie, the URL is asked again with that cookie, at most three times.
//
// Faults are of the kinds dns-not-found, dns-failure, connect-refused,
// connection-reset, timeout, tls-expired, tls-hostname, tls-untrusted, tls-error,
// protocol-error, port-blocked, address-denied, and body-truncated from a body.
//
// An HTTP is safe for concurrent use. Close it when all bodies are closed.
type HTTP struct {
	timeout   time.Duration
	maxBody   int64
	tlsExpiry time.Duration // negative: no note
	// Values of headers, ready for use.
	userAgent []string
	alternate []string // User-Agent of the second header profile
	language  []string

	allowPorts []int
	headers    http.Header // for internal hosts
	accounts   accounts
	cookies    *cookies
	hosts      hostMemory
	issuers    *issuers

	general    string // identity: what holds for every request
	clientCert string // identity: what is shown to internal hosts

	resolver *resolver
	dialer   *dialer
	verifier *verifier
	proxies  *proxies

	remote   *http.Transport // HTTP/2 where the server offers it
	fallback *http.Transport // HTTP/1.1 only, for hosts whose HTTP/2 is broken
	loopback *http.Transport

	addressed addressed // those of hosts that are addresses
}

// NewHTTP checks the configuration and reads the files it names.
func NewHTTP(config HTTPConfig) (*HTTP, error) {
	h := &HTTP{
		timeout:    config.Timeout,
		maxBody:    config.MaxBody,
		tlsExpiry:  config.TLSExpiry,
		userAgent:  []string{config.UserAgent},
		alternate:  []string{config.UserAgent},
		language:   []string{config.AcceptLanguage},
		allowPorts: slices.Clone(config.AllowPorts),
		headers:    config.Header.Clone(),
	}
	if h.timeout <= 0 {
		h.timeout = DefaultTimeout
	}
	if h.maxBody <= 0 {
		h.maxBody = DefaultMaxBody
	}
	if h.tlsExpiry == 0 {
		h.tlsExpiry = DefaultTLSExpiry
	}
	if config.UserAgent == "" {
		h.userAgent[0], h.alternate[0] = DefaultUserAgent(config.Version), alternateUserAgent(config.Version)
	}
	if config.AcceptLanguage == "" {
		h.language[0] = defaultLanguage
	}
	err := checkHeaders(config)
	if err != nil {
		return nil, err
	}
	if h.accounts, err = newAccounts(config.Credentials, config.Logins, config.Netrc); err != nil {
		return nil, err
	}
	if h.cookies, err = newCookies(config.Cookies); err != nil {
		return nil, err
	}
	if h.proxies, err = newProxies(config.Proxy); err != nil {
		return nil, err
	}
	if h.verifier, err = newVerifier(config.CAFile, config.Insecure); err != nil {
		return nil, err
	}
	tlsConfig, err := h.tlsConfig(config)
	if err != nil {
		return nil, err
	}
	rules := make([]connectTo, len(config.ConnectTo))
	for i, rule := range config.ConnectTo {
		if rules[i], err = rule.compile(); err != nil {
			return nil, err
		}
	}
	if config.DNSServer != "" {
		if err := checkServer(config.DNSServer); err != nil {
			return nil, err
		}
	}
	h.resolver = newResolver(config.DNSServer, h.timeout)
	h.dialer = newDialer(h.resolver, h.timeout)
	h.dialer.connectTo = rules
	h.dialer.denyPrivate = config.DenyPrivate
	h.dialer.proxies = h.proxies.addresses
	h.proxies.direct = rules
	h.issuers = newIssuers(h)
	if err := h.identify(config); err != nil {
		return nil, err
	}

	concurrency, perHost := config.Concurrency, config.PerHost
	if concurrency <= 0 {
		concurrency = DefaultConcurrency
	}
	if perHost <= 0 {
		perHost = DefaultPerHost
	}
	h.remote = h.transport(tlsConfig, true, concurrency, perHost)
	h.fallback = h.transport(tlsConfig, false, concurrency, perHost)
	h.loopback = h.transport(tlsConfig, true, concurrency, concurrency)
	return h, nil
}

// checkHeaders refuses headers that could not be sent. The error does not repeat a
// value, which may be a secret.
func checkHeaders(config HTTPConfig) error {
	given := config.Header.Clone()
	if given == nil {
		given = http.Header{}
	}
	given["User-Agent"] = append(given["User-Agent"], config.UserAgent)
	given["Accept-Language"] = append(given["Accept-Language"], config.AcceptLanguage)
	for name, values := range given {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("check header %q: it is no name a header can have", name)
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("check header %s: its value holds control characters", name)
			}
		}
	}
	return nil
}

// transport returns a tuned http.Transport.
func (h *HTTP) transport(tlsConfig *tls.Config, http2 bool, concurrency, perHost int) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(http2)
	t := &http.Transport{
		Proxy:                  h.proxies.choose,
		ProxyConnectHeader:     http.Header{"User-Agent": h.userAgent},
		OnProxyConnectResponse: proxyAnswer,
		DialContext:            h.dialer.dial,
		TLSClientConfig:        tlsConfig.Clone(),
		TLSHandshakeTimeout:    h.timeout,
		ResponseHeaderTimeout:  h.timeout,
		// Decoding is ours: the transport knows gzip only, and believes the label.
		DisableCompression:     true,
		MaxIdleConns:           concurrency + perHost,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              protocols,
	}
	if http2 {
		// A connection that a middlebox dropped would otherwise cost a time limit for
		// each request that is put on it.
		t.HTTP2 = &http.HTTP2Config{SendPingTimeout: h.timeout / 2, PingTimeout: h.timeout / 2}
	}
	return t
}

// Close ends lookups and connections under way and closes idle connections. No
// goroutine is left when all bodies are closed too.
func (h *HTTP) Close() {
	h.dialer.close()
	h.resolver.close()
	h.CloseIdleConnections()
}

// Fetch sends one request, and those few more that its answer calls for.
func (h *HTTP) Fetch(ctx context.Context, req *Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a := &asking{HTTP: h, req: req}
	host := req.URL.Host()
	if scheme := req.URL.Scheme(); scheme != "http" && scheme != "https" || host == "" {
		return nil, a.fault("scheme-unchecked", "fetch", fmt.Errorf("no http or https URL"))
	}
	if port := req.URL.EffectivePort(); !slices.Contains(h.allowPorts, port) {
		if reason := BlockedPort(port); reason != "" {
			return nil, a.fault("port-blocked", "connect", errors.New(reason))
		}
	}
	if len(host) > maxHostName+2 {
		return nil, a.fault("dns-not-found", "look up", errors.New("the host name is longer than DNS allows"))
	}
	a.loopback = isLoopback(host)
	a.memory = h.hosts.of(req.URL)
	resp, err := a.run(ctx)
	if err != nil {
		var f *Fault
		if errors.As(err, &f) {
			f.Requests = a.requests
		}
		return nil, err
	}
	resp.Requests = a.requests
	return resp, nil
}

// maxHostName is the longest host name of the DNS in its usual spelling (RFC 1035
// section 2.3.4), with room for a dot at its end.
const maxHostName = 254

// DefaultUserAgent is how we introduce ourselves: honestly, in the shape that
// servers expect, and without the words for which stock firewall rules turn
// visitors away.
func DefaultUserAgent(version string) string {
	return "Mozilla/5.0 (compatible; Orbweaver" + slashVersion(version) + "; +https://github.com/orbweaver/orbweaver)"
}

// alternateUserAgent is for the second header profile: as honest, in the shape of
// a browser's own.
func alternateUserAgent(version string) string {
	return "Mozilla/5.0 (X11; Linux x86_64) Orbweaver" + slashVersion(version)
}

func slashVersion(version string) string {
	if version = strings.TrimSpace(version); version == "" {
		return ""
	}
	return "/" + version
}
