package check

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Link is one redirect of a chain: the URL that was asked and the 3xx it gave.
type Link struct {
	URL    urinorm.URL
	Status int
}

// JudgeChain judges a reference that was redirected: links are the redirects in
// order, the first being the reference's own target, final is where the last one
// leads and end what was observed there, with its anchors still encoded (see
// DecodeHead).
//
//	links[0] ──301──> links[1] ──302──> final
//	   │                                  │
//	   the reference                      end
//
// The Question's URL and Fragment are those of the reference: a Location's own
// fragment takes the place of the reference's (RFC 9110 10.2.2). Its Internal and
// Local are those of final, as a redirect that leaves the site is external from
// there on.
//
// A chain that has not come to its end, because end is itself a redirect or nil,
// is redirect-loop when final is one of the links. The same address answering once
// more with something else than a redirect, after a cookie, is no loop. More
// redirects than limit are redirect-limit, whatever end says.
func JudgeChain(q Question, links []Link, final urinorm.URL, end *Outcome, anchors EncodedAnchors, limit int) Judgement {
	limit = max(limit, 0)
	redirects := len(links)
	if end != nil && end.Code == CodeRedirect {
		redirects++
	}
	switch open := end == nil || end.Code == CodeRedirect; {
	case open && chainHolds(links, final):
		return Judgement{Verdict: Broken, Code: CodeRedirectLoop,
			Message: "the redirects lead back to " + final.WithoutFragment().Printed()}
	case redirects > limit:
		return Judgement{Verdict: Broken, Code: CodeRedirectLimit,
			Message: fmt.Sprintf("more than %d redirects in a row", limit)}
	case end == nil:
		end = &Outcome{Code: CodeInterrupted, Message: "the run ended before the last redirect was followed"}
	}
	chain := newChain(q, links, final, end)
	q.URL = final
	q.Fragment, q.HasFragment = chain.last().fragment, chain.last().hasFragment
	j := judge(end, &q, anchors)
	if j.Verdict == OK && len(links) > 0 {
		j.Warnings = append(j.Warnings, chain.warnings()...)
	}
	return j
}

func chainHolds(links []Link, u urinorm.URL) bool {
	if u.IsZero() {
		return false
	}
	key := urinorm.KeyOf(u)
	for i := range links {
		if urinorm.KeyOf(links[i].URL) == key {
			return true
		}
	}
	return false
}

// IsPermanent reports whether a status says that the old address is to be
// replaced: 301 and 308 (RFC 9110 15.4.2 and 15.4.9).
func IsPermanent(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// station is a URL of the chain with the fragment that holds there.
type station struct {
	url         urinorm.URL
	fragment    string
	hasFragment bool
}

// chain is what there is to say of a way that came to its end.
type chain struct {
	stations []station // one for each link, then the final one
	statuses []int     // one for each link
	end      *Outcome
}

func newChain(q Question, links []Link, final urinorm.URL, end *Outcome) chain {
	c := chain{end: end}
	at := station{fragment: q.Fragment, hasFragment: q.HasFragment}
	arrive := func(u urinorm.URL) {
		at.url = u
		// The first URL's fragment is the reference's, which the Question gives.
		if fragment, ok := u.Fragment(); ok && len(c.stations) > 0 {
			at.fragment, at.hasFragment = fragment, true
		}
		c.stations = append(c.stations, at)
	}
	for i := range links {
		arrive(links[i].URL)
		c.statuses = append(c.statuses, links[i].Status)
	}
	arrive(final)
	return c
}

func (c *chain) first() *station { return &c.stations[0] }
func (c *chain) last() *station  { return &c.stations[len(c.stations)-1] }

// warnings are the things a person should know of the way.
func (c *chain) warnings() []Warning {
	var warnings []Warning
	permanent := 0 // redirects at the beginning that are permanent
	for permanent < len(c.statuses) && IsPermanent(c.statuses[permanent]) {
		permanent++
	}
	toRoot, toLogin := c.leadsToRoot(), c.leadsToLogin()
	if reached := &c.stations[permanent]; urinorm.KeyOf(reached.url) != urinorm.KeyOf(c.first().url) {
		w := Warning{Code: CodeRedirectPermanent, Message: "moved permanently to " + reached.url.WithoutFragment().Printed()}
		if proposal, ok := reached.proposal(); ok && !toRoot && !toLogin {
			w.Proposal = proposal
		}
		warnings = append(warnings, w)
	}
	for i, status := range c.statuses {
		if !IsPermanent(status) {
			warnings = append(warnings, Warning{Code: CodeRedirectTemporary,
				Message: fmt.Sprintf("redirected temporarily (%d) to %s", status, c.stations[i+1].url.WithoutFragment().Printed())})
			break
		}
	}
	if toRoot {
		warnings = append(warnings, Warning{Code: CodeRedirectToRoot,
			Message: "redirected to the home page " + c.last().url.WithoutFragment().Printed()})
	}
	if toLogin {
		warnings = append(warnings, Warning{Code: CodeRedirectToLogin,
			Message: "redirected to the sign-in page " + c.last().url.WithoutFragment().Printed()})
	}
	if from, to, other := c.leadsToOtherSite(); other {
		warnings = append(warnings, Warning{Code: CodeRedirectToOtherSite,
			Message: fmt.Sprintf("redirected from %s to %s", from, to)})
	}
	return warnings
}

// proposal is the URL to write into the link: without anything secret, and with
// the fragment that holds there. None is made of a URL that would change by being
// printed, as its password would.
func (s *station) proposal() (string, bool) {
	if s.url.HasUserinfo() {
		return "", false
	}
	proposal := s.url.WithoutFragment().Printed()
	if s.hasFragment {
		proposal += "#" + s.fragment
	}
	return proposal, true
}

// leadsToRoot reports whether the way began deep in a site and ended at a home
// page. A fragment or query that the redirect itself added says what is meant
// there; a start that is only another name of a home page is not deep.
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

// IsHomePath reports whether a path is that of a home page, under one of the names
// servers give it.
func IsHomePath(path string) bool {
	path = strings.ToLower(strings.Trim(path, "/"))
	if path == "" || path == "home" {
		return true
	}
	name, extension, dot := strings.Cut(path, ".")
	return dot && (name == "index" || name == "default" || name == "home") && !strings.Contains(extension, "/")
}

// leadsToLogin reports whether the way ended at a sign-in page and did not begin
// at one.
//
// The path decides, unless the page was read, holds no script and asks for no
// password: that is an article about signing in. A page that asks for a password
// under another path counts when the redirect changed the last segment, as many
// sites have a small sign-in form on each page.
func (c *chain) leadsToLogin() bool {
	start, end := c.first().url, c.last().url
	if isLoginURL(start) {
		return false
	}
	if isLoginURL(end) {
		return c.end.Login || !c.end.Read || !c.end.Static
	}
	return c.end.Login && lastSegment(start.Path()) != lastSegment(end.Path())
}

// loginSegments are path segments that mean "sign in" when they stand alone, as
// routers of common frameworks and identity services name them; "-" and "_" and
// extensions are taken out before they are compared.
var loginSegments = map[string]bool{
	"login": true, "logon": true, "signin": true, "signon": true, "wplogin": true, "userlogin": true,
	"dologin": true, "loginform": true, "loginpage": true, "sso": true, "saml": true, "saml2": true,
	"openidconnect": true, "oauth2": true, "servicelogin": true, "accountlogin": true,
	"authorize": true,
}

// loginHosts are the first labels of hosts, or whole hosts, that do nothing but sign people in.
var loginHosts = map[string]bool{
	"login": true, "signin": true, "sso": true, "idp": true, "accounts.google.com": true,
	"login.microsoftonline.com": true, "login.live.com": true, "appleid.apple.com": true,
}

func isLoginURL(u urinorm.URL) bool {
	host := u.Host()
	if label, _, _ := strings.Cut(host, "."); loginHosts[host] || loginHosts[label] {
		return true
	}
	for segment := range strings.SplitSeq(u.Path(), "/") {
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

// forwarders are hosts whose links are meant to end elsewhere: resolvers of
// identifiers and shorteners of links. That they do is no finding.
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
// 127.0.0.1 are two, as they are to a browser's cookies and to the scope.
func (c *chain) leadsToOtherSite() (from, to string, other bool) {
	start, end := c.first().url.Host(), c.last().url.Host()
	if start == end || start == "" || end == "" || forwarders[start] {
		return "", "", false
	}
	from, to = site(start), site(end)
	return from, to, from != to
}

// site is the registrable domain, or the host where there is none: an address, a
// public suffix, a name without dots.
func site(host string) string {
	host = strings.TrimSuffix(host, ".")
	if domain := urinorm.RegistrableDomain(host); domain != "" {
		return domain
	}
	return host
}
