package fetch

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// forwardProxy is an HTTP proxy that sends every connection to one address and records
// requests.
type forwardProxy struct {
	to     string
	status int // for CONNECT; 0 means 200
	mu     sync.Mutex
	asked  []string
}

func (p *forwardProxy) note(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, s)
}

func (p *forwardProxy) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := strings.Join(p.asked, "; ")
	p.asked = nil
	return asked
}

func (p *forwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.note(r.Method + " " + r.RequestURI + " " + r.Header.Get("Proxy-Authorization"))
	if !strings.Contains(r.UserAgent(), "Orbweaver") { // proxies receive the User-Agent too
		p.note("of " + r.UserAgent())
	}
	if r.Method != http.MethodConnect && p.status != http.StatusProxyAuthRequired {
		fmt.Fprint(w, "through the proxy to "+r.Host)
		return
	}
	if p.status != 0 {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(p.status)
		return
	}
	up, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	defer up.Close()
	down, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer down.Close()
	io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
	splice(down, up)
}

// splice copies in both directions until one side ends.
func splice(a, b net.Conn) {
	var wg sync.WaitGroup
	for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
		wg.Go(func() {
			io.Copy(pair[0], pair[1])
			pair[0].Close()
			pair[1].Close()
		})
	}
	wg.Wait()
}

func TestHTTPProxy(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	origin := serveTLS(t, root.Leaf(t, "example.com").Chain(), true, respond("by TLS"))
	p := &forwardProxy{to: origin.Listener.Addr().String()}
	plain := httptest.NewServer(p)
	defer plain.Close()
	secure := httptest.NewUnstartedServer(p)
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "proxy.example").Chain()}}
	secure.StartTLS()
	defer secure.Close()
	_, securePort, _ := net.SplitHostPort(secure.Listener.Addr().String())

	for _, proxy := range []string{plain.URL, strings.Replace(plain.URL, "://", "://me:pa%3ass@", 1), strings.TrimPrefix(plain.URL, "http://"), "https://proxy.example:" + securePort} {
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), Proxy: proxy})
		h.resolver.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
			if strings.HasPrefix(host, "proxy.example") {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			t.Errorf("the client itself looked up %s", host)
			return nil, errors.New("no")
		}
		auth := ""
		if strings.Contains(proxy, "@") {
			auth = "Basic bWU6cGE6c3M="
		}
		_, text, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/a%2F|z?b"), Need: Content})
		if asked := p.take(); err != nil || text != "through the proxy to example.com" || asked != "GET http://example.com/a%2F|z?b "+auth {
			t.Errorf("%s: %q, %v; it was asked %q", proxy, text, err, asked)
		}
		_, text, err = ask(t, h, &Request{URL: mustParse(t, "https://example.com/x"), Need: Content})
		if asked := p.take(); err != nil || text != "by TLS" || asked != "CONNECT example.com:443 "+auth {
			t.Errorf("%s: %q, %v; it was asked %q", proxy, text, err, asked)
		}
		// An explicit proxy applies to loopback hosts too.
		if _, text, err := ask(t, h, &Request{URL: mustParse(t, "http://127.0.0.1:1234/"), Need: Content}); err != nil || text != "through the proxy to 127.0.0.1:1234" {
			t.Errorf("%s: %q, %v", proxy, text, err)
		}
		p.take()
		// A connection that ConnectTo redirects goes past the proxy.
		direct := newHTTP(t, HTTPConfig{CAFile: root.File(t), Proxy: proxy, ConnectTo: []ConnectTo{{"example.com:443", p.to}}})
		if _, text, err := ask(t, direct, &Request{URL: mustParse(t, "https://example.com/x"), Need: Content}); err != nil || text != "by TLS" || p.take() != "" {
			t.Errorf("%s: %q, %v", proxy, text, err)
		}
	}
	for _, status := range []int{403, 407, 502, 503} {
		p.status = status
		h := newHTTP(t, HTTPConfig{Proxy: plain.URL})
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/x"), Need: Content, Internal: true})
		if err != nil || resp.Status != status || resp.Header.Get("Retry-After") != "5" || resp.Proxy != plain.Listener.Addr().String() {
			t.Errorf("CONNECT %d: %+v, %v", status, resp, err)
		}
		if status != 407 {
			continue
		}
		// For an address without TLS, only 407 certainly comes from the proxy.
		resp, _, err = ask(t, h, &Request{URL: mustParse(t, "http://example.com/x"), Need: Content})
		if err != nil || resp.Status != 407 || resp.Proxy == "" {
			t.Errorf("GET %d: %+v, %v", status, resp, err)
		}
	}
}

func TestProxyFaults(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := listener.Addr().String()
	listener.Close()
	for _, scheme := range []string{"http", "https", "socks5"} {
		h := newHTTP(t, HTTPConfig{Proxy: scheme + "://me:s3cret@" + gone})
		for _, url := range []string{"http://127.0.0.1/", "https://127.0.0.1/"} {
			_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, url), Need: Content})
			var f *Fault
			if !errors.As(err, &f) || f.Kind != "connect-refused" || !f.Local || !f.Retry || !strings.Contains(err.Error(), "the proxy "+gone+" is unreachable: connection refused") || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s for %s: %v", scheme, url, err)
			}
		}
	}
	// The certificate of a proxy says nothing about the target.
	root := crawlertest.NewAuthority(t, "Root")
	secure := serveTLS(t, root.Leaf(t, "proxy.example", loopback).Chain(), false, respond("ok"))
	h := newHTTP(t, HTTPConfig{Proxy: "https://" + secure.Listener.Addr().String()})
	_, err = h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/"), Need: Content})
	var f *Fault
	if !errors.As(err, &f) || !f.Local || !strings.Contains(err.Error(), "the proxy is unreachable: the certificate is signed by an untrusted authority") {
		t.Errorf("%+v %v", f, err)
	}
	for _, proxy := range []string{"ftp://x/", "http://", "http://u:s3cret@[x/", "://", "http://u:s3cret@x:99999", "socks5://x:0"} {
		if _, err := NewHTTP(HTTPConfig{Proxy: proxy}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", proxy, err)
		}
	}
}

func TestEnvironmentProxies(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTP_PROXY", "http://plain.example:3128")
	t.Setenv("ALL_PROXY", "socks5://all.example")
	t.Setenv("NO_PROXY", "spared.example,.below.example,10.0.0.0/8,192.0.2.7,2001:db8::1,host.example:8080")
	p, err := newProxies("", true)
	if err != nil {
		t.Fatal(err)
	}
	flag, err := newProxies("https://flag.example", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ url, environment, flag string }{
		{"http://example.com", "http://plain.example:3128", "https://flag.example"},
		{"https://example.com", "socks5://all.example", "https://flag.example"},
		{"http://spared.example", "", ""},
		{"https://x.spared.example", "", ""},
		{"http://x.below.example:8080", "", ""},
		{"http://below.example", "http://plain.example:3128", "https://flag.example"},
		{"http://10.1.2.3:99", "", ""},
		{"http://11.1.2.3:99", "http://plain.example:3128", "https://flag.example"},
		{"http://192.0.2.7", "", ""},
		{"http://[2001:db8::1]:80", "", ""},
		{"http://host.example:8080", "", ""},
		{"http://host.example:8081", "http://plain.example:3128", "https://flag.example"},
		{"http://localhost:1313", "", "https://flag.example"},
		{"http://127.0.0.1:1313", "", "https://flag.example"},
		{"http://[::1]:1313", "", "https://flag.example"},
	} {
		scheme, authority, _ := strings.Cut(row.url, "://")
		for name, row := range map[string]struct {
			p    *proxies
			want string
		}{"environment": {p, row.environment}, "flag": {flag, row.flag}} {
			got, err := row.p.forURL(scheme, authority)
			text := ""
			if got != nil {
				text = got.String()
			}
			if err != nil || text != row.want {
				t.Errorf("%s %s://%s: %s, %v, want %s", name, scheme, authority, text, err, row.want)
			}
		}
	}
	if none, err := newProxies("", false); err != nil || none.web != nil || none.other != nil || len(none.addresses) > 0 {
		t.Errorf("without the environment: %+v, %v", none, err)
	}
	if !p.addresses["plain.example:3128"] || !p.addresses["all.example:1080"] || !flag.addresses["flag.example:443"] {
		t.Errorf("%v %v", p.addresses, flag.addresses)
	}
	t.Setenv("HTTP_PROXY", "gopher://x")
	if _, err := newProxies("", true); err == nil {
		t.Error("gopher was accepted as a proxy")
	}
}

// socksProxy is a SOCKS 5 proxy (RFC 1928) that sends every connection to one address
// or rejects it with a reply.
func socksProxy(t *testing.T, to string, reply byte, asked chan<- string) string {
	t.Helper()
	return crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		b := make([]byte, 300)
		io.ReadFull(conn, b[:2])
		io.ReadFull(conn, b[:b[1]])
		conn.Write([]byte{5, 0})
		io.ReadFull(conn, b[:5])
		if b[3] != 3 {
			return // not a domain
		}
		n := int(b[4])
		io.ReadFull(conn, b[:n+2])
		asked <- fmt.Sprintf("%s:%d", b[:n], binary.BigEndian.Uint16(b[n:]))
		conn.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0})
		if reply != 0 {
			return
		}
		to := to
		if to == "" { // every name is this machine
			to = fmt.Sprintf("127.0.0.1:%d", binary.BigEndian.Uint16(b[n:]))
		}
		if up, err := net.Dial("tcp", to); err == nil {
			splice(conn, up)
		}
	}).String()
}

func TestSOCKSProxy(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	secure := serveTLS(t, root.Leaf(t, "example.com").Chain(), true, respond("by TLS"))
	plain, rec := serve(t, respond("plain"))
	asked := make(chan string, 10)
	for _, row := range []struct{ url, to, want, text string }{
		{"http://example.com/a", plain.Listener.Addr().String(), "example.com:80", "plain"},
		{"https://example.com/", secure.Listener.Addr().String(), "example.com:443", "by TLS"},
	} {
		for _, scheme := range []string{"socks5", "socks5h"} {
			h := newHTTP(t, HTTPConfig{CAFile: root.File(t), Proxy: scheme + "://" + socksProxy(t, row.to, 0, asked)})
			_, text, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content, Internal: true})
			if got := <-asked; err != nil || got != row.want || text != row.text {
				t.Errorf("%s %s: %q, %v; it was asked for %s", scheme, row.url, text, err, got)
			}
			h.Close()
		}
	}
	// A SOCKS proxy does not parse HTTP, so the request uses the origin form.
	if got := rec.last().RequestURI; got != "/a" {
		t.Errorf("asked for %s", got)
	}
	for reply, kind := range map[byte]string{5: "connect-refused", 4: "timeout", 3: "timeout", 6: "timeout", 1: "connection-reset", 2: "connection-reset"} {
		h := newHTTP(t, HTTPConfig{Proxy: "socks5://" + socksProxy(t, "", reply, asked)})
		_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/"), Need: Content})
		<-asked
		if kindOfError(err) != kind || !strings.Contains(err.Error(), "the proxy") {
			t.Errorf("reply %d: %v, want %s", reply, err, kind)
		}
	}
	// A proxy that refuses access says nothing about the target.
	for reply, want := range map[string]string{
		"\x05\xff":         "the proxy requires another authentication method, such as a user name and password",
		"\x05\x02\x01\x01": "the proxy rejected the user name and password",
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				io.ReadFull(conn, make([]byte, 3)) // the offered methods, at most two
				io.WriteString(conn, reply)
				io.Copy(io.Discard, conn)
				conn.Close()
			}
		}()
		config := HTTPConfig{Proxy: "socks5://me:pass@" + listener.Addr().String()}
		_, others := newOtherSchemes(t, config, OtherSchemesConfig{})
		_, err = newHTTP(t, config).Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/"), Need: Content})
		var f *Fault
		if !errors.As(err, &f) || !f.Local || !mentions(f, want) {
			t.Errorf("%q: %v", reply, err)
		}
		if _, _, f := fetchURL(t, others, "telnet://h.example/", Existence); f == nil || !f.Local || !mentions(f, want) {
			t.Errorf("%q: telnet: %v", reply, f)
		}
	}
}

// Other schemes use a SOCKS proxy too, for both the control and the data connections of
// FTP. The proxy resolves names.
func TestSOCKSProxyForAllSchemes(t *testing.T) {
	_, port, _ := net.SplitHostPort(pyftpd(t, ftpTree(t), ""))
	asked := make(chan string, 1000)
	proxy := "socks5://me:pass@" + socksProxy(t, "", 0, asked)
	h := newHTTP(t, HTTPConfig{Proxy: proxy})
	h.resolver.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		t.Errorf("the client itself looked up %s", host)
		return nil, errors.New("no")
	}
	d, err := NewOtherSchemes(h, OtherSchemesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/readme.txt", "/"} {
		resp, text, fault := fetchURL(t, d.Fetchers(), "ftp://ftp.example:"+port+path, Content)
		if fault != nil || !strings.Contains(text, map[string]string{"/readme.txt": "hello", "/": "readme.txt"}[path]) || resp.Requests != 1 {
			t.Errorf("%s: %+v %q, %v", path, resp, text, fault)
		}
	}
	if got := <-asked; got != "ftp.example:"+port {
		t.Errorf("the proxy was asked for %s", got)
	}
	server := serveLines(t, func(c *serverConn) { c.script("200 hello\r\n", map[string]string{"GROUP": "211 1 1 1 a.b\r\n"}) })
	_, port, _ = net.SplitHostPort(server.addr.String())
	if resp, _, fault := fetchURL(t, d.Fetchers(), "nntp://news.example:"+port+"/a.b", Existence); verdict(resp, fault) != "ok" {
		t.Errorf("nntp: %v", fault)
	}
	for reply, kind := range map[byte]string{5: "connect-refused", 4: "timeout", 1: "connection-reset"} {
		_, others := newOtherSchemes(t, HTTPConfig{Proxy: "socks5://" + socksProxy(t, "", reply, asked)}, OtherSchemesConfig{})
		if _, _, fault := fetchURL(t, others, "telnet://h.example/", Existence); fault == nil || fault.Kind != kind || !mentions(fault, "the proxy") {
			t.Errorf("reply %d: %v, want %s", reply, fault, kind)
		}
	}
	_, others := newOtherSchemes(t, HTTPConfig{Proxy: proxy, AddressPolicy: AddressPolicy{DenyPrivate: true}}, OtherSchemesConfig{})
	if _, _, fault := fetchURL(t, others, "telnet://127.0.0.1/", Existence); fault == nil || fault.Kind != "address-denied" {
		t.Errorf("a private target: %v", fault)
	}
}

// An HTTP proxy fetches ftp URLs; other schemes connect directly.
func TestHTTPProxyForFTP(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		switch {
		case strings.HasSuffix(r.RequestURI, "/gone"):
			w.WriteHeader(http.StatusNotFound)
		case strings.HasSuffix(r.RequestURI, "/secret"):
			w.WriteHeader(http.StatusProxyAuthRequired)
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<a href=x>x</a>")
		}
	}))
	defer proxy.Close()
	with := strings.Replace(proxy.URL, "://", "://me:s3cret@", 1)
	d, others := newOtherSchemes(t, HTTPConfig{Proxy: with, Secrets: Secrets{Credentials: "jim:own"}}, OtherSchemesConfig{})
	d.web.resolver.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		t.Errorf("the client itself looked up %s", host)
		return nil, errors.New("no")
	}
	auth := " Basic " + base64.StdEncoding.EncodeToString([]byte("me:s3cret"))
	for _, row := range []struct{ url, want, asked string }{
		{"ftp://ftp.example/a%20b/;type=d", "200", "GET ftp://ftp.example/a%20b/;type=d"},
		{"ftp://joe:x%40y@ftp.example:2121/", "200", "GET ftp://joe:x%40y@ftp.example:2121/"},
		{"ftp://ftp.example/gone", "404", "GET ftp://ftp.example/gone"},
		{"ftp://ftp.example/secret", "407", "GET ftp://ftp.example/secret"},
	} {
		for _, need := range []Need{Existence, Content} {
			asked = nil
			resp, text, fault := fetchURL(t, others, row.url, need)
			if verdict(resp, fault) != row.want || (text != "") != (need == Content && row.want == "200") || resp.Requests != 1 {
				t.Errorf("%s: %+v %q, %v", row.url, resp, text, fault)
			}
			if len(asked) != 1 || asked[0] != row.asked+auth {
				t.Errorf("%s: the proxy was asked %q", row.url, asked)
			}
			if row.want == "407" && resp.Proxy == "" {
				t.Error("the Response does not name the proxy that answered 407")
			}
		}
	}
	for _, address := range []string{"ftp://ftp.example/a%0D%0Ab", "ftp://joe%0A:x@ftp.example/"} {
		asked = nil
		if _, _, fault := fetchURL(t, others, address, Existence); fault == nil || fault.Kind != "uri-invalid" || len(asked) > 0 {
			t.Errorf("%s: %v, asked %q", address, fault, asked)
		}
	}
	broken := serveLines(t, func(c *serverConn) { c.read(); c.say("SSH-2.0\r\n") })
	for proxy, kind := range map[string]string{"http://" + broken.addr.String(): "protocol-error", "http://127.0.0.1:1": "connect-refused"} {
		_, others := newOtherSchemes(t, HTTPConfig{Proxy: proxy}, OtherSchemesConfig{})
		if _, _, fault := fetchURL(t, others, "ftp://ftp.example/", Content); fault == nil || fault.Kind != kind {
			t.Errorf("%s: %v, want %s", proxy, fault, kind)
		}
	}
	server := serveLines(t, func(c *serverConn) { c.say("1a\tb\tc\t70\r\n.\r\n") })
	if resp, _, fault := fetchURL(t, others, "gopher://"+server.addr.String()+"/1", Existence); verdict(resp, fault) != "ok" {
		t.Errorf("gopher: %v", fault)
	}
	private, _ := NewHTTP(HTTPConfig{Proxy: with, AddressPolicy: AddressPolicy{DenyPrivate: true}})
	defer private.Close()
	pd, err := NewOtherSchemes(private, OtherSchemesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, fault := fetchURL(t, pd.Fetchers(), "ftp://127.0.0.1/", Existence); fault == nil || fault.Kind != "address-denied" {
		t.Errorf("a private target: %v", fault)
	}
}

// Private targets cannot be reached through a proxy either.
func TestDenyPrivateThroughProxy(t *testing.T) {
	p := &forwardProxy{}
	proxy := httptest.NewServer(p)
	defer proxy.Close()
	h := newHTTP(t, HTTPConfig{Proxy: proxy.URL, AddressPolicy: AddressPolicy{DenyPrivate: true}})
	h.resolver.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		if strings.HasPrefix(host, "unknown") {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		if strings.HasPrefix(host, "inner") {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	for url, kind := range map[string]string{"http://127.0.0.1/": "address-denied", "http://inner.example.com/": "address-denied", "http://10.0.0.1/": "address-denied", "http://outer.example.com/": "", "http://unknown.example.com/": ""} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, url), Need: Content}); kindOfError(err) != kind {
			t.Errorf("%s: %v, want %s", url, err, kind)
		}
	}
}

// Behind a proxy, a name that only this machine does not know is not proven to be missing.
func TestUnknownNamesBehindProxy(t *testing.T) {
	proxy := httptest.NewServer(&forwardProxy{})
	defer proxy.Close()
	for through, kind := range map[string]string{"": "dns-not-found", proxy.URL: "dns-failure"} {
		d, others := newOtherSchemes(t, HTTPConfig{Proxy: through}, OtherSchemesConfig{})
		d.web.resolver.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		for _, url := range []string{"dns:unknown.example", "gopher://unknown.example/"} {
			if _, _, fault := fetchURL(t, others, url, Existence); fault == nil || fault.Kind != kind {
				t.Errorf("%s through %q: %v, want %s", url, through, fault, kind)
			}
		}
		err := d.resolver().unproven(&net.DNSError{Name: "unknown.example", IsNotFound: true})
		var missing *net.DNSError
		if !errors.As(err, &missing) || missing.IsTemporary != (through != "") {
			t.Errorf("a mail domain through %q: %#v", through, err)
		}
	}
}

// A proxy that accepts a connection but does not connect to the target costs one time
// limit.
func TestSilentProxy(t *testing.T) {
	for proxy, url := range map[string]string{
		"http://proxy.example":    "https://example.com/",
		"socks5://proxy.example":  "http://example.com/",
		"socks5://proxy2.example": "https://example.com/",
	} {
		t.Setenv("NO_PROXY", "")
		t.Setenv("no_proxy", "")
		synctest.Test(t, func(t *testing.T) {
			n := newPipeNet(t, HTTPConfig{Proxy: proxy}, func(_ string, c net.Conn) { untilClosed(c) })
			connect := n.dialer.connect
			n.dialer.connect = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := connect(ctx, network, addr)
				httptrace.ContextClientTrace(ctx).ConnectDone(network, addr, err) // as net.Dialer does
				return conn, err
			}
			_, took, err := n.wait(&Request{URL: mustParse(t, url), Need: Content})
			n.Close()
			if kindOfError(err) != "timeout" || !strings.HasSuffix(err.Error(), "the proxy did not connect within 20s") || took != defaultTimeout {
				t.Errorf("%s for %s: %v after %v", proxy, url, err, took)
			}
		})
	}
}
