//go:build linux

package programtest_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// externalSite is a page with links to many hosts, each of which has a name, an address and a
// certificate of an authority that the program does not know. Links to one host do not follow
// each other, as on a page of references.
type externalSite struct {
	url                                    string
	arguments                              []string
	requests                               *counter
	questions, connections, resumed, http2 atomic.Int64
}

// serveExternal starts the servers of a number of hosts, and of the page.
func serveExternal(t testing.TB, hosts, links int) *externalSite {
	var s externalSite
	root := crawlertest.NewAuthority(t, "orbweaver")
	certificates := make(map[string]*tls.Certificate, hosts)
	addresses := make(map[string][4]byte, hosts)
	for i := range hosts {
		name := hostName(i)
		chain := root.Leaf(t, name).Chain()
		certificates[name], addresses[name] = &chain, hostAddress(i)
	}
	names := crawlertest.ServeNames(t, func(name string) ([4]byte, dnsmessage.RCode) {
		addr, ok := addresses[name]
		if !ok {
			return addr, dnsmessage.RCodeNameError
		}
		s.questions.Add(1)
		return addr, dnsmessage.RCodeSuccess
	})
	s.arguments = []string{"--dns-server", names, "--ca-file", root.File(t)}
	certificate := func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return certificates[hello.ServerName], nil }
	s.requests = newCounter(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			s.http2.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
	}))
	server := &http.Server{Handler: s.requests, ErrorLog: log.New(io.Discard, "", 0), TLSConfig: &tls.Config{GetCertificate: certificate,
		VerifyConnection: func(state tls.ConnectionState) error {
			s.connections.Add(1)
			if state.DidResume {
				s.resumed.Add(1)
			}
			return nil
		}}}
	var serving sync.WaitGroup
	port := "0"
	for i := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(netip.AddrFrom4(hostAddress(i)).String(), port))
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(l.Addr().String())
		serving.Go(func() { _ = server.ServeTLS(l, "", "") }) // until it is closed
	}
	t.Cleanup(func() { server.Close(); serving.Wait() })
	var page bytes.Buffer
	page.WriteString("<!doctype html><title>References</title>\n")
	for i := range links {
		fmt.Fprintf(&page, "<a href=\"https://%s:%s/%d\">%d</a>\n", hostName(i%hosts), port, i/hosts, i)
	}
	start := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.ServeHTTP(w, r)
		if _, err := w.Write(page.Bytes()); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(start.Close)
	s.url = start.URL + "/"
	return &s
}

func hostName(i int) string { return fmt.Sprintf("h%d.test", i) }

// hostAddress returns the loopback address of a host.
func hostAddress(i int) [4]byte { return [4]byte{127, 1, byte(i / 250), byte(i%250 + 1)} }

// BenchmarkExternal measures what a host costs. The floor is the time that the latency takes
// with the allowed number of requests in flight.
func BenchmarkExternal(b *testing.B) {
	var hosts, links int
	size := setting("BENCH_EXTERNAL", "200x1000")
	if _, err := fmt.Sscanf(size, "%dx%d", &hosts, &links); err != nil || hosts < 1 || hosts > 60_000 || links < hosts {
		b.Fatalf("BENCH_EXTERNAL: %s: write HOSTSxLINKS, with at most 60000 hosts and at least a link to each", size)
	}
	s := serveExternal(b, hosts, links)
	measure(b, func(to sums) { s.visit(b, hosts, links, to) })
}

// visit adds what one run takes.
func (s *externalSite) visit(t testing.TB, hosts, links int, to sums) {
	args := slices.Concat([]string{"--no-config", "--format", "json", "--progress", "never", "--concurrency", strconv.Itoa(concurrency), s.url},
		s.arguments, strings.Fields(setting("BENCH_FLAGS", "")))
	u, report := run(t, ours(), args)
	if _, references := sizeIn(t, report); references != links+1 { // with the one to the start page, on the command line
		t.Fatalf("the program found %d references, want %d", references, links+1)
	}
	to.add(u)
	if latency := s.requests.latency; latency > 0 {
		to["wall/floor"] += float64(u.Wall) / float64(max(time.Duration(links)*latency/concurrency, latency))
	}
	to["cpu-ms/host"] += u.CPU.Seconds() * 1000 / float64(hosts)
	to["requests"] += float64(len(s.requests.take()))
	to["connections"] += float64(s.connections.Swap(0))
	to["resumed"] += float64(s.resumed.Swap(0))
	to["http2-requests"] += float64(s.http2.Swap(0))
	to["lookups"] += float64(s.questions.Swap(0)) / 2 // one for each kind of address
}

// One request after the other needs one lookup and one connection for each host.
func TestExternal(t *testing.T) {
	t.Setenv("BENCH_FLAGS", "--concurrency 1")
	measured := sums{}
	serveExternal(t, 3, 7).visit(t, 3, 7, measured)
	for unit, want := range map[string]float64{"requests": 8, "connections": 3, "resumed": 0, "http2-requests": 7, "lookups": 3} {
		if measured[unit] != want {
			t.Errorf("%s: %v, want %v", unit, measured[unit], want)
		}
	}
}
