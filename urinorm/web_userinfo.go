package urinorm

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// looksLikeHost reports whether a person would take a user name for a host (RFC
// 3986 7.6): "http://bank.example@10.0.0.1/" leads to 10.0.0.1. A dot alone does
// not mislead ("john.doe"); a known top-level domain, "www." and a dotted number
// do.
func looksLikeHost(user string) bool {
	if strings.IndexByte(user, '.') < 0 {
		return false
	}
	name := strings.ToLower(percentDecode(user))
	if end := strings.IndexFunc(name, func(r rune) bool { return r < 0x80 && !isHostByte(byte(r)) }); end >= 0 {
		name = name[:end]
	}
	name = strings.TrimSuffix(name, ".")
	if strings.IndexByte(name, '.') <= 0 || len(name) > 253 {
		return false
	}
	if strings.HasPrefix(name, "www.") || endsInNumber([]byte(name)) {
		return true
	}
	switch top := name[strings.LastIndexByte(name, '.')+1:]; top {
	case "example", "test", "invalid", "localhost", "local", "internal": // RFC 2606, RFC 6762
		return true
	}
	_, icann := publicsuffix.PublicSuffix(name)
	return icann
}

func isHostByte(c byte) bool { return isAlpha(c) || isDigit(c) || c == '-' || c == '.' || c == '_' }
