package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// How long and how much a resolver remembers. Go tells no TTL; a run is short
// enough for a fixed time to do.
const (
	dnsKeep       = 60 * time.Second // names with addresses
	dnsKeepAbsent = 10 * time.Second // names without
	maxNames      = 20_000
)

// resolver looks host names up, each once at a time, and remembers the answer for
// a while. Temporary failures are shared by those who wait for them and then
// forgotten, so that a retry asks again. It is safe for concurrent use.
type resolver struct {
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)
	timeout time.Duration // of one lookup

	ctx    context.Context // ends with the owner; lookups outlive the request that began them
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	names map[string]*lookup
}

// lookup is a name that is being looked up, or was.
type lookup struct {
	done    chan struct{} // closed when the fields below are set
	addrs   []netip.Addr
	err     error
	expires time.Time
}

// newResolver returns a resolver that asks server ("address:port"), or the
// system's resolver when server is empty.
func newResolver(server string, timeout time.Duration) *resolver {
	ctx, cancel := context.WithCancel(context.Background())
	return &resolver{
		lookup:  systemLookup(server),
		timeout: timeout,
		ctx:     ctx,
		cancel:  cancel,
		names:   make(map[string]*lookup),
	}
}

// close ends all lookups and waits for them.
func (r *resolver) close() {
	r.mu.Lock()
	r.cancel()
	r.mu.Unlock()
	r.wg.Wait()
}

// resolve returns the addresses of a host, which may be an address itself. The
// error is a *Fault of kind dns-not-found or dns-failure, or the context's.
func (r *resolver) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		// RFC 6761 section 6.3: no resolver is asked. Servers listen on either.
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	l := r.begin(name)
	select {
	case <-l.done:
		return l.addrs, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin returns the lookup of a name, a new one when there is none to share.
func (r *resolver) begin(name string) *lookup {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if l := r.names[name]; l != nil {
		select {
		case <-l.done:
			if now.Before(l.expires) {
				return l
			}
		default:
			return l
		}
	}
	if len(r.names) >= maxNames {
		r.forget(now)
	}
	l := &lookup{done: make(chan struct{})}
	if r.ctx.Err() != nil {
		l.err = context.Canceled
		close(l.done)
		return l
	}
	r.names[name] = l
	r.wg.Go(func() { r.run(name, l) })
	return l
}

// forget makes room: what has expired goes first, then whatever comes.
func (r *resolver) forget(now time.Time) {
	for name, l := range r.names {
		select {
		case <-l.done:
			if now.After(l.expires) {
				delete(r.names, name)
			}
		default:
		}
	}
	for name := range r.names {
		if len(r.names) < maxNames {
			return
		}
		delete(r.names, name) // one under way is finished by its own goroutine
	}
}

// run looks a name up and tells those who wait.
func (r *resolver) run(name string, l *lookup) {
	ctx, cancel := context.WithTimeout(r.ctx, r.timeout)
	defer cancel()
	addrs, err := r.lookup(ctx, "ip", absoluteName(name))
	if isNotFound(err) {
		// Asked for both families at once, the system may report the one that has
		// no record and hide that the other could not be asked.
		for _, network := range []string{"ip4", "ip6"} {
			more, familyErr := r.lookup(ctx, network, absoluteName(name))
			if addrs = append(addrs, more...); familyErr != nil && !isNotFound(familyErr) {
				err = familyErr
			}
		}
	}
	keep := time.Duration(0)
	switch {
	case len(addrs) > 0:
		err, keep = nil, dnsKeep
		for i := range addrs {
			addrs[i] = addrs[i].Unmap()
		}
	case err == nil || isNotFound(err):
		err, keep = dnsFault(name, err), dnsKeepAbsent
	default:
		err = dnsFault(name, err)
	}
	l.addrs, l.err, l.expires = addrs, err, time.Now().Add(keep)
	close(l.done)
}

func isNotFound(err error) bool {
	var dnsError *net.DNSError
	return errors.As(err, &dnsError) && dnsError.IsNotFound
}

// dnsFault says what kept a name from being resolved; no error means no address.
func dnsFault(name string, err error) *Fault {
	f := &Fault{Kind: "dns-failure", Op: "look up", Target: name, Retry: true}
	var dnsError *net.DNSError
	switch {
	case err == nil || isNotFound(err):
		f.Kind, f.Retry = "dns-not-found", false
		f.Err = &cause{"the name does not exist or has no address", err}
	case limitErrno(err) != 0:
		f.Local, f.Err = true, localLimit(err)
	case errors.Is(err, context.Canceled):
		f.Err = &cause{"the run ended", err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dnsError) && dnsError.IsTimeout:
		f.Err = &cause{"the name server did not answer in time", err}
	default:
		f.Err = &cause{"the name server could not tell", err}
	}
	return f
}

// systemLookup returns Go's own lookup, aimed at one server when one is given.
func systemLookup(server string) func(context.Context, string, string) ([]netip.Addr, error) {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if server != "" {
			address = server
		}
		return dialNameServer(ctx, network, address)
	}
	builtIn := &net.Resolver{PreferGo: true, Dial: dial}
	system := builtIn
	if server == "" {
		system = &net.Resolver{Dial: dial}
	}
	return func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		if strings.HasSuffix(host, ".") {
			return builtIn.LookupNetIP(ctx, network, host)
		}
		return system.LookupNetIP(ctx, network, host)
	}
}

// dialNameServer connects to a name server. Go's resolver goes on reading from the
// connection for seconds when its lookup was given up; closing it then leaves no
// goroutine behind.
func dialNameServer(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	if udp, ok := conn.(*net.UDPConn); ok {
		return datagramConn{udp, stop}, nil // the resolver looks for a net.PacketConn
	}
	return streamConn{conn, stop}, nil
}

type datagramConn struct {
	*net.UDPConn
	stop func() bool
}

func (c datagramConn) Close() error {
	c.stop()
	return c.UDPConn.Close()
}

type streamConn struct {
	net.Conn
	stop func() bool
}

func (c streamConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// absoluteName puts a dot behind a name that can't be meant relative to the
// machine's search list: with one, a resolver that finds no such name would go
// on to try it under the user's own domain, where a wildcard may answer for it.
// On other systems than Linux the system's resolver knows more than Go's
// (profiles, VPNs), so there it is left alone.
func absoluteName(name string) string {
	if runtime.GOOS != "linux" {
		return name
	}
	suffix, icann := publicsuffix.PublicSuffix(name)
	if !icann || suffix == name {
		return name
	}
	return name + "."
}

// checkServer reports what is wrong with the address of a name server.
func checkServer(server string) error {
	host, port, err := net.SplitHostPort(server)
	if err != nil || host == "" {
		return fmt.Errorf("parse name server %q: want ADDRESS:PORT", server)
	}
	if n, ok := parsePort(port); !ok || n == 0 {
		return fmt.Errorf("parse name server %q: %q is no port", server, port)
	}
	return nil
}
