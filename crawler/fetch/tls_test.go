package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// loopback makes a certificate valid for 127.0.0.1, too.
func loopback(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)} }

// serveTLS starts an HTTPS server with a certificate chain.
func serveTLS(t *testing.T, cert tls.Certificate, http2 bool, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handle)
	server.EnableHTTP2 = http2
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func respond(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
}

func TestCertificates(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	stranger := crawlertest.NewAuthority(t, "Stranger")
	intermediate := root.CA(t, "Intermediate")
	day := 24 * time.Hour
	for _, row := range []struct {
		name  string
		cert  tls.Certificate
		kind  string
		text  string
		notes string
	}{
		{"good", root.Leaf(t, "example.com").Chain(), "", "", ""},
		{"with intermediate", intermediate.Leaf(t, "example.com").Chain(intermediate), "", "", ""},
		{"with root and unrelated data", intermediate.Leaf(t, "example.com").Chain(stranger, root, intermediate), "", "", ""},
		{"wildcard", root.Leaf(t, "x", func(c *x509.Certificate) { c.DNSNames = []string{"*.com", "example.com"} }).Chain(), "", "", ""},
		{"expires soon", root.Leaf(t, "example.com", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(10 * day) }).Chain(), "", "", "tls-expires-soon"},
		{"expires later", root.Leaf(t, "example.com", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(15 * day) }).Chain(), "", "", ""},
		{"expired", root.Leaf(t, "example.com", func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().Add(-10*day), time.Now().Add(-day)
		}).Chain(), "tls-expired", "the certificate expired on " + time.Now().Add(-day).UTC().Format(time.DateOnly), ""},
		{"not yet valid", root.Leaf(t, "example.com", func(c *x509.Certificate) { c.NotBefore = time.Now().Add(2 * day) }).Chain(),
			"tls-expired", "the certificate is not valid before " + time.Now().Add(2*day).UTC().Format(time.DateOnly), ""},
		{"wrong host", root.Leaf(t, "example.org").Chain(), "tls-hostname", "the certificate is for example.org, not for example.com", ""},
		{"many hosts", root.Leaf(t, "a", func(c *x509.Certificate) {
			c.DNSNames = []string{"a.example", "b.example", "c.example", "d.example", "e.example"}
		}).Chain(),
			"tls-hostname", "the certificate is for a.example, b.example, c.example and 2 more, not for example.com", ""},
		{"no host", root.Leaf(t, "x", func(c *x509.Certificate) { c.DNSNames = nil }).Chain(), "tls-hostname", "the certificate is for no host at all, not for example.com", ""},
		{"self-signed", (*crawlertest.Authority)(nil).Leaf(t, "example.com").Chain(), "tls-untrusted", "the certificate is self-signed", ""},
		{"unknown authority", stranger.Leaf(t, "example.com").Chain(), "tls-untrusted", "the certificate is signed by an untrusted authority: CN=Stranger", ""},
		{"missing intermediate", intermediate.Leaf(t, "example.com").Chain(), "tls-untrusted", "the certificate is signed by an untrusted authority: CN=Intermediate", ""},
		{"not for servers", root.Leaf(t, "example.com", func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning} }).Chain(),
			"tls-untrusted", "the certificate cannot be verified", ""},
	} {
		server := serveTLS(t, row.cert, true, respond("ok"))
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
		resp, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
		if row.kind == "" {
			if err != nil || text != "ok" || resp.TLS == nil || noteCodes(resp) != row.notes || resp.Requests != 1 {
				t.Errorf("%s: %+v, %v", row.name, resp, err)
			}
			continue
		}
		var f *Fault
		if !errors.As(err, &f) || f.Kind != row.kind || f.Retry || f.Local || err.Error() != "handshake with https://example.com/: "+row.text {
			t.Errorf("%s: %v, want %s %s", row.name, err, row.kind, row.text)
		}
		// There is no second request after a failed handshake.
		if _, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/")}); kindOfError(err) != row.kind || err.(*Fault).Requests != 1 {
			t.Errorf("%s: HEAD: %v", row.name, err)
		}
		insecure := newHTTP(t, HTTPConfig{Insecure: true, ConnectTo: toLoopback(server)})
		if resp, text, err := ask(t, insecure, &Request{URL: mustParse(t, "https://example.com/"), Need: Content}); err != nil || text != "ok" || len(resp.Notes) > 0 {
			t.Errorf("%s: insecure: %+v %v", row.name, resp, err)
		}
	}
}

func noteCodes(resp *Response) string {
	var codes []string
	for _, note := range resp.Notes {
		codes = append(codes, note.Code)
	}
	return strings.Join(codes, " ")
}

func TestHandshakeFaults(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	leaf := root.Leaf(t, "example.com").Chain()
	old := httptest.NewUnstartedServer(respond("ok"))
	old.TLS = &tls.Config{Certificates: []tls.Certificate{leaf}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	oldKey := httptest.NewUnstartedServer(respond("ok"))
	oldKey.TLS = &tls.Config{Certificates: []tls.Certificate{leaf}, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA}}
	oldKey.Config.ErrorLog = log.New(io.Discard, "", 0)
	oldKey.StartTLS()
	defer oldKey.Close()
	plain := httptest.NewServer(respond("plain"))
	defer plain.Close()
	heavy := leaf // a chain of megabytes
	for range 8000 {
		heavy.Certificate = append(heavy.Certificate, leaf.Certificate[0])
	}
	large := httptest.NewUnstartedServer(respond("ok"))
	large.TLS = &tls.Config{Certificates: []tls.Certificate{heavy}}
	large.Config.ErrorLog = log.New(io.Discard, "", 0)
	large.StartTLS()
	defer large.Close()
	for _, row := range []struct{ name, to, kind, text string }{
		{"TLS 1.1", old.Listener.Addr().String(), "tls-error", "the server refused the TLS handshake"},
		{"old suite", oldKey.Listener.Addr().String(), "", ""},
		{"large chain", large.Listener.Addr().String(), "tls-error", "TLS"},
		{"plain text", plain.Listener.Addr().String(), "tls-error", "the server answered the TLS handshake in plain text"},
	} {
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: []ConnectTo{{":", row.to}}})
		_, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
		if kindOfError(err) != row.kind || err != nil && !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %v, want %s", row.name, err, row.kind)
		}
	}
	for name, end := range map[string]func(*rawConn){"cut short": (*rawConn).quit, "reset": (*rawConn).reset} {
		server := serveHello(t, end)
		h := newHTTP(t, HTTPConfig{ConnectTo: []ConnectTo{{":", server}}})
		_, _, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
		var f *Fault
		if !errors.As(err, &f) || f.Kind != "tls-error" || !f.Retry || !strings.HasSuffix(err.Error(), "the connection was closed during the TLS handshake") {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// The client certificate is sent to start targets only.
func TestClientCertificate(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	client := root.Leaf(t, "client.example")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(r.TLS.PeerCertificates))
	}))
	pool := x509.NewCertPool()
	pool.AddCert(root.Cert)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "example.com").Chain(), root.Leaf(t, "example.org").Chain()}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool}
	server.StartTLS()
	defer server.Close()
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), Secrets: Secrets{ClientCert: client.File(t), Origins: NewOrigins(mustParse(t, "https://example.com/"))}, ConnectTo: toLoopback(server)})
	for _, row := range []struct{ url, want string }{
		{"https://example.com/", "1"}, {"https://example.org/", "0"}, {"https://example.com:8443/", "0"},
	} {
		_, text, err := ask(t, h, &Request{URL: mustParse(t, row.url), Need: Content, Internal: true})
		if err != nil || text != row.want {
			t.Errorf("%s: %q, %v", row.url, text, err)
		}
	}
}

func TestTLSFiles(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, config := range []HTTPConfig{
		{CAFile: "nowhere.pem"}, {CAFile: empty}, {Secrets: Secrets{ClientCert: "nowhere.pem"}}, {Secrets: Secrets{ClientCert: empty, ClientKey: empty}}, {Secrets: Secrets{ClientKey: empty}},
	} {
		if h, err := NewHTTP(config); err == nil {
			h.Close()
			t.Errorf("%+v: no error", config)
		} else if strings.Contains(err.Error(), "%!") {
			t.Errorf("%v", err)
		}
	}
}

// The certificate of a host that is an IP address is verified like any other, before a
// request is sent, which may contain a password.
func TestCertificateForAnAddress(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	for kind, cert := range map[string]tls.Certificate{
		"":             root.Leaf(t, "example.com", loopback).Chain(),
		"tls-hostname": root.Leaf(t, "example.com").Chain(),
	} {
		for _, http2 := range []bool{false, true} {
			var asked atomic.Int32
			server := serveTLS(t, cert, http2, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
			h := newHTTP(t, HTTPConfig{CAFile: root.File(t), Secrets: Secrets{Credentials: "me:s3cret"}})
			for _, need := range []Need{Existence, Content} {
				resp, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, server.URL+"/"), Need: need})
				if kindOfError(err) != kind {
					t.Errorf("%s: %v, want %q", server.URL, err, kind)
				}
				if err == nil && resp.Body != nil {
					resp.Body.Close()
				}
			}
			if (asked.Load() == 0) != (kind != "") {
				t.Errorf("%q: the server was asked %d times", kind, asked.Load())
			}
		}
	}
	server := serveTLS(t, root.Leaf(t, "example.com").Chain(), false, respond("ok"))
	for _, host := range []string{"127.0.0.1", "localhost"} { // with two faults, both report the same one
		u := mustParse(t, strings.Replace(server.URL, "127.0.0.1", host, 1))
		if _, err := newHTTP(t, HTTPConfig{}).Fetch(t.Context(), &Request{URL: u}); kindOfError(err) != "tls-hostname" {
			t.Errorf("%s: %v", u, err)
		}
	}
}

// The same applies to a proxy with an IP address.
func TestCertificateForProxyAddress(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	for right, cert := range map[bool]tls.Certificate{
		true:  root.Leaf(t, "proxy.example", loopback, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(time.Hour) }).Chain(),
		false: root.Leaf(t, "proxy.example").Chain(),
	} {
		var asked atomic.Int32
		proxy := serveTLS(t, cert, false, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), Proxy: strings.Replace(proxy.URL, "://", "://me:s3cret@", 1)})
		resp, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "http://example.com/")})
		if err == nil && (resp.TLS != nil || len(resp.Notes) > 0) {
			t.Errorf("the target has a note about the proxy's certificate: %v", resp.Notes)
		}
		var f *Fault
		if right != (err == nil) || err != nil && (!errors.As(err, &f) || f.Kind != "tls-hostname" || !f.Local) {
			t.Errorf("a certificate for it %t: %v", right, err)
		}
		if right != (asked.Load() > 0) {
			t.Errorf("a certificate for it %t: asked %d times", right, asked.Load())
		}
	}
}

func TestAddressesAreBounded(t *testing.T) {
	h := newHTTP(t, HTTPConfig{})
	u := mustParse(t, "https://192.0.2.1/")
	first := h.transports.forTarget(h.transports.remote, u, nil)
	if again := h.transports.forTarget(h.transports.remote, u, nil); first != again || first == h.transports.forTarget(h.transports.loopback, u, nil) {
		t.Error("a host has more than one transport of a kind")
	}
	for i := range maxAddressTransports + 10 {
		h.transports.forTarget(h.transports.remote, mustParse(t, fmt.Sprintf("https://[2001:db8::%x]/", i+1)), nil)
	}
	if n := len(h.transports.byHost); n > maxAddressTransports {
		t.Errorf("%d transports exist", n)
	}
	for _, u := range []string{"http://192.0.2.1/", "https://example.com/"} {
		if h.transports.forTarget(h.transports.remote, mustParse(t, u), nil) != h.transports.remote {
			t.Errorf("%s has a transport of its own", u)
		}
	}
}

// In TLS 1.3, a server that requires a client certificate reports a missing one after
// the handshake.
func TestClientCertificateWanted(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	server := httptest.NewUnstartedServer(respond("ok"))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{root.Leaf(t, "example.com").Chain()}, ClientAuth: tls.RequireAnyClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: toLoopback(server)})
	if _, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/"), Need: Content}); kindOfError(err) != "tls-error" {
		t.Errorf("%v, want tls-error", err)
	}
}
