package fetch

import (
	"net/http"
	"strings"
)

// Destination is what a reference wants a target for, in the sense of the Fetch
// Standard (section 2.2.5). Servers that choose between representations look at
// the Accept header it leads to.
type Destination uint8

const (
	// Page is a document a reader would see.
	Page Destination = iota
	// Image is an image of a page.
	Image
	// Style is a style sheet.
	Style
	// Script is a script, or anything else a page loads.
	Script
)

// accepts are the Accept values of browsers (Fetch Standard, section 4.1),
// without formats that a server might rather send and that we can't read.
var accepts = [...][]string{
	Page:   {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
	Image:  {"image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"},
	Style:  {"text/css,*/*;q=0.1"},
	Script: {"*/*"},
}

const defaultLanguage = "en-US,en;q=0.8,*;q=0.5"

// profile is a set of request headers. The second is tried where the first was
// refused.
type profile uint8

const (
	firstProfile profile = iota
	secondProfile
)

func (p profile) other() profile { return 1 - p }

// header returns the headers of a request.
func (a *asking) header(p profile, refusedType bool) http.Header {
	h := make(http.Header, 8)
	accept := accepts[Page]
	if int(a.req.Destination) < len(accepts) {
		accept = accepts[a.req.Destination]
	}
	switch p {
	case firstProfile:
		h["User-Agent"] = a.userAgent
		if referrer := a.referrer(); referrer != "" {
			h["Referer"] = []string{referrer}
		}
	case secondProfile:
		// Some hosts refuse a foreign Referer, some an agent in our first shape, some
		// whoever lacks the headers of a click.
		h["User-Agent"] = a.alternate
		if refusedType {
			accept = accepts[Script]
		}
		if a.req.Destination == Page {
			h["Upgrade-Insecure-Requests"] = []string{"1"}
			h["Sec-Fetch-Dest"] = []string{"document"}
			h["Sec-Fetch-Mode"] = []string{"navigate"}
			h["Sec-Fetch-Site"] = []string{"none"}
			h["Sec-Fetch-User"] = []string{"?1"}
		}
	}
	h["Accept"] = accept
	h["Accept-Language"] = a.language
	if a.loopback {
		h["Accept-Encoding"] = identity // there is no bandwidth to save
	} else {
		h["Accept-Encoding"] = compressed
	}
	if a.req.Internal {
		setAll(h, a.headers)
	}
	setAll(h, a.req.Header)
	return h
}

var (
	identity   = []string{"identity"}
	compressed = []string{acceptEncoding}
)

// setAll puts headers over those that are there.
func setAll(h, over http.Header) {
	for name, values := range over {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// referrer returns the Referer by the policy strict-origin-when-cross-origin
// (Referrer Policy, section 3.7): the whole URL within an origin, the origin alone
// beyond it, nothing from https to http.
func (a *asking) referrer() string {
	from := a.req.Referrer
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
		return "" // a directory's made-up address
	}
	u := a.req.URL
	if scheme == u.Scheme() && authority == u.Authority() {
		path, _, _ := strings.Cut(rest[end:], "#")
		return scheme + "://" + authority + path
	}
	if scheme == "https" && u.Scheme() == "http" {
		return ""
	}
	return scheme + "://" + authority + "/"
}

// wantsSecondProfile reports whether a refusal may be meant for the headers and
// not for the target. A site's own pages are not asked twice: it is the owner's
// to know, and a 404 there costs one request.
func (a *asking) wantsSecondProfile(resp *http.Response) bool {
	if a.req.Internal || resp.Header.Get("Cf-Mitigated") != "" {
		return false
	}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotAcceptable,
		http.StatusPreconditionFailed, http.StatusUnsupportedMediaType:
		return true
	case http.StatusNotFound:
		return a.req.Destination == Page
	}
	return false
}
