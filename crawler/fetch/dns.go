package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// recordResolver returns a resolver for records of any kind. It asks server, or the
// system's name servers if server is "".
func recordResolver(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if server != "" {
			address = server
		}
		return dialNameServer(ctx, network, address)
	}}
}

// Resolver looks up names in the domain name system; *net.Resolver implements it. Names
// end in a dot, so that no search list of this machine makes a missing domain exist. The
// error for a missing name is temporary if the name may exist for others.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIP(ctx context.Context, network, host string) ([]net.IP, error)
}

// records looks up DNS records. Unlike the net package's default resolver, it leaves no goroutine
// behind when a lookup is canceled. Behind a proxy, which may know other names, the error for a
// missing name is also temporary.
type records struct {
	of      *net.Resolver
	proxied bool
}

// Resolver returns the resolver for DNS records, such as those of mail domains.
func (d *OtherSchemes) Resolver() Resolver { return d.resolver() }

func (d *OtherSchemes) resolver() *records { return &records{d.records, d.web.UsesProxy()} }

// LookupMX is that of net.Resolver.
func (r *records) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	found, err := r.of.LookupMX(ctx, name)
	return found, r.unproven(err)
}

// LookupIP is that of net.Resolver.
func (r *records) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	addresses, err := r.of.LookupIP(ctx, network, host)
	return addresses, r.unproven(err)
}

func (r *records) unproven(err error) error {
	var missing *net.DNSError
	if !r.proxied || !errors.As(err, &missing) || !missing.IsNotFound {
		return err
	}
	doubtful := *missing
	doubtful.IsTemporary = true
	return &doubtful
}

// fetchDNS answers dns URLs (RFC 4501) by looking up a record of the requested type.
//
//	dns:www.example.org?type=MX
//	dns://192.0.2.1/www.example.org   queries that name server
//
// Without a type it looks up an address, as for the hosts of preconnect links. It looks
// up only the types A, AAAA, CNAME, MX, NS, PTR, SRV and TXT in the class IN.
func fetchDNS(s *session) (*Response, error) {
	name, err := dnsName(s.req.URL)
	if err != nil {
		return nil, err
	}
	kind, err := dnsType(s.req.URL)
	if err != nil {
		return nil, err
	}
	resolver := s.by.records
	if s.req.URL.Host() != "" {
		server, err := s.nameServer()
		if err != nil {
			return nil, err
		}
		resolver = recordResolver(server)
	} else if kind == "" {
		s.requests++
		_, err := s.by.connector.resolver.resolve(s.ctx, name)
		return &Response{Size: -1}, s.by.connector.proxies.unproven(name, err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.by.connector.timeout)
	defer cancel()
	s.requests++
	found, err := lookUp(ctx, resolver, kind, strings.TrimSuffix(name, ".")+".")
	switch {
	case s.parent.Err() != nil:
		return nil, context.Cause(s.parent)
	case found:
		return &Response{Size: -1}, nil
	}
	f := dnsFault(name, err)
	if f.Kind == "dns-not-found" && kind != "" {
		f.Err = &cause{"the name does not exist or has no record of type " + kind, err}
	}
	return nil, f
}

// dnsName returns the name in a URL, decoded once.
func dnsName(u urinorm.URL) (string, error) {
	name, err := decodeOnce(strings.TrimPrefix(u.Path(), "/"), "")
	if err != nil {
		return "", invalidURL(u, "the name "+err.Error())
	}
	if name == "" || len(name) > maxHostName || strings.ContainsAny(name, " /@[]") {
		return "", invalidURL(u, "the name is malformed")
	}
	for i := range len(name) {
		if name[i] >= 0x80 {
			ascii, err := hostName(name) // an internationalized name
			if err != nil {
				return "", invalidURL(u, "the name is malformed")
			}
			return ascii, nil
		}
	}
	return name, nil
}

// dnsType parses the query: "CLASS=IN;TYPE=A", with each part at most once, in any
// order and case (RFC 4501 section 3).
func dnsType(u urinorm.URL) (string, error) {
	query, _ := u.Query()
	kind := ""
	for part := range strings.SplitSeq(query, ";") {
		name, value, _ := strings.Cut(part, "=")
		switch value = strings.ToUpper(percentDecode(value)); strings.ToUpper(name) {
		case "TYPE":
			kind = value
		case "CLASS":
			if value != "IN" && value != "1" {
				return "", urlFault(u, "scheme-unchecked", "only the class IN is supported")
			}
		}
	}
	if number, ok := map[string]string{"1": "A", "2": "NS", "5": "CNAME", "12": "PTR", "15": "MX", "16": "TXT", "28": "AAAA", "33": "SRV"}[kind]; ok {
		kind = number
	}
	switch kind {
	case "", "A", "AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT":
		return kind, nil
	}
	return "", urlFault(u, "scheme-unchecked", "records of type "+quote(kind)+" are not supported")
}

// nameServer returns the address of the name server in the URL.
func (s *session) nameServer() (string, error) {
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return "", err
	}
	addrs, err := s.by.connector.resolver.resolve(s.ctx, server.host)
	if err != nil {
		return "", err
	}
	if addrs = s.by.connector.dialer.policy.allowed(addrs); len(addrs) == 0 {
		return "", deniedFault(server.hostport())
	}
	return netip.AddrPortFrom(addrs[0], uint16(server.port)).String(), nil
}

// lookUp reports whether a name has a record of a type. The type "" means an address of
// either family.
func lookUp(ctx context.Context, r *net.Resolver, kind, name string) (found bool, err error) {
	switch kind {
	case "":
		return anyRecord(r.LookupNetIP(ctx, "ip", name))
	case "A":
		return anyRecord(r.LookupNetIP(ctx, "ip4", name))
	case "AAAA":
		return anyRecord(r.LookupNetIP(ctx, "ip6", name))
	case "MX":
		return anyRecord(r.LookupMX(ctx, name))
	case "NS":
		return anyRecord(r.LookupNS(ctx, name))
	case "TXT":
		return anyRecord(r.LookupTXT(ctx, name))
	case "SRV":
		_, records, err := r.LookupSRV(ctx, "", "", name)
		return anyRecord(records, err)
	case "CNAME":
		canonical, err := r.LookupCNAME(ctx, name)
		return err == nil && !strings.EqualFold(canonical, name), err
	case "PTR":
		addr, ok := addressOfReverse(name)
		if !ok {
			return false, &net.DNSError{Err: "no reverse name", Name: name, IsNotFound: true}
		}
		return anyRecord(r.LookupAddr(ctx, addr.String()))
	}
	return false, errors.New("no such type")
}

func anyRecord[T any](records []T, err error) (bool, error) { return len(records) > 0, err }

// addressOfReverse returns the address that a name in in-addr.arpa or ip6.arpa stands
// for (RFC 1035 section 3.5, RFC 3596 section 2.5).
func addressOfReverse(name string) (netip.Addr, bool) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if digits, ok := strings.CutSuffix(name, ".in-addr.arpa"); ok {
		parts := strings.Split(digits, ".")
		if len(parts) != 4 {
			return netip.Addr{}, false
		}
		addr, err := netip.ParseAddr(parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0])
		return addr, err == nil
	}
	digits, ok := strings.CutSuffix(name, ".ip6.arpa")
	if !ok || len(digits) != 63 {
		return netip.Addr{}, false
	}
	var b strings.Builder
	for i := len(digits) - 1; i >= 0; i -= 2 {
		b.WriteByte(digits[i])
		if b.Len()%5 == 4 && i > 0 {
			b.WriteByte(':')
		}
	}
	addr, err := netip.ParseAddr(b.String())
	return addr, err == nil
}

// HostURL returns the dns: URL for the host of a preconnect or dns-prefetch link, of
// which only the name can be checked. It reports false for addresses, which need no
// lookup, and for URLs without a host.
func HostURL(u urinorm.URL) (urinorm.URL, bool) {
	host, err := hostName(u.Host())
	if err != nil {
		return urinorm.URL{}, false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return urinorm.URL{}, false
	}
	named, _, err := urinorm.ParseWeb("dns:" + escapeSegment(host))
	return named, err == nil
}
