package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// isSOCKS reports whether a proxy can forward any protocol.
func isSOCKS(proxy *url.URL) bool { return proxy != nil && strings.HasPrefix(proxy.Scheme, "socks5") }

// connector opens the connections to servers of other schemes than http and https. Their
// rules are those of an HTTP.
type connector struct {
	timeout  time.Duration // of each step
	origins  *Origins
	tls      *tls.Config
	verifier *verifier
	resolver *resolver
	dialer   *dialer
	proxies  *proxies
}

// tlsFor returns the configuration of connections to a host.
func (c *connector) tlsFor(host string) *tls.Config { return configFor(c.tls, c.verifier, host) }

// connect connects to a server. It uses the SOCKS proxy if there is one, which also looks up
// the name. Otherwise it connects directly, because an HTTP proxy forwards only HTTP. proxied
// is true if the connection goes through the proxy.
func (c *connector) connect(ctx context.Context, hostport string) (conn net.Conn, proxied bool, err error) {
	through, err := c.proxies.forOtherScheme(hostport)
	if err != nil || !isSOCKS(through) {
		if err == nil {
			conn, err = c.dialer.dial(ctx, "tcp", hostport)
			err = c.proxies.unproven(hostport, err)
		}
		return conn, false, err
	}
	host, _, _ := net.SplitHostPort(hostport)
	if err := c.dialer.checkProxied(ctx, host, hostport); err != nil {
		return nil, true, err
	}
	conn, err = c.dialSOCKS(ctx, through, hostport)
	return conn, true, err
}

// dialSOCKS connects through a SOCKS proxy (RFC 1928, RFC 1929).
func (c *connector) dialSOCKS(ctx context.Context, through *url.URL, hostport string) (net.Conn, error) {
	address := through.Host
	if through.Port() == "" {
		address = net.JoinHostPort(through.Hostname(), "1080")
	}
	var login *proxy.Auth
	if through.User != nil {
		password, _ := through.User.Password()
		login = &proxy.Auth{User: through.User.Username(), Password: password}
	}
	socks, err := proxy.SOCKS5("tcp", address, login, dialFunc(c.dialer.dial))
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	defer cancel()
	conn, err := socks.(proxy.ContextDialer).DialContext(limited, "tcp", hostport)
	var f *Fault
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &f):
		return nil, f
	}
	return nil, socksFault(hostport, err)
}

// dialFunc is the dialer with which package proxy connects to the proxy.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// DialContext calls d.
func (d dialFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d(ctx, network, address)
}

// Dial is never called: package proxy prefers DialContext.
func (d dialFunc) Dial(network, address string) (net.Conn, error) {
	return d(context.Background(), network, address)
}
