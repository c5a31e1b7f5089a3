package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
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
	timeout  time.Duration
	// get returns at most limit bytes of the body at an http URL that answers with
	// status 200, and the number of requests that it sent.
	get func(ctx context.Context, u urinorm.URL, limit int64) (body []byte, requests int, err error)

	mu     sync.Mutex
	chains map[[sha256.Size]byte]*completion // in progress or failed
}

// completion is one attempt to complete a chain.
type completion struct {
	done    chan struct{}
	ok      bool
	expires time.Time // when a failed attempt may be repeated
}

// AdmitIssuer decides whether the certificate at a URL, which a server did not send, may be
// requested now. It may wait for its turn. It also returns the number of requests that were
// necessary to decide. Certificates that its own requests would need are not fetched.
type AdmitIssuer func(ctx context.Context, u urinorm.URL) (ok bool, requests int)

type admitIssuerKey struct{}

// WithIssuers returns a context for requests that lets admit decide about requests for
// certificates; nil refuses them all. Without it, all are sent.
func WithIssuers(ctx context.Context, admit AdmitIssuer) context.Context {
	return context.WithValue(ctx, admitIssuerKey{}, admit)
}

// failureLifetime is the time after which a failed attempt may be repeated.
const failureLifetime = time.Minute

// complete fetches the certificates that are missing between those a server sent and a
// trusted root. It reports whether the chain is now valid. The next handshake verifies
// the host name and the dates again. It adds the requests that it sent to *requests. The context
// has no pace: that is one of another host.
func (s *issuers) complete(ctx context.Context, certs []*x509.Certificate, requests *int) bool {
	admit, given := ctx.Value(admitIssuerKey{}).(AdmitIssuer)
	if given && admit == nil {
		return false // it would wait for the decision that the request is for
	}
	key := sha256.Sum256(certs[0].Raw)
	for {
		s.mu.Lock()
		if s.verifier.extra(certs[0]) != nil {
			s.mu.Unlock()
			return true // another handshake has completed it
		}
		c := s.chains[key]
		if c == nil {
			if s.chains == nil || len(s.chains) >= maxExtras {
				s.chains = make(map[[sha256.Size]byte]*completion)
			}
			c = &completion{done: make(chan struct{})}
			s.chains[key] = c
			s.mu.Unlock()
			c.ok = (&chainFetch{issuers: s, ctx: ctx, admit: admit, left: min(issuerTime, s.timeout), requests: requests}).fetch(certs)
			s.mu.Lock()
			if c.expires = time.Now().Add(failureLifetime); c.ok || ctx.Err() != nil {
				if s.chains[key] == c {
					delete(s.chains, key)
				}
			}
			s.mu.Unlock()
			close(c.done)
			return c.ok
		}
		s.mu.Unlock()
		select {
		case <-c.done:
		case <-ctx.Done():
			return false
		}
		if c.ok {
			return true
		}
		s.mu.Lock()
		if s.chains[key] == c {
			if time.Now().Before(c.expires) {
				s.mu.Unlock()
				return false
			}
			delete(s.chains, key)
		}
		s.mu.Unlock()
		// The previous attempt was canceled or is too old, so this call makes its own.
	}
}

// chainFetch is the search for the issuers that a server did not send.
type chainFetch struct {
	*issuers
	ctx      context.Context
	admit    AdmitIssuer   // nil if all requests may be sent
	left     time.Duration // for all requests together, without the time that admit needs
	requests *int
}

// fetch follows the issuers upward from the leaf, and reports whether they lead to a trusted
// root.
func (s *chainFetch) fetch(certs []*x509.Certificate) bool {
	v := s.verifier
	var extra []*x509.Certificate
	cert := certs[0]
	for range len(certs) + maxIssuerDepth {
		issuer := issuerAmong(cert, certs)
		if issuer == nil {
			if len(extra) == maxIssuerDepth {
				return false
			}
			if issuer = s.fetchIssuer(cert); issuer == nil {
				return false
			}
			extra = append(extra, issuer)
			if v.check(certs, extra, "") == nil {
				v.addExtra(certs[0], extra)
				return true
			}
		}
		if bytes.Equal(issuer.RawSubject, issuer.RawIssuer) {
			return false // a root that is not trusted
		}
		cert = issuer
	}
	return false
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

// fetchIssuer requests the addresses that a certificate gives for its issuer. It uses
// plain HTTP only, as RFC 5280 recommends: a TLS connection might start another such
// search.
func (s *chainFetch) fetchIssuer(cert *x509.Certificate) *x509.Certificate {
	tried := 0
	for _, address := range cert.IssuingCertificateURL {
		if tried == maxIssuerURLs || s.left <= 0 || s.ctx.Err() != nil {
			break
		}
		u, _, err := urinorm.ParseWeb(address)
		if err != nil || u.Scheme() != "http" {
			continue
		}
		tried++
		found, err := s.fetchCertificates(u)
		if err != nil {
			continue
		}
		if issuer := issuerAmong(cert, found); issuer != nil {
			return issuer
		}
	}
	return nil
}

func (s *chainFetch) fetchCertificates(u urinorm.URL) ([]*x509.Certificate, error) {
	if reason := BlockedPort(u.EffectivePort()); reason != "" {
		return nil, errors.New(reason)
	}
	if s.admit != nil {
		ok, requests := s.admit(WithIssuers(s.ctx, nil), u)
		*s.requests += requests
		if !ok {
			return nil, fmt.Errorf("fetch %s: it must not be requested", u.Printed())
		}
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(s.ctx, s.left)
	defer cancel()
	der, requests, err := s.get(ctx, u, maxIssuerSize+1)
	s.left -= time.Since(began)
	*s.requests += requests
	if err != nil {
		return nil, err
	}
	if len(der) > maxIssuerSize {
		return nil, fmt.Errorf("fetch %s: more than %d bytes", u.Printed(), maxIssuerSize)
	}
	return parseIssuers(der)
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
