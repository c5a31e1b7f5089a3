package fetch

import (
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Values of Accept: that of browsers for a page (Fetch Standard, section 4.1), without formats that
// servers may prefer but this program cannot read; and one that refuses nothing.
var (
	acceptPage = []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
	acceptAny  = []string{"*/*"}
)

// language is the value of Accept-Language: English first, then any language.
var language = []string{"en-US,en;q=0.8,*;q=0.5"}

// profile selects a set of request headers. The second set is tried when the first is
// refused.
type profile uint8

const (
	firstProfile profile = iota
	secondProfile
)

func (p profile) alternative() profile { return 1 - p }

// profiles creates the headers of requests from prepared values.
type profiles struct {
	userAgent []string
	alternate []string    // User-Agent of the second profile
	given     http.Header // for origins
	origins   *Origins
}

func newProfiles(config HTTPConfig) (*profiles, error) {
	if err := checkHeaders(config); err != nil {
		return nil, err
	}
	p := &profiles{
		userAgent: []string{config.UserAgent},
		alternate: []string{config.UserAgent},
		given:     config.Header.Clone(),
		origins:   config.Origins,
	}
	if config.UserAgent == "" {
		p.userAgent[0], p.alternate[0] = DefaultUserAgent(config.Version), alternateUserAgent(config.Version)
	}
	return p, nil
}

// checkHeaders rejects headers that cannot be sent. Errors do not contain values, which
// may be secret.
func checkHeaders(config HTTPConfig) error {
	given := config.Header.Clone()
	if given == nil {
		given = http.Header{}
	}
	given["User-Agent"] = append(given["User-Agent"], config.UserAgent)
	for name, values := range given {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("check header %q: invalid header name", name)
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("check header %s: its value contains control characters", name)
			}
		}
	}
	return nil
}

// header returns the headers of a request. refusedType is true if the server answered
// that none of the accepted types is available. A local host gets no Accept-Encoding
// for compression.
func (ps *profiles) header(req *Request, p profile, refusedType, local bool) http.Header {
	h := make(http.Header, 8)
	accept := acceptPage
	switch p {
	case firstProfile:
		h["User-Agent"] = ps.userAgent
		if referrer := referrerOf(req); referrer != "" {
			h["Referer"] = []string{referrer}
		}
	case secondProfile:
		// Some hosts refuse a foreign Referer, some the first User-Agent, and some
		// requests without the headers that a click sends.
		h["User-Agent"] = ps.alternate
		if refusedType {
			accept = acceptAny
		}
		h["Upgrade-Insecure-Requests"] = []string{"1"}
		h["Sec-Fetch-Dest"] = []string{"document"}
		h["Sec-Fetch-Mode"] = []string{"navigate"}
		h["Sec-Fetch-Site"] = []string{"none"}
		h["Sec-Fetch-User"] = []string{"?1"}
	}
	h["Accept"] = accept
	h["Accept-Language"] = language
	if local {
		h["Accept-Encoding"] = identity // there is no bandwidth to save
	} else {
		h["Accept-Encoding"] = compressed
	}
	if len(ps.given) > 0 && ps.origins.Has(req.URL) {
		setAll(h, ps.given)
		if req.Anonymous {
			delete(h, "Cookie")
		}
	}
	if req.Origin != "" {
		h["Origin"] = []string{req.Origin}
	}
	setAll(h, req.Header)
	return h
}

var (
	identity   = []string{"identity"}
	compressed = []string{acceptEncoding}
)

// setAll replaces the headers in h with those of the same name in over.
func setAll(h, over http.Header) {
	for name, values := range over {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// referrerOf returns the Referer according to the policy
// strict-origin-when-cross-origin (Referrer Policy, section 3.7): the whole URL within
// an origin, only the origin for other origins, and nothing from https to http.
func referrerOf(req *Request) string {
	from := req.Referrer
	scheme, rest, ok := strings.Cut(from, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return ""
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if strings.HasSuffix(authority, ".invalid") {
		return "" // the synthetic address of a directory
	}
	u := req.URL
	if scheme == u.Scheme() && authority == u.Authority() {
		path, _, _ := strings.Cut(rest[end:], "#")
		return scheme + "://" + authority + path
	}
	if scheme == "https" && u.Scheme() == "http" {
		return ""
	}
	return scheme + "://" + authority + "/"
}

// wantsSecondProfile reports whether the headers may be the cause of a refusal. The
// site's own pages get no second request: their owner can find out the cause, and it
// would double the cost of every 404.
func wantsSecondProfile(req *Request, resp *http.Response) bool {
	if req.Internal || resp.Header.Get("Cf-Mitigated") != "" {
		return false
	}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotAcceptable,
		http.StatusPreconditionFailed, http.StatusUnsupportedMediaType, http.StatusNotFound:
		return true
	}
	return false
}

// DefaultUserAgent returns the honest User-Agent of this program, in the usual form and
// without words that common firewall rules block.
func DefaultUserAgent(version string) string {
	return "Mozilla/5.0 (compatible; Orbweaver" + slashVersion(version) + "; +https://github.com/orbweaver/orbweaver)"
}

// alternateUserAgent returns the User-Agent of the second header profile. It is as
// honest, but in the form of a browser's.
func alternateUserAgent(version string) string {
	return "Mozilla/5.0 (X11; Linux x86_64) Orbweaver" + slashVersion(version)
}

func slashVersion(version string) string {
	if version = strings.TrimSpace(version); version == "" {
		return ""
	}
	return "/" + version
}

// ProductToken returns the product token of a User-Agent value: "MyBot" for "MyBot/1.0
// (…)", and "" if there is none. RFC 9309 2.2.1 allows letters, "_" and "-", but real
// agents also use digits and dots. Ending the token there would make "bot2" match the
// name "bot".
func ProductToken(userAgent string) string {
	userAgent = strings.TrimLeft(userAgent, " \t")
	for i := range len(userAgent) {
		c := userAgent[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return userAgent[:i]
		}
	}
	return userAgent
}
