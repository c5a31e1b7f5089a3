package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Resolver is what CheckMailto asks of the domain name system; *net.Resolver
// satisfies it. Names are passed with a dot at their end, so that no search list
// of this machine makes a dead domain look alive.
type Resolver interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIP(ctx context.Context, network, host string) ([]net.IP, error)
}

// MaxMailDomains is how many different domains of one mailto URI are looked up.
const MaxMailDomains = 16

// CheckMailto looks up the domains of a mailto URI's addresses. A domain that does
// not exist is dns-not-found, and one that has no MX record but an address earns
// the warning no-mx, as does one that declares with a null MX that it takes no
// mail (RFC 7505). The first domain that does not exist decides, then the first
// that could not be looked up. No mail server is ever contacted: what it would say
// to a stranger proves nothing.
//
// Address literals need no look-up; without a resolver nothing is looked up.
func CheckMailto(ctx context.Context, resolver Resolver, addresses []urinorm.Address) Outcome {
	outcome := Outcome{Code: CodeOK, Size: -1}
	if resolver == nil {
		return outcome
	}
	var domains []string
	for _, address := range addresses {
		if !address.Literal() && !slices.Contains(domains, address.Domain) && len(domains) < MaxMailDomains {
			domains = append(domains, address.Domain)
		}
	}
	var doubt Outcome
	for _, domain := range domains {
		switch code, message := checkMailDomain(ctx, resolver, domain); code {
		case CodeOK:
		case CodeNoMX:
			outcome.Warn(Warning{Code: code, Message: message})
		case CodeDNSFailure:
			if doubt.Code == "" {
				doubt = Skip(code, message)
			}
		default:
			return Skip(code, message)
		}
	}
	if doubt.Code != "" {
		return doubt
	}
	return outcome
}

// checkMailDomain finds where a domain's mail goes, as a sending server would
// (RFC 5321 5.1): the MX records, and only where none exists the address.
func checkMailDomain(ctx context.Context, resolver Resolver, domain string) (Code, string) {
	records, err := resolver.LookupMX(ctx, domain+".")
	switch {
	case len(records) > 0: // an error beside them tells of malformed ones only
		if isNullMX(records) {
			return CodeNoMX, fmt.Sprintf("the domain %s declares that it accepts no mail", domain)
		}
		return CodeOK, ""
	case ctx.Err() != nil:
		return CodeInterrupted, "the run ended before the answer arrived"
	case err != nil && !isNotFound(err):
		return CodeDNSFailure, fmt.Sprintf("the name server did not answer for %s", domain)
	}
	addresses, err := resolver.LookupIP(ctx, "ip", domain+".")
	switch {
	case len(addresses) > 0:
		return CodeNoMX, fmt.Sprintf("the domain %s has no MX record; mail would go to the host itself", domain)
	case ctx.Err() != nil:
		return CodeInterrupted, "the run ended before the answer arrived"
	case err != nil && !isNotFound(err):
		return CodeDNSFailure, fmt.Sprintf("the name server did not answer for %s", domain)
	}
	return CodeDNSNotFound, fmt.Sprintf("the mail domain %s does not exist", domain)
}

func isNullMX(records []*net.MX) bool {
	return len(records) == 1 && (records[0].Host == "." || records[0].Host == "")
}

// isNotFound reports whether the name server said that there is no such name or
// no such record, which the net package does not tell apart.
func isNotFound(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout
}
