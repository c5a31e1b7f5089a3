package fetch

import (
	"encoding/base64"
	"strings"
	"sync/atomic"
)

// authentication records which authentication schemes a host has asked for. It is safe
// for concurrent use.
type authentication struct {
	digest atomic.Pointer[digestChallenge] // nil until the host asks for Digest
	basic  atomic.Bool                     // the host has asked for Basic
}

// authorization returns the Authorization header value for a request, or "". It uses
// Digest for hosts that have asked for it. It sends Basic credentials without being
// asked only over a private connection, so that a host that wants Digest over plain
// HTTP never receives the password.
func (a *authentication) authorization(user *account, method, target string, private bool) string {
	if challenge := a.digest.Load(); challenge != nil {
		return challenge.authorization(user, method, target)
	}
	if private || a.basic.Load() {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.name+":"+user.password))
	}
	return ""
}

// learn reads the WWW-Authenticate lines of a 401 answer and reports whether to send
// the request again with new credentials. refused is the Authorization header value
// that the server refused.
func (a *authentication) learn(lines []string, refused string) bool {
	challenges := parseChallenges(lines)
	for _, c := range challenges {
		if !strings.EqualFold(c.scheme, "Digest") {
			continue
		}
		digest := newDigestChallenge(c.params)
		if digest == nil {
			continue // an unsupported algorithm
		}
		if strings.HasPrefix(refused, "Digest ") && !digest.stale {
			return false // the password is wrong
		}
		a.digest.Store(digest)
		return true
	}
	for _, c := range challenges {
		if strings.EqualFold(c.scheme, "Basic") && refused == "" {
			a.basic.Store(true)
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

// maxChallenges limits the number of challenges, and of parameters per challenge, that
// are parsed.
const maxChallenges = 64

// parseChallenges parses the challenges of all header lines. In
//
//	Digest realm="a, b", nonce="x", Basic realm="c"
//
// a word after a comma is a parameter if "=" follows it, and otherwise the next scheme.
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

// cutParameter splits a token or a quoted string off s.
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
