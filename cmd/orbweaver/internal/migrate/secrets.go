package migrate

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// Secret is a value that is not written into the configuration, but into a file that only its
// owner can read.
type Secret struct{ Name, Value string } // Name is that of an environment variable

// secretName matches the names of header fields and of fields of forms whose values are
// secrets.
var secretName = lazy.Regexp(`(?i)auth|cookie|token|secret|passw|passphrase|session|credential|signature|api.?key|access.?key|^key$|-key$|otp|^pin$`)

// PasswordVariable is the environment variable that the password of a login is read from.
const PasswordVariable = "ORBWEAVER_LOGIN_PASSWORD"

// HideSecrets replaces the passwords, tokens and cookies in all settings and rules by
// ${NAME}, and returns them. It also writes the values of the keys in expanded, in which
// ${NAME} is replaced by an environment variable, in the syntax of the configuration: a
// literal ${ is $${.
func (c *Config) HideSecrets(expanded []string) []Secret {
	h := &hider{}
	for i := range c.Settings {
		s := &c.Settings[i]
		if !slices.Contains(expanded, s.Key) {
			continue
		}
		for j, v := range s.Values {
			s.Values[j] = h.value(s.Key, v)
		}
	}
	for i := range c.Rules {
		for name, v := range c.Rules[i].Header {
			if secretName().MatchString(name) {
				c.Rules[i].Header[name] = h.hide(hostIn(c.Rules[i].MatchRE)+"_"+name, v)
			} else {
				c.Rules[i].Header[name] = literal(v)
			}
		}
	}
	slices.SortFunc(h.secrets, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })
	if c.LoginPassword != "" {
		h.secrets = append(h.secrets, Secret{PasswordVariable, c.LoginPassword})
	}
	return h.secrets
}

type hider struct{ secrets []Secret }

// value returns what is written for a value of a setting.
func (h *hider) value(key, v string) string {
	switch key {
	case "header":
		if name, secret, ok := strings.Cut(v, ":"); ok && secretName().MatchString(name) {
			return literal(name) + ": " + h.hide(name, strings.TrimSpace(secret))
		}
	case "user":
		if name, secret, ok := strings.Cut(v, ":"); ok {
			return literal(name) + ":" + h.hide("USER_PASSWORD", secret)
		}
	case "login-field":
		if name, secret, ok := strings.Cut(v, "="); ok && secretName().MatchString(name) {
			return literal(name) + "=" + h.hide("LOGIN_"+name, secret)
		}
	case "proxy":
		if u, err := url.Parse(v); err != nil || u.User != nil {
			return h.hide("PROXY", v)
		}
	}
	return literal(v)
}

// hide keeps a value as a secret and returns what is written instead of it. A value that is
// only a variable is no secret.
func (h *hider) hide(hint, v string) string {
	if hasVariable(v) {
		return literal(v)
	}
	name := strings.Trim(notInNames().ReplaceAllString(strings.ToUpper(hint), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "SECRET_" + name
	}
	for n := 2; slices.ContainsFunc(h.secrets, func(s Secret) bool { return s.Name == name && s.Value != v }); n++ {
		name = fmt.Sprintf("%s_%d", strings.TrimRight(name, "_0123456789"), n)
	}
	if !slices.Contains(h.secrets, Secret{name, v}) {
		h.secrets = append(h.secrets, Secret{name, v})
	}
	return "${" + name + "}"
}

var notInNames = lazy.Regexp(`[^A-Z0-9]+`)

// literal writes a value that has variables, so that only those are replaced.
func literal(v string) string {
	return marked().ReplaceAllString(strings.ReplaceAll(v, "${", "$${"), "$${$1}")
}

var hostLike = lazy.Regexp(`://([a-z0-9][a-z0-9.-]*)|([a-z0-9-]+(?:\.[a-z0-9-]+)+)`)

// hostIn returns the part of a pattern that is likely a host, for the name of a variable.
func hostIn(pattern string) string {
	pattern = strings.ReplaceAll(pattern, `\.`, ".")
	if m := hostLike().FindStringSubmatch(strings.ToLower(pattern)); m != nil {
		return m[1] + m[2]
	}
	return "RULE"
}

// secret reports whether a value of the setting may have a secret in it, which messages must
// not show.
func (s *Setting) secret() bool {
	return slices.Contains([]string{"user", "header", "proxy", "login-field"}, s.Key)
}
