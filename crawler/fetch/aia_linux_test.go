package fetch

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
)

// A certificate is not requested from an address that is denied. Linux alone has more than one
// loopback address.
func TestIssuersAtPrivateAddresses(t *testing.T) {
	root := (*authority)(nil).ca(t, "Root")
	first := root.ca(t, "First")
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	aia := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Write(first.cert.Raw)
	}))
	aia.Listener.Close()
	aia.Listener = listener
	aia.Start()
	defer aia.Close()
	server := serveTLS(t, first.leaf(t, "example.com", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{aia.URL + "/first"} }).chain(), true, respond("ok"))
	for network, want := range map[string]int32{"127.0.0.0/8": 1, "127.0.0.1/32": 0} {
		asked.Store(0)
		h := newHTTP(t, HTTPConfig{CAFile: root.file(), DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix(network)},
			ConnectTo: []ConnectTo{{"example.com:", server.Listener.Addr().String()}}})
		_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/"), Need: Existence})
		if asked.Load() != want || want == 1 && err != nil || want == 0 && kindOfError(err) != "tls-untrusted" {
			t.Errorf("with %s allowed: %d requests for certificates, %v", network, asked.Load(), err)
		}
	}
}
