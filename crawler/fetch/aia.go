package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits on the search for missing issuers.
const (
	maxIssuerSize  = 64 << 10
	maxIssuerDepth = 4 // certificates fetched for one chain
	maxIssuerURLs  = 2 // addresses tried for one certificate
	issuerTime     = 10 * time.Second
)

// issuers completes certificate chains. Like browsers, it uses the addresses that
// certificates give for their issuers (authority information access, RFC 5280 section
// 4.2.2.1). It runs one attempt at a time for each chain.
type issuers struct {
	verifier *verifier

	mu     sync.Mutex
	chains map[[sha256.Size]byte]*completion // in progress or failed
}

// completion is one attempt to complete a chain.
type completion struct {
	leaf    [sha256.Size]byte
	done    chan struct{}
	ok      bool
	expires time.Time // when a failed attempt may be repeated
}

// failureLifetime is the time after which a failed attempt may be repeated.
const failureLifetime = time.Minute

// begin begins an attempt to complete the chain of a leaf, unless another one has just been made or
// is in progress, which it waits for. Then the attempt is nil, and complete is its result.
func (s *issuers) begin(ctx context.Context, leaf *x509.Certificate) (attempt *completion, complete bool) {
	key := sha256.Sum256(leaf.Raw)
	for {
		s.mu.Lock()
		if s.verifier.extra(leaf) != nil {
			s.mu.Unlock()
			return nil, true // another handshake has completed it
		}
		c := s.chains[key]
		if c == nil {
			if s.chains == nil || len(s.chains) >= maxExtras {
				s.chains = make(map[[sha256.Size]byte]*completion)
			}
			c = &completion{leaf: key, done: make(chan struct{})}
			s.chains[key] = c
			s.mu.Unlock()
			return c, false
		}
		s.mu.Unlock()
		select {
		case <-c.done:
		case <-ctx.Done():
			return nil, false
		}
		if c.ok {
			return nil, true
		}
		s.mu.Lock()
		if s.chains[key] == c {
			if time.Now().Before(c.expires) {
				s.mu.Unlock()
				return nil, false
			}
			delete(s.chains, key)
		}
		s.mu.Unlock()
		// The previous attempt was canceled or is too old, so this call makes its own.
	}
}

// end ends an attempt. One that was canceled may be repeated at once.
func (s *issuers) end(c *completion, ok, canceled bool) {
	s.mu.Lock()
	c.ok, c.expires = ok, time.Now().Add(failureLifetime)
	if (ok || canceled) && s.chains[c.leaf] == c {
		delete(s.chains, c.leaf)
	}
	s.mu.Unlock()
	close(c.done)
}

// chainSearch looks for the issuers that a server did not send. It follows the issuers upward from
// the leaf. next says what to request, and take gets the answer.
type chainSearch struct {
	verifier  *verifier
	sent      []*x509.Certificate // by the server, the leaf first
	found     []*x509.Certificate
	complete  bool              // they lead to a trusted root
	cert      *x509.Certificate // whose issuer is missing
	addresses []string          // that it gives for its issuer, and that were not tried
	tried     int               // of its addresses
}

func newChainSearch(v *verifier, sent []*x509.Certificate) *chainSearch {
	s := &chainSearch{verifier: v, sent: sent}
	s.climb(sent[0])
	return s
}

// climb goes up to the first certificate whose issuer the server did not send. If there is none, or
// too many were requested, the search has ended.
func (s *chainSearch) climb(cert *x509.Certificate) {
	s.cert, s.addresses, s.tried = nil, nil, 0
	for range s.sent {
		issuer := issuerAmong(cert, s.sent)
		switch {
		case issuer == nil && len(s.found) < maxIssuerDepth:
			s.cert, s.addresses = cert, cert.IssuingCertificateURL
			return
		case issuer == nil, isSelfIssued(issuer):
			return
		}
		cert = issuer
	}
}

// next returns the address of a certificate to request. It uses plain HTTP only, as RFC 5280
// recommends: a TLS connection might start another such search.
func (s *chainSearch) next() (urinorm.URL, bool) {
	for len(s.addresses) > 0 && s.tried < maxIssuerURLs {
		address := s.addresses[0]
		s.addresses = s.addresses[1:]
		if u, _, err := urinorm.ParseWeb(address); err == nil && u.Scheme() == "http" {
			s.tried++
			return u, true
		}
	}
	return urinorm.URL{}, false
}

// take looks for the issuer among certificates that were at the address.
func (s *chainSearch) take(certs []*x509.Certificate) {
	issuer := issuerAmong(s.cert, certs)
	if issuer == nil {
		return
	}
	s.found = append(s.found, issuer)
	switch {
	case s.verifier.check(s.sent, s.found, "") == nil:
		s.verifier.addExtra(s.sent[0], s.found)
		s.complete, s.addresses = true, nil
	case isSelfIssued(issuer):
		s.addresses = nil // a root that is not trusted
	default:
		s.climb(issuer)
	}
}

func isSelfIssued(cert *x509.Certificate) bool {
	return bytes.Equal(cert.RawSubject, cert.RawIssuer)
}

// issuerAmong returns the certificate in certs that signed cert, or nil if there is
// none.
func issuerAmong(cert *x509.Certificate, certs []*x509.Certificate) *x509.Certificate {
	for _, candidate := range certs {
		if candidate != cert && bytes.Equal(candidate.RawSubject, cert.RawIssuer) && cert.CheckSignatureFrom(candidate) == nil {
			return candidate
		}
	}
	return nil
}

// parseIssuers parses the formats that authorities publish: one certificate in DER or,
// against the standard, in PEM, or several certificates in a certs-only CMS message
// (RFC 5280 section 4.2.2.1).
func parseIssuers(data []byte) ([]*x509.Certificate, error) {
	if block, _ := pem.Decode(data); block != nil && strings.HasSuffix(block.Type, "CERTIFICATE") {
		data = block.Bytes
	}
	if cert, err := x509.ParseCertificate(data); err == nil {
		return []*x509.Certificate{cert}, nil
	}
	var message struct {
		Type    asn1.ObjectIdentifier
		Content struct {
			Version      int
			Algorithms   asn1.RawValue
			Encapsulated asn1.RawValue
			Certificates asn1.RawValue `asn1:"optional,tag:0"`
			Revocations  asn1.RawValue `asn1:"optional,tag:1"`
			Signers      asn1.RawValue
		} `asn1:"explicit,tag:0"`
	}
	if _, err := asn1.Unmarshal(data, &message); err != nil {
		return nil, errors.New("neither a certificate nor a certs-only message")
	}
	return x509.ParseCertificates(message.Content.Certificates.Bytes)
}
