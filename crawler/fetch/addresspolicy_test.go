package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestParseNetwork(t *testing.T) {
	for s, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "fd00::/8": "fd00::/8",
		"::ffff:10.0.0.1": "10.0.0.1/32", "::ffff:10.0.0.0/104": "10.0.0.0/8", "0.0.0.0/0": "0.0.0.0/0", "::/0": "::/0",
		"": "", "10.0.0.0/33": "", "10.0.0.0/08": "", "10.0.0.0/": "", "/8": "", "host": "", "fe80::1%eth0": "", "fe80::%eth0/10": "", "::ffff:10.0.0.0/8": "",
		"10.0.0": "", "010.0.0.1": "", "[::1]": "", " 10.0.0.1": "", "10.0.0.1:80": "", "1/2/3": "",
	} {
		p, err := ParseNetwork(s)
		if got := p.String(); want == "" && err == nil || want != "" && (err != nil || got != want) {
			t.Errorf("%q: %s, %v, want %s", s, got, err, want)
		}
	}
}

func FuzzParseNetwork(f *testing.F) {
	for _, s := range []string{"10.0.0.0/8", "::ffff:10.0.0.0/104", "::ffff:1.2.3.4", "fe80::1%eth0", "::/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseNetwork(s)
		if err != nil {
			return
		}
		if !p.IsValid() || p != p.Masked() || p.Addr().Is4In6() {
			t.Fatalf("%q: %v", s, p)
		}
		policy := AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{p}}
		if policy.Denies(p.Addr()) {
			t.Fatalf("%q does not open %v", s, p.Addr())
		}
		if again, err := ParseNetwork(p.String()); err != nil || again != p {
			t.Fatalf("%q: %v, %v", s, again, err)
		}
	})
}

func TestAllowPrivate(t *testing.T) {
	for _, row := range []struct {
		allow, addr string
		denied      bool
	}{
		{"127.0.0.1/32", "127.0.0.1", false}, {"127.0.0.1/32", "127.0.0.2", true}, {"127.0.0.1/32", "::1", true}, {"127.0.0.1/32", "::ffff:127.0.0.1", false},
		{"127.0.0.1/32", "64:ff9b::127.0.0.1", true}, {"127.0.0.1/32", "::127.0.0.1", true}, {"127.0.0.1/32", "2002:7f00:1::", true},
		{"10.0.0.0/8", "10.255.0.1", false}, {"10.0.0.0/8", "192.168.0.1", true}, {"fe80::/10", "fe80::1%eth0", false}, {"fd00::/8", "fd12::1", false}, {"fd00::/8", "fc00::1", true},
		{"64:ff9b::/96", "64:ff9b::127.0.0.1", false}, {"::/0", "10.0.0.1", true}, {"::/0", "::1", false}, {"0.0.0.0/0", "::1", true}, {"0.0.0.0/0", "169.254.169.254", false},
		{"10.0.0.0/8", "8.8.8.8", false},
	} {
		network, err := ParseNetwork(row.allow)
		if err != nil {
			t.Fatal(err)
		}
		policy := AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{network}}
		addr := netip.MustParseAddr(row.addr)
		if got := policy.Denies(addr); got != row.denied {
			t.Errorf("with %s, %s is denied: %v", row.allow, row.addr, got)
		}
		if err := policy.Control("tcp", netip.AddrPortFrom(addr, 80).String(), nil); errors.Is(err, ErrAddressDenied) != row.denied {
			t.Errorf("with %s, the connection to %s: %v", row.allow, row.addr, err)
		}
	}
	if err := new(AddressPolicy).Control("tcp", "127.0.0.1:80", nil); err != nil {
		t.Error(err)
	}
	if err := (&AddressPolicy{DenyPrivate: true}).Control("unix", "/run/x", nil); !errors.Is(err, ErrAddressDenied) {
		t.Errorf("a socket of this machine: %v", err)
	}
}

// A name that had a public address when it was looked up first may have a private one
// later, and one that is allowed and one that is not at the same time.
func TestRebinding(t *testing.T) {
	server, rec := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	h := newHTTP(t, HTTPConfig{AddressPolicy: AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/30")}}})
	var connected []string
	connect := h.dialer.connect
	h.dialer.connect = func(ctx context.Context, network, addr string) (net.Conn, error) {
		connected = append(connected, addr)
		return connect(ctx, network, addr)
	}
	fetch := func(addrs ...string) error {
		h.resolver.mu.Lock()
		clear(h.resolver.names)
		h.resolver.mu.Unlock()
		h.resolver.lookup = func(_ context.Context, network, _ string) (found []netip.Addr, err error) {
			for _, a := range addrs {
				if addr := netip.MustParseAddr(a); addr.Is4() == (network == "ip4") {
					found = append(found, addr)
				}
			}
			return found, nil
		}
		h.CloseIdleConnections()
		_, _, fault := ask(t, h, &Request{URL: mustParse(t, "http://rebind.example.com:"+port+"/")})
		if fault == nil {
			return nil
		}
		return fault
	}
	if err := fetch("127.0.0.1"); err != nil {
		t.Error(err)
	}
	if err := fetch("127.0.0.5"); kindOfError(err) != "address-denied" {
		t.Errorf("after rebinding: %v", err)
	}
	if err := fetch("169.254.169.254", "10.0.0.1", "fd00::1", "127.0.0.1"); err != nil {
		t.Error(err)
	}
	if want := "127.0.0.1:" + port; strings.Join(connected, " ") != want+" "+want || rec.methods() == "" {
		t.Errorf("connected to %v", connected)
	}
}
