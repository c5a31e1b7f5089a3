package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// serveAIA publishes certificates over plain HTTP: /name returns body[name]().
func serveAIA(t *testing.T, bodies map[string]func() []byte) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body := bodies[strings.TrimPrefix(r.URL.Path, "/")]
		if body == nil {
			w.WriteHeader(404)
			return
		}
		w.Write(body())
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestMissingIntermediate(t *testing.T) {
	bodies := map[string]func() []byte{}
	aia, asked := serveAIA(t, bodies)
	root := crawlertest.NewAuthority(t, "Root")
	stranger := crawlertest.NewAuthority(t, "Stranger")
	first := root.CA(t, "First")
	second := first.CA(t, "Second", aia+"/first")
	foreign := stranger.CA(t, "Foreign", aia+"/stranger")
	var deep []*crawlertest.Authority
	top := root
	for i := range 6 {
		top = top.CA(t, fmt.Sprint("Deep", i), fmt.Sprintf("%s/deep%d", aia, i-1))
		deep = append(deep, top)
		bodies[fmt.Sprint("deep", i)] = func() []byte { return deep[i].Cert.Raw }
	}
	bodies["first"] = func() []byte { return first.Cert.Raw }
	bodies["pem"] = func() []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: first.Cert.Raw}) }
	bodies["bag"] = func() []byte { return bagOf(t, stranger.Cert, first.Cert) }
	bodies["second"] = func() []byte { return second.Cert.Raw }
	bodies["foreign"] = func() []byte { return foreign.Cert.Raw }
	bodies["stranger"] = func() []byte { return stranger.Cert.Raw }
	bodies["garbage"] = func() []byte { return []byte("<html>not found</html>") }
	bodies["huge"] = func() []byte { return append(bytes.Clone(first.Cert.Raw), make([]byte, maxIssuerSize)...) }

	with := func(issuer *crawlertest.Authority, urls ...string) *crawlertest.Authority {
		return issuer.Leaf(t, "example.com", func(c *x509.Certificate) { c.IssuingCertificateURL = urls })
	}
	for _, row := range []struct {
		name  string
		cert  tls.Certificate
		good  bool
		asked int32 // of the AIA server, for three requests
	}{
		{"DER", with(first, aia+"/first").Chain(), true, 1},
		{"PEM", with(first, aia+"/pem").Chain(), true, 1},
		{"CMS", with(first, aia+"/bag").Chain(), true, 1},
		{"second address", with(first, aia+"/gone", aia+"/first").Chain(), true, 2},
		{"ldap first", with(first, "ldap://x/y", "https://x.invalid/y", aia+"/first").Chain(), true, 1},
		{"two missing", with(second, aia+"/second").Chain(), true, 2},
		{"one sent, one missing", with(second, aia+"/second").Chain(second), true, 1},
		{"four missing", with(deep[3], aia+"/deep3").Chain(), true, 4},
		{"six missing", with(deep[5], aia+"/deep5").Chain(), false, 4},
		{"no address", with(first).Chain(), false, 0},
		{"gone", with(first, aia+"/gone").Chain(), false, 1},
		{"garbage", with(first, aia+"/garbage").Chain(), false, 1},
		{"huge", with(first, aia+"/huge").Chain(), false, 1},
		{"someone else's", with(first, aia+"/foreign").Chain(), false, 1},
		{"unrelated issuer", with(foreign, aia+"/foreign").Chain(), false, 2},
		{"itself", (*crawlertest.Authority)(nil).Leaf(t, "example.com", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{aia + "/first"} }).Chain(), false, 1},
	} {
		asked.Store(0)
		server := serveTLS(t, row.cert, true, respond("ok"))
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: []ConnectTo{{"example.com:", server.Listener.Addr().String()}}})
		var wg sync.WaitGroup
		var counted atomic.Int32
		for range 3 {
			wg.Go(func() {
				resp, text, err := ask(t, h, &Request{URL: mustParse(t, "https://example.com/"), Need: Content})
				switch {
				case !row.good && kindOfError(err) != "tls-untrusted":
					t.Errorf("%s: %+v, %v", row.name, resp, err)
				case row.good && (err != nil || text != "ok" || noteCodes(resp) != "tls-incomplete-chain"):
					t.Errorf("%s: %+v, %v", row.name, resp, err)
				}
				if fault, ok := errors.AsType[*Fault](err); ok {
					counted.Add(int32(fault.Requests))
				} else if resp != nil {
					counted.Add(int32(resp.Requests))
				}
			})
		}
		wg.Wait()
		if n := asked.Load(); n != row.asked {
			t.Errorf("%s: the authority was asked %d times, want %d", row.name, n, row.asked)
		}
		if n := counted.Load(); n != 3+row.asked {
			t.Errorf("%s: %d requests were counted, want %d", row.name, n, 3+row.asked)
		}
	}
	// The host name and the dates are still verified.
	for kind, change := range map[string]func(*x509.Certificate){
		"tls-hostname": func(c *x509.Certificate) { c.DNSNames = []string{"example.org"} },
		"tls-expired":  func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) },
	} {
		server := serveTLS(t, first.Leaf(t, "example.com", change, func(c *x509.Certificate) { c.IssuingCertificateURL = []string{aia + "/first"} }).Chain(), true, respond("ok"))
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: []ConnectTo{{"example.com:", server.Listener.Addr().String()}}})
		if _, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/")}); kindOfError(err) != kind {
			t.Errorf("%v, want %s", err, kind)
		}
	}
}

// A certificate is requested only if the run admits that. What the decision cost is counted, and
// its own requests fetch no certificate.
func TestAdmittedIssuers(t *testing.T) {
	bodies := map[string]func() []byte{}
	aia, asked := serveAIA(t, bodies)
	root := crawlertest.NewAuthority(t, "Root")
	first := root.CA(t, "First")
	bodies["first"] = func() []byte { return first.Cert.Raw }
	server := serveTLS(t, first.Leaf(t, "example.com", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{aia + "/no", aia + "/first"} }).Chain(), true, respond("ok"))
	for _, row := range []struct {
		refused string // prefix of the URLs
		kind    string
		count   int
		asked   int32
	}{
		{aia + "/no", "", 1 + 2*5 + 1, 1},
		{aia + "/", "tls-untrusted", 1 + 2*5, 0},
		{"-", "", 1 + 2*5 + 2, 2},
	} {
		asked.Store(0)
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), ConnectTo: []ConnectTo{{"example.com:", server.Listener.Addr().String()}}})
		request := &Request{URL: mustParse(t, "https://example.com/"), Need: Existence}
		ctx := traffic.WithIssuers(t.Context(), func(ctx context.Context, u urinorm.URL) (bool, int) {
			if _, err := h.Fetch(ctx, request); kindOfError(err) != "tls-untrusted" {
				t.Errorf("a request during the decision: %v", err)
			}
			return !strings.HasPrefix(u.String(), row.refused), 5
		})
		resp, err := h.Fetch(ctx, request)
		count := 0
		if fault, ok := errors.AsType[*Fault](err); ok {
			count = fault.Requests
		} else if resp != nil {
			count = resp.Requests
		}
		if kindOfError(err) != row.kind || count != row.count || asked.Load() != row.asked {
			t.Errorf("without %s: %d requests, %d for certificates, %v; want %d, %d and %q", row.refused, count, asked.Load(), err, row.count, row.asked, row.kind)
		}
	}
}

// bagOf creates a certs-only CMS message (RFC 5652 section 5).
func bagOf(t *testing.T, certs ...*x509.Certificate) []byte {
	t.Helper()
	var raw []byte
	for _, cert := range certs {
		raw = append(raw, cert.Raw...)
	}
	type contentInfo struct{ Type asn1.ObjectIdentifier }
	type signedData struct {
		Version      int
		Algorithms   []asn1.RawValue `asn1:"set"`
		Content      contentInfo
		Certificates asn1.RawValue
		Signers      []asn1.RawValue `asn1:"set"`
	}
	bag, err := asn1.Marshal(struct {
		Type    asn1.ObjectIdentifier
		Content signedData `asn1:"explicit,tag:0"`
	}{
		asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2},
		signedData{1, nil, contentInfo{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}},
			asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: raw}, nil},
	})
	if err != nil {
		t.Fatal(err)
	}
	return bag
}

func FuzzParseIssuers(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	f.Add([]byte{0x30, 0x80})
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		certs, err := parseIssuers(data)
		if err == nil && len(certs) > len(data) {
			t.Errorf("%d certificates from %d bytes", len(certs), len(data))
		}
	})
}
