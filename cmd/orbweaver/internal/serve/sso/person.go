package sso

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

// person returns who the claims describe. ok is false if no rule gives a role.
func (c *Config) person(subject string, claims map[string]any) (p auth.Person, ok bool) {
	p = auth.Person{Issuer: c.Issuer.String(), Subject: subject}
	text := func(name string) string {
		value, _ := claims[name].(string)
		return value
	}
	verified, _ := claims["email_verified"].(bool)
	if verified {
		p.Email = text("email")
	}
	for _, name := range []string{text("preferred_username"), p.Email, subject} {
		if p.Name = cleanName(name); p.Name != "" {
			break
		}
	}
	if p.Name == "" { // none of them has a character that names have
		sum := sha256.Sum256([]byte(subject))
		p.Name = "user-" + hex.EncodeToString(sum[:8])
	}
	for _, rule := range c.Roles {
		if rule.Role > p.Role && rule.matches(claims) {
			p.Role = rule.Role
		}
	}
	return p, p.Role > 0
}

// maxName is the number of characters of a name.
const maxName = 64

// cleanName returns a name without the characters that names of accounts must not have.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && auth.CheckName(string(r)) == nil {
			return r
		}
		return -1
	}, name)
	return name[:min(len(name), maxName)]
}
