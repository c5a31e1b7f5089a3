package urinorm

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm/idna"
)

// host is the host parser (URL Standard 3.5): it appends what s stands for.
func (p *webParser) host(s string) error {
	if strings.HasPrefix(s, "[") {
		if !strings.HasSuffix(s, "]") {
			return ErrIPv6
		}
		address, ok := parseIPv6(s[1 : len(s)-1])
		if !ok {
			return ErrIPv6
		}
		p.dst = appendIPv6(p.dst, address)
		return nil
	}
	if !p.kind.special() {
		return p.opaqueHost(s)
	}
	return p.domain(s)
}

// opaqueHost is the opaque-host parser: the host of a scheme the browser does
// not know, which it must not understand.
func (p *webParser) opaqueHost(s string) error {
	for i := range len(s) {
		if hostClasses[s[i]]&forbiddenHost != 0 {
			return ErrHost
		}
	}
	p.encode(s, encodeControl)
	return nil
}

// domain parses a domain or an IPv4 address in any of its forms.
func (p *webParser) domain(s string) error {
	host := len(p.dst)
	ordinary := true // lower-case ASCII and nothing to decode
	for i := range len(s) {
		ordinary = ordinary && hostClasses[s[i]] == 0
	}
	if ordinary {
		p.dst = append(p.dst, s...)
	} else if err := p.decodedDomain(s); err != nil {
		return err
	}
	if endsInNumber(p.dst[host:]) {
		address, ok := parseIPv4(p.dst[host:])
		if !ok {
			return ErrIPv4
		}
		p.dst = appendIPv4(p.dst[:host], address)
		if string(p.dst[host:]) != strings.TrimSuffix(s, ".") {
			p.repairs |= RepairObfuscatedIP
		}
		return nil
	}
	if exceedsDNS(p.dst[host:]) {
		p.repairs |= RepairHostLength
	} else if name := string(p.dst[host:]); idna.HasALabel(name) && idna.ToUnicode(name) == name {
		p.repairs |= RepairALabel
	}
	return nil
}

// decodedDomain percent-decodes a domain and runs the domain parser (3.3) on
// it: ASCII is only lower-cased, the rest goes through Unicode IDNA processing.
func (p *webParser) decodedDomain(s string) error {
	host := len(p.dst)
	decoded := s
	if strings.IndexByte(s, '%') >= 0 {
		decoded = percentDecode(s)
	}
	if isASCII(decoded) {
		for i := range len(decoded) {
			p.dst = append(p.dst, lowerASCII(decoded[i]))
		}
	} else {
		p.repairs |= RepairNonASCII
		var ok bool
		if p.dst, ok = idna.AppendASCII(p.dst, decoded); !ok {
			return ErrDomain
		}
	}
	if len(p.dst) == host {
		return ErrHost
	}
	for _, c := range p.dst[host:] {
		if hostClasses[c]&forbiddenDomain != 0 {
			return ErrHost
		}
	}
	return nil
}

// classes of host bytes; those of a clean lower-case host have none.
const (
	forbiddenHost    = 1 << iota // forbidden host code points (URL Standard 3.2)
	forbiddenDomain              // forbidden domain code points
	unordinaryDomain             // upper case, '%' and beyond ASCII: need work
)

var hostClasses = buildHostClasses()

func buildHostClasses() (classes [256]uint8) {
	for c := range classes {
		switch {
		case c <= 0x1F || c == 0x7F || c == '%':
			classes[c] = forbiddenDomain | unordinaryDomain
		case 'A' <= c && c <= 'Z' || c >= 0x80:
			classes[c] = unordinaryDomain
		}
	}
	for _, c := range []byte("\x00\t\n\r #/:<>?@[\\]^|") {
		classes[c] = forbiddenHost | forbiddenDomain | unordinaryDomain
	}
	return classes
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// percentDecode decodes every valid %XX (URL Standard 1.3).
func percentDecode(s string) string {
	decoded := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHexDigit(s[i+1]) && isHexDigit(s[i+2]) {
			decoded = append(decoded, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
			continue
		}
		decoded = append(decoded, s[i])
	}
	return string(decoded)
}

// exceedsDNS reports whether a domain is longer than a name in the DNS may be
// (RFC 1035 2.3.4): 63 bytes a label, 253 in all without a final dot.
func exceedsDNS(domain []byte) bool {
	domain = bytes.TrimSuffix(domain, []byte("."))
	if len(domain) <= 63 {
		return false
	}
	label := 0
	for _, c := range domain {
		if label++; c == '.' {
			label = 0
		}
		if label > 63 {
			return true
		}
	}
	return len(domain) > 253
}
