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

// Limits on what a resolver caches. Go does not report TTLs, and a run is short enough
// for fixed lifetimes.
const (
	dnsLifetime        = 60 * time.Second // names with addresses
	dnsLifetimeMissing = 10 * time.Second // names without addresses
	maxNames           = 20_000
)

// dnsLifetimeFailed is the lifetime of a temporary failure. It is long enough to answer
// all waiting requests for the host at once, each of which would otherwise wait as long
// as the first, and shorter than the delay of a retry, which needs a new lookup.
const dnsLifetimeFailed = 200 * time.Millisecond

// Name servers and networks lose packets, especially under load, and Go's resolver
// repeats a lost query only after five seconds. So at most maxLookups names are looked
// up at a time. A query without an answer is repeated in parallel after dnsRepeatAfter,
// and again after twice that time. The first answer counts.
const (
	maxLookups     = 32
	dnsRepeatAfter = 500 * time.Millisecond
	dnsMaxQueries  = 3
)

// maxTimeouts is the number of consecutive lookups without an answer, of any names,
// after which only one lookup at a time waits for the name server, until it answers.
// Without a network, thousands of names would otherwise wait.
const maxTimeouts = 20

// resolver looks up host names, each only once at a time, and caches the results,
// including missing names and, briefly, temporary failures. It is safe for concurrent
// use.
type resolver struct {
	*tasks
	lookup   func(ctx context.Context, network, host string) ([]netip.Addr, error)
	timeout  time.Duration // of one lookup
	slots    chan struct{} // limits the number of simultaneous lookups
	timeouts atomic.Int32  // consecutive lookups without an answer
	probing  atomic.Bool   // a lookup is testing a name server that has stopped answering

	mu    sync.Mutex
	names map[string]*lookup
}

// lookup is a pending or finished lookup of a name.
type lookup struct {
	done    chan struct{} // closed when the other fields are set
	addrs   []netip.Addr
	err     error
	expires time.Time
}

// newResolver returns a resolver that queries server ("address:port"), or the system's
// resolver if server is empty.
func newResolver(server string, timeout time.Duration) *resolver {
	return &resolver{
		tasks:   newTasks(),
		lookup:  systemLookup(server),
		timeout: timeout,
		slots:   make(chan struct{}, maxLookups),
		names:   make(map[string]*lookup),
	}
}

// resolve returns the addresses of a host, which may itself be an address. The error is
// a *Fault of kind dns-not-found or dns-failure, or the context's error.
func (r *resolver) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		// RFC 6761 section 6.3: these names need no resolver. Servers listen on either
		// address.
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

// startLookup returns the pending or cached lookup of a name, or starts a new one.
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
	if !r.begin() {
		l.err = context.Canceled
		close(l.done)
		return l
	}
	r.names[name] = l
	go func() {
		defer r.end()
		r.run(name, l)
	}()
	return l
}

// evict makes room by deleting expired lookups first, then any others.
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
		delete(r.names, name) // a pending lookup finishes anyway
	}
}

// run looks up a name and wakes those who wait for it.
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

// attempt looks up a name. It fails at once if the name server has stopped answering
// and another lookup is testing it.
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

// errServerSilent is the result of lookups that do not wait for a name server that has
// stopped answering.
var errServerSilent = &net.DNSError{Err: "no lookup was answered", IsTimeout: true, IsTemporary: true}

// lookupResult is the result of one lookup.
type lookupResult struct {
	addrs []netip.Addr
	err   error
}

// addresses looks up a name in both address families separately. In a combined lookup,
// the system may report that one family has no record and hide that the query for the
// other failed. The returned error is the more informative of the two.
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

// lookUpRepeatedly looks up a name in one family and repeats the query in parallel if
// no answer comes. It cancels the other queries after the first answer.
func (r *resolver) lookUpRepeatedly(ctx context.Context, network, name string) lookupResult {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan lookupResult, dnsMaxQueries)
	ask := func() {
		r.open.Go(func() {
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

// isUnanswered reports whether a name server did not answer in time.
func isUnanswered(err error) bool {
	var dnsError *net.DNSError
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &dnsError) && dnsError.IsTimeout
}

// dnsFault returns the fault of a failed lookup. A nil error means that the name has no
// address.
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
		f.Err = &cause{"the name server reported a failure", err}
	}
	return f
}

// systemLookup returns the lookup function of the net package, directed at server if
// that is not empty.
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

// dialNameServer connects to a name server. Go's resolver keeps reading from the
// connection for seconds after a canceled lookup; closing it ends that goroutine.
func dialNameServer(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	end := endedBy{ctx}
	if udp, ok := conn.(*net.UDPConn); ok {
		return datagramConn{udp, end}, nil // the resolver checks for net.PacketConn
	}
	return streamConn{conn, end}, nil
}

// endedBy is the context of a connection to a name server, which is closed when it ends.
type endedBy struct{ ctx context.Context }

// readError converts the error of a read. A connection that was closed because of the
// deadline must not look like a fault of the name server.
func (e endedBy) readError(err error) error {
	if err != nil && errors.Is(e.ctx.Err(), context.DeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	return err
}

type datagramConn struct {
	*net.UDPConn
	endedBy
}

func (c datagramConn) Read(b []byte) (int, error) {
	n, err := c.UDPConn.Read(b)
	return n, c.readError(err)
}

type streamConn struct {
	net.Conn
	endedBy
}

func (c streamConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.readError(err)
}

// absoluteName appends a dot to a name that cannot be relative to the machine's search
// list. Otherwise a resolver that does not find the name would also try it under the
// user's own domain, where a wildcard might answer. On systems other than Linux the
// name stays as it is, because their resolvers know more than Go's (profiles, VPNs).
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

// checkNameServer returns an error if server is not a valid ADDRESS:PORT.
func checkNameServer(server string) error {
	host, port, err := net.SplitHostPort(server)
	if err != nil || host == "" {
		return fmt.Errorf("parse name server %q: want ADDRESS:PORT", server)
	}
	if n, ok := parsePort(port); !ok || n == 0 {
		return fmt.Errorf("parse name server %q: %q is not a port", server, port)
	}
	return nil
}
