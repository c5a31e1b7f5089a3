package fetch

import (
	"encoding/base64"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// authentication records the protection spaces of a host (RFC 9110 section 11.5): which
// challenge to answer in advance below which path. It is only a prediction that saves
// requests: whatever it says, the challenges of a 401 answer decide, so the result of a
// request does not depend on earlier ones. It is safe for concurrent use.
type authentication struct {
	mu     sync.RWMutex
	spaces map[string]credentials // keyed by path prefix
}

// maxSpaces is the maximum number of path prefixes that are remembered for a host. When
// there are more, all are forgotten and learned again.
const maxSpaces = 1000

// credentials is one way to authenticate a request. The zero value sends nothing.
type credentials struct {
	basic  bool
	digest *digestChallenge // nil unless the scheme is Digest
	// answers is true if the credentials answer a challenge to the same request. Such
	// credentials are up to date, so a refusal is final.
	answers bool
}

// header returns the Authorization header value for a request, or "".
func (c credentials) header(user *account, method, target string) string {
	switch {
	case c.digest != nil:
		return c.digest.authorization(user, method, target)
	case c.basic:
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.name+":"+user.password))
	}
	return ""
}

// predict returns the credentials to send for a path before the server has asked for
// any. Where nothing is known, it sends Basic credentials only over a private
// connection, so that a host that wants Digest over plain HTTP never receives the
// password.
func (a *authentication) predict(path string, private bool) credentials {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for end := len(path); end > 0 && len(a.spaces) > 0; {
		if known, ok := a.spaces[path[:end]]; ok {
			return known
		}
		if slash := strings.LastIndexByte(path[:end], '/'); slash < end-1 {
			end = slash + 1 // the directory, with its slash
		} else {
			end = slash
		}
	}
	return credentials{basic: private}
}

// answer returns the credentials that answer the challenges of a 401 answer; ok is false
// if there are none, or if they have just been refused. sent are those of the refused
// request.
func (sent credentials) answer(challenges []challenge) (next credentials, ok bool) {
	for _, c := range challenges {
		if !strings.EqualFold(c.scheme, "Digest") {
			continue
		}
		digest := newDigestChallenge(c.params)
		if digest == nil {
			continue // an unsupported algorithm
		}
		if sent.digest != nil && sent.digest.realm == digest.realm && !digest.stale && (sent.answers || sent.digest.nonce == digest.nonce) {
			return credentials{}, false // the password is wrong
		}
		return credentials{digest: digest, answers: true}, true
	}
	for _, c := range challenges {
		if strings.EqualFold(c.scheme, "Basic") {
			// Basic credentials are the same in every realm.
			return credentials{basic: true, answers: true}, !sent.basic
		}
	}
	return credentials{}, false
}

// learn records the protection space of a path whose challenge was answered and whose
// server then accepted the credentials. The space of Basic is the directory of the path
// (RFC 7617 section 2.2). That of Digest is also what the parameter domain says, or the
// whole host if there is none and nothing else is known (RFC 7616 section 3.3).
func (a *authentication) learn(u urinorm.URL, accepted credentials) {
	accepted.answers = false
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.spaces == nil || len(a.spaces) >= maxSpaces {
		a.spaces = make(map[string]credentials)
	}
	path := u.Path()
	a.spaces[path[:strings.LastIndexByte(path, '/')+1]] = accepted
	if accepted.digest == nil {
		return
	}
	if len(accepted.digest.domain) == 0 {
		if _, known := a.spaces["/"]; !known {
			a.spaces["/"] = accepted
		}
		return
	}
	base, err := urinorm.NewBase(u, "")
	if err != nil {
		return
	}
	for _, reference := range accepted.digest.domain {
		// Other hosts have accounts of their own.
		if in, _, err := base.Resolve(reference); err == nil && in.Scheme() == u.Scheme() && in.Authority() == u.Authority() && len(a.spaces) < maxSpaces {
			a.spaces[in.Path()] = accepted
		}
	}
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
