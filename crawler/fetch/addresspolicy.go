package fetch

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"
)

// AddressPolicy decides which addresses are connected to. The zero value allows all.
type AddressPolicy struct {
	// DenyPrivate denies the addresses that no public host has: private, loopback,
	// link-local, shared, multicast, documentation and other special-purpose addresses,
	// those of cloud metadata services, and all forms that contain such an address.
	DenyPrivate bool
	// AllowPrivate are the networks that DenyPrivate does not deny. They are compared
	// with the address connected to: 10.0.0.0/8 does not allow 64:ff9b::10.0.0.1.
	AllowPrivate []netip.Prefix
}

// ErrAddressDenied is the reason for which an address is not connected to.
var ErrAddressDenied = errors.New("the address is private, and requests to private addresses are forbidden")

// ParseNetwork parses a network for AllowPrivate: a CIDR such as 10.0.0.0/8, or a single
// address. IPv4 networks in IPv6 notation (::ffff:10.0.0.0/104) become IPv4 networks.
func ParseNetwork(s string) (netip.Prefix, error) {
	wrong := errors.New("use an address or a network, such as 192.0.2.7, 10.0.0.0/8 or fd00::/8")
	if !strings.Contains(s, "/") {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, wrong
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, wrong
	}
	if addr := p.Addr(); addr.Is4In6() {
		if p.Bits() < 96 {
			return netip.Prefix{}, wrong
		}
		p = netip.PrefixFrom(addr.Unmap(), p.Bits()-96)
	}
	return p.Masked(), nil
}

// Denies reports whether an address must not be connected to.
func (p *AddressPolicy) Denies(addr netip.Addr) bool {
	if !p.DenyPrivate || !isPrivate(addr) {
		return false
	}
	addr = addr.Unmap().WithZone("")
	for _, network := range p.AllowPrivate {
		if network.Contains(addr) {
			return false
		}
	}
	return true
}

// Control is the Control function of a [net.Dialer] that connects to no denied address.
// It is called with the address of each connection attempt, after names are resolved.
func (p *AddressPolicy) Control(_, address string, _ syscall.RawConn) error {
	if !p.DenyPrivate {
		return nil
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || p.Denies(to.Addr()) {
		return ErrAddressDenied
	}
	return nil
}

// allowed returns the addresses that may be connected to.
func (p *AddressPolicy) allowed(addrs []netip.Addr) []netip.Addr {
	if !p.DenyPrivate {
		return addrs
	}
	var allowed []netip.Addr
	for _, addr := range addrs {
		if !p.Denies(addr) {
			allowed = append(allowed, addr)
		}
	}
	return allowed
}
