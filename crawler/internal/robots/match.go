package robots

import "strings"

// rule is one allow or disallow record.
type rule struct {
	allow bool
	raw   string // the pattern as written
	// prefix is the normalized pattern up to its first "*".
	prefix string
	// parts are the normalized pieces after each "*", nil for a pattern without a
	// wildcard. "/a*b*c" has the prefix "/a" and the parts "b" and "c".
	parts []string
	// anchored is true if the pattern ends with "$".
	anchored bool
	// octets is the length of the normalized pattern, including wildcards. The most
	// specific match is the one with the most octets (RFC 9309 2.2.2).
	octets int
}

// newRule parses a pattern (RFC 9309 2.2.2, 2.2.3). It adds a leading "/" to a pattern
// that begins with neither "/" nor "*".
func newRule(allow bool, raw string) rule {
	r := rule{allow: allow, raw: raw}
	pattern := raw
	if pattern[0] != '/' && pattern[0] != '*' {
		pattern = "/" + pattern
	}
	if strings.HasSuffix(pattern, "$") {
		pattern = pattern[:len(pattern)-1]
		r.anchored = true
		r.octets++
	}
	prefix, rest, wild := strings.Cut(pattern, "*")
	r.prefix = normalize(prefix)
	r.octets += len(r.prefix)
	if r.anchored && !wild {
		r.parts = []string{} // not nil: the pattern is not a plain prefix
	}
	for wild {
		var part string
		r.octets++
		part, rest, wild = strings.Cut(rest, "*")
		if part == "" && wild { // "**" matches the same as "*"
			continue
		}
		part = normalize(part)
		r.octets += len(part)
		r.parts = append(r.parts, part)
	}
	return r
}

// match reports whether the pattern matches the beginning of a normalized path, or the
// whole path if the pattern is anchored. It is enough to take the first occurrence of
// each part, so the time is linear in the length of the path for every "*".
func (r *rule) match(path string) bool {
	rest, ok := strings.CutPrefix(path, r.prefix)
	if !ok || r.parts == nil {
		return ok
	}
	last := len(r.parts) - 1
	if last < 0 {
		return rest == ""
	}
	for _, part := range r.parts[:last] {
		_, rest, ok = strings.Cut(rest, part)
		if !ok {
			return false
		}
	}
	if r.anchored {
		return strings.HasSuffix(rest, r.parts[last])
	}
	return strings.Contains(rest, r.parts[last])
}

// normalize brings a path with its query, or a wildcard-free piece of a rule, into a
// normal form (RFC 9309 2.2.2). It decodes escapes of unreserved characters and
// converts the other escapes to upper case. It encodes characters that RFC 3986 does
// not allow in a path or query. It also encodes "*" and "$", which must differ from the
// wildcards, and "'", which browsers encode in queries but not in paths. A "%" that
// does not begin an escape stays as it is.
func normalize(s string) string {
	i := 0
	for i < len(s) && plainOctets[s[i]] {
		i++
	}
	if i == len(s) {
		return s
	}
	b := make([]byte, i, len(s)+16)
	copy(b, s)
	for ; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			octet, ok := unescape(s[i:])
			if !ok {
				b = append(b, '%')
				continue
			}
			i += 2
			if letters[octet] {
				b = append(b, octet)
				continue
			}
			c = octet
		} else if plainOctets[c] {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return string(b)
}

const hexDigits = "0123456789ABCDEF"

// plainOctets are the characters that normalize never changes: unreserved and reserved
// characters except "#", "[" and "]", which occur in no path or query, and "*", "$" and
// "'".
var plainOctets = setOf(unreserved + "/?:@!&()+,;=")

// letters are the characters that mean the same whether escaped or not (RFC 3986 2.3).
var letters = setOf(unreserved)

const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

func setOf(characters string) (set [256]bool) {
	for i := range len(characters) {
		set[characters[i]] = true
	}
	return set
}

// unescape decodes the escape at the beginning of s.
func unescape(s string) (octet byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	high := strings.IndexByte(hexDigits, upperASCII(s[1]))
	low := strings.IndexByte(hexDigits, upperASCII(s[2]))
	return byte(high<<4 | low&15), high >= 0 && low >= 0
}

func upperASCII(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}
