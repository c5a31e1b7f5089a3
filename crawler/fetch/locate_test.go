package fetch

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A host counts under the lowest of its addresses, in whatever order they come, and IPv4 comes first.
// Where a proxy sends a request is not known.
func TestLocate(t *testing.T) {
	lookup := func(_ context.Context, network, host string) ([]netip.Addr, error) {
		known := map[string]string{"shared.test": "192.0.2.9 192.0.2.7 192.0.2.8", "other.test": "192.0.2.8 192.0.2.7 192.0.2.9", "mixed.test": "192.0.2.1",
			"to.test": "192.0.2.5", "inner.test": "10.0.0.1 192.0.2.6"}
		texts := known[strings.TrimSuffix(host, ".")]
		if network == "ip6" {
			texts = map[string]string{"mixed.test": "2001:db8::1", "six.test": "2001:db8::2"}[host]
		}
		var addrs []netip.Addr
		for _, text := range strings.Fields(texts) {
			addrs = append(addrs, netip.MustParseAddr(text))
		}
		if len(addrs) == 0 {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return addrs, nil
	}
	direct := HTTPConfig{NoEnvironment: true, ConnectTo: []ConnectTo{{From: "from.test:80", To: "to.test:8080"}}}
	for _, row := range []struct {
		url, want string
		config    HTTPConfig
	}{
		{"http://shared.test/", "192.0.2.7", direct},
		{"https://other.test:8443/", "192.0.2.7", direct},
		{"http://mixed.test/", "192.0.2.1", direct},
		{"http://six.test/", "2001:db8::2", direct},
		{"http://from.test/", "192.0.2.5", direct},
		{"http://192.0.2.3/", "192.0.2.3", direct},
		{"http://[2001:db8::3]/", "2001:db8::3", direct},
		{"http://localhost/", "127.0.0.1", direct},
		{"http://missing.test/", "", direct},
		{"http://" + strings.Repeat("a", 260) + "/", "", direct},
		{"mailto:a@b.test", "", direct},
		{"http://inner.test/", "192.0.2.6", HTTPConfig{NoEnvironment: true, AddressPolicy: AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}}},
		{"http://10.0.0.1/", "", HTTPConfig{NoEnvironment: true, AddressPolicy: AddressPolicy{DenyPrivate: true}}},
		{"http://shared.test/", "", HTTPConfig{Proxy: "http://proxy.test:3128"}},
	} {
		h := newHTTP(t, row.config)
		h.resolver.lookup = lookup
		u, _, err := urinorm.ParseWeb(row.url)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Mux{"http": h, "https": h, "mailto": nil}.Locate(t.Context(), u)
		if ok != (row.want != "") || ok && got.String() != row.want {
			t.Errorf("the address of %s: %v (%v), want %q", row.url, got, ok, row.want)
		}
	}
}
