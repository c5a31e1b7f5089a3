package fetch

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A cookieGroup is a list of origins that share the cookies of a session. The Domain of a
// cookie would hand it to every host of the domain; here it goes to the origins of the
// group only, to each as a cookie of its own.
type cookieGroup []urinorm.URL

// sessionKey identifies a cookie that an origin of a group has.
type sessionKey struct{ host, path, name string }

type sessionCookie struct {
	value   string
	secure  bool
	expires time.Time // zero for the end of the session
}

// newCookieGroups returns the group of each origin.
func newCookieGroups(groups [][]string) (map[string]cookieGroup, error) {
	by := make(map[string]cookieGroup)
	for _, origins := range groups {
		var group cookieGroup
		for _, origin := range origins {
			u, _, err := urinorm.ParseWeb(origin + "/")
			if err != nil {
				return nil, fmt.Errorf("read the origin %s: %w", origin, err)
			}
			group = append(group, u)
		}
		for _, u := range group {
			if by[originOf(u)] != nil {
				return nil, fmt.Errorf("the origin %s is in two groups", originOf(u))
			}
			by[originOf(u)] = group
		}
	}
	return by, nil
}

// originOf returns the scheme, host and port of a URL (RFC 6454 section 6.2).
func originOf(u urinorm.URL) string { return u.Scheme() + "://" + u.Authority() }

// storeInGroup stores the cookies of an answer from an origin of the group.
func (c *cookies) storeInGroup(group cookieGroup, u urinorm.URL, set []*http.Cookie) {
	for _, given := range set {
		cookie, domain := *given, strings.ToLower(strings.TrimPrefix(given.Domain, "."))
		cookie.Domain = ""
		cookie.Secure = cookie.Secure || u.Scheme() == "https"
		if !strings.HasPrefix(cookie.Path, "/") {
			cookie.Path = defaultCookiePath(u.Path())
		}
		if domain != "" && (!inDomain(u.Host(), domain) || isPublicSuffix(domain) && u.Host() != domain) {
			continue // RFC 6265 section 5.3, steps 5 and 6
		}
		for _, origin := range group {
			if originOf(origin) == originOf(u) || domain != "" && inDomain(origin.Host(), domain) {
				c.add(origin, []*http.Cookie{&cookie})
				c.remember(origin, &cookie)
			}
		}
	}
}

// remember keeps a cookie for WriteCookies, because a jar does not list its cookies.
func (c *cookies) remember(origin urinorm.URL, cookie *http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := sessionKey{origin.Host(), cookie.Path, cookie.Name}
	if traffic.HasExpired(cookie) {
		delete(c.session, key)
		return
	}
	if c.session == nil {
		c.session = make(map[sessionKey]sessionCookie)
	}
	c.session[key] = sessionCookie{cookie.Value, cookie.Secure, expiryOf(cookie)}
}

// inDomain reports whether a host is a domain or below it (RFC 6265 section 5.1.3).
func inDomain(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain) && !isAddress(host)
}

func isPublicSuffix(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

// defaultCookiePath returns the path of a cookie without one (RFC 6265 section 5.1.4).
func defaultCookiePath(path string) string {
	if end := strings.LastIndexByte(path, '/'); end > 0 {
		return path[:end]
	}
	return "/"
}

// WriteCookies writes the cookies that the origins of CookieGroups have set, as a
// cookies.txt file in Netscape format, which HTTPConfig.Cookies reads. The format has no
// ports: a cookie belongs to all ports of its host.
func (h *HTTP) WriteCookies(w io.Writer) error {
	c := h.cookies
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]sessionKey, 0, len(c.session))
	for key := range c.session {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b sessionKey) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path), cmp.Compare(a.name, b.name))
	})
	out := bufio.NewWriter(w)
	out.WriteString("# Netscape HTTP Cookie File\n")
	for _, key := range keys {
		cookie, expires := c.session[key], int64(0)
		if !cookie.expires.IsZero() {
			expires = cookie.expires.Unix()
		}
		fmt.Fprintf(out, "%s\tFALSE\t%s\t%s\t%d\t%s\t%s\n", key.host, key.path, strings.ToUpper(fmt.Sprint(cookie.secure)), expires, key.name, cookie.value)
	}
	return out.Flush()
}
