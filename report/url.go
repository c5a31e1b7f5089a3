package report

import (
	"fmt"
	"net/url"
	"strings"
)

// ownPage returns the page of a target as references name it: the URL without its
// fragment, or the path of a file.
func ownPage(target string) string {
	page, _, _ := strings.Cut(target, "#")
	if schemeOf(page) != "" {
		return page
	}
	if p, err := url.PathUnescape(page); err == nil {
		return strings.ToValidUTF8(p, "\uFFFD")
	}
	return page
}

// schemeOf returns the scheme of a URL, or "". A drive letter is not a scheme.
func schemeOf(s string) string {
	colon := strings.IndexByte(s, ':')
	if colon < 2 {
		return ""
	}
	for i := range colon {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= s[i] && s[i] <= '9' || strings.IndexByte("+-.", s[i]) >= 0)) {
			return ""
		}
	}
	return s[:colon]
}

// isWeb reports whether a graph may link to a URL: only to http and https, never to a
// script.
func isWeb(url string) bool {
	scheme := strings.ToLower(schemeOf(url))
	return scheme == "http" || scheme == "https"
}

// document returns a URL without its fragment.
func document(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// hostOf returns the name under which findings are grouped: the authority, the scheme if
// there is no authority, or "" for local documents.
func hostOf(url string) string {
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return ""
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return scheme + ":"
	}
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	if authority == "" {
		return scheme + ":"
	}
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

// originOf returns the scheme and authority of a URL.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// uriReference percent-encodes the characters of a printed URL that URIs must not
// contain, so that every reader accepts it.
func uriReference(s string) string {
	var b strings.Builder
	fragment := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
		case c == '#' && !fragment:
			fragment = true
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~:/?[]@!$&'()*+,;=", c) >= 0:
		default:
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	if _, err := url.Parse(b.String()); err != nil {
		return url.PathEscape(s)
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// commonDirectory returns the deepest directory that contains both URLs, which have the
// same origin.
func commonDirectory(a, b string) string {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:strings.LastIndexByte(a[:n], '/')+1]
}
