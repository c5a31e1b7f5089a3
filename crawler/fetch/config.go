package fetch

import (
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Defaults of an HTTPConfig.
const (
	defaultTimeout     = 20 * time.Second
	defaultConcurrency = 64
	defaultPerHost     = 8
	defaultMaxBody     = 10 << 20
	defaultTLSExpiry   = 14 * 24 * time.Hour
)

// HTTPConfig configures requests over HTTP. The zero value is the configuration of a
// command line without flags.
type HTTPConfig struct {
	UserAgent string // "" means DefaultUserAgent(Version)
	Version   string // of the program, for the User-Agent

	// Timeout limits each of these: a connection attempt, a TLS handshake, the wait for
	// the header of an answer, a pause within a body, and a host name lookup. A whole
	// exchange may take five times as long. 0 means 20 s.
	Timeout time.Duration
	// Concurrency is the number of simultaneous requests and PerHost the number for one
	// host. HTTP keeps as many idle connections. 0 means 64 and 8. A loopback host may
	// get Concurrency requests.
	Concurrency, PerHost int
	// MaxBody is the number of bytes that readers need of a decoded body; 0 means 10
	// MiB. HTTP does not truncate bodies: readers read one byte more to detect a longer
	// body.
	MaxBody int64

	CAFile    string        // PEM file of authorities to trust in addition to the system's
	Insecure  bool          // do not verify certificates
	TLSExpiry time.Duration // report certificates that expire sooner; 0 means 14 days, negative means never

	// Proxy is an http, https, socks5 or socks5h URL. It is used for all hosts except
	// those in NO_PROXY. "" means the proxies of the environment, which are never used
	// for loopback hosts.
	Proxy     string
	ConnectTo []ConnectTo // connections to these hosts go elsewhere, without a proxy
	DNSServer string      // "address:port"; "" means the system's

	// AllowPorts are ports to use even though browsers block them.
	AllowPorts []int
	// AddressPolicy says to which addresses connections may go.
	AddressPolicy
	Secrets

	// NoEnvironment ignores the proxies and the news server of the environment.
	NoEnvironment bool
}

// Secrets are what only some servers may learn.
type Secrets struct {
	// Origins are the start targets. Secrets are sent to no other scheme, host and port,
	// except those that were given for another host.
	Origins *Origins
	// Credentials is NAME:PASSWORD for Basic or Digest authentication at Origins.
	Credentials string
	// Logins are the accounts in URLs that the user gave. Credentials takes precedence.
	Logins []Login
	// Netrc is a netrc file. Each entry is for its own machine, at the default port of
	// the scheme and at Origins, or with NetrcAnyPort at any port. "default" is for
	// Origins.
	Netrc        string
	NetrcAnyPort bool
	// Header is sent to Origins only.
	Header http.Header
	// Cookies is a cookies.txt file in Netscape format. Each cookie is sent to its own
	// domain only, at the default port of the scheme and at Origins.
	Cookies string
	// CookieGroups are groups of origins, such as "https://example.com:8443". A cookie that
	// one of them sets goes to those origins of its group that are in the cookie's domain,
	// and nowhere else. If it was set over https, it is never sent over http.
	CookieGroups [][]string
	// ClientCert and ClientKey are PEM files, used for Origins only.
	ClientCert, ClientKey string
}

// Login is an account for the scheme, host and port of a URL.
type Login struct {
	URL         urinorm.URL
	Credentials string // NAME:PASSWORD
}
