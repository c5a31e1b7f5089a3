package urinorm

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// RegistrableDomain returns the registrable domain of a host (URL Standard 3.2):
// its public suffix and the label before it, as A-labels in lower case, with the
// final dot if the host has one. It is "" for an IP address, a public suffix and an
// invalid domain. The Public Suffix List is that of golang.org/x/net.
func RegistrableDomain(host string) string {
	if host == "" {
		return ""
	}
	ascii, _, err := appendDomain(nil, host)
	if err != nil || endsInNumber(ascii) {
		return ""
	}
	domain, dot := string(ascii), ""
	if strings.HasSuffix(domain, ".") {
		domain, dot = domain[:len(domain)-1], "."
	}
	registrable, err := publicsuffix.EffectiveTLDPlusOne(domain)
	if err != nil {
		return ""
	}
	return registrable + dot
}

// HasKnownTopLevel reports whether a host name ends in an existing top-level
// domain, with a label before its public suffix. The Public Suffix List is that
// of golang.org/x/net.
func HasKnownTopLevel(host string) bool {
	host = strings.TrimSuffix(host, ".")
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann && len(suffix) < len(host)
}

// IsLoopback reports whether a host, in the form of [URL.Host], is this machine:
// localhost, an address in 127.0.0.0/8, or [::1]. It is false for names below
// localhost, which RFC 6761 6.3 lets resolvers send elsewhere, and for names that
// resolve to a loopback address.
func IsLoopback(host string) bool {
	if host == "localhost" || host == "[::1]" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Is4() && address.IsLoopback()
}
