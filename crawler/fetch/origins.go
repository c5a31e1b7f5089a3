package fetch

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Origins are the start targets that the user named, as the receivers of secrets:
// scheme, host and port, with or without "www.". What may be sent to http may also be
// sent to https, but never the other way around, and never to another port. A nil
// *Origins is empty.
type Origins struct {
	named map[string]bool // "scheme://host:port"
	// plain and secure are the hosts of origins with and without TLS, and their
	// registrable domains.
	plain, secure map[string]bool
}

// NewOrigins returns the origins of URLs. It ignores URLs without a host.
func NewOrigins(urls ...urinorm.URL) *Origins {
	o := &Origins{named: make(map[string]bool), plain: make(map[string]bool), secure: make(map[string]bool)}
	for _, u := range urls {
		if u.Host() == "" {
			continue
		}
		scheme := webScheme(u.Scheme())
		o.named[scheme+"://"+withoutWWW(u.Authority())] = true
		sites := o.plain
		if scheme == "https" {
			sites = o.secure
		}
		sites[withoutWWW(u.Host())], sites[urinorm.RegistrableDomain(u.Host())] = true, true
	}
	return o
}

// Has reports whether secrets for the start targets may be sent to a URL.
func (o *Origins) Has(u urinorm.URL) bool {
	if o == nil || len(o.named) == 0 {
		return false
	}
	scheme, authority := webScheme(u.Scheme()), withoutWWW(u.Authority())
	return o.named[scheme+"://"+authority] || scheme == "https" && o.named["http://"+authority]
}

// allows reports whether a secret that was given for a URL's host, such as an entry of
// netrc, may be sent to the URL: to a start target, or to the scheme's default port. Such
// secrets name no scheme, so a host that the user named only with https, or whose domain
// the user did, gets none over http.
func (o *Origins) allows(u urinorm.URL, anyPort bool) bool {
	if o.Has(u) {
		return true
	}
	if !anyPort && !hasDefaultPort(u) {
		return false
	}
	if o == nil || webScheme(u.Scheme()) != "http" {
		return true
	}
	for _, site := range []string{withoutWWW(u.Host()), urinorm.RegistrableDomain(u.Host())} {
		if o.secure[site] && !o.plain[site] {
			return false
		}
	}
	return true
}

// webScheme returns the scheme with which a WebSocket begins, or the scheme itself.
func webScheme(scheme string) string {
	switch scheme {
	case "ws":
		return "http"
	case "wss":
		return "https"
	}
	return scheme
}

func withoutWWW(host string) string { return strings.TrimPrefix(host, "www.") }

// hasDefaultPort reports whether a URL's port is the default of its scheme.
func hasDefaultPort(u urinorm.URL) bool {
	if u.Port() == "" {
		return true
	}
	port, ok := urinorm.DefaultPort(u.Scheme())
	return ok && port == u.EffectivePort()
}
