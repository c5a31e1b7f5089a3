package crawlertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority is a certificate and its key. It signs other certificates; a nil Authority makes
// certificates that sign themselves.
type Authority struct {
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority returns a certificate authority that no program knows.
func NewAuthority(t testing.TB, name string) *Authority { return (*Authority)(nil).CA(t, name) }

// CA returns a certificate authority that a signs, with the addresses of a's certificate.
func (a *Authority) CA(t testing.TB, name string, issuers ...string) *Authority {
	t.Helper()
	return a.Issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IssuingCertificateURL: issuers})
}

// Leaf returns the certificate of a host, as a server or as a client.
func (a *Authority) Leaf(t testing.TB, host string, change ...func(*x509.Certificate)) *Authority {
	t.Helper()
	template := &x509.Certificate{Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	for _, f := range change {
		f(template)
	}
	return a.Issue(t, template)
}

// Issue signs a certificate. Without other times it is valid from an hour ago for 90 days.
func (a *Authority) Issue(t testing.TB, template *x509.Certificate) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, _ = rand.Int(rand.Reader, big.NewInt(1<<62)) // it never fails
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().AddDate(0, 0, 90)
	}
	signer := a
	if a == nil {
		signer = &Authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.Cert, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Authority{cert, key}
}

// Chain returns what a server sends: its certificate and the given intermediates.
func (a *Authority) Chain(intermediates ...*Authority) tls.Certificate {
	c := tls.Certificate{Certificate: [][]byte{a.Cert.Raw}, PrivateKey: a.key}
	for _, i := range intermediates {
		c.Certificate = append(c.Certificate, i.Cert.Raw)
	}
	return c
}

// File writes the certificate, followed by its key, as PEM, and returns the file's name.
func (a *Authority) File(t testing.TB) string {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Cert.Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	name := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
