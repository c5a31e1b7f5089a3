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

// HTTPConfig says how requests over HTTP are sent. The zero value has the
// defaults of the command line.
type HTTPConfig struct {
	UserAgent      string // "" means DefaultUserAgent(Version)
	Version        string // of the program, for the User-Agent
	AcceptLanguage string // "" means English first, then any

	// Timeout bounds, each: connecting, the TLS handshake, the wait for the
	// answer's header, the longest silence within a body, and the lookup of a name.
	// A whole exchange may take five times that. 0 means 20 s.
	Timeout time.Duration
	// Concurrency is how many requests are under way at once, PerHost how many to
	// one host: so many idle connections are kept. 0 means 64 and 8. A loopback
	// host may have Concurrency of them.
	Concurrency, PerHost int
	// MaxBody is how much of a body its reader will want, in bytes, content
	// codings removed; 0 means 10 MiB. Bodies are not cut here: the reader takes one
	// byte more to learn that there was more.
	MaxBody int64

	CAFile                string        // PEM file of authorities trusted beside the system's
	Insecure              bool          // certificates are not verified
	ClientCert, ClientKey string        // PEM files; offered to internal hosts only
	TLSExpiry             time.Duration // certificates that expire sooner are noted; 0 means 14 days, negative never

	// Proxy is an http, https, socks5 or socks5h URL, used for every host that
	// NO_PROXY does not name; "" means the environment's proxies, which are never
	// used for loopback hosts.
	Proxy     string
	ConnectTo []ConnectTo // connections to these hosts go elsewhere, and past any proxy
	DNSServer string      // "address:port"; "" means the system's

	// Credentials are NAME:PASSWORD for the internal hosts, by Basic or Digest.
	Credentials string
	// Logins are NAME:PASSWORD by authority, for internal hosts: what stood in the
	// URLs that the user named. Credentials win over them.
	Logins map[string]string
	// Netrc is a netrc file; each entry is for its own machine, "default" for the
	// internal hosts.
	Netrc string
	// Header is sent to internal hosts only.
	Header http.Header
	// Cookies is a cookies.txt file in Netscape format; each cookie goes to its own
	// domain.
	Cookies string

	// AllowPorts are ports that are asked although browsers refuse them.
	AllowPorts []int
	// DenyPrivate refuses to connect to addresses that are not public.
	DenyPrivate bool
}
