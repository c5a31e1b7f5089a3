package fetch

import "net/netip"

// specialPurpose is a block of IANA's special-purpose address registries (RFC 6890).
type specialPurpose struct {
	block  netip.Prefix
	public bool // globally reachable
}

// otherPrivate are networks without public hosts that the registries do not list.
var otherPrivate = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // the platform and metadata address of Azure, which routes it to the host of a virtual machine
	netip.MustParsePrefix("224.0.0.0/4"),      // multicast, RFC 5771
	netip.MustParsePrefix("ff00::/8"),         // multicast, RFC 4291
	netip.MustParsePrefix("fec0::/10"),        // site-local, deprecated by RFC 3879
}

// embedding are the prefixes of IPv6 addresses that contain an IPv4 address, and its
// offset in bytes. Teredo (RFC 4380), which contains two, is private as a whole. The other lengths of RFC 6052 section 2.2 occur in 64:ff9b:1::/48,
// which is for local use and private as a whole (RFC 8215), and in prefixes of networks,
// which cannot be known.
var embedding = []struct {
	prefix netip.Prefix
	offset int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64, RFC 6052
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4, RFC 3056
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible, RFC 4291
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated, RFC 2765
}

// isPrivate reports whether no public host can have an address.
func isPrivate(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	if inner, ok := isatapAddress(addr); ok && isPrivate(inner) { // also in a network of 6to4
		return true
	}
	for _, e := range embedding {
		if addr.Is6() && e.prefix.Contains(addr) {
			bytes := addr.As16()
			return isPrivate(netip.AddrFrom4([4]byte(bytes[e.offset : e.offset+4])))
		}
	}
	for _, prefix := range otherPrivate {
		if prefix.Contains(addr) {
			return true
		}
	}
	for i := range specialPurposes {
		if specialPurposes[i].block.Contains(addr) {
			return !specialPurposes[i].public
		}
	}
	return false
}

// isatapAddress returns the IPv4 address to which a host with ISATAP would tunnel an IPv6
// packet: the last 32 bits of an address whose interface identifier begins with
// 0000:5EFE or 0200:5EFE, in any network (RFC 5214 section 6.1).
func isatapAddress(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	if b[8]&^0x02 != 0 || b[9] != 0 || b[10] != 0x5E || b[11] != 0xFE {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(b[12:])), true
}
