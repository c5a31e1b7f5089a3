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

// proxies says through which proxy a URL is asked.
type proxies struct {
	explicit     *url.URL                         // for every host that bypass does not spare
	bypass       func(*url.URL) (*url.URL, error) // explicit, or nil where NO_PROXY says so
	inherited    func(*url.URL) (*url.URL, error) // the environment's; nil for none
	otherSchemes func(*url.URL) (*url.URL, error) // the environment's for other schemes than the web's; nil for none
	direct       []connectTo                      // connections that were told where to go
	addresses    map[string]bool                  // host:port of the proxies
}

// newProxies reads the proxy of a flag, or when there is none those of the
// environment: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in either case,
// NO_PROXY with domains, addresses and CIDR networks.
func newProxies(flag string) (*proxies, error) {
	p := &proxies{addresses: make(map[string]bool)}
	environment := httpproxy.FromEnvironment()
	if flag != "" {
		u, err := p.parse(flag)
		if err != nil {
			return nil, err
		}
		p.explicit = u
		p.bypass = (&httpproxy.Config{HTTPProxy: flag, HTTPSProxy: flag, NoProxy: environment.NoProxy}).ProxyFunc()
		return p, nil
	}
	all := os.Getenv("all_proxy")
	if all == "" {
		all = os.Getenv("ALL_PROXY")
	}
	if environment.HTTPProxy == "" {
		environment.HTTPProxy = all
	}
	if environment.HTTPSProxy == "" {
		environment.HTTPSProxy = all
	}
	if all != "" {
		if _, err := p.parse(all); err != nil {
			return nil, err
		}
		p.otherSchemes = (&httpproxy.Config{HTTPProxy: all, NoProxy: environment.NoProxy}).ProxyFunc()
	}
	for _, proxy := range []string{environment.HTTPProxy, environment.HTTPSProxy} {
		if proxy == "" {
			continue
		}
		if _, err := p.parse(proxy); err != nil {
			return nil, err
		}
		p.inherited = environment.ProxyFunc()
	}
	return p, nil
}

// parse reads a proxy's URL and notes its address.
func (p *proxies) parse(proxy string) (*url.URL, error) {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("parse proxy: it is no URL with a host") // the text may hold a password
	}
	ports := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}
	port, ok := ports[u.Scheme]
	if !ok {
		return nil, fmt.Errorf("parse proxy %s: scheme %q is none of http, https, socks5, socks5h", u.Host, u.Scheme)
	}
	if u.Port() != "" {
		if port = u.Port(); !isPort(port) {
			return nil, fmt.Errorf("parse proxy %s: the port is none from 1 to 65535", u.Host)
		}
	}
	p.addresses[net.JoinHostPort(u.Hostname(), port)] = true
	return u, nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// forURL returns the proxy for a scheme of the web and an authority, nil for none.
func (p *proxies) forURL(scheme, authority string) (*url.URL, error) {
	if p.explicit == nil && p.inherited == nil {
		return nil, nil
	}
	u := &url.URL{Scheme: scheme, Host: authority}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return p.pick(u, net.JoinHostPort(u.Hostname(), port), p.inherited)
}

// forOtherScheme returns the proxy for a host and port that is asked by a scheme beside the
// web's: that of the flag, else ALL_PROXY's.
func (p *proxies) forOtherScheme(hostport string) (*url.URL, error) {
	// Which hosts are spared is decided as for http.
	return p.pick(&url.URL{Scheme: "http", Host: hostport}, hostport, p.otherSchemes)
}

func (p *proxies) pick(u *url.URL, hostport string, inherited func(*url.URL) (*url.URL, error)) (*url.URL, error) {
	if p.explicit == nil && inherited == nil || len(p.direct) > 0 && redirectConnection(p.direct, hostport) != hostport {
		return nil, nil
	}
	if p.explicit == nil {
		return inherited(u)
	}
	// A flag wins over what is usual for loopback hosts.
	if isLoopback(strings.TrimSuffix(u.Host, ":"+u.Port())) {
		return p.explicit, nil
	}
	return p.bypass(u)
}

// forRequest is for http.Transport's Proxy.
func (p *proxies) forRequest(r *http.Request) (*url.URL, error) {
	return p.forURL(r.URL.Scheme, r.URL.Host)
}

// proxyStatusError is a proxy's answer other than 200 to CONNECT. It is passed on
// as the answer to the request: 407 and 403 say that it was refused, 502 to 504
// that the proxy could not reach the host.
type proxyStatusError struct {
	status int
	header http.Header
}

func (e *proxyStatusError) Error() string { return fmt.Sprintf("the proxy answered %d", e.status) }

func (e *proxyStatusError) response() *http.Response {
	return &http.Response{StatusCode: e.status, ProtoMajor: 1, ProtoMinor: 1, Header: e.header, Body: http.NoBody}
}

// checkConnectAnswer is for http.Transport's OnProxyConnectResponse.
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
