package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxies selects the proxy for a URL.
type proxies struct {
	web       *proxyRules     // for http and https; nil if there is no proxy
	other     *proxyRules     // for other schemes; nil if there is no proxy
	direct    []connectTo     // connections that go directly to another address
	addresses map[string]bool // "host:port" of each proxy
}

// proxyRules say which proxy is used for a URL.
type proxyRules struct {
	explicit *url.URL                         // the proxy that a flag names; nil for those of the environment
	choose   func(*url.URL) (*url.URL, error) // returns the proxy, or nil if NO_PROXY says so
}

// newProxies returns the proxy given by a flag, or the proxies of the environment:
// HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in either case. NO_PROXY may contain
// domains, addresses and CIDR networks. Without environment, only the flag counts.
func newProxies(flag string, environment bool) (*proxies, error) {
	p := &proxies{addresses: make(map[string]bool)}
	if flag == "" && !environment {
		return p, nil
	}
	inherited := httpproxy.FromEnvironment()
	if flag != "" {
		u, err := p.parse(flag)
		if err != nil {
			return nil, err
		}
		p.web = &proxyRules{u, (&httpproxy.Config{HTTPProxy: flag, HTTPSProxy: flag, NoProxy: inherited.NoProxy}).ProxyFunc()}
		p.other = p.web
		return p, nil
	}
	all := os.Getenv("all_proxy")
	if all == "" {
		all = os.Getenv("ALL_PROXY")
	}
	if inherited.HTTPProxy == "" {
		inherited.HTTPProxy = all
	}
	if inherited.HTTPSProxy == "" {
		inherited.HTTPSProxy = all
	}
	if all != "" {
		if _, err := p.parse(all); err != nil {
			return nil, err
		}
		p.other = &proxyRules{choose: (&httpproxy.Config{HTTPProxy: all, NoProxy: inherited.NoProxy}).ProxyFunc()}
	}
	for _, proxy := range []string{inherited.HTTPProxy, inherited.HTTPSProxy} {
		if proxy == "" {
			continue
		}
		if _, err := p.parse(proxy); err != nil {
			return nil, err
		}
		p.web = &proxyRules{choose: inherited.ProxyFunc()}
	}
	return p, nil
}

// parse parses a proxy's URL and records its address.
func (p *proxies) parse(proxy string) (*url.URL, error) {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("parse proxy: not a URL with a host") // the value may contain a password
	}
	ports := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}
	port, ok := ports[u.Scheme]
	if !ok {
		return nil, fmt.Errorf("parse proxy %s: scheme %q is not http, https, socks5 or socks5h", u.Host, u.Scheme)
	}
	if u.Port() != "" {
		if port = u.Port(); !isPort(port) {
			return nil, fmt.Errorf("parse proxy %s: the port is not between 1 and 65535", u.Host)
		}
	}
	p.addresses[net.JoinHostPort(u.Hostname(), port)] = true
	return u, nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// forURL returns the proxy for an http or https authority, or nil if there is none.
func (p *proxies) forURL(scheme, authority string) (*url.URL, error) {
	if p.web == nil {
		return nil, nil
	}
	u := &url.URL{Scheme: scheme, Host: authority}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return p.pick(u, net.JoinHostPort(u.Hostname(), port), p.web)
}

// forOtherScheme returns the proxy for a host and port of another scheme: that of the
// flag, else that of ALL_PROXY.
func (p *proxies) forOtherScheme(hostport string) (*url.URL, error) {
	// Hosts are excluded by the same rules as for http.
	return p.pick(&url.URL{Scheme: "http", Host: hostport}, hostport, p.other)
}

// UsesProxy reports whether there is a proxy for any host.
func (h *HTTP) UsesProxy() bool { return h.proxies.web != nil }

// unproven returns the error of a lookup for a host that is otherwise reached through a
// proxy: names that only the proxy knows exist too.
func (p *proxies) unproven(host string, err error) error {
	var f *Fault
	if !errors.As(err, &f) || f.Kind != "dns-not-found" {
		return err
	}
	if through, fault := p.forURL("https", host); fault != nil || through == nil {
		return err
	}
	g := *f
	g.Kind, g.Err = "dns-failure", &cause{"this machine does not know the name, but the proxy may", f.Err}
	return &g
}

func (p *proxies) pick(u *url.URL, hostport string, by *proxyRules) (*url.URL, error) {
	if by == nil || len(p.direct) > 0 && redirectConnection(p.direct, hostport) != hostport {
		return nil, nil
	}
	// An explicit flag takes precedence over the exclusion of loopback hosts.
	if by.explicit != nil && isLoopback(strings.TrimSuffix(u.Host, ":"+u.Port())) {
		return by.explicit, nil
	}
	return by.choose(u)
}

// forRequest is the Proxy function of http.Transport.
func (p *proxies) forRequest(r *http.Request) (*url.URL, error) {
	return p.forURL(r.URL.Scheme, r.URL.Host)
}

// proxyStatusError is a proxy's answer to CONNECT with a status other than 200. It
// becomes the answer to the request: 407 and 403 mean that the proxy refused, 502 to
// 504 that it could not reach the host.
type proxyStatusError struct {
	status int
	header http.Header
}

func (e *proxyStatusError) Error() string { return fmt.Sprintf("the proxy answered %d", e.status) }

func (e *proxyStatusError) response() *http.Response {
	return &http.Response{StatusCode: e.status, ProtoMajor: 1, ProtoMinor: 1, Header: e.header, Body: http.NoBody}
}

// checkConnectAnswer is the OnProxyConnectResponse function of http.Transport.
func checkConnectAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	header := http.Header{}
	for _, name := range []string{"Retry-After", "Proxy-Authenticate", "Via"} {
		if values := resp.Header.Values(name); len(values) > 0 {
			header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return &proxyStatusError{resp.StatusCode, header}
}
