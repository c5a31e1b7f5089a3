package judging

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// MaxMailDomains is the number of different domains of one mailto URI that are looked
// up.
const MaxMailDomains = 16

// CheckMailto looks up the domains of a mailto URI's addresses. The outcome is
// dns-not-found if a domain does not exist, else dns-failure if one could not be looked
// up. A domain that has an address but no MX record gets the warning no-mx, and so does
// a domain whose null MX says that it accepts no mail (RFC 7505). Mail servers are not
// contacted, because their answers to unknown clients prove nothing.
//
// Address literals are not looked up. A nil resolver looks up nothing.
func CheckMailto(ctx context.Context, resolver fetch.Resolver, addresses []urinorm.Address) Outcome {
	outcome := Outcome{Code: check.CodeOK, Size: -1}
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
		case check.CodeOK:
		case CodeNoMX:
			outcome.Warn(check.Warning{Code: code, Message: message})
		case check.CodeDNSFailure, CodeEvidenceMissing:
			if doubt.Code == "" {
				doubt = Skip(code, message)
				if code == CodeEvidenceMissing {
					doubt.Gap = gap.Evidence
				}
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

// checkMailDomain finds out where a domain's mail goes, as a sending server does (RFC
// 5321 5.1): to its MX records, or to its address if there are none.
func checkMailDomain(ctx context.Context, resolver fetch.Resolver, domain string) (check.Code, string) {
	records, err := resolver.LookupMX(ctx, domain+".")
	switch {
	case len(records) > 0: // an error is about other, malformed records
		if isNullMX(records) {
			return CodeNoMX, fmt.Sprintf("the domain %s declares that it accepts no mail", domain)
		}
		return check.CodeOK, ""
	case ctx.Err() != nil:
		return check.CodeInterrupted, "the run ended before the answer arrived"
	case isMissing(err):
		return CodeEvidenceMissing, faultMessage(err.(*fetch.Fault))
	case err != nil && !isNotFound(err) && !isUnproven(err):
		return check.CodeDNSFailure, fmt.Sprintf("the name server did not answer for %s", domain)
	}
	addresses, err := resolver.LookupIP(ctx, "ip", domain+".")
	switch {
	case len(addresses) > 0:
		return CodeNoMX, fmt.Sprintf("the domain %s has no MX record; mail would go to the host itself", domain)
	case ctx.Err() != nil:
		return check.CodeInterrupted, "the run ended before the answer arrived"
	case isUnproven(err):
		return check.CodeDNSFailure, fmt.Sprintf("this machine does not know the mail domain %s, but it is behind a proxy and may not know all names", domain)
	case err != nil && !isNotFound(err):
		return check.CodeDNSFailure, fmt.Sprintf("the name server did not answer for %s", domain)
	}
	return check.CodeDNSNotFound, fmt.Sprintf("the mail domain %s does not exist", domain)
}

// isMissing reports whether the answer is not in the evidence.
func isMissing(err error) bool {
	fault, ok := err.(*fetch.Fault)
	return ok && fault.Kind == fetch.EvidenceMissing
}

func isNullMX(records []*net.MX) bool {
	return len(records) == 1 && (records[0].Host == "." || records[0].Host == "")
}

// isUnproven reports whether the name is missing for a resolver that does not know all
// names (fetch.Resolver).
func isUnproven(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound && dns.IsTemporary
}

// isNotFound reports whether the name server answered that the name or the record does
// not exist, which package net does not distinguish.
func isNotFound(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout
}
