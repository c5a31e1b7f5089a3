package fetch

import (
	"crypto"
	_ "crypto/md5" // used by crypto.Hash, like the next two
	"crypto/rand"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
)

// digestChallenge is a server's challenge for Digest access authentication (RFC 7616).
// It is used for all requests to its protection space until it is stale.
type digestChallenge struct {
	realm, nonce, opaque string
	hasOpaque            bool
	algorithm            string      // as written by the server, "" if absent
	hash                 crypto.Hash // 0 if it is not supported
	session              bool        // "-sess"
	qop                  bool        // "auth" is among the offered qualities of protection
	userhash             bool
	stale                bool
	domain               []string // URIs of the protection space as written; none means the whole host
	count                atomic.Uint32
}

// digestAlgorithms are the algorithms of RFC 7616 section 6.1.
var digestAlgorithms = map[string]crypto.Hash{
	"":            crypto.MD5,
	"md5":         crypto.MD5,
	"sha-256":     crypto.SHA256,
	"sha-512-256": crypto.SHA512_256,
}

// newDigestChallenge parses the parameters of a challenge. It returns nil if the
// challenge requires unsupported features.
func newDigestChallenge(params map[string]string) *digestChallenge {
	c := &digestChallenge{
		realm:     params["realm"],
		nonce:     params["nonce"],
		algorithm: params["algorithm"],
		userhash:  strings.EqualFold(params["userhash"], "true"),
		stale:     strings.EqualFold(params["stale"], "true"),
		domain:    strings.Fields(params["domain"]),
	}
	c.opaque, c.hasOpaque = params["opaque"]
	name, session := strings.CutSuffix(strings.ToLower(c.algorithm), "-sess")
	c.hash, c.session = digestAlgorithms[name], session
	if qop, ok := params["qop"]; ok {
		for option := range strings.SplitSeq(qop, ",") {
			c.qop = c.qop || strings.EqualFold(strings.TrimSpace(option), "auth")
		}
		if !c.qop {
			return nil // only auth-int
		}
	}
	if c.hash == 0 || c.nonce == "" {
		return nil
	}
	return c
}

// authorization returns the Authorization header value for a request (RFC 7616 section
// 3.4).
func (c *digestChallenge) authorization(user *account, method, target string) string {
	return c.respond(user, method, target, rand.Text(), c.count.Add(1))
}

func (c *digestChallenge) respond(user *account, method, target, cnonce string, count uint32) string {
	sum := func(parts ...string) string {
		h := c.hash.New()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	secret := sum(user.name, c.realm, user.password)
	if c.session {
		secret = sum(secret, c.nonce, cnonce)
	}
	request := sum(method, target)
	nc := fmt.Sprintf("%08x", count)
	response := sum(secret, c.nonce, request)
	if c.qop {
		response = sum(secret, c.nonce, nc, cnonce, "auth", request)
	}
	name := user.name
	if c.userhash {
		name = sum(user.name, c.realm)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `Digest username="%s", realm="%s", nonce="%s", uri="%s", response="%s"`,
		quoted(name), quoted(c.realm), quoted(c.nonce), quoted(target), response)
	if c.algorithm != "" {
		fmt.Fprintf(&b, `, algorithm=%s`, c.algorithm)
	}
	if c.hasOpaque {
		fmt.Fprintf(&b, `, opaque="%s"`, quoted(c.opaque))
	}
	if c.qop {
		fmt.Fprintf(&b, `, qop=auth, nc=%s, cnonce="%s"`, nc, cnonce)
	}
	if c.userhash {
		b.WriteString(`, userhash=true`)
	}
	return b.String()
}

// quoted escapes the content of a quoted string and drops characters that a header
// cannot contain.
func quoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c != 0x7f || c == '\t':
			b.WriteByte(c)
		}
	}
	return b.String()
}
