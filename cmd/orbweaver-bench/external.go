package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// externalSite is a page with links to many hosts, each of which has a name, an address, a
// certificate and a certificate authority that the program does not know yet. Links to one
// host do not follow each other, as on a page of references.
type externalSite struct {
	hosts, links int

	authority    *x509.Certificate
	authorityKey *ecdsa.PrivateKey
	certificates []tls.Certificate
	page         []byte
	counts       externalCounts
}

// externalCounts are what the servers of an external site saw.
type externalCounts struct{ lookups, connections, resumed, http2 atomic.Int64 }

// parseExternal parses a site that is named external:HOSTSxLINKS.
func parseExternal(name string) (*externalSite, bool, error) {
	size, is := strings.CutPrefix(name, "external:")
	if !is {
		return nil, false, nil
	}
	hosts, links, found := strings.Cut(size, "x")
	h, err := strconv.Atoi(hosts)
	n, err1 := strconv.Atoi(links)
	if !found || err != nil || err1 != nil || h < 1 || h > 60_000 || n < h {
		return nil, true, fmt.Errorf("%s: write external:HOSTSxLINKS, with at most 60000 hosts and at least a link to each", name)
	}
	return &externalSite{hosts: h, links: n}, true, nil
}

func hostName(i int) string { return fmt.Sprintf("h%d.test", i) }

// hostAddress returns the loopback address of a host.
func hostAddress(i int) net.IP { return net.IPv4(127, 1, byte(i/250), byte(i%250+1)).To4() }

// externalService is where the parts of an external site are.
type externalService struct{ Page, DNS, Authority string }

// start starts all servers.
func (s *externalSite) start(latency time.Duration, requests *counter) (at externalService, err error) {
	if err := s.certify(); err != nil {
		return at, err
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && r.ProtoMajor == 2 {
			s.counts.http2.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.TLS == nil {
			_, _ = w.Write(s.page) // the program notices
		}
	})
	requests.Handler, requests.latency = answer, latency
	quiet := log.New(io.Discard, "", 0)
	server := &http.Server{Handler: requests, ErrorLog: quiet, TLSConfig: &tls.Config{GetCertificate: s.certificate, VerifyConnection: func(state tls.ConnectionState) error {
		s.counts.connections.Add(1)
		if state.DidResume {
			s.counts.resumed.Add(1)
		}
		return nil
	}}}
	port := ""
	for i := range s.hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(hostAddress(i).String(), port))
		if err != nil {
			return at, err
		}
		_, port, _ = net.SplitHostPort(l.Addr().String())
		go server.ServeTLS(l, "", "") // until the process ends
	}
	s.page = s.makePage(port)
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return at, err
	}
	go (&http.Server{Handler: requests, ErrorLog: quiet}).Serve(plain) // until the process ends
	names, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return at, err
	}
	go s.answerLookups(names)
	at = externalService{Page: plain.Addr().String(), DNS: names.LocalAddr().String(),
		Authority: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.authority.Raw}))}
	return at, nil
}

func (s *externalSite) makePage(port string) []byte {
	var b bytes.Buffer
	b.WriteString("<!doctype html><title>References</title>\n")
	for i := range s.links {
		fmt.Fprintf(&b, "<a href=\"https://%s:%s/%d\">%d</a>\n", hostName(i%s.hosts), port, i/s.hosts, i)
	}
	return b.Bytes()
}

// certify makes a certificate for each host.
func (s *externalSite) certify() (err error) {
	if s.authorityKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "orbweaver-bench"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &s.authorityKey.PublicKey, s.authorityKey)
	if err == nil {
		s.authority, err = x509.ParseCertificate(der)
	}
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	for i := 0; i < s.hosts && err == nil; i++ {
		own := &x509.Certificate{SerialNumber: big.NewInt(int64(i) + 2), DNSNames: []string{hostName(i)}, NotBefore: template.NotBefore, NotAfter: template.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
		if der, err = x509.CreateCertificate(rand.Reader, own, s.authority, &key.PublicKey, s.authorityKey); err == nil {
			s.certificates = append(s.certificates, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
		}
	}
	return err
}

// hostOf returns the number of a host.
func (s *externalSite) hostOf(name string) (int, bool) {
	digits, ok := strings.CutSuffix(strings.TrimSuffix(strings.ToLower(name), "."), ".test")
	i, err := strconv.Atoi(strings.TrimPrefix(digits, "h"))
	return i, ok && err == nil && i >= 0 && i < s.hosts
}

func (s *externalSite) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	i, ok := s.hostOf(hello.ServerName)
	if !ok {
		return nil, errors.New("there is no such host")
	}
	return &s.certificates[i], nil
}

// answerLookups is the name server.
func (s *externalSite) answerLookups(conn net.PacketConn) {
	question := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(question)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(question[:n]); err != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		if i, ok := s.hostOf(q.Name.String()); !ok {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			s.counts.lookups.Add(1)
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
				Body: &dnsmessage.AResource{A: [4]byte(hostAddress(i))}}}
		}
		if packed, err := m.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from) // the program asks again
		}
	}
}

// measureExternal measures Orbweaver on an external site and prints what a host costs. The
// floor is the time that the latency takes with the allowed number of requests in flight.
func (s *settings) measureExternal(name string, us program, out, log io.Writer) error {
	site, _, err := parseExternal(name)
	if err != nil {
		return err
	}
	srv, err := startServer(corpus{name: name}, s.latency)
	if err != nil {
		return err
	}
	defer srv.stop()
	authority, err := os.CreateTemp("", "orbweaver-bench-*.pem")
	if err != nil {
		return err
	}
	defer os.Remove(authority.Name())
	if _, err := authority.WriteString(srv.external.Authority); err != nil {
		return err
	}
	if err := authority.Close(); err != nil {
		return err
	}
	us.arguments = func(s *settings, at target) []string {
		return append([]string{"--no-config", "--format", "json", "--progress", "never", "--concurrency", strconv.Itoa(s.concurrency),
			"--dns-server", srv.external.DNS, "--ca-file", authority.Name(), at.url}, strings.Fields(s.arguments)...)
	}
	us.findings = nil
	floor := max(time.Duration(site.links)*s.latency/time.Duration(min(s.concurrency, site.links)), s.latency)
	fmt.Fprintf(out, "### %d links to %d hosts over TLS, %s of latency: floor %s s\n\n", site.links, site.hosts, s.latency, seconds(floor))
	fmt.Fprintln(out, "| wall s | of the floor | CPU s | ms a host | memory MB | requests | connections | resumed | HTTP/2 requests | lookups |")
	fmt.Fprintln(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for range s.runs {
		r, err := s.runOnce(us, target{url: "http://" + srv.external.Page + "/"}, srv, log)
		if err != nil {
			return err
		}
		if want := site.links + 1; r.size.References != want { // with the one to the start page, on the command line
			return fmt.Errorf("it found %d references and not %d", r.size.References, want)
		}
		e := r.external
		fmt.Fprintf(out, "| %s | %.2f | %s | %.2f | %.0f | %d | %d | %d | %d | %d |\n", seconds(r.wall), ratio(r.wall, floor), seconds(r.cpu), float64(r.cpu)/1e6/float64(site.hosts),
			float64(r.memory)/(1<<20), r.requests, e.Connections, e.Resumed, e.HTTP2, e.Lookups)
	}
	fmt.Fprintln(out)
	return nil
}
