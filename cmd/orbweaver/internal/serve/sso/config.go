package sso

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

// Config is how people sign in at a provider.
type Config struct {
	Issuer *url.URL
	Client string // the id of this client at the provider
	Secret string
	Scopes []string
	Label  string // what the sign-in page calls the provider
	Roles  []Rule
}

// Rule gives a role to people with a claim.
type Rule struct {
	Role  auth.Role
	Claim string // with dots between the members of objects; "" matches everybody
	Value string
}

// SessionLife is how long a session lasts, after which the provider is asked again.
const SessionLife = 12 * time.Hour

// ParseIssuer reads the address of a provider. It must be https, except on this machine.
func ParseIssuer(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("use the https address of the issuer, such as https://login.example.com/")
	}
	address, err := netip.ParseAddr(u.Hostname())
	if u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !address.IsLoopback()) {
		return nil, errors.New("it must be https")
	}
	return u, nil
}

// ParseRule reads ROLE=CLAIM:VALUE, or ROLE=* for everybody.
func ParseRule(text string) (Rule, error) {
	name, match, _ := strings.Cut(text, "=")
	role, err := auth.ParseRole(name)
	if err != nil {
		return Rule{}, err
	}
	if match == "*" {
		return Rule{Role: role}, nil
	}
	at := strings.IndexByte(match, ':')
	if strings.HasPrefix(match[max(at, 0):], "://") { // some providers name claims by URLs
		if next := strings.IndexByte(match[at+1:], ':'); next >= 0 {
			at += 1 + next
		}
	}
	claim, value := match[:max(at, 0)], match[at+1:]
	if claim == "" || value == "" {
		return Rule{}, fmt.Errorf("use ROLE=CLAIM:VALUE, such as editor=groups:docs, or ROLE=*")
	}
	return Rule{role, claim, value}, nil
}

// matches reports whether claims have the value of the rule: the claim is that text, or a list with it.
func (r Rule) matches(claims map[string]any) bool {
	if r.Claim == "" {
		return true
	}
	value := find(claims, r.Claim)
	if text, ok := value.(string); ok {
		return text == r.Value
	}
	list, _ := value.([]any)
	for _, one := range list {
		if one == any(r.Value) {
			return true
		}
	}
	return false
}

// find returns a claim. A name with dots is that of a claim, as in the addresses by which some
// providers name theirs, or else a path through objects.
func find(claims map[string]any, path string) any {
	if value, ok := claims[path]; ok {
		return value
	}
	for at, c := range path {
		if c != '.' {
			continue
		}
		if inner, ok := claims[path[:at]].(map[string]any); ok {
			if value := find(inner, path[at+1:]); value != nil {
				return value
			}
		}
	}
	return nil
}
