package fetch

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// startTargetKey marks the context of requests to start targets, which may use the client
// certificate.
type startTargetKey struct{}

// browserSuites are RSA key exchange suites that Go no longer offers by default.
// Browsers still do, and a site that works in browsers should work here.
var browserSuites = []uint16{
	tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	tls.TLS_RSA_WITH_AES_256_CBC_SHA,
}

// maxTLSSessions is the number of TLS sessions to keep for resumption.
const maxTLSSessions = 1024

// tlsConfig returns the configuration of all connections. As in browsers, the oldest
// version is TLS 1.2.
func (v *verifier) tlsConfig(config HTTPConfig) (*tls.Config, error) {
	c := &tls.Config{
		MinVersion: tls.VersionTLS12,
		// VerifyConnection verifies the chain, because completing it may take a second
		// attempt.
		InsecureSkipVerify: true,
		VerifyConnection:   v.verify,
		ClientSessionCache: tls.NewLRUClientSessionCache(maxTLSSessions),
	}
	for _, suite := range tls.CipherSuites() {
		c.CipherSuites = append(c.CipherSuites, suite.ID)
	}
	c.CipherSuites = append(c.CipherSuites, browserSuites...)
	switch {
	case config.ClientCert == "" && config.ClientKey == "":
		return c, nil
	case config.ClientCert == "":
		return nil, errors.New("load client key " + config.ClientKey + ": no client certificate is given")
	}
	key := config.ClientKey
	if key == "" {
		key = config.ClientCert // one file for both, as in curl
	}
	pair, err := tls.LoadX509KeyPair(config.ClientCert, key)
	if err != nil {
		return nil, fmt.Errorf("load client certificate %s: %w", config.ClientCert, err)
	}
	// A resumed session includes the client certificate, and sessions are kept by host,
	// not by port.
	c.ClientSessionCache = nil
	c.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		if named, _ := info.Context().Value(startTargetKey{}).(bool); named && info.SupportsCertificate(&pair) == nil {
			return &pair, nil
		}
		return new(tls.Certificate), nil
	}
	return c, nil
}

// configFor returns a configuration for a host. Certificates are verified even if the host
// is an IP address, which TLS does not send as a server name.
func configFor(config *tls.Config, v *verifier, host string) *tls.Config {
	config = config.Clone()
	config.ServerName = host
	config.VerifyConnection = func(state tls.ConnectionState) error {
		state.ServerName = host
		return v.verify(state)
	}
	return config
}

// verifier verifies the certificates of servers. It is safe for concurrent use.
type verifier struct {
	insecure bool
	roots    *x509.CertPool // nil means the system's
	digest   string         // of the CA file; "" for the system's roots
	expiry   time.Duration  // report certificates that expire sooner; negative means never

	mu     sync.RWMutex
	extras map[[sha256.Size]byte][]*x509.Certificate // keyed by leaf: issuers that the server does not send
}

// maxExtras is the maximum number of incomplete chains that are remembered.
const maxExtras = 10_000

func newVerifier(config HTTPConfig) (*verifier, error) {
	v := &verifier{insecure: config.Insecure, expiry: config.TLSExpiry, extras: make(map[[sha256.Size]byte][]*x509.Certificate)}
	if v.expiry == 0 {
		v.expiry = defaultTLSExpiry
	}
	if config.CAFile == "" {
		return v, nil
	}
	pem, err := os.ReadFile(config.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read CA file %s: %w", config.CAFile, errors.Unwrap(err))
	}
	v.digest = fmt.Sprintf("%x", sha256.Sum256(pem))
	if v.roots, err = x509.SystemCertPool(); err != nil {
		v.roots = x509.NewCertPool() // without system roots, the file is the only source
	}
	if !v.roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read CA file %s: it contains no PEM certificate", config.CAFile)
	}
	return v, nil
}

// chainError reports that the chain sent by a server leads to no trusted authority.
type chainError struct {
	certs []*x509.Certificate
	err   error
}

func (e *chainError) Error() string { return e.err.Error() }
func (e *chainError) Unwrap() error { return e.err }

// verify is the VerifyConnection function of tls.Config.
func (v *verifier) verify(state tls.ConnectionState) error {
	if v.insecure {
		return nil
	}
	certs := state.PeerCertificates
	if len(certs) == 0 {
		return errors.New("the server sent no certificate")
	}
	err := v.check(certs, nil, state.ServerName)
	var authority x509.UnknownAuthorityError
	if err == nil || !errors.As(err, &authority) {
		return err
	}
	if extra := v.extra(certs[0]); extra != nil {
		if err := v.check(certs, extra, state.ServerName); err == nil {
			return nil
		}
	}
	return &chainError{certs, err}
}

// verifyAddress verifies that a certificate is for a host that is an IP address. TLS
// does not send such a host as a server name, so it is missing from the connection
// state.
func (v *verifier) verifyAddress(state *tls.ConnectionState, host string) error {
	if v.insecure || state == nil || state.ServerName != "" || len(state.PeerCertificates) == 0 {
		return nil
	}
	return state.PeerCertificates[0].VerifyHostname(host)
}

// check verifies a chain with additional intermediates for a host name.
func (v *verifier) check(certs, extra []*x509.Certificate, name string) error {
	options := x509.VerifyOptions{DNSName: name, Roots: v.roots, Intermediates: x509.NewCertPool(), CurrentTime: time.Now()}
	for _, cert := range certs[1:] {
		options.Intermediates.AddCert(cert)
	}
	for _, cert := range extra {
		options.Intermediates.AddCert(cert)
	}
	_, err := certs[0].Verify(options)
	var authority x509.UnknownAuthorityError
	if name != "" && errors.As(err, &authority) {
		// If the name is wrong as well, report that. The verifiers of Windows and macOS
		// check it last.
		if wrong := certs[0].VerifyHostname(name); wrong != nil {
			return wrong
		}
	}
	return err
}

func (v *verifier) extra(leaf *x509.Certificate) []*x509.Certificate {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if len(v.extras) == 0 {
		return nil
	}
	return v.extras[sha256.Sum256(leaf.Raw)]
}

func (v *verifier) addExtra(leaf *x509.Certificate, certs []*x509.Certificate) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.extras) >= maxExtras {
		clear(v.extras)
	}
	v.extras[sha256.Sum256(leaf.Raw)] = certs
}

// notes returns warnings about a connection that works.
func (v *verifier) notes(state *tls.ConnectionState) []Note {
	if v.insecure || len(state.PeerCertificates) == 0 {
		return nil // all certificates are accepted
	}
	var notes []Note
	leaf := state.PeerCertificates[0]
	if v.extra(leaf) != nil {
		notes = append(notes, incompleteNote(leaf.Issuer.String()))
	}
	if note, soon := v.expiryNote(leaf.NotAfter, time.Now()); soon {
		notes = append(notes, note)
	}
	return notes
}

func incompleteNote(issuer string) Note {
	return Note{"tls-incomplete-chain", "the server does not send the certificate of " + issuer + "; it was fetched from the authority, but not every client does that"}
}

// keptNotes returns the warnings about the connection of an answer that was kept, as of its time.
func (v *verifier) keptNotes(kept *Replayed) []Note {
	if v.insecure {
		return nil
	}
	var notes []Note
	if kept.Issuer != "" {
		notes = append(notes, incompleteNote(kept.Issuer))
	}
	if !kept.NotAfter.IsZero() {
		if note, soon := v.expiryNote(kept.NotAfter, kept.At); soon {
			notes = append(notes, note)
		}
	}
	return notes
}

// expiryNote returns the note about a certificate that expires at notAfter, as of a time; soon is
// false if there is nothing to report.
func (v *verifier) expiryNote(notAfter, now time.Time) (note Note, soon bool) {
	if v.expiry <= 0 || notAfter.Sub(now) >= v.expiry {
		return Note{}, false
	}
	return Note{"tls-expires-soon", "the certificate expires on " + notAfter.UTC().Format(time.DateOnly)}, true
}
