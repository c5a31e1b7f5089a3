package scope

import (
	"bytes"
	"strings"
)

// reservedDomains are the domains that are reserved for documentation and tests, so that no
// link to them can lead to a real page (RFC 2606 sections 2 and 3, RFC 6761 sections 6.2, 6.4
// and 6.5). Names below localhost are not among them: they are names of this machine.
var reservedDomains = map[string]bool{"test": true, "example": true, "invalid": true, "example.com": true, "example.net": true, "example.org": true}

// ReservedName returns the reserved domain that the host of a URL, or of the first mail
// address of a mailto link, belongs to; "" if there is none.
func ReservedName(v Href) string {
	host := string(v.Host())
	if string(v.Scheme()) == "mailto" {
		address, _, _ := bytes.Cut(v.Path(), []byte(","))
		host = strings.ToLower(string(address[bytes.LastIndexByte(address, '@')+1:]))
	}
	host = strings.TrimSuffix(host, ".")
	top := host[strings.LastIndexByte(host, '.')+1:]
	if reservedDomains[top] {
		return top
	}
	rest, _ := strings.CutSuffix(host, "."+top)
	if name := rest[strings.LastIndexByte(rest, '.')+1:] + "." + top; reservedDomains[name] {
		return name
	}
	return ""
}
