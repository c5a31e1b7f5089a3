package fetch

import (
	"fmt"
	"net"
	"os/user"
	"testing"
)

// dnsmasq runs a name server that knows example.com and a few other names, and returns
// its address.
func dnsmasq(t testing.TB, more ...string) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	background(t, "started", program(t, "dnsmasq"), append([]string{
		"--keep-in-foreground", fmt.Sprintf("--port=%d", port), "--conf-file=/dev/null", "--no-resolv", "--no-hosts",
		"--listen-address=127.0.0.1", "--bind-interfaces", "--user=" + me.Username, "--group=", "--pid-file=", "--log-facility=-",
		"--local=/#/",
		"--host-record=www.example.com,192.0.2.7", "--host-record=six.example.com,2001:db8::7",
		"--cname=alias.example.com,www.example.com", "--txt-record=text.example.com,hello",
		"--srv-host=_http._tcp.example.com,www.example.com,80", "--ptr-record=7.2.0.192.in-addr.arpa,www.example.com",
	}, more...)...)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func TestDNS(t *testing.T) {
	at := dnsmasq(t, "--mx-host=example.com,www.example.com,10")
	host, port, _ := net.SplitHostPort(at)
	for _, row := range []struct{ name, want string }{
		{"www.example.com", "ok"},
		{"www.example.com?type=A", "ok"},
		{"WWW.example.com.?TYPE=a;CLASS=in", "ok"},
		{"www.example.com?class=IN;type=1", "ok"},
		{"www.example.com?type=AAAA", "dns-not-found"},
		{"six.example.com?type=AAAA", "ok"},
		{"alias.example.com?type=CNAME", "ok"},
		{"www.example.com?type=CNAME", "dns-not-found"},
		{"alias.example.com", "ok"},
		{"example.com?type=MX", "ok"},
		{"www.example.com?type=mx", "dns-not-found"},
		{"text.example.com?type=TXT", "ok"},
		{"_http._tcp.example.com?type=SRV", "ok"},
		{"7.2.0.192.in-addr.arpa?type=PTR", "ok"},
		{"8.2.0.192.in-addr.arpa?type=PTR", "dns-not-found"},
		{"nonsense?type=PTR", "dns-not-found"},
		{"nothing.example.com", "dns-not-found"},
		{"nothing.example.com?type=NS", "dns-not-found"},
		{"www.example.com?type=CERT", "scheme-unchecked"},
		{"www.example.com?class=CH", "scheme-unchecked"},
		{"a%20b", "uri-invalid"},
		{"", "uri-invalid"},
	} {
		_, others := newOtherSchemes(t, HTTPConfig{DNSServer: at}, OtherSchemesConfig{DNSServer: at})
		addresses := []string{"dns:" + row.name, "dns://" + host + ":" + port + "/" + row.name}
		for _, address := range addresses {
			resp, _, fault := fetchURL(t, others, address, Existence)
			if got := verdict(resp, fault); got != row.want {
				t.Errorf("%s: %s (%v), want %s", address, got, fault, row.want)
			}
		}
	}
}

func TestResolver(t *testing.T) {
	at := dnsmasq(t, "--mx-host=example.com,www.example.com,10")
	d, _ := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{DNSServer: at})
	if records, err := d.Resolver().LookupMX(t.Context(), "example.com."); err != nil || len(records) != 1 {
		t.Errorf("%v %v", records, err)
	}
}

func TestReverseName(t *testing.T) {
	for name, want := range map[string]string{
		"7.2.0.192.in-addr.arpa.": "192.0.2.7",
		"B.A.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa": "4321:0:1:2:3:4:567:89ab",
		"2.0.192.in-addr.arpa": "", "x.ip6.arpa": "", "example.com": "",
	} {
		addr, ok := addressOfReverse(name)
		if ok != (want != "") || ok && addr.String() != want {
			t.Errorf("%s: %v %v, want %s", name, addr, ok, want)
		}
	}
}

func TestHostURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://cdn.example.com:8443/": "dns:cdn.example.com", "https://b%C3%BCcher.example/": "dns:xn--bcher-kva.example",
		"https://192.0.2.1/": "", "https://[2001:db8::1]/": "", "mailto:a@b": "",
	} {
		got, ok := HostURL(mustParse(t, address))
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %v %v, want %q", address, got, ok, want)
		}
	}
}
