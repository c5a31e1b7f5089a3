package fetch

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A certificate is not requested from an address that is denied. Linux alone has more than one
// loopback address.
func TestIssuersAtPrivateAddresses(t *testing.T) {
	root := crawlertest.NewAuthority(t, "Root")
	first := root.CA(t, "First")
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	aia := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Write(first.Cert.Raw)
	}))
	aia.Listener.Close()
	aia.Listener = listener
	aia.Start()
	defer aia.Close()
	server := serveTLS(t, first.Leaf(t, "example.com", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{aia.URL + "/first"} }).Chain(), true, respond("ok"))
	for network, want := range map[string]int32{"127.0.0.0/8": 1, "127.0.0.1/32": 0} {
		asked.Store(0)
		h := newHTTP(t, HTTPConfig{CAFile: root.File(t), AddressPolicy: AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix(network)}},
			ConnectTo: []ConnectTo{{"example.com:", server.Listener.Addr().String()}}})
		_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/"), Need: Existence})
		if asked.Load() != want || want == 1 && err != nil || want == 0 && kindOfError(err) != "tls-untrusted" {
			t.Errorf("with %s allowed: %d requests for certificates, %v", network, asked.Load(), err)
		}
	}
}
