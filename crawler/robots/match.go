package robots

import "strings"

// rule is one allow or disallow record.
type rule struct {
	allow bool
	raw   string // the pattern as written
	// prefix is the normalized pattern up to its first "*".
	prefix string
	// parts are the normalized pieces behind each "*", nil for a pattern without
	// a wildcard. "/a*b*c" has the prefix "/a" and the parts "b", "c".
	parts []string
	// anchored is true when the pattern ends with "$".
	anchored bool
	// octets is the length of the normalized pattern, wildcards included: the most
	// specific match is the one with the most octets (RFC 9309 2.2.2).
	octets int
}

// newRule reads a pattern (RFC 9309 2.2.2, 2.2.3). One that begins neither
// with "/" nor with "*" is meant to begin at the root.
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
		r.parts = []string{} // not nil: it is no plain prefix
	}
	for wild {
		var part string
		r.octets++
		part, rest, wild = strings.Cut(rest, "*")
		if part == "" && wild { // "**" matches what "*" does
			continue
		}
		part = normalize(part)
		r.octets += len(part)
		r.parts = append(r.parts, part)
	}
	return r
}

// match tells whether the pattern matches the beginning of a normalized path, or
// the whole of it when it is anchored. Taking each part at its first place is
// enough, so the time is linear in the path for every "*".
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

// normalize brings a path with its query, or a piece of a rule without
// wildcards, to one spelling (RFC 9309 2.2.2): escapes of unreserved characters
// are decoded and the others upper-cased; what RFC 3986 allows in no path or query
// is encoded, and so are "*", "$" and "'": as characters of a path the first two
// must differ from the wildcards, and browsers encode the third in queries but not
// in paths. A "%" that begins no escape stays.
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

// plainOctets are the characters that normalize leaves alone wherever they
// stand: unreserved and reserved ones, without "#", "[" and "]", which no path or
// query holds, and without "*", "$" and "'".
var plainOctets = setOf(unreserved + "/?:@!&()+,;=")

// letters are the characters whose escapes mean the same (RFC 3986 2.3).
var letters = setOf(unreserved)

const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

func setOf(characters string) (set [256]bool) {
	for i := range len(characters) {
		set[characters[i]] = true
	}
	return set
}

// unescape reads the escape that s begins with.
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
