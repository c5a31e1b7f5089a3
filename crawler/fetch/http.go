package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// HTTP is a Fetcher for http and https. It does not follow redirects, with one
// exception: if a host redirects a URL to itself and sets a cookie, HTTP repeats the
// request with that cookie, at most three times.
//
// Faults have the kinds dns-not-found, dns-failure, connect-refused, connection-reset,
// timeout, tls-expired, tls-hostname, tls-untrusted, tls-error, protocol-error,
// port-blocked, address-denied, and, from a body, body-truncated.
//
// HTTP is safe for concurrent use. Close it after all bodies are closed.
type HTTP struct {
	timeout       time.Duration
	maxBody       int64
	allowPorts    []int
	noEnvironment bool
	recorder      Recorder // nil for none
	replayer      Replayer // nil if requests are sent
	origins       *Origins
	profiles      *profiles
	accounts      accounts
	cookies       *cookies
	hosts         hostMemory
	issuers       *issuers

	commonIdentity     string // part of the Identity of every request
	clientCertIdentity string // part of the Identity of requests to start targets

	resolver *resolver
	dialer   *dialer
	verifier *verifier
	proxies  *proxies

	transports *transports
}

// NewHTTP checks the configuration and reads its files.
func NewHTTP(config HTTPConfig) (*HTTP, error) {
	h := &HTTP{
		timeout:       config.Timeout,
		maxBody:       config.MaxBody,
		allowPorts:    slices.Clone(config.AllowPorts),
		origins:       config.Origins,
		noEnvironment: config.NoEnvironment,
	}
	if h.timeout <= 0 {
		h.timeout = defaultTimeout
	}
	if h.maxBody <= 0 {
		h.maxBody = defaultMaxBody
	}
	var err error
	if h.profiles, err = newProfiles(config); err != nil {
		return nil, err
	}
	if h.accounts, err = newAccounts(config); err != nil {
		return nil, err
	}
	if h.cookies, err = newCookies(config.Cookies, config.Origins); err != nil {
		return nil, err
	}
	if h.cookies.groups, err = newCookieGroups(config.CookieGroups); err != nil {
		return nil, err
	}
	if h.proxies, err = newProxies(config.Proxy, !config.NoEnvironment); err != nil {
		return nil, err
	}
	if h.verifier, err = newVerifier(config); err != nil {
		return nil, err
	}
	tlsConfig, err := h.verifier.tlsConfig(config)
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
		if err := checkNameServer(config.DNSServer); err != nil {
			return nil, err
		}
	}
	h.resolver = newResolver(config.DNSServer, h.timeout)
	h.dialer = newDialer(h.resolver, h.timeout)
	h.dialer.connectTo = rules
	h.dialer.policy = config.AddressPolicy
	h.dialer.policy.AllowPrivate = slices.Clone(config.AllowPrivate)
	h.dialer.proxies = h.proxies.addresses
	h.proxies.direct = rules
	h.issuers = &issuers{verifier: h.verifier}
	if err := h.identify(config); err != nil {
		return nil, err
	}
	h.transports = newTransports(&http.Transport{
		Proxy:                  h.proxies.forRequest,
		ProxyConnectHeader:     http.Header{"User-Agent": h.profiles.userAgent},
		OnProxyConnectResponse: checkConnectAnswer,
		DialContext:            h.dialer.dialWatched,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    h.timeout,
		ResponseHeaderTimeout:  h.timeout,
		// HTTP decodes bodies itself: the transport supports only gzip and trusts the
		// label.
		DisableCompression:     true,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}, h.dialer, h.verifier, config)
	return h, nil
}

// Close cancels lookups and connection attempts and closes idle connections. No
// goroutine remains after all bodies are closed too.
func (h *HTTP) Close() {
	h.resolver.close()
	h.CloseIdleConnections()
}

// CloseIdleConnections closes idle connections. It frees descriptors and ports for a
// run that has too few.
func (h *HTTP) CloseIdleConnections() { h.transports.closeIdle() }

// Fetch sends a request and any further requests that the answer makes necessary.
func (h *HTTP) Fetch(ctx context.Context, req *Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a := &httpFetch{by: h, req: req, recorder: h.recorder}
	host := req.URL.Host()
	if scheme := req.URL.Scheme(); scheme != "http" && scheme != "https" || host == "" {
		return nil, a.fault("scheme-unchecked", "fetch", fmt.Errorf("not an http or https URL"))
	}
	if port := req.URL.EffectivePort(); !slices.Contains(h.allowPorts, port) {
		if reason := BlockedPort(port); reason != "" {
			return nil, a.fault("port-blocked", "connect", errors.New(reason))
		}
	}
	if len(host) > maxHostName+2 {
		return nil, a.fault("dns-not-found", "look up", errors.New("the host name is longer than DNS allows"))
	}
	if h.replayer != nil {
		a.replay = h.replayer.Begin(traffic.AskerOf(ctx, req.URL), req.URL.WithoutFragment())
	}
	a.loopback = isLoopback(host)
	a.facts = h.hosts.factsOf(req.URL)
	send := a.fetch
	if req.Form != nil {
		send = a.submit
	}
	resp, err := send(ctx)
	if a.replay != nil {
		a.requests = a.replay.Requests()
	}
	if err != nil {
		countRequests(err, a.requests)
		return nil, err
	}
	resp.Requests, resp.Dialed = a.requests, a.dialed
	return resp, nil
}

// maxHostName is the length of the longest DNS host name in the usual notation (RFC
// 1035 section 2.3.4), including a final dot.
const maxHostName = 254

// Replay lets each request get an answer that was kept. Nothing is sent any more: no connection
// is made, and no name is looked up. It must be called before the first request.
func (h *HTTP) Replay(from Replayer) { h.replayer = from }

// Record lets a Recorder see every exchange but those of sign-ins and with proxies. It must be
// called before the first request.
func (h *HTTP) Record(r Recorder) { h.recorder = r }

// Secrets returns what the user gave to be sent to servers: accounts as NAME:PASSWORD, and the
// values of headers and cookies with the names of the headers.
func (h *HTTP) Secrets() (accounts, values, headers []string) {
	add := func(a account) { accounts = append(accounts, a.name+":"+a.password) }
	if h.accounts.start != nil {
		add(*h.accounts.start)
	}
	for _, l := range h.accounts.logins {
		add(l.account)
	}
	for _, a := range h.accounts.machines {
		add(a)
	}
	if h.accounts.fallback != nil {
		add(*h.accounts.fallback)
	}
	for name, given := range h.profiles.given {
		headers, values = append(headers, name), append(values, given...)
	}
	for _, c := range h.cookies.file {
		values = append(values, c.cookie.Value)
	}
	return accounts, values, headers
}
