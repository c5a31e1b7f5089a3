package crawler

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A fault server says exactly what a test wants, HTTP or not. The names of a test
// lie under .test (RFC 6761), so that they are treated as hosts of the real web;
// ConnectTo leads them here.

// exchange is one request as it came, and the connection it came over.
type exchange struct {
	net.Conn
	request *http.Request
	nth     int // of the requests for this host, method and target, from 1
	closed  bool
}

// send writes text as it is.
func (x *exchange) send(text string) {
	if _, err := x.Write([]byte(text)); err != nil {
		x.closed = true
	}
}

// say answers with a head, a Content-Length and a body; the connection stays open.
func (x *exchange) say(status string, headers string, body string) {
	length := "Content-Length: " + itoa(len(body)) + "\r\n"
	if x.request.Method == http.MethodHead {
		body = ""
	}
	x.send("HTTP/1.1 " + status + "\r\n" + headers + length + "\r\n" + body)
}

func itoa(n int) string { return big.NewInt(int64(n)).String() }

// quit closes the connection in order.
func (x *exchange) quit() {
	x.Close()
	x.closed = true
}

// reset closes it with RST.
func (x *exchange) reset() {
	if tcp, ok := x.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	x.quit()
}

// hang waits until the client gives up.
func (x *exchange) hang() {
	x.Read(make([]byte, 1))
	x.quit()
}

// faultServer answers by the Host that is asked for.
type faultServer struct {
	addr string

	mu     sync.Mutex
	asked  map[string]int // "METHOD host/target"
	order  []string
	header map[string]http.Header // the last of each
}

// serveFaults answers on a loopback port until the test ends; with a TLS config over TLS.
func serveFaults(t testing.TB, config *tls.Config, answer func(*exchange)) *faultServer {
	t.Helper()
	s := &faultServer{asked: map[string]int{}, header: map[string]http.Header{}}
	s.addr = crawlertest.ServeConns(t, func(tcp *net.TCPConn, _ int) {
		var conn net.Conn = tcp
		if config != nil {
			conn = tls.Server(conn, config)
		}
		s.talk(conn, answer)
	}).String()
	return s
}

func (s *faultServer) talk(conn net.Conn, answer func(*exchange)) {
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		key := r.Method + " " + r.Host + r.RequestURI
		s.mu.Lock()
		s.asked[key]++
		s.order = append(s.order, key)
		s.header[key] = r.Header
		x := &exchange{Conn: conn, request: r, nth: s.asked[key]}
		s.mu.Unlock()
		if answer(x); x.closed {
			return
		}
	}
}

// count is how often something was asked for: "GET host/target", or any method without one.
func (s *faultServer) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(key, " ") {
		return s.asked[key]
	}
	return s.asked["GET "+key] + s.asked["HEAD "+key]
}

// got returns the header of the last such request.
func (s *faultServer) got(key string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header[key]
}

// closedAddr is a loopback address that refuses connections.
func closedAddr(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// serveHandshakes does something to each connection that begins to talk.
func serveHandshakes(t testing.TB, end func(net.Conn)) string {
	t.Helper()
	return crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		conn.Read(make([]byte, 4096))
		end(conn)
	}).String()
}

// Authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, name string) *authority {
	return (*authority)(nil).issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true,
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true})
}

// issue signs a certificate; without an authority it signs itself.
func (a *authority) issue(t testing.TB, template *x509.Certificate) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, _ = rand.Int(rand.Reader, big.NewInt(1<<62))
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(90 * 24 * time.Hour)
	}
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	parent, signer := template, key
	if a != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

// leaf is a server's certificate for some names.
func (a *authority) leaf(t testing.TB, names []string, change ...func(*x509.Certificate)) *authority {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, c := range change {
		c(template)
	}
	return a.issue(t, template)
}

func (a *authority) certificate() *tls.Certificate {
	return &tls.Certificate{Certificate: [][]byte{a.cert.Raw}, PrivateKey: a.key}
}

// file writes the certificate for --ca-file.
func (a *authority) file(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// serveNames is a DNS server over UDP and TCP that answers as zone says for a name
// without its final dot: an address, or a response code.
func serveNames(t testing.TB, zone func(name string) (addr [4]byte, code dnsmessage.RCode)) string {
	t.Helper()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		packet := make([]byte, 4096)
		for {
			n, from, err := udp.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := answerName(packet[:n], zone); reply != nil {
				udp.WriteTo(reply, from)
			}
		}
	})
	t.Cleanup(func() { udp.Close(); wg.Wait() })
	return udp.LocalAddr().String()
}

func answerName(packet []byte, zone func(string) ([4]byte, dnsmessage.RCode)) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	addr, code := zone(strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")))
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true, RCode: code}, Questions: m.Questions}
	if code == dnsmessage.RCodeSuccess && q.Type == dnsmessage.TypeA && addr != [4]byte{} {
		reply.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
			Body:   &dnsmessage.AResource{A: addr},
		}}
	}
	out, err := reply.Pack()
	if err != nil {
		return nil
	}
	return out
}

func patterns(expressions ...string) (res []*regexp.Regexp) {
	for _, e := range expressions {
		res = append(res, regexp.MustCompile(e))
	}
	return res
}

// tlsOf serves one certificate.
func tlsOf(leaf *authority) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{*leaf.certificate()}}
}
