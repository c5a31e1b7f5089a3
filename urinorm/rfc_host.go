package urinorm

import "strings"

// rfcCheckHost: host = IP-literal / IPv4address / reg-name
//
// A reg-name may look like an IPv4 address without being one ("256.1.1.1"). As
// section 3.2.2 falls back to reg-name, IPv4 addresses need no check.
func rfcCheckHost(s string, offset int) error {
	if !strings.HasPrefix(s, "[") {
		return rfcCheckChars(s, "reg-name", rfcRegName, offset)
	}
	end := strings.IndexByte(s, ']')
	switch {
	case end < 0:
		return rfcError("IP-literal", offset, "']' is missing")
	case end+1 < len(s):
		return rfcError("IP-literal", offset+end+1, rfcShowChar(s[end+1:])+" follows ']'")
	}
	inside := s[1:end]
	if inside != "" && inside[0]|0x20 == 'v' {
		return rfcCheckIPvFuture(inside, offset+1)
	}
	return rfcCheckIPv6(inside, offset+1)
}

// rfcCheckIPvFuture: IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
func rfcCheckIPvFuture(s string, offset int) error {
	dot := 1
	for dot < len(s) && rfcIs(s[dot], rfcHex) {
		dot++
	}
	switch {
	case dot == 1:
		return rfcError("IPvFuture", offset+1, "the version needs a hexadecimal digit")
	case dot == len(s) || s[dot] != '.':
		return rfcError("IPvFuture", offset+dot, "'.' is missing after the version")
	case dot+1 == len(s):
		return rfcError("IPvFuture", offset+dot+1, "the address is empty")
	}
	for i := dot + 1; i < len(s); i++ {
		if !rfcIs(s[i], rfcUserinfo) {
			return rfcError("IPvFuture", offset+i, rfcShowChar(s[i:])+" is not allowed here")
		}
	}
	return nil
}

// rfcCheckIPv6 checks IPv6address. Its nine alternatives amount to eight groups of
// one to four hexadecimal digits, or at most seven with one "::" in place of the
// others; the last two groups may be an IPv4address. Zone
// identifiers are not part of the rule (RFC 6874 was obsoleted by RFC 9844).
func rfcCheckIPv6(s string, offset int) error {
	const rule = "IPv6address"
	groups, compressed := 0, false
	i := 0
	if strings.HasPrefix(s, "::") {
		compressed = true
		i = 2
	}
	for i < len(s) {
		start := i
		for i < len(s) && rfcIs(s[i], rfcHex) {
			i++
		}
		if i < len(s) && s[i] == '.' {
			if !rfcIsIPv4(s[start:]) {
				return rfcError(rule, offset+start, "the last 32 bits are not an IPv4 address")
			}
			groups += 2
			i = len(s)
			break
		}
		switch {
		case i == start:
			return rfcError(rule, offset+i, rfcShowChar(s[i:])+" is not the beginning of a group of hexadecimal digits")
		case i-start > 4:
			return rfcError(rule, offset+start+4, "a group has more than four digits")
		}
		groups++
		if i == len(s) {
			break
		}
		if s[i] != ':' {
			return rfcError(rule, offset+i, rfcShowChar(s[i:])+" is not allowed here")
		}
		i++
		if i < len(s) && s[i] == ':' {
			if compressed {
				return rfcError(rule, offset+i, "'::' occurs twice")
			}
			compressed = true
			i++
		} else if i == len(s) {
			return rfcError(rule, offset+i, "the address ends with a single ':'")
		}
	}
	switch {
	case compressed && groups > 7:
		return rfcError(rule, offset+i, "an address with '::' has at most seven groups")
	case !compressed && groups != 8:
		return rfcError(rule, offset+i, "an address without '::' has eight groups")
	}
	return nil
}

// rfcIsIPv4: IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
//
// A dec-octet is a number from 0 to 255 without leading zeros.
func rfcIsIPv4(s string) bool {
	for octet := range 4 {
		n, digits := 0, 0
		for digits < len(s) && digits < 4 && rfcIs(s[digits], rfcDigit) {
			n = n*10 + int(s[digits]-'0')
			digits++
		}
		if digits == 0 || n > 255 || digits > 1 && s[0] == '0' {
			return false
		}
		s = s[digits:]
		if octet < 3 {
			if s == "" || s[0] != '.' {
				return false
			}
			s = s[1:]
		}
	}
	return s == ""
}
