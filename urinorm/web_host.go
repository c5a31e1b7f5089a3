package urinorm

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

// appendHost is the host parser (URL Standard 3.5): it appends the host that s
// denotes. On error the bytes after dst are unspecified.
func appendHost(dst []byte, s string, special bool) ([]byte, Repairs, error) {
	switch {
	case strings.HasPrefix(s, "["):
		if !strings.HasSuffix(s, "]") {
			return dst, 0, ErrIPv6
		}
		address, ok := parseIPv6(s[1 : len(s)-1])
		if !ok {
			return dst, 0, ErrIPv6
		}
		return appendIPv6(dst, address), 0, nil
	case special:
		return appendDomain(dst, s)
	}
	return appendOpaqueHost(dst, s)
}

// appendOpaqueHost is the opaque-host parser: the host of a URL that is not
// special, which is not interpreted.
func appendOpaqueHost(dst []byte, s string) ([]byte, Repairs, error) {
	for i := range len(s) {
		if hostClasses[s[i]]&forbiddenHost != 0 {
			return dst, 0, ErrHost
		}
	}
	dst, repairs := appendEncoded(dst, s, encodeControl)
	return dst, repairs, nil
}

// appendDomain appends a domain, or an IPv4 address written in any form.
func appendDomain(dst []byte, s string) (_ []byte, repairs Repairs, err error) {
	host := len(dst)
	ordinary := true // lower-case ASCII and nothing to decode
	for i := range len(s) {
		ordinary = ordinary && hostClasses[s[i]] == 0
	}
	if ordinary {
		dst = append(dst, s...)
	} else if dst, repairs, err = appendDecodedDomain(dst, s); err != nil {
		return dst, repairs, err
	}
	if endsInNumber(dst[host:]) {
		address, ok := parseIPv4(dst[host:])
		if !ok {
			return dst, repairs, ErrIPv4
		}
		dst = appendIPv4(dst[:host], address)
		if string(dst[host:]) != strings.TrimSuffix(s, ".") {
			repairs |= repairObfuscatedIP
		}
		return dst, repairs, nil
	}
	if exceedsDNS(dst[host:]) {
		repairs |= repairHostLength
	} else if name := string(dst[host:]); idna.HasALabel(name) && idna.ToUnicode(name) == name {
		repairs |= repairALabel
	}
	return dst, repairs, nil
}

// appendDecodedDomain appends a domain, percent-decoded, in ASCII (3.3): letters
// of ASCII are lower-cased, others go through Unicode IDNA processing.
func appendDecodedDomain(dst []byte, s string) (_ []byte, repairs Repairs, err error) {
	host := len(dst)
	decoded := percentDecode(s)
	if isASCII(decoded) {
		for i := range len(decoded) {
			dst = append(dst, lowerByte(decoded[i]))
		}
	} else {
		repairs = repairNonASCII
		var ok bool
		if dst, ok = idna.AppendASCII(dst, decoded); !ok {
			return dst, repairs, ErrDomain
		}
	}
	if len(dst) == host {
		return dst, repairs, ErrHost
	}
	for _, c := range dst[host:] {
		if hostClasses[c]&forbiddenDomain != 0 {
			return dst, repairs, ErrHost
		}
	}
	return dst, repairs, nil
}

// Classes of host bytes. A byte without a class is copied as it is.
const (
	forbiddenHost    = 1 << iota // forbidden host code points (URL Standard 3.2)
	forbiddenDomain              // forbidden domain code points
	unordinaryDomain             // upper case, '%' and bytes beyond ASCII: to be converted
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

// exceedsDNS reports whether a domain is too long for the DNS (RFC 1035 2.3.4):
// more than 63 bytes in a label, or 253 in all without a final dot.
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
