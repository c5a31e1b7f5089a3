package crawler

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// serveEverywhere accepts connections at all addresses of this machine and counts them.
func serveEverywhere(t *testing.T) (port string, connections *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	connections = new(atomic.Int32)
	server := &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		},
	}
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(listener) }()
	t.Cleanup(func() { server.Close(); <-done })
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, connections
}

// deniedHosts are ways to spell hosts at addresses that are not public. Those of this
// machine would be answered by serveEverywhere.
var deniedHosts = []string{
	"127.0.0.1", "127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0x7F.2", "017700000002", "0177.0.0.2", "0x7f.0x0.0.2", "127.0.0.2.", "127.1.",
	"１２７.0.0.2", "127。0。0。2", "①②⑦.⓪.⓪.②", "%31%32%37.0.0.2", "127%2e0%2e0%2e2", "0", "0.0.0.0", "0x0",
	"localhost", "LOCALHOST", "localhost.", "any.localhost", "ｌｏｃａｌｈｏｓｔ",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[0:0:0:0:0:FFFF:7F00:2]", "[::127.0.0.2]", "[::7f00:2]",
	"[64:ff9b::127.0.0.2]", "[64:ff9b::7f00:2]", "[64:ff9b:1::127.0.0.2]", "[2002:7f00:2::]", "[2002:7f00:2::1]", "[::ffff:0:127.0.0.2]", "[2001:0:7f00:2::80ff:fffd]",
	"[2606:4700::5efe:127.0.0.2]", "[2606:4700::200:5efe:10.0.0.1]",
	"10.0.0.1", "172.16.0.1", "192.168.1.1", "192.168.257", "3232235777", "169.254.169.254", "[::ffff:169.254.169.254]", "2852039166", "168.63.129.16",
	"100.64.0.1", "100.100.100.200", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1",
	"[fe80::1]", "[fd00:ec2::254]", "[fc00::1]", "[ff02::1]", "[fec0::1]", "[2001:db8::1]", "[100::1]", "[3fff::1]",
	"inner.test", "INNER.test.", "metadata.test", "inner.test:80",
}

// A run that denies private addresses connects to none of them, however a page, a redirect,
// a sitemap or a name leads there. Only the named network is open.
func TestDeniedAddresses(t *testing.T) {
	port, connections := serveEverywhere(t)
	names := crawlertest.ServeNames(t, func(name string) ([4]byte, dnsmessage.RCode) {
		switch name {
		case "site.test":
			return [4]byte{127, 0, 0, 9}, dnsmessage.RCodeSuccess
		case "inner.test":
			return [4]byte{127, 0, 0, 2}, dnsmessage.RCodeSuccess
		case "metadata.test":
			return [4]byte{169, 254, 169, 254}, dnsmessage.RCodeSuccess
		}
		return [4]byte{}, dnsmessage.RCodeNameError
	})
	var page strings.Builder
	var targets []string
	for i, host := range deniedHosts {
		address := "http://" + host + ":" + port + "/"
		if strings.HasSuffix(host, ":80") {
			address = "http://" + host + "/"
		}
		fmt.Fprintf(&page, "<a href='%s'>x</a><img src='%sx.png'><a href='/to/%d'>x</a><a href='/far/%d'>x</a>\n", address, address, i, i)
		target := mustParse(t, address).Printed()
		targets = append(targets, target, target+"x.png", fmt.Sprintf("/to/%d", i), fmt.Sprintf("/far/%d", i))
	}
	fmt.Fprintf(&page, "<a href='https://127.0.0.2:%s/'>x</a><a href='https://inner.test:%s/'>x</a>", port, port)
	targets = append(targets, "https://127.0.0.2:"+port+"/", "https://inner.test:"+port+"/")
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page.String())
	})
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Sitemap: http://127.0.0.2:%s/sitemap.xml\nSitemap: http://inner.test:%s/sitemap.xml\nSitemap: http://%s/to-sitemap.xml\n", port, port, r.Host)
	})
	mux.HandleFunc("/to-sitemap.xml", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:"+port+"/sitemap.xml", http.StatusFound)
	})
	mux.HandleFunc("/to/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		w.Header().Set("Location", strings.TrimSuffix("http://"+strings.TrimSuffix(deniedHosts[n], ":80")+":"+port+"/", ":80"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/far/{n}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/to/"+r.PathValue("n"), http.StatusMovedPermanently)
	})
	listener, err := net.Listen("tcp", "127.0.0.9:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(mux)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	_, own, _ := net.SplitHostPort(listener.Addr().String())
	site := "http://site.test:" + own

	client, err := fetch.NewHTTP(fetch.HTTPConfig{AddressPolicy: fetch.AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}},
		DNSServer: names, NoEnvironment: true, AllowPorts: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, mode := range []RobotsMode{RobotsCrawl, RobotsStrict} {
		cfg := web(t)
		cfg.Fetch = fetch.Mux{"http": client, "https": client}
		cfg.Scope.Robots, cfg.Scope.RobotsGiven, cfg.Scope.Sitemaps = mode, true, true
		c, sum := crawl(t, cfg, seedOf(t, site+"/"))
		if r := c.find(site + "/"); r == nil || r.Verdict != check.OK {
			t.Fatalf("the page in the open network: %+v", r)
		}
		for _, target := range targets {
			if strings.HasPrefix(target, "/") {
				target = site + target
			}
			r := c.find(target)
			if r == nil || r.Verdict != check.Skipped || r.Code != check.CodeAddressDenied {
				t.Errorf("%s: %+v, want address-denied", target, r)
			}
		}
		if sum.Broken > 0 || sum.Unverified > 0 {
			t.Errorf("mode %v: %v", mode, sum.ByCode)
		}
	}
	for _, start := range []string{"http://127.0.0.2:" + port + "/", "http://inner.test:" + port + "/", site + "/to/0"} {
		cfg := web(t)
		cfg.Fetch, cfg.Scope.RobotsGiven = fetch.Mux{"http": client, "https": client}, true
		c, _ := crawl(t, cfg, seedOf(t, start))
		if r := c.find(start); r == nil || r.Verdict != check.Skipped || r.Code != check.CodeAddressDenied || len(c.results) != 1 && !strings.HasPrefix(start, site) {
			t.Errorf("start %s: %+v, want address-denied alone", start, r)
		}
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections to denied addresses", n)
	}
}

// Schemes that are closed are checked for syntax only.
func TestClosedSchemes(t *testing.T) {
	cfg, server := realWeb(t, at(map[string]func(*exchange){"site.test/": page(`<a href="ftp://h.test/x">x</a><a href="mailto:joe@missing.test">x</a><a href="mailto:joe(at)h">x</a>
		<a href="ws://h.test/">x</a><a href="gopher://h.test/1">x</a><a href="ldap://h.test/">x</a><a href="file:///etc/passwd">x</a><link rel=preconnect href="http://h.test/">`)}))
	cfg.Judging.SkipMail = true
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	judged(t, c, map[string]string{"ftp://h.test/x": "skipped scheme-unchecked", "mailto:joe@missing.test": "skipped scheme-unchecked", "mailto:joe(at)h": "broken uri-invalid",
		"ws://h.test/": "skipped scheme-unchecked", "gopher://h.test/1": "skipped scheme-unchecked", "ldap://h.test/": "skipped scheme-unchecked", "file:///etc/passwd": "broken file-from-web"})
	if n := len(server.order); n != 1 {
		t.Errorf("%d requests: %v", n, slices.Sorted(slices.Values(server.order)))
	}
}

// busyServer is a server at some addresses that counts the requests at once at each of them. It
// answers none of the first ones until a number of them are under way.
type busyServer struct {
	hold int

	mu   sync.Mutex
	busy map[string]int
	most map[string]int
	held map[string]chan struct{}
}

func (s *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	s.mu.Lock()
	held := s.held[address]
	if held == nil {
		held = make(chan struct{})
		s.held[address] = held
	}
	if s.busy[address]++; s.busy[address] == s.hold && s.most[address] < s.hold {
		close(held)
	}
	s.most[address] = max(s.most[address], s.busy[address])
	s.mu.Unlock()
	<-held
	s.mu.Lock()
	s.busy[address]--
	s.mu.Unlock()
}

// Many names that lead to one address get no more requests at once than that address may have,
// whatever their domains, while another address has as many.
func TestNamesAtOneAddress(t *testing.T) {
	const names, most = 60, 5
	busy := &busyServer{hold: most, busy: map[string]int{}, most: map[string]int{}, held: map[string]chan struct{}{}}
	var ports []string
	addresses := []string{"127.0.0.9", "127.0.0.10"}
	for _, address := range addresses {
		listener, err := net.Listen("tcp", address+":0")
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(busy)
		server.Listener.Close()
		server.Listener = listener
		server.Start()
		t.Cleanup(server.Close)
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		ports = append(ports, port)
	}
	start, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range names {
			fmt.Fprintf(w, "<a href='http://a%d.test:%s/'>x</a><a href='http://b%d.test:%s/'>x</a>", i, ports[0], i, ports[1])
		}
	}))
	client, err := fetch.NewHTTP(fetch.HTTPConfig{NoEnvironment: true, DNSServer: crawlertest.ServeNames(t, func(name string) ([4]byte, dnsmessage.RCode) {
		if strings.HasPrefix(name, "a") {
			return [4]byte{127, 0, 0, 9}, dnsmessage.RCodeSuccess
		}
		return [4]byte{127, 0, 0, 10}, dnsmessage.RCodeSuccess
	})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg := web(t)
	cfg.Fetch, cfg.Politeness.PerAddress = fetch.Mux{"http": client, "https": client}, most
	_, sum := crawl(t, cfg, seedOf(t, start+"/"))
	if sum.OK != 1+2*names {
		t.Errorf("%d targets are ok, want %d: %v", sum.OK, 1+2*names, sum.ByCode)
	}
	for _, address := range addresses {
		if n := busy.most[address]; n != most {
			t.Errorf("%d requests at once at %s, want %d", n, address, most)
		}
	}
}
