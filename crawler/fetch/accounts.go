package fetch

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// account is a name and its password.
type account struct{ name, password string }

// accounts says which account goes to which host; nothing goes to any other. User
// names and passwords within URLs of pages are not among them: a page must not be
// able to make us log in.
type accounts struct {
	internal *account           // given for the internal hosts
	logins   map[string]account // by authority, for internal hosts
	machines map[string]account // by host, from netrc
	fallback *account           // netrc's default, for the internal hosts
}

func newAccounts(credentials string, logins map[string]string, netrc string) (accounts, error) {
	a := accounts{logins: make(map[string]account, len(logins))}
	for authority, login := range logins {
		name, password, _ := strings.Cut(login, ":")
		a.logins[authority] = account{name, password}
	}
	if credentials != "" {
		name, password, ok := strings.Cut(credentials, ":")
		if !ok {
			return a, errors.New("parse credentials: want NAME:PASSWORD")
		}
		a.internal = &account{name, password}
	}
	if netrc == "" {
		return a, nil
	}
	var err error
	a.machines, a.fallback, err = readNetrc(netrc)
	return a, err
}

// of returns the account for a URL's host, nil for none.
func (a *accounts) of(u urinorm.URL, internal bool) *account {
	if internal && a.internal != nil {
		return a.internal
	}
	if login, ok := a.logins[u.Authority()]; ok && internal {
		return &login
	}
	if machine, ok := a.machines[u.Host()]; ok {
		return &machine
	}
	if internal {
		return a.fallback
	}
	return nil
}

// authorize adds the Authorization header, if this host has an account, and
// returns it. Digest goes where it was asked for. Basic goes unasked only where
// nobody can listen, over TLS and to this machine: a host that wants Digest over
// plain HTTP never sees the password.
func (a *asking) authorize(header http.Header, method string) string {
	if header["Authorization"] != nil {
		return ""
	}
	user := a.accounts.of(a.req.URL, a.req.Internal)
	if user == nil {
		return ""
	}
	var value string
	switch challenge := a.memory.digest.Load(); {
	case challenge != nil:
		value = challenge.authorization(user, method, a.req.URL.RequestTarget())
	case a.memory.basic.Load(), a.loopback, a.req.URL.Scheme() == "https":
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(user.name+":"+user.password))
	default:
		return ""
	}
	header["Authorization"] = []string{value}
	return value
}

// answerChallenge looks at a 401 and reports whether the request should be sent
// again with what it asks for. sent is the Authorization that was refused.
func (a *asking) answerChallenge(header http.Header, sent string) bool {
	if a.accounts.of(a.req.URL, a.req.Internal) == nil || len(a.req.Header["Authorization"]) > 0 {
		return false
	}
	challenges := parseChallenges(header["Www-Authenticate"])
	for _, c := range challenges {
		if !strings.EqualFold(c.scheme, "Digest") {
			continue
		}
		digest := newDigestChallenge(c.params)
		if digest == nil {
			continue // an algorithm we don't have
		}
		if strings.HasPrefix(sent, "Digest ") && !digest.stale {
			return false // the password is wrong
		}
		a.memory.digest.Store(digest)
		return true
	}
	for _, c := range challenges {
		if strings.EqualFold(c.scheme, "Basic") && sent == "" {
			a.memory.basic.Store(true)
			return true
		}
	}
	return false
}

// challenge is one challenge of WWW-Authenticate (RFC 9110 section 11.6.1).
type challenge struct {
	scheme string
	params map[string]string // names in lower case
}

// maxChallenges bounds how many challenges and parameters are looked at.
const maxChallenges = 64

// parseChallenges reads the challenges of all header lines. In
//
//	Digest realm="a, b", nonce="x", Basic realm="c"
//
// only what follows a comma tells a parameter from the next scheme.
func parseChallenges(lines []string) []challenge {
	var challenges []challenge
	for _, line := range lines {
		for rest := line; len(challenges) < maxChallenges; {
			rest = strings.TrimLeft(rest, ", \t")
			if rest == "" {
				break
			}
			end := strings.IndexAny(rest, " \t,=")
			if end < 0 {
				end = len(rest)
			}
			word := rest[:end]
			rest = strings.TrimLeft(rest[end:], " \t")
			value, isParameter := strings.CutPrefix(rest, "=")
			if !isParameter || len(challenges) == 0 {
				if word == "" {
					break
				}
				challenges = append(challenges, challenge{scheme: word, params: map[string]string{}})
				continue
			}
			var text string
			text, rest = cutParameter(strings.TrimLeft(value, " \t"))
			if params := challenges[len(challenges)-1].params; len(params) < maxChallenges {
				params[strings.ToLower(word)] = text
			}
		}
	}
	return challenges
}

// cutParameter reads a token or a quoted string.
func cutParameter(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ", \t")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:]
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
