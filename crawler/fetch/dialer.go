package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// attemptDelay is how long an address is given before the next one is tried
// beside it (RFC 8305 section 5).
const attemptDelay = 250 * time.Millisecond

// maxAttempts bounds how many addresses of a host are tried.
const maxAttempts = 8

// dialer opens connections: it resolves, refuses forbidden addresses, and tries
// the addresses of a host by Happy Eyeballs (RFC 8305). Errors are *Fault.
type dialer struct {
	resolver    *resolver
	timeout     time.Duration // of one connection, the lookup not included
	denyPrivate bool
	proxies     map[string]bool // addresses of proxies, which may be private
	connectTo   []connectTo
	connect     func(ctx context.Context, network, addr string) (net.Conn, error)

	ctx    context.Context // ends with the owner
	cancel context.CancelFunc
	mu     sync.Mutex // orders wg's first Add before its Wait
	wg     sync.WaitGroup
}

func newDialer(r *resolver, timeout time.Duration) *dialer {
	d := &dialer{resolver: r, timeout: timeout, proxies: make(map[string]bool)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.connect = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	return d
}

// close ends what is being dialled and waits for it.
func (d *dialer) close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
}

// startDial counts one dial that close must wait for; false when closed.
func (d *dialer) startDial() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return false
	}
	d.wg.Add(1)
	return true
}

// dial is for http.Transport's DialContext.
func (d *dialer) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	if !d.startDial() {
		return nil, context.Canceled
	}
	defer d.wg.Done()
	isProxy := d.proxies[hostport]
	if !isProxy {
		hostport = redirectConnection(d.connectTo, hostport)
	}
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, &Fault{Kind: "protocol-error", Op: "connect", Target: hostport, Err: err}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &Fault{Kind: "protocol-error", Op: "connect", Target: hostport, Err: err}
	}
	addrs, err := d.resolver.resolve(ctx, host)
	if err != nil {
		return nil, d.proxyFault(err, isProxy, hostport)
	}
	if d.denyPrivate && !isProxy {
		if addrs = publicOnly(addrs); len(addrs) == 0 {
			return nil, &Fault{Kind: "address-denied", Op: "connect", Target: hostport, Err: errDenied}
		}
	}
	// The transport may hand the connection to another request than the one that
	// asked for it, so only the owner's end and the time limit it bounds for sure.
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout, errTimeout)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.race(ctx, interleave(addrs), uint16(port))
	if err != nil {
		return nil, d.proxyFault(connectFault(hostport, d.timeout, ctx, err), isProxy, hostport)
	}
	return conn, nil
}

// checkProxied refuses private targets before a proxy is asked to go there. The host
// is named as in a URL or as resolvers want it.
func (d *dialer) checkProxied(ctx context.Context, host, target string) error {
	if !d.denyPrivate {
		return nil
	}
	addrs, err := d.resolver.resolve(ctx, host)
	if err != nil {
		return err
	}
	if len(publicOnly(addrs)) < len(addrs) {
		return &Fault{Kind: "address-denied", Op: "connect", Target: target, Err: errDenied}
	}
	return nil
}

// proxyFault marks a fault of the way to a proxy: it tells nothing of the target.
func (d *dialer) proxyFault(err error, isProxy bool, hostport string) error {
	var f *Fault
	if isProxy && errors.As(err, &f) {
		g := *f
		g.Local, g.Retry = true, true
		g.Err = &cause{"the proxy " + hostport + " can't be reached: " + f.Err.Error(), f.Err}
		return &g
	}
	return err
}

// race connects to the first address that answers. A new attempt begins when the
// one before failed or has taken too long; the slower ones are closed.
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
		d.wg.Go(func() {
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

// moreTelling picks the error that leaves most hope: a host that refuses on one
// address and is silent on another may still be there, and an address family
// this machine has no route for says nothing.
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

// interleave orders addresses for attempts (RFC 8305 section 4): the families
// take turns, beginning with the one the resolver put first.
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

var errDenied = errors.New("the address is private, and asking private addresses is forbidden")

// specialPurpose are networks beside those that netip can name that no public host
// is in: IANA's special-purpose address registries.
var specialPurpose = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network, RFC 791
	netip.MustParsePrefix("100.64.0.0/10"),   // carriers' address translation, RFC 6598
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments, RFC 6890
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation, RFC 5737
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarking, RFC 2544
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and the broadcast address
	netip.MustParsePrefix("100::/64"),        // discard, RFC 6666
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("fec0::/10"),       // site-local, deprecated
}

// Prefixes of IPv6 addresses that carry an IPv4 address, and where it begins.
var embedding = []struct {
	prefix netip.Prefix
	offset int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64, RFC 6052
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("2002::/16"), 2}, // 6to4, RFC 3056
	{netip.MustParsePrefix("::/96"), 12},    // IPv4-compatible, RFC 4291
}

// isPrivate reports whether an address is one that no public host has.
func isPrivate(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	if addr.IsLoopback() || addr.IsPrivate() || addr.IsUnspecified() || addr.IsMulticast() ||
		addr.IsLinkLocalUnicast() || addr.IsInterfaceLocalMulticast() {
		return true
	}
	for _, prefix := range specialPurpose {
		if prefix.Contains(addr) {
			return true
		}
	}
	for _, e := range embedding {
		if addr.Is6() && e.prefix.Contains(addr) {
			bytes := addr.As16()
			return isPrivate(netip.AddrFrom4([4]byte(bytes[e.offset : e.offset+4])))
		}
	}
	return false
}

// publicOnly returns the addresses that are not private.
func publicOnly(addrs []netip.Addr) []netip.Addr {
	var allowed []netip.Addr
	for _, addr := range addrs {
		if !isPrivate(addr) {
			allowed = append(allowed, addr)
		}
	}
	return allowed
}

// isLoopback reports whether a URL's host is this machine by its name or
// address: localhost, 127.0.0.0/8, [::1].
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
