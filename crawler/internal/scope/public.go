package scope

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// IsPublic reports whether an address may be passed on to an archive: it is that of a web page on
// a host with a public name, and has no user information.
func IsPublic(u urinorm.URL) bool {
	return (u.Scheme() == "http" || u.Scheme() == "https") && !u.HasUserinfo() && isPublicName(u.Host())
}

// privateNames are top-level domains that no public server has: reserved ones (RFC 6761,
// 6762, 7686, 8375, 9476), and some that private networks use.
var privateNames = map[string]bool{
	"test": true, "example": true, "invalid": true, "localhost": true, "local": true, "internal": true, "onion": true,
	"alt": true, "arpa": true, "lan": true, "home": true, "corp": true, "intranet": true, "localdomain": true,
}

func isPublicName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return urinorm.RegistrableDomain(host) != "" && !privateNames[host[strings.LastIndexByte(host, '.')+1:]]
}
