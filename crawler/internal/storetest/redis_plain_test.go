//go:build !race

package storetest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// TestRedisTLS tests wide fingerprints with TLS and a password.
func TestRedisTLS(t *testing.T) {
	t.Parallel() // it waits for its server most of the time
	signer := (*crawlertest.Authority)(nil).Issue(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0)}) // simulated time begins long ago
	cert, pool := signer.File(t), x509.NewCertPool()
	pool.AddCert(signer.Cert)
	port := crawlertest.ServeRedis(t, "--port", "0", "--tls-port", "PORT", "--tls-cert-file", cert, "--tls-key-file", cert,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no", "--requirepass", "a:b")
	r := &redis{servers: []string{"rediss://:a%3Ab@127.0.0.1:" + port}, tls: &tls.Config{RootCAs: pool}, width: frontier.Wide}
	r.test(t)
}
