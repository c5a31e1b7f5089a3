package judging

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Redirect is one redirect of a chain: the requested URL and the 3xx status of its answer.
type Redirect struct {
	URL    urinorm.URL
	Status int
}

// JudgeChain judges a reference that was redirected. The redirects are in order, the
// first being that of the reference's own target; final is the target of the last
// one, and end the outcome of final, with its anchors still encoded (see DecodeHead).
//
//	redirects[0] ──301──> redirects[1] ──302──> final
//	   │                                          │
//	   the reference                              end
//
// The Question's URL and Fragment are those of the reference; the fragment of a
// Location replaces the reference's (RFC 9110 10.2.2). Internal and Local are those of
// final.
//
// If end is nil or itself a redirect, a chain in which final occurs before is
// redirect-loop. It is not a loop if the same address answers without a redirect the
// second time, after a cookie. More redirects than limit are redirect-limit, whatever
// the outcome of final.
func JudgeChain(q Question, redirects []Redirect, final urinorm.URL, end *Outcome, anchors EncodedAnchors, limit int) Judgement {
	limit = max(limit, 0)
	count := len(redirects)
	if end != nil && end.Code == check.CodeRedirect {
		count++
	}
	switch open := end == nil || end.Code == check.CodeRedirect; {
	case open && visits(redirects, final):
		return Judgement{Verdict: check.Broken, Code: check.CodeRedirectLoop,
			Message: "the redirects lead back to " + final.WithoutFragment().Printed()}
	case count > limit:
		return Judgement{Verdict: check.Broken, Code: check.CodeRedirectLimit,
			Message: fmt.Sprintf("more than %d redirects in a row", limit)}
	case end == nil:
		end = &Outcome{Code: check.CodeInterrupted, Message: "the run ended before the last redirect was followed"}
	}
	chain := newChain(q, redirects, final, end)
	q.URL = final
	q.Fragment, q.HasFragment = chain.last().fragment, chain.last().hasFragment
	j := judge(end, &q, anchors)
	if brought := chain.broughtFragment(); brought != nil && (j.Code == check.CodeFragmentMissing || j.Code == check.CodeFragmentUnverified) {
		j.Message = check.RedirectedTo + brought.url.WithoutFragment().Printed() + "#" + brought.fragment + ": " + j.Message
	}
	if j.Verdict == check.OK && len(redirects) > 0 {
		j.Warnings = append(j.Warnings, chain.warnings()...)
	}
	return j
}

// visits reports whether one of the redirects is at u.
func visits(redirects []Redirect, u urinorm.URL) bool {
	if u.IsZero() {
		return false
	}
	key := urinorm.KeyOf(u)
	for i := range redirects {
		if urinorm.KeyOf(redirects[i].URL) == key {
			return true
		}
	}
	return false
}

// IsPermanent reports whether a status asks clients to replace the old address: 301 and
// 308 (RFC 9110 15.4.2 and 15.4.9).
func IsPermanent(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// hop is a URL of the chain with the fragment that applies there.
type hop struct {
	url         urinorm.URL
	fragment    string
	hasFragment bool
}

// chain is a chain of redirects that was followed to its end.
type chain struct {
	hops     []hop // one for each redirect, then the final one
	statuses []int // one for each redirect
	end      *Outcome
}

func newChain(q Question, redirects []Redirect, final urinorm.URL, end *Outcome) chain {
	c := chain{end: end}
	next := hop{fragment: q.Fragment, hasFragment: q.HasFragment}
	add := func(u urinorm.URL) {
		next.url = u
		// The first URL's fragment is in the Question.
		if fragment, ok := u.Fragment(); ok && len(c.hops) > 0 {
			next.fragment, next.hasFragment = fragment, true
		}
		c.hops = append(c.hops, next)
	}
	for i := range redirects {
		add(redirects[i].URL)
		c.statuses = append(c.statuses, redirects[i].Status)
	}
	add(final)
	return c
}

func (c *chain) first() *hop { return &c.hops[0] }
func (c *chain) last() *hop  { return &c.hops[len(c.hops)-1] }

// broughtFragment returns the hop whose URL brings the final fragment, or nil if the
// fragment is that of the reference (RFC 9110 section 10.2.2).
func (c *chain) broughtFragment() *hop {
	for i := len(c.hops) - 1; i > 0; i-- {
		if _, ok := c.hops[i].url.Fragment(); ok {
			return &c.hops[i]
		}
	}
	return nil
}

// shortChain is the number of redirects that are usual: to https, and to another host or path.
const shortChain = 2

// warnings returns the warnings about the redirects.
func (c *chain) warnings() []check.Warning {
	var warnings []check.Warning
	permanent := 0 // redirects at the beginning that are permanent
	for permanent < len(c.statuses) && IsPermanent(c.statuses[permanent]) {
		permanent++
	}
	toRoot, toLogin := c.leadsToRoot(), c.leadsToLogin()
	if reached := &c.hops[permanent]; urinorm.KeyOf(reached.url) != urinorm.KeyOf(c.first().url) {
		w := check.Warning{Code: check.CodeRedirectPermanent, Message: "moved permanently to " + reached.url.WithoutFragment().Printed()}
		if proposal, ok := reached.proposal(); ok && !toRoot && !toLogin {
			w.Proposal = proposal
		}
		warnings = append(warnings, w)
	}
	for i, status := range c.statuses {
		if !IsPermanent(status) {
			warnings = append(warnings, check.Warning{Code: CodeRedirectTemporary,
				Message: fmt.Sprintf("redirected temporarily (%d) to %s", status, c.hops[i+1].url.WithoutFragment().Printed())})
			break
		}
	}
	if len(c.statuses) > shortChain {
		w := check.Warning{Code: CodeRedirectChain, Message: fmt.Sprintf("%d redirects in a row, the last to %s", len(c.statuses), c.last().url.WithoutFragment().Printed())}
		if proposal, ok := c.last().proposal(); ok && !toRoot && !toLogin && urinorm.KeyOf(c.last().url) != urinorm.KeyOf(c.first().url) {
			w.Proposal = proposal
		}
		warnings = append(warnings, w)
	}
	if toRoot {
		warnings = append(warnings, check.Warning{Code: check.CodeRedirectToRoot,
			Message: "redirected to the home page " + c.last().url.WithoutFragment().Printed()})
	}
	if toLogin {
		warnings = append(warnings, check.Warning{Code: check.CodeRedirectToLogin,
			Message: "redirected to the sign-in page " + c.last().url.WithoutFragment().Printed()})
	}
	if from, to, other := c.leadsToOtherSite(); other {
		warnings = append(warnings, check.Warning{Code: check.CodeRedirectToOtherSite,
			Message: fmt.Sprintf("redirected from %s to %s", from, to)})
	}
	return warnings
}

// proposal returns the URL to write into the link, with the fragment that applies there.
// There is none for a URL with a password, which is never printed.
func (s *hop) proposal() (string, bool) {
	if s.url.HasUserinfo() {
		return "", false
	}
	proposal := s.url.WithoutFragment().Printed()
	if s.hasFragment {
		proposal += "#" + s.fragment
	}
	return proposal, true
}

// leadsToRoot reports whether the chain leads from a page deep in a site to a home page.
// A final URL with a query or a fragment of its own is not a home page. A first URL that
// is only another name of a home page is not deep in the site.
func (c *chain) leadsToRoot() bool {
	end := c.last().url
	if _, query := end.Query(); query || end.Path() != "/" {
		return false
	}
	if fragment, ok := end.Fragment(); ok && fragment != "" {
		return false
	}
	return !IsHomePath(c.first().url.Path())
}

// IsHomePath reports whether a path is that of a home page, under one of its usual names.
func IsHomePath(path string) bool {
	path = strings.ToLower(strings.Trim(path, "/"))
	if path == "" || path == "home" {
		return true
	}
	name, extension, dot := strings.Cut(path, ".")
	return dot && (name == "index" || name == "default" || name == "home") && !strings.Contains(extension, "/")
}

// leadsToLogin reports whether the chain leads to a sign-in page and does not start at
// one.
//
// The path decides, unless the page was read, has no script and does not ask for a
// password or an account: then it is an article about signing in. A page with another path that asks
// for a password counts only if the redirect changed the last segment, because many
// sites have a small sign-in form on each page.
func (c *chain) leadsToLogin() bool {
	start, end := c.first().url, c.last().url
	if IsLoginURL(start) {
		return false
	}
	if IsLoginURL(end) {
		return c.end.Login || !c.end.Read || !c.end.Static
	}
	return c.end.Login && lastSegment(start.Path()) != lastSegment(end.Path())
}

// loginSegments are path segments of sign-in pages in common frameworks and identity
// services. "-", "_" and extensions are removed before the comparison.
var loginSegments = map[string]bool{
	"login": true, "logon": true, "signin": true, "signon": true, "wplogin": true, "userlogin": true,
	"dologin": true, "loginform": true, "loginpage": true, "sso": true, "saml": true, "saml2": true,
	"openidconnect": true, "oauth2": true, "servicelogin": true, "accountlogin": true,
	"authorize": true,
}

// loginHosts are hosts, or first labels of hosts, that only serve for signing in.
var loginHosts = map[string]bool{
	"login": true, "signin": true, "sso": true, "idp": true, "accounts.google.com": true,
	"login.microsoftonline.com": true, "login.live.com": true, "appleid.apple.com": true,
}

// IsLoginURL reports whether a URL's host or path is that of a sign-in page, as common
// frameworks and identity services name them.
func IsLoginURL(u urinorm.URL) bool {
	host := u.Host()
	if label, _, _ := strings.Cut(host, "."); loginHosts[host] || loginHosts[label] {
		return true
	}
	return IsLoginPath(u.Path())
}

// IsLoginPath reports whether a segment of a path is a usual name of a sign-in page.
func IsLoginPath(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		segment, _, _ = strings.Cut(segment, ".")
		if loginSegments[loginFolder.Replace(strings.ToLower(segment))] {
			return true
		}
	}
	return false
}

var loginFolder = strings.NewReplacer("-", "", "_", "")

func lastSegment(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// forwarders are hosts whose purpose is to redirect to other sites: resolvers of
// identifiers and link shorteners.
var forwarders = map[string]bool{
	"doi.org": true, "dx.doi.org": true, "hdl.handle.net": true, "purl.org": true, "purl.oclc.org": true,
	"w3id.org": true, "n2t.net": true, "arks.org": true, "identifiers.org": true, "urn.nb.no": true,
	"nbn-resolving.org": true, "nbn-resolving.de": true, "urn.fi": true, "urn.kb.se": true, "perma.cc": true, "oadoi.org": true,
	"bit.ly": true, "t.co": true, "goo.gl": true, "tinyurl.com": true, "is.gd": true, "v.gd": true, "ow.ly": true, "buff.ly": true,
	"aka.ms": true, "go.microsoft.com": true, "g.co": true, "goo.gle": true, "git.io": true, "youtu.be": true, "redd.it": true,
	"amzn.to": true, "a.co": true, "fb.me": true, "lnkd.in": true, "wp.me": true, "s.id": true, "rb.gy": true, "cutt.ly": true,
	"bugs.debian.org": true, "crbug.com": true, "tiny.cc": true, "t.ly": true, "spoti.fi": true, "apple.co": true, "nyti.ms": true,
}

// leadsToOtherSite compares the registrable domains of both ends. localhost and
// 127.0.0.1 are different sites, as for a browser's cookies and for the scope.
func (c *chain) leadsToOtherSite() (from, to string, other bool) {
	start, end := c.first().url.Host(), c.last().url.Host()
	if start == end || start == "" || end == "" || forwarders[start] {
		return "", "", false
	}
	from, to = site(start), site(end)
	return from, to, from != to
}

// site returns the registrable domain, or the host if there is none: for an address, a
// public suffix, a name without dots.
func site(host string) string {
	host = strings.TrimSuffix(host, ".")
	if domain := urinorm.RegistrableDomain(host); domain != "" {
		return domain
	}
	return host
}
