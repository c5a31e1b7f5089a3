package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/publicsuffix"
)

// How long and how much a resolver remembers. Go tells no TTL; a run is short
// enough for a fixed time to do.
const (
	dnsLifetime        = 60 * time.Second // names with addresses
	dnsLifetimeMissing = 10 * time.Second // names without
	maxNames           = 20_000
)

// dnsLifetimeFailed is how long a temporary failure is remembered: long enough to answer
// all who are in line for the host at once, as each would wait as long as the first
// did, and shorter than the wait before a retry, which asks again.
const dnsLifetimeFailed = 200 * time.Millisecond

// Name servers and the way to them lose packets, the more the more come at once, and
// Go's resolver sends a lost question again after five seconds only. So no more than
// maxLookups names are looked up at a time, and a question that has not been answered
// after dnsRepeatAfter is asked once more beside it, and again after twice as long: the
// first answer counts.
const (
	maxLookups     = 32
	dnsRepeatAfter = 500 * time.Millisecond
	dnsMaxQueries  = 3
)

// A name server that let so many lookups in a row, of whatever names, go without an
// answer is not waited for any more but by one lookup at a time, until it answers:
// there may be thousands of names, and no network.
const maxTimeouts = 20

// resolver looks host names up, each once at a time, and remembers the answer for
// a while: one that says there is no such name, too, and a temporary failure for a
// moment. It is safe for concurrent use.
type resolver struct {
	lookup   func(ctx context.Context, network, host string) ([]netip.Addr, error)
	timeout  time.Duration // of one lookup
	slots    chan struct{} // as many as names are looked up at a time
	timeouts atomic.Int32  // lookups in a row without an answer
	probing  atomic.Bool   // one asks a name server that answers nobody

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
		slots:   make(chan struct{}, maxLookups),
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
	l := r.startLookup(name)
	select {
	case <-l.done:
		return l.addrs, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// startLookup returns the lookup of a name, a new one when there is none to share.
func (r *resolver) startLookup(name string) *lookup {
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
		r.evict(now)
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

// evict makes room: what has expired goes first, then whatever comes.
func (r *resolver) evict(now time.Time) {
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
	addrs, err := r.attempt(name)
	keep := dnsLifetime
	switch {
	case len(addrs) > 0:
		err = nil
	case err == nil || isNotFound(err):
		err, keep = dnsFault(name, err), dnsLifetimeMissing
	default:
		err, keep = dnsFault(name, err), dnsLifetimeFailed
	}
	l.addrs, l.err, l.expires = addrs, err, time.Now().Add(keep)
	close(l.done)
}

// attempt looks a name up, unless the name server answers nobody.
func (r *resolver) attempt(name string) ([]netip.Addr, error) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	if r.timeouts.Load() >= maxTimeouts {
		if !r.probing.CompareAndSwap(false, true) {
			return nil, errServerSilent
		}
		defer r.probing.Store(false)
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.timeout)
	defer cancel()
	addrs, err := r.addresses(ctx, absoluteName(name))
	if isUnanswered(err) {
		r.timeouts.Add(1)
	} else {
		r.timeouts.Store(0)
	}
	return addrs, err
}

// errServerSilent is the answer for who does not wait for a name server that answers nobody.
var errServerSilent = &net.DNSError{Err: "no lookup was answered", IsTimeout: true, IsTemporary: true}

// lookupResult is what one lookup brought.
type lookupResult struct {
	addrs []netip.Addr
	err   error
}

// addresses looks a name up in both families, each by itself: asked for both, the
// system may report the one that has no record and hide that the other could not be
// asked. The error is the one that says more than that there is no such name.
func (r *resolver) addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	var v6 lookupResult
	var both sync.WaitGroup
	both.Go(func() { v6 = r.lookUpRepeatedly(ctx, "ip6", name) })
	v4 := r.lookUpRepeatedly(ctx, "ip4", name)
	both.Wait()
	var addrs []netip.Addr
	for _, addr := range append(v4.addrs, v6.addrs...) {
		if addr = addr.Unmap(); !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
		}
	}
	if v4.err == nil || isNotFound(v4.err) && v6.err != nil {
		return addrs, v6.err
	}
	return addrs, v4.err
}

// lookUpRepeatedly looks a name up in one family, and once more beside it when no answer
// comes. Lookups that nobody waits for any more are ended.
func (r *resolver) lookUpRepeatedly(ctx context.Context, network, name string) lookupResult {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan lookupResult, dnsMaxQueries)
	ask := func() {
		r.wg.Go(func() {
			addrs, err := r.lookup(ctx, network, name)
			answers <- lookupResult{addrs, err}
		})
	}
	ask()
	patience := dnsRepeatAfter
	again := time.NewTimer(patience)
	defer again.Stop()
	for asked := 1; ; {
		select {
		case a := <-answers:
			return a
		case <-again.C:
			ask()
			if asked++; asked < dnsMaxQueries {
				patience *= 2
				again.Reset(patience)
			}
		}
	}
}

func isNotFound(err error) bool {
	var dnsError *net.DNSError
	return errors.As(err, &dnsError) && dnsError.IsNotFound
}

// isUnanswered reports whether a name server was waited for in vain.
func isUnanswered(err error) bool {
	var dnsError *net.DNSError
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &dnsError) && dnsError.IsTimeout
}

// dnsFault says what kept a name from being resolved; no error means no address.
func dnsFault(name string, err error) *Fault {
	f := &Fault{Kind: "dns-failure", Op: "look up", Target: name, Retry: true}
	switch {
	case err == nil || isNotFound(err):
		f.Kind, f.Retry = "dns-not-found", false
		f.Err = &cause{"the name does not exist or has no address", err}
	case limitErrno(err) != 0:
		f.Local, f.Err = true, localLimit(err)
	case errors.Is(err, context.Canceled):
		f.Err = &cause{"the run ended", err}
	case isUnanswered(err):
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
	end := closeOnDone{ctx, context.AfterFunc(ctx, func() { conn.Close() })}
	if udp, ok := conn.(*net.UDPConn); ok {
		return datagramConn{udp, end}, nil // the resolver looks for a net.PacketConn
	}
	return streamConn{conn, end}, nil
}

// closeOnDone is what becomes of a connection to a name server.
type closeOnDone struct {
	ctx  context.Context
	stop func() bool
}

// readError is the error of a read: that of a connection which was closed because time is
// up must not be taken for the name server's fault.
func (e closeOnDone) readError(err error) error {
	if err != nil && errors.Is(e.ctx.Err(), context.DeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	return err
}

type datagramConn struct {
	*net.UDPConn
	closeOnDone
}

func (c datagramConn) Read(b []byte) (int, error) {
	n, err := c.UDPConn.Read(b)
	return n, c.readError(err)
}

func (c datagramConn) Close() error {
	c.stop()
	return c.UDPConn.Close()
}

type streamConn struct {
	net.Conn
	closeOnDone
}

func (c streamConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.readError(err)
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

// checkNameServer reports what is wrong with the address of a name server.
func checkNameServer(server string) error {
	host, port, err := net.SplitHostPort(server)
	if err != nil || host == "" {
		return fmt.Errorf("parse name server %q: want ADDRESS:PORT", server)
	}
	if n, ok := parsePort(port); !ok || n == 0 {
		return fmt.Errorf("parse name server %q: %q is no port", server, port)
	}
	return nil
}
