package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

// hostList are the hosts that requests may be for, without ports. A page of another site
// whose name leads here, by rebinding, is refused by it.
type hostList map[string]bool

func newHostList(public *url.URL, names []string) hostList {
	l := hostList{}
	if public != nil {
		l[plainHost(public.Host)] = true
	}
	for _, name := range names {
		l[plainHost(name)] = true
	}
	return l
}

// plainHost returns a host without its port, in lower case, without a final dot.
func plainHost(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// isLoopbackHost reports whether a host is localhost, in 127.0.0.0/8 or ::1.
func isLoopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" {
		return false
	}
	return a == netip.IPv6Loopback() || a.Is4() && a.IsLoopback()
}

func (l hostList) serves(r *http.Request) bool {
	host := plainHost(r.Host)
	return host != "" && (l[host] || isLoopbackHost(host))
}

// originCheck refuses changes that pages of other sites ask for.
type originCheck struct {
	strict  *http.CrossOriginProtection // for browsers that say where a request is from
	trusted *http.CrossOriginProtection // for others; it also accepts the public origin
}

func newOriginCheck(public *url.URL) originCheck {
	c := originCheck{http.NewCrossOriginProtection(), http.NewCrossOriginProtection()}
	if public != nil {
		// The only error is for an origin with a path.
		_ = c.trusted.AddTrustedOrigin(public.Scheme + "://" + public.Host)
	}
	return c
}

func (c originCheck) refuses(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") != "" {
		return c.strict.Check(r) != nil
	}
	return c.trusted.Check(r) != nil
}

// client returns where a request is from; a trusted proxy tells the address.
func (s *Server) client(r *http.Request) auth.Client {
	return auth.Client{Addr: s.addressOf(r), Agent: r.UserAgent()}
}

// addressOf returns the address that a request is from, which a trusted proxy tells.
func (s *Server) addressOf(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	if !s.trusts(peer.Addr()) {
		return peer.Addr().Unmap()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if !s.trusts(hop) {
			return hop.Unmap()
		}
	}
	return peer.Addr().Unmap()
}

// trusts reports whether an address is that of a proxy of --trust-proxy.
func (s *Server) trusts(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, network := range s.settings.TrustProxy {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// prefix returns the path below which a request sees the server: "" or "/links".
func (s *Server) prefix(r *http.Request) string {
	if s.settings.PublicURL != nil {
		return prefixOf(s.settings.PublicURL)
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !s.trusts(peer.Addr()) {
		return ""
	}
	prefix := strings.TrimRight(r.Header.Get("X-Forwarded-Prefix"), "/")
	if !IsPrefix(prefix) {
		return ""
	}
	return prefix
}

// IsPrefix reports whether a path can be written before others: segments of unreserved
// characters, so that it means the same in a header, a page and a cookie.
func IsPrefix(path string) bool {
	if path == "" {
		return true
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if segment == "" || strings.Trim(segment, ".") == "" {
			return false
		}
		for _, c := range []byte(segment) {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0) {
				return false
			}
		}
	}
	return path[0] == '/'
}

// origin returns the scheme and host under which a request sees the server, for addresses
// that leave it.
func (s *Server) origin(r *http.Request) string {
	if p := s.settings.PublicURL; p != nil {
		return p.Scheme + "://" + p.Host
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
