package fetch

import (
	"net/http"
	"time"
)

// Defaults of an HTTPConfig.
const (
	DefaultTimeout     = 20 * time.Second
	DefaultConcurrency = 64
	DefaultPerHost     = 8
	DefaultMaxBody     = 10 << 20
	DefaultTLSExpiry   = 14 * 24 * time.Hour
)

// HTTPConfig configures requests over HTTP. The zero value is the configuration of a
// command line without flags.
type HTTPConfig struct {
	UserAgent      string // "" means DefaultUserAgent(Version)
	Version        string // of the program, for the User-Agent
	AcceptLanguage string // "" means English first, then any language

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

	CAFile                string        // PEM file of authorities to trust in addition to the system's
	Insecure              bool          // do not verify certificates
	ClientCert, ClientKey string        // PEM files, used for internal hosts only
	TLSExpiry             time.Duration // report certificates that expire sooner; 0 means 14 days, negative means never

	// Proxy is an http, https, socks5 or socks5h URL. It is used for all hosts except
	// those in NO_PROXY. "" means the proxies of the environment, which are never used
	// for loopback hosts.
	Proxy     string
	ConnectTo []ConnectTo // connections to these hosts go elsewhere, without a proxy
	DNSServer string      // "address:port"; "" means the system's

	// Credentials is NAME:PASSWORD for Basic or Digest authentication at the internal
	// hosts.
	Credentials string
	// Logins maps an authority to NAME:PASSWORD, for internal hosts: the accounts in
	// URLs that the user gave. Credentials takes precedence.
	Logins map[string]string
	// Netrc is a netrc file. Each entry is for its own machine, "default" is for the
	// internal hosts.
	Netrc string
	// Header is sent to internal hosts only.
	Header http.Header
	// Cookies is a cookies.txt file in Netscape format. Each cookie is sent to its own
	// domain only.
	Cookies string
	// CookieGroups are groups of origins, such as "https://example.com:8443". A cookie that
	// one of them sets goes to those origins of its group that are in the cookie's domain,
	// and nowhere else. If it was set over https, it is never sent over http.
	CookieGroups [][]string

	// AllowPorts are ports to use even though browsers block them.
	AllowPorts []int
	// DenyPrivate forbids connections to addresses that are not public.
	DenyPrivate bool
}
