package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxLDAPAnswer is the maximum number of bytes that are read from a directory server. The library's
// objects need many times as much memory.
const maxLDAPAnswer = 64 << 10

// fetchLDAP answers ldap and ldaps URLs (RFC 4511, RFC 4516). It binds, anonymously by
// default, and searches for what the URL names, which is a single entry by default. It
// requests no attributes. A referral becomes a redirect.
//
//	ldap://host/o=Example,c=US?cn?sub?(cn=Babs)
//	            dn             attributes ? scope ? filter ? extensions
func fetchLDAP(s *session) (*Response, error) {
	search, bindName, err := ldapSearch(s.req.URL, s.by.connector.timeout)
	if err != nil {
		return nil, err
	}
	if s.req.URL.Host() == "" {
		return nil, &Fault{Kind: "scheme-unchecked", Op: "fetch", Err: errNoDirectory}
	}
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	user, err := s.by.accounts.forSession(s.req.URL)
	if err != nil {
		return nil, err
	}
	conn, err := s.open(server, s.by.secure, maxLDAPAnswer)
	if err != nil {
		return nil, err
	}
	client := ldap.NewConn(conn, s.by.secure)
	client.Start()
	defer client.Close()
	if user != nil && user.password != "" {
		if bindName == "" {
			bindName = user.name
		}
		err = client.Bind(bindName, user.password)
	} else {
		err = client.UnauthenticatedBind("") // anonymous (RFC 4513 section 5.1.1)
	}
	if err != nil {
		return nil, ldapFault(s.ctx, s.req.URL, conn, "the server refused access", err)
	}
	result, err := client.Search(search)
	found := result != nil && len(result.Entries) > 0
	switch {
	case found && (err == nil || isLimit(err)):
		return &Response{Size: -1}, nil
	case err == nil && len(result.Referrals) > 0:
		return ldapReferral(result.Referrals[0])
	case err == nil:
		return nil, refusal(s.req.URL, "file-missing", "no entry matches", "")
	case isReferral(err):
		if to := referralOf(err); to != "" {
			return ldapReferral(to)
		}
	}
	return nil, ldapFault(s.ctx, s.req.URL, conn, "the server answered", err)
}

var errNoDirectory = errors.New("the URL names no directory server, and none is configured")

// ldapSearch parses an LDAP URL (RFC 4516 section 2), decoding each part once. It returns a search with that time limit and the name to bind with.
func ldapSearch(u urinorm.URL, limit time.Duration) (*ldap.SearchRequest, string, error) {
	query, _ := u.Query()
	parts := strings.Split(query, "?")
	if len(parts) > 4 {
		return nil, "", invalidURL(u, "it has too many parts for an LDAP URL")
	}
	parts = append([]string{strings.TrimPrefix(u.Path(), "/")}, parts...)
	for len(parts) < 5 {
		parts = append(parts, "")
	}
	bindName, err := ldapExtensions(u, parts[4])
	if err != nil {
		return nil, "", err
	}
	for i := range parts {
		parts[i] = percentDecode(parts[i])
	}
	dn, scopeName, filter := parts[0], parts[2], parts[3]
	if _, err := ldap.ParseDN(dn); err != nil {
		return nil, "", invalidURL(u, "the distinguished name is malformed")
	}
	scope, ok := map[string]int{"": ldap.ScopeBaseObject, "base": ldap.ScopeBaseObject, "one": ldap.ScopeSingleLevel, "sub": ldap.ScopeWholeSubtree}[strings.ToLower(scopeName)]
	if !ok {
		return nil, "", invalidURL(u, "the scope is not base, one or sub")
	}
	if filter == "" {
		filter = "(objectClass=*)"
	}
	if _, err := ldap.CompileFilter(filter); err != nil {
		return nil, "", invalidURL(u, "the filter is malformed")
	}
	seconds := max(1, int(limit.Seconds()))
	// "1.1" requests no attributes (RFC 4511 section 4.5.1.8).
	return ldap.NewSearchRequest(dn, scope, ldap.NeverDerefAliases, 1, seconds, false, filter, []string{"1.1"}, nil), bindName, nil
}

// ldapExtensions parses the extensions and returns the name to bind with. A critical
// extension that is unknown is an error (RFC 4516 section 2).
func ldapExtensions(u urinorm.URL, list string) (bindName string, err error) {
	if list == "" {
		return "", nil
	}
	for extension := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(extension, "=")
		plain := strings.TrimPrefix(name, "!")
		switch {
		case strings.EqualFold(plain, "bindname") || strings.EqualFold(plain, "e-bindname"):
			bindName = percentDecode(value)
		case plain != name:
			return "", urlFault(u, "scheme-unchecked", "it requires an unknown extension: "+quote(plain))
		}
	}
	return bindName, nil
}

func isLimit(err error) bool {
	return ldap.IsErrorAnyOf(err, ldap.LDAPResultSizeLimitExceeded, ldap.LDAPResultTimeLimitExceeded, ldap.LDAPResultAdminLimitExceeded)
}

func isReferral(err error) bool { return ldap.IsErrorWithCode(err, ldap.LDAPResultReferral) }

// referralOf returns the first URL of a referral (RFC 4511 section 4.1.10).
func referralOf(err error) string {
	var result *ldap.Error
	if !errors.As(err, &result) || result.Packet == nil || len(result.Packet.Children) < 2 {
		return ""
	}
	for _, child := range result.Packet.Children[1].Children {
		if child.Tag == 3 && len(child.Children) > 0 {
			return child.Children[0].Data.String()
		}
	}
	return ""
}

// ldapReferral returns a redirect to another server.
func ldapReferral(to string) (*Response, error) {
	return &Response{Status: 302, Location: escapeNonASCII(to), Size: -1}, nil
}

// ldapFault returns the fault that a result code stands for (RFC 4511 appendix A).
func ldapFault(ctx context.Context, u urinorm.URL, conn *boundedConn, what string, err error) error {
	var result *ldap.Error
	if !errors.As(err, &result) || result.ResultCode >= ldap.ErrorNetwork {
		if failure := conn.firstError(); failure != nil {
			return failure
		}
		if result != nil && result.ResultCode == ldap.ErrorNetwork && ctx.Err() == nil {
			return refusal(u, "protocol-error", "the answer is not LDAP", "")
		}
		return err
	}
	kind := "protocol-error"
	switch result.ResultCode {
	case ldap.LDAPResultNoSuchObject:
		kind = "file-missing"
	case ldap.LDAPResultInvalidDNSyntax, ldap.LDAPResultNoSuchAttribute, ldap.LDAPResultUndefinedAttributeType:
		kind = "uri-invalid"
	case ldap.LDAPResultInsufficientAccessRights, ldap.LDAPResultInappropriateAuthentication, ldap.LDAPResultInvalidCredentials,
		ldap.LDAPResultStrongAuthRequired, ldap.LDAPResultConfidentialityRequired, ldap.LDAPResultAuthMethodNotSupported,
		ldap.LDAPResultOperationsError: // "a bind must be completed", sent by Active Directory
		kind = "file-unreadable"
	case ldap.LDAPResultBusy, ldap.LDAPResultUnavailable, ldap.LDAPResultUnwillingToPerform,
		ldap.LDAPResultTimeLimitExceeded, ldap.LDAPResultAdminLimitExceeded, ldap.LDAPResultSizeLimitExceeded:
		kind = "rate-limited"
	}
	text := ldap.LDAPResultCodeMap[result.ResultCode]
	if result.Err != nil && result.Err.Error() != "" {
		text += ", " + result.Err.Error()
	}
	return refusal(u, kind, what, fmt.Sprintf("%d %s", result.ResultCode, text))
}
