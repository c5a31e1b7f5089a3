package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a DNS server on a loopback port. The first label of a name determines
// its answer: nx-, nodata-, servfail-, refused-, silent-, lame6- (no A record, and
// SERVFAIL for AAAA), v4-, both-, tcp- (a truncated answer over UDP).
type nameServer struct {
	address string
	mu      sync.Mutex
	asked   []string // "A name"
}

func serveNames(t *testing.T) *nameServer {
	t.Helper()
	conn, listener := listenBoth(t)
	s := &nameServer{address: conn.LocalAddr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			stream, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serveStream(stream) })
		}
	})
	wg.Go(func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := s.reply(packet[:n], false); reply != nil {
				conn.WriteTo(reply, from)
			}
		}
	})
	t.Cleanup(func() { conn.Close(); listener.Close(); wg.Wait() })
	return s
}

// listenBoth listens on one port over UDP and TCP.
func listenBoth(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for try := 0; ; try++ {
		conn, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("tcp", conn.LocalAddr().String())
		if err == nil {
			return conn, listener
		}
		conn.Close() // another program uses that TCP port
		if try == 100 {
			t.Fatal(err)
		}
	}
}

// serveStream answers over TCP, where each message follows its length (RFC 1035 section
// 4.2.2).
func (s *nameServer) serveStream(conn net.Conn) {
	defer conn.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		packet := make([]byte, int(length[0])<<8|int(length[1]))
		if _, err := io.ReadFull(conn, packet); err != nil {
			return
		}
		reply := s.reply(packet, true)
		conn.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...))
	}
}

func (s *nameServer) reply(packet []byte, stream bool) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimPrefix(q.Type.String(), "Type")+" "+q.Name.String())
	s.mu.Unlock()
	kind, _, _ := strings.Cut(q.Name.String(), "-")
	m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true}
	m.Additionals = nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 60}
	a := dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}
	aaaa := dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: [16]byte{15: 1}}}
	switch kind {
	case "nx":
		m.RCode = dnsmessage.RCodeNameError
	case "nodata":
	case "servfail":
		m.RCode = dnsmessage.RCodeServerFailure
	case "refused":
		m.RCode = dnsmessage.RCodeRefused
	case "silent":
		return nil
	case "lame6":
		if q.Type == dnsmessage.TypeAAAA {
			m.RCode = dnsmessage.RCodeServerFailure
		}
	case "both", "v4", "tcp":
		switch {
		case kind == "tcp" && !stream:
			m.Truncated = true
		case q.Type == dnsmessage.TypeA:
			m.Answers = []dnsmessage.Resource{a}
		case q.Type == dnsmessage.TypeAAAA && kind == "both":
			m.Answers = []dnsmessage.Resource{aaaa}
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

func (s *nameServer) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	slices.Sort(asked)
	return asked
}

func TestNameServer(t *testing.T) {
	names := serveNames(t)
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	h := newHTTP(t, HTTPConfig{DNSServer: names.address})
	for _, row := range []struct{ host, kind, text string }{
		{"v4-host.example.com", "", ""},
		{"both-host.example.com", "", ""},
		{"tcp-host.example.com", "", ""},
		{"nx-host.example.com", "dns-not-found", "look up nx-host.example.com: the name does not exist or has no address"},
		{"nodata-host.example.com", "dns-not-found", "look up nodata-host.example.com: the name does not exist or has no address"},
		{"servfail-host.example.com", "dns-failure", "look up servfail-host.example.com: the name server reported a failure"},
		{"refused-host.example.com", "dns-failure", "look up refused-host.example.com: the name server reported a failure"},
		{"lame6-host.example.com", "dns-failure", "look up lame6-host.example.com: the name server reported a failure"},
		{"nx-" + strings.Repeat("x", 70) + ".example.com", "dns-not-found", "the name does not exist or has no address"},
	} {
		_, text, err := ask(t, h, &Request{URL: mustParse(t, "http://"+row.host+":"+port+"/"), Need: Content})
		if kindOfError(err) != row.kind || err != nil && !strings.HasSuffix(err.Error(), row.text) || err == nil && text != row.host+":"+port {
			t.Errorf("%s: %q, %v, want %s", row.host, text, err, row.kind)
		}
		var f *Fault
		if errors.As(err, &f) && (f.Retry != (row.kind == "dns-failure") || f.Local || f.Requests == 0) {
			t.Errorf("%s: %+v", row.host, f)
		}
	}
	// Names are looked up as they are, never below the machine's own domain.
	for _, q := range names.take() {
		if !strings.HasSuffix(q, ".example.com.") {
			t.Errorf("asked %s", q)
		}
	}
	// Cached names are not looked up again.
	for _, host := range []string{"v4-host.example.com", "nx-host.example.com"} {
		h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://"+host+":"+port+"/other")})
	}
	if asked := names.take(); len(asked) != 0 {
		t.Errorf("asked again: %q", asked)
	}
}

func TestNameServerSilent(t *testing.T) {
	names := serveNames(t)
	h := newHTTP(t, HTTPConfig{DNSServer: names.address, Timeout: 50 * time.Millisecond})
	_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://silent-host.example.com/")})
	if kindOfError(err) != "dns-failure" || !strings.HasSuffix(err.Error(), "the name server did not answer in time") {
		t.Error(err)
	}
}

// A timeout is reported as a timeout, whether this resolver or Go's detects it.
func TestNameServerTimesOut(t *testing.T) {
	conn, listener := listenBoth(t)
	t.Cleanup(func() { conn.Close(); listener.Close() })
	for _, network := range []string{"udp", "tcp"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		c, err := dialNameServer(ctx, network, listener.Addr().String())
		if err == nil { // otherwise the time was up before
			_, err = c.Read(make([]byte, 512))
			c.Close()
		}
		if late, ok := errors.AsType[net.Error](err); !ok || !late.Timeout() {
			t.Errorf("%s: %v", network, err)
		}
		cancel()
	}
}

func TestNoNameServer(t *testing.T) {
	for _, server := range []string{"127.0.0.1", ":53", "127.0.0.1:port", "127.0.0.1:0", "x"} {
		if h, err := NewHTTP(HTTPConfig{DNSServer: server}); err == nil {
			h.Close()
			t.Errorf("%q was accepted as a name server", server)
		}
	}
}

// Many requests for a name share one lookup; cached answers expire.
func TestResolverShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newResolver("", time.Minute)
		defer r.close()
		var lookups atomic.Int32
		r.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
			if network == "ip4" {
				lookups.Add(1)
			}
			time.Sleep(400 * time.Millisecond)
			switch host {
			case "gone.example", "gone.example.":
				return nil, &net.DNSError{IsNotFound: true}
			case "sick.example", "sick.example.":
				return nil, errors.New("sick")
			}
			return []netip.Addr{netip.MustParseAddr("::ffff:192.0.2.1")}, nil
		}
		ask := func(host string) string {
			addrs, err := r.resolve(t.Context(), host)
			return strings.TrimSpace(fmt.Sprintf("%v %s", addrs, kindOfError(err)))
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if got := ask("Host.example."); got != "[192.0.2.1]" {
					t.Error(got)
				}
			})
		}
		wg.Wait()
		if n := lookups.Swap(0); n != 1 {
			t.Errorf("%d lookups for 50 at once", n)
		}
		for _, row := range []struct {
			host, want string
			after      time.Duration
			lookups    int32
		}{
			{"host.example", "[192.0.2.1]", 59 * time.Second, 0},
			{"host.example", "[192.0.2.1]", 2 * time.Second, 1},
			{"gone.example", "[] dns-not-found", 0, 1},
			{"gone.example", "[] dns-not-found", 9 * time.Second, 0},
			{"gone.example", "[] dns-not-found", 2 * time.Second, 1},
			{"sick.example", "[] dns-failure", 0, 1},
			{"sick.example", "[] dns-failure", 100 * time.Millisecond, 0}, // a waiting request
			{"sick.example", "[] dns-failure", 200 * time.Millisecond, 1}, // a retry
			{"localhost", "[127.0.0.1 ::1]", 0, 0},
			{"x.localhost", "[127.0.0.1 ::1]", 0, 0},
			{"[2001:db8::1]", "[2001:db8::1]", 0, 0},
			{"192.0.2.7", "[192.0.2.7]", 0, 0},
		} {
			time.Sleep(row.after)
			if got := ask(row.host); got != row.want || lookups.Swap(0) != row.lookups {
				t.Errorf("%s: %s after %v", row.host, got, row.after)
			}
		}
		// A canceled request does not affect the others.
		ctx, cancel := context.WithCancel(t.Context())
		var other string
		wg.Go(func() { other = ask("new.example") })
		wg.Go(func() {
			if _, err := r.resolve(ctx, "new.example"); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()
		if other != "[192.0.2.1]" {
			t.Errorf("got %s", other)
		}
	})
}

// A lost query is repeated before Go's resolver would repeat it, and the first answer
// counts. A query without any answer ends.
func TestResolverRepeatsQueries(t *testing.T) {
	gone := &net.DNSError{IsNotFound: true}
	late := &net.DNSError{IsTimeout: true}
	found := []netip.Addr{netip.MustParseAddr("192.0.2.1")}
	type reply struct {
		after time.Duration
		addrs []netip.Addr
		err   error
	}
	const lost = time.Hour
	for _, row := range []struct {
		name    string
		replies []reply // to the first query over IPv4, to the second …
		want    string
		took    time.Duration
		asked   int32
	}{
		{"at once", []reply{{0, found, nil}}, "[192.0.2.1] ", 0, 1},
		{"lost", []reply{{lost, nil, late}, {0, found, nil}}, "[192.0.2.1] ", 500 * time.Millisecond, 2},
		{"lost, then not found", []reply{{lost, nil, late}, {0, nil, gone}}, "[] dns-not-found", 500 * time.Millisecond, 2},
		{"lost twice", []reply{{lost, nil, late}, {lost, nil, late}, {0, found, nil}}, "[192.0.2.1] ", 1500 * time.Millisecond, 3},
		{"slow", []reply{{700 * time.Millisecond, found, nil}, {600 * time.Millisecond, nil, late}}, "[192.0.2.1] ", 700 * time.Millisecond, 2},
		{"fails", []reply{{0, nil, errors.New("sick")}}, "[] dns-failure", 0, 1},
		{"never", []reply{{lost, nil, late}, {lost, nil, late}, {lost, nil, late}}, "[] dns-failure", 20 * time.Second, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newResolver("", 20*time.Second)
				defer r.close()
				var asked atomic.Int32
				r.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
					if network == "ip6" {
						return nil, gone
					}
					now := row.replies[asked.Add(1)-1]
					select {
					case <-time.After(now.after):
						return now.addrs, now.err
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				began := time.Now()
				addrs, err := r.resolve(t.Context(), "host.example")
				if got := fmt.Sprintf("%v %s", addrs, kindOfError(err)); got != row.want {
					t.Errorf("%s, want %s", got, row.want)
				}
				if took := time.Since(began); took != row.took || asked.Load() != row.asked {
					t.Errorf("after %v and %d queries, want %v and %d", took, asked.Load(), row.took, row.asked)
				}
			})
		})
	}
}

// The number of simultaneous lookups is limited, however many names there are.
func TestResolverLimitsLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newResolver("", time.Minute)
		defer r.close()
		var mu sync.Mutex
		now, most := 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			now += by
			most = max(most, now)
		}
		r.lookup = func(_ context.Context, network, _ string) ([]netip.Addr, error) {
			if network == "ip4" {
				count(+1)
				time.Sleep(100 * time.Millisecond)
				count(-1)
			}
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() { r.resolve(t.Context(), fmt.Sprintf("host%d.example", i)) })
		}
		wg.Wait()
		if most == 0 || most > maxLookups {
			t.Errorf("%d simultaneous lookups, want at most %d", most, maxLookups)
		}
	})
}

// A thousand lookups do not each wait for a name server that never answers: one lookup
// tries it, the others fail at once. When it answers again, all use it.
func TestResolverSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newResolver("", 20*time.Second)
		defer r.close()
		var up atomic.Bool
		r.lookup = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
			if up.Load() {
				return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
			}
			<-ctx.Done()
			return nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true}
		}
		takes := func(name, want string) time.Duration {
			began := time.Now()
			addrs, err := r.resolve(t.Context(), name)
			if got := fmt.Sprintf("%v %s", addrs, kindOfError(err)); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			return time.Since(began)
		}
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() { takes(fmt.Sprintf("host%d.example", i), "[] dns-failure") })
		}
		began := time.Now()
		wg.Wait()
		if took := time.Since(began); took > 40*time.Second {
			t.Errorf("a thousand lookups took %v", took)
		}
		up.Store(true)
		takes("alive.example", "[192.0.2.1] ")
		up.Store(false)
		if took := takes("last.example", "[] dns-failure"); took != 20*time.Second {
			t.Errorf("a lookup took %v after one that was answered", took)
		}
	})
}

func TestResolverIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newResolver("", time.Minute)
		defer r.close()
		r.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}
		for i := range maxNames + 100 {
			if _, err := r.resolve(t.Context(), fmt.Sprintf("host%d.example", i)); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.names) > maxNames {
			t.Errorf("%d names are cached", len(r.names))
		}
	})
}

func TestDNSLocalFault(t *testing.T) {
	f := dnsFault("example.com", &net.DNSError{Err: "dial udp 192.0.2.1:53: socket: " + syscall.EMFILE.Error(), IsTemporary: true})
	if f.Kind != "dns-failure" || !f.Local || !f.Retry || f.Error() != "look up example.com: this process has too many open files" {
		t.Errorf("%+v %v", f, f)
	}
}

func TestAbsoluteName(t *testing.T) {
	for name, want := range map[string]string{
		"example.com":   "example.com.",
		"a.b.co.uk":     "a.b.co.uk.",
		"intranet":      "intranet",
		"web.default":   "web.default",
		"printer.local": "printer.local",
		"com":           "com",
	} {
		if got := absoluteName(name); got != want && got != name {
			t.Errorf("%s became %s", name, got)
		} else if got != want {
			t.Logf("%s is left to the system", name)
		}
	}
}

func TestDenyPrivate(t *testing.T) {
	for _, row := range []struct {
		addr    string
		private bool
	}{
		{"127.0.0.1", true}, {"127.8.8.8", true}, {"10.1.2.3", true}, {"172.16.0.1", true}, {"172.32.0.1", false},
		{"192.168.1.1", true}, {"169.254.169.254", true}, {"0.0.0.0", true}, {"0.1.2.3", true}, {"100.64.0.1", true}, {"100.128.0.1", false},
		{"224.0.0.1", true}, {"255.255.255.255", true}, {"198.18.0.1", true}, {"192.0.2.1", true}, {"93.184.216.34", false}, {"8.8.8.8", false},
		{"::1", true}, {"::", true}, {"fe80::1", true}, {"fe80::1%eth0", true}, {"fc00::1", true}, {"fd12::1", true}, {"ff02::1", true},
		{"::ffff:127.0.0.1", true}, {"::ffff:8.8.8.8", false}, {"64:ff9b::7f00:1", true}, {"64:ff9b::808:808", false},
		{"2002:7f00:1::", true}, {"2002:808:808::", false}, {"::7f00:1", true}, {"2001:db8::1", true}, {"2001::1", true}, {"2606:4700::1111", false},
		{"64:ff9b:1::7f00:1", true}, {"64:ff9b:1:7f00:0:100::", true}, {"64:ff9b:1:a:1:203::", true}, {"64:ff9b:1:0:a:102:300::", true},
		{"::ffff:0:127.0.0.1", true}, {"::ffff:0:10.0.0.1", true}, {"64:ff9b::a00:1", true}, {"64:ff9b::6440:1", true}, {"2002:c0a8:101::1", true},
		{"3fff::1", true}, {"3fff:fff::1", true}, {"3fff:1000::1", false}, {"5f00::1", true}, {"100::1", true}, {"100:0:0:1::1", true},
		{"192.88.99.1", true}, {"192.0.0.8", true}, {"192.0.0.9", false}, {"192.0.0.170", true}, {"192.31.196.1", false}, {"239.1.1.1", true}, {"240.0.0.1", true},
		{"2001:1::1", false}, {"2001:2::1", true}, {"2001:10::1", true}, {"2001:20::1", false}, {"2001:4:112::1", false}, {"2001:200::1", false}, {"fec0::1", true},
		{"2606:4700::5efe:10.0.0.1", true}, {"2606:4700::200:5efe:127.0.0.1", true}, {"2606:4700::5efe:8.8.8.8", false},
		{"2606:4700:0:5efe:7f00:1::", false}, {"2606:4700::5efe:7f00:1", true}, {"2606:4700:0:1:0:5efe:7f00:1", true}, {"2606:4700::300:5efe:7f00:1", false},
		{"2606:4700::100:5efe:7f00:1", false}, {"2606:4700::1:5efe:7f00:1", false}, {"2606:4700::5eff:7f00:1", false}, {"2606:4700::200:5efe:808:808", false},
		{"fe80::5efe:808:808", true}, {"fe80::200:5efe:808:808", true}, {"2002:808:808::5efe:7f00:1", true}, {"2002:7f00:1::5efe:808:808", true},
		{"2001:0:808:808:0:0:f7f7:f7f7", true}, {"2001:0:4136:e378:8000:63bf:80ff:fffe", true}, {"2001:0:ffff::", true}, {"2001:1:7f00:1::", true},
		{"64:ff9b:0:0:0:1:7f00:1", false}, {"64:ff9b:1::808:808", true}, {"64:ff9b:1:ffff::", true}, {"64:ff9b:2::7f00:1", false},
		{"2002:808:808::7f00:1", false}, {"2003:7f00:1::", false}, {"2002:a00:1::1", true}, {"2002:a9fe:a9fe::", true}, {"2002:ffff:ffff::", true},
		{"::808:808", false}, {"::a9fe:a9fe", true}, {"::1:7f00:1", false}, {"::ffff:0:808:808", false}, {"::fffe:0:7f00:1", false}, {"::ffff:a9fe:a9fe", true},
		{"168.63.129.16", true}, {"::ffff:168.63.129.16", true}, {"fd00:ec2::254", true}, {"100.100.100.200", true}, {"192.0.0.192", true},
	} {
		if got := isPrivate(netip.MustParseAddr(row.addr)); got != row.private {
			t.Errorf("%s is private: %v", row.addr, got)
		}
	}
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	h := newHTTP(t, HTTPConfig{AddressPolicy: AddressPolicy{DenyPrivate: true}})
	for _, url := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), strings.Replace(server.URL, "127.0.0.1", "[::ffff:7f00:1]", 1)} {
		_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, url+"/")})
		var f *Fault
		if !errors.As(err, &f) || f.Kind != "address-denied" || f.Retry || f.Local {
			t.Errorf("%s: %v", url, err)
		}
	}
	// A public name may have a private address; the address counts.
	h.resolver.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	if _, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://rebind.example.com/")}); kindOfError(err) != "address-denied" {
		t.Error(err)
	}
	if rec.methods() != "" {
		t.Errorf("asked %s", rec.methods())
	}
}

func TestConnectTo(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	host, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	h := newHTTP(t, HTTPConfig{ConnectTo: []ConnectTo{{From: "example.com:80", To: host + ":" + port}, {From: "other.example:", To: ":" + port}, {From: "[2001:db8::1]:81", To: "127.0.0.1:" + port}}})
	h.resolver.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	for url, want := range map[string]string{
		"http://example.com/x":         "example.com",
		"http://other.example/x":       "other.example",
		"http://other.example:8080/x":  "other.example:8080",
		"http://[2001:db8::1]:81/x":    "[2001:db8::1]:81",
		"http://EXAMPLE.com:80/x?y#zz": "example.com",
	} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, url)}); err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		r := rec.last()
		if r.Host != want || r.Header.Get("Accept-Encoding") != "gzip, deflate, br, zstd" {
			t.Errorf("%s: host %s, %v", url, r.Host, r.Header)
		}
	}
	for s, want := range map[string]ConnectTo{
		"example.com:443:127.0.0.1:8443": {"example.com:443", "127.0.0.1:8443"},
		"::127.0.0.1:80":                 {":", "127.0.0.1:80"},
		"[::1]:80:[2001:db8::2]:81":      {"[::1]:80", "[2001:db8::2]:81"},
		"a:::":                           {"a:", ":"},
	} {
		if got, err := ParseConnectTo(s); err != nil || got != want {
			t.Errorf("ParseConnectTo(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "a:1:b", "a:1:b:2:3", "a:x:b:2", "a:1:b:99999", "[::1:80:b:2", "[::1]x:80:b:2"} {
		if got, err := ParseConnectTo(s); err == nil {
			t.Errorf("ParseConnectTo(%q) = %v", s, got)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.1.2.3": true, "[::1]": true,
		"127.example.com": false, "example.com": false, "128.0.0.1": false, "[::2]": false, "": false, "x.localhost": false,
	} {
		if isLoopback(host) != want {
			t.Errorf("isLoopback(%q) = %v", host, !want)
		}
	}
}
