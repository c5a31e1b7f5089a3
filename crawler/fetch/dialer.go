package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// attemptDelay is how long a connection attempt runs before the next address is tried
// in parallel (RFC 8305 section 5).
const attemptDelay = 250 * time.Millisecond

// maxAttempts is the maximum number of addresses of a host that are tried.
const maxAttempts = 8

// dialer opens connections. It resolves host names, rejects forbidden addresses, and
// tries the addresses of a host by Happy Eyeballs (RFC 8305). Its errors are of type
// *Fault.
type dialer struct {
	*tasks
	resolver  *resolver
	timeout   time.Duration // of one connection, without the lookup
	policy    AddressPolicy
	proxies   map[string]bool // addresses of proxies, which may be private
	connectTo []connectTo
	connect   func(ctx context.Context, network, addr string) (net.Conn, error)
}

func newDialer(r *resolver, timeout time.Duration) *dialer {
	return &dialer{
		tasks:    r.tasks,
		resolver: r,
		timeout:  timeout,
		proxies:  make(map[string]bool),
		connect:  (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext,
	}
}

// dialWatched is the DialContext function of http.Transport.
func (d *dialer) dialWatched(ctx context.Context, network, hostport string) (net.Conn, error) {
	conn, took, err := d.dialTimed(ctx, hostport)
	if err != nil {
		return nil, err
	}
	return newWatchedConn(conn, took), nil
}

// dial connects to a host or a proxy.
func (d *dialer) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	conn, _, err := d.dialTimed(ctx, hostport)
	return conn, err
}

// dialTimed connects to a host or a proxy. It returns how long that took, without the lookup.
func (d *dialer) dialTimed(ctx context.Context, hostport string) (net.Conn, time.Duration, error) {
	if !d.begin() {
		return nil, 0, context.Canceled
	}
	defer d.end()
	isProxy := d.proxies[hostport]
	if !isProxy {
		hostport = redirectConnection(d.connectTo, hostport)
	}
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, 0, &Fault{Kind: "protocol-error", Op: "connect", Target: hostport, Err: err}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, 0, &Fault{Kind: "protocol-error", Op: "connect", Target: hostport, Err: err}
	}
	addrs, err := d.resolver.resolve(ctx, host)
	if err != nil {
		return nil, 0, d.proxyFault(err, isProxy, hostport)
	}
	if !isProxy {
		if addrs = d.policy.allowed(addrs); len(addrs) == 0 {
			return nil, 0, deniedFault(hostport)
		}
	}
	// The transport may give the connection to a request other than the one that dialed
	// it. So the only reliable limits are the timeout and the end of the dialer.
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout, errTimeout)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	began := time.Now()
	conn, err := d.race(ctx, interleave(addrs), uint16(port))
	if err != nil {
		return nil, 0, d.proxyFault(connectFault(hostport, d.timeout, ctx, err), isProxy, hostport)
	}
	return conn, time.Since(began), nil
}

// deniedFault returns the fault of a host that has only denied addresses.
func deniedFault(target string) *Fault {
	return &Fault{Kind: "address-denied", Op: "connect", Target: target, Err: ErrAddressDenied}
}

// checkProxied rejects private targets before a proxy connects to them. host has the
// form used in URLs or the form used by resolvers. A name that this machine cannot look
// up is left to the proxy, which resolves names itself.
func (d *dialer) checkProxied(ctx context.Context, host, target string) error {
	if !d.policy.DenyPrivate {
		return nil
	}
	addrs, err := d.resolver.resolve(ctx, host)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return nil
	}
	if len(d.policy.allowed(addrs)) < len(addrs) {
		return deniedFault(target)
	}
	return nil
}

// proxyFault marks a fault as the proxy's: it says nothing about the target.
func (d *dialer) proxyFault(err error, isProxy bool, hostport string) error {
	var f *Fault
	if isProxy && errors.As(err, &f) {
		return unreachable("the proxy "+hostport, f)
	}
	return err
}

// race connects to the first address that answers. A new attempt starts when the
// previous one has failed or takes too long. Slower connections are closed.
func (d *dialer) race(ctx context.Context, addrs []netip.Addr, port uint16) (net.Conn, error) {
	if len(addrs) == 1 {
		return d.connect(ctx, "tcp", netip.AddrPortFrom(addrs[0], port).String())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type attempt struct {
		conn net.Conn
		err  error
	}
	results := make(chan attempt)
	start := func(addr netip.Addr) {
		d.open.Go(func() {
			conn, err := d.connect(ctx, "tcp", netip.AddrPortFrom(addr, port).String())
			select {
			case results <- attempt{conn, err}:
			case <-ctx.Done():
				if conn != nil {
					conn.Close()
				}
			}
		})
	}
	start(addrs[0])
	next, running := 1, 1
	delay := time.NewTimer(attemptDelay)
	defer delay.Stop()
	var worst error
	for {
		select {
		case result := <-results:
			if result.err == nil {
				return result.conn, nil
			}
			worst = moreTelling(worst, result.err)
			if running--; next < len(addrs) {
				delay.Reset(0)
			} else if running == 0 {
				return nil, worst
			}
		case <-delay.C:
			if next < len(addrs) {
				start(addrs[next])
				next, running = next+1, running+1
				delay.Reset(attemptDelay)
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// moreTelling returns the error that says more about the host. A host that refuses
// connections at one address and does not answer at another may still be there, and a
// missing route to an address family says nothing.
func moreTelling(a, b error) error {
	rank := func(err error) int {
		switch {
		case err == nil:
			return -1
		case HasErrno(err, syscall.ENETUNREACH), HasErrno(err, syscall.EADDRNOTAVAIL):
			return 0
		case HasErrno(err, syscall.ECONNREFUSED):
			return 1
		}
		return 2
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// Locate implements Locator. It does not know where a proxy sends a request.
func (h *HTTP) Locate(ctx context.Context, u urinorm.URL) (netip.Addr, bool) {
	host := strings.Trim(u.Host(), "[]")
	if h.replayer != nil || host == "" || len(host) > maxHostName {
		return netip.Addr{}, false
	}
	if proxy, err := h.proxies.forURL(u.Scheme(), u.Authority()); proxy != nil || err != nil {
		return netip.Addr{}, false
	}
	to := redirectConnection(h.dialer.connectTo, net.JoinHostPort(host, strconv.Itoa(u.EffectivePort())))
	host, _, err := net.SplitHostPort(to)
	if err != nil {
		return netip.Addr{}, false
	}
	addrs, err := h.resolver.resolve(ctx, host)
	if addrs = h.dialer.policy.allowed(addrs); err != nil || len(addrs) == 0 {
		return netip.Addr{}, false
	}
	return slices.MinFunc(addrs, netip.Addr.Compare), true
}

// interleave orders addresses for connection attempts (RFC 8305 section 4). The address
// families alternate, starting with that of the resolver's first address.
func interleave(addrs []netip.Addr) []netip.Addr {
	if len(addrs) < 2 {
		return addrs
	}
	var first, second []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() == addrs[0].Is4() {
			first = append(first, addr)
		} else {
			second = append(second, addr)
		}
	}
	mixed := make([]netip.Addr, 0, len(addrs))
	for i := 0; len(mixed) < min(len(addrs), maxAttempts); i++ {
		if i < len(first) {
			mixed = append(mixed, first[i])
		}
		if i < len(second) {
			mixed = append(mixed, second[i])
		}
	}
	return mixed
}

// isLoopback reports whether a URL's host is a name or address of this machine:
// localhost, 127.0.0.0/8, [::1].
func isLoopback(host string) bool {
	if host == "localhost" || host == "[::1]" {
		return true
	}
	if len(host) < 4 || host[:4] != "127." {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// dialKnown connects to the address of a host that a connection leads to: the address has
// been looked up and checked, and no --connect-to rule applies.
func (d *dialer) dialKnown(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	if !d.begin() {
		return nil, context.Canceled
	}
	defer d.end()
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout, errTimeout)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.connect(ctx, "tcp", to.String())
	if err != nil {
		err = connectFault(to.String(), d.timeout, ctx, err)
	}
	return conn, err
}
