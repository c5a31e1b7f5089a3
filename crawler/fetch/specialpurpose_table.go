// Code generated from testdata/iana by go test -run SpecialPurposeGenerated -update. DO NOT EDIT.

package fetch

import "net/netip"

// specialPurposes are the blocks of IANA's registries, the longest prefixes first. The
// first block that contains an address applies.
var specialPurposes = []specialPurpose{
	// Loopback Address
	{netip.MustParsePrefix("::1/128"), false},
	// Unspecified Address
	{netip.MustParsePrefix("::/128"), false},
	// Port Control Protocol Anycast
	{netip.MustParsePrefix("2001:1::1/128"), true},
	// Traversal Using Relays around NAT Anycast
	{netip.MustParsePrefix("2001:1::2/128"), true},
	// DNS-SD Service Registration Protocol Anycast
	{netip.MustParsePrefix("2001:1::3/128"), true},
	// IPv4-mapped Address
	{netip.MustParsePrefix("::ffff:0.0.0.0/96"), false},
	// IPv4-IPv6 Translat.
	{netip.MustParsePrefix("64:ff9b::/96"), true},
	// Discard-Only Address Block
	{netip.MustParsePrefix("100::/64"), false},
	// Dummy IPv6 Prefix
	{netip.MustParsePrefix("100:0:0:1::/64"), false},
	// IPv4-IPv6 Translat.
	{netip.MustParsePrefix("64:ff9b:1::/48"), false},
	// Benchmarking
	{netip.MustParsePrefix("2001:2::/48"), false},
	// AS112-v6
	{netip.MustParsePrefix("2001:4:112::/48"), true},
	// Direct Delegation AS112 Service
	{netip.MustParsePrefix("2620:4f:8000::/48"), true},
	// This host on this network
	{netip.MustParsePrefix("0.0.0.0/32"), false},
	// IPv4 dummy address
	{netip.MustParsePrefix("192.0.0.8/32"), false},
	// Port Control Protocol Anycast
	{netip.MustParsePrefix("192.0.0.9/32"), true},
	// Traversal Using Relays around NAT Anycast
	{netip.MustParsePrefix("192.0.0.10/32"), true},
	// NAT64/DNS64 Discovery
	{netip.MustParsePrefix("192.0.0.170/32"), false},
	// NAT64/DNS64 Discovery
	{netip.MustParsePrefix("192.0.0.171/32"), false},
	// Limited Broadcast
	{netip.MustParsePrefix("255.255.255.255/32"), false},
	// TEREDO
	{netip.MustParsePrefix("2001::/32"), false},
	// AMT
	{netip.MustParsePrefix("2001:3::/32"), true},
	// Documentation
	{netip.MustParsePrefix("2001:db8::/32"), false},
	// IPv4 Service Continuity Prefix
	{netip.MustParsePrefix("192.0.0.0/29"), false},
	// Deprecated (previously ORCHID)
	{netip.MustParsePrefix("2001:10::/28"), false},
	// ORCHIDv2
	{netip.MustParsePrefix("2001:20::/28"), true},
	// Drone Remote ID Protocol Entity Tags (DETs) Prefix
	{netip.MustParsePrefix("2001:30::/28"), true},
	// IETF Protocol Assignments
	{netip.MustParsePrefix("192.0.0.0/24"), false},
	// Documentation (TEST-NET-1)
	{netip.MustParsePrefix("192.0.2.0/24"), false},
	// AS112-v4
	{netip.MustParsePrefix("192.31.196.0/24"), true},
	// AMT
	{netip.MustParsePrefix("192.52.193.0/24"), true},
	// Deprecated (6to4 Relay Anycast)
	{netip.MustParsePrefix("192.88.99.0/24"), false},
	// Direct Delegation AS112 Service
	{netip.MustParsePrefix("192.175.48.0/24"), true},
	// Documentation (TEST-NET-2)
	{netip.MustParsePrefix("198.51.100.0/24"), false},
	// Documentation (TEST-NET-3)
	{netip.MustParsePrefix("203.0.113.0/24"), false},
	// IETF Protocol Assignments
	{netip.MustParsePrefix("2001::/23"), false},
	// Documentation
	{netip.MustParsePrefix("3fff::/20"), false},
	// Link Local
	{netip.MustParsePrefix("169.254.0.0/16"), false},
	// Private-Use
	{netip.MustParsePrefix("192.168.0.0/16"), false},
	// 6to4
	{netip.MustParsePrefix("2002::/16"), false},
	// Segment Routing (SRv6) SIDs
	{netip.MustParsePrefix("5f00::/16"), false},
	// Benchmarking
	{netip.MustParsePrefix("198.18.0.0/15"), false},
	// Private-Use
	{netip.MustParsePrefix("172.16.0.0/12"), false},
	// Shared Address Space
	{netip.MustParsePrefix("100.64.0.0/10"), false},
	// Link-Local Unicast
	{netip.MustParsePrefix("fe80::/10"), false},
	// This network
	{netip.MustParsePrefix("0.0.0.0/8"), false},
	// Private-Use
	{netip.MustParsePrefix("10.0.0.0/8"), false},
	// Loopback
	{netip.MustParsePrefix("127.0.0.0/8"), false},
	// Unique-Local
	{netip.MustParsePrefix("fc00::/7"), false},
	// Reserved
	{netip.MustParsePrefix("240.0.0.0/4"), false},
}
