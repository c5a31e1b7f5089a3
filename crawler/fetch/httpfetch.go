package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxResends bounds how often one request is sent again because its own answer
// asks for it: with a cookie it set, or with credentials.
const maxResends = 3

// httpFetch is one Request on its way to a Response.
//
//	Fetch ─ run ─ ask ─┬─ send HEAD ─┐
//	                   └─ get ─┬─ send GET, first profile  ─┐
//	                           └─ send GET, second profile ─┴─ roundTrip ─ once
type httpFetch struct {
	*HTTP
	req         *Request
	loopback    bool
	facts       *hostFacts
	requests    int
	sentCookies bool // cookies of this run went with the last request
}

// printed returns the URL as messages show it.
func (f *httpFetch) printed() string { return f.req.URL.WithoutFragment().Printed() }

func (f *httpFetch) fault(kind, op string, err error) *Fault {
	return &Fault{Kind: kind, Op: op, Target: f.printed(), Err: err, Requests: f.requests}
}

// followRedirects asks for the URL and, when the request says so, for those within its host
// that it is redirected to.
func (f *httpFetch) followRedirects(ctx context.Context) (*Response, error) {
	for hops := f.req.Follow; ; hops-- {
		resp, err := f.headOrGet(ctx)
		if err != nil {
			return nil, err
		}
		resp.URL = f.req.URL
		if hops <= 0 || !isRedirect(resp.Status) {
			return resp, nil
		}
		next, ok := resolveLocation(f.req.URL, resp.Location)
		if !ok || next.Host() != f.req.URL.Host() {
			return resp, nil
		}
		if resp.Body != nil {
			resp.Body.Close()
		}
		req := *f.req
		req.URL, req.Validators = next, Validators{}
		req.Internal = req.Internal && next.Authority() == f.req.URL.Authority() // another port is another host
		f.req, f.facts = &req, f.hosts.factsOf(next)
	}
}

// headOrGet answers the request by HEAD or GET.
//
// HEAD is asked first where existence is all that is wanted; GET has the last
// word unless HEAD says 2xx. Of redirects, HEAD is believed only those that mend
// the spelling of the URL, which servers do before they look at the method (see
// isMinorRedirect); others have been seen to lead users of HEAD in a circle or to an
// error page. HEAD is not believed when it says 429 or 503 either: a limit may be
// on HEAD alone. Faults of the way there (names, connections, TLS) would meet GET
// too and are final.
func (f *httpFetch) headOrGet(ctx context.Context) (*Response, error) {
	if f.req.Need == Content || f.facts.skipHead() {
		ans, err := f.get(ctx)
		if err != nil {
			return nil, err
		}
		return f.response(ans), nil
	}
	head, headErr := f.send(ctx, http.MethodHead, f.profile(), false)
	if headErr == nil {
		if isOK(head.StatusCode) || isRedirect(head.StatusCode) && isMinorRedirect(f.req.URL, locationOf(head.Header)) {
			return f.response(head), nil
		}
		head.discard()
	} else if !getMaySucceed(headErr) {
		return nil, headErr
	}
	ans, err := f.get(ctx)
	if err != nil {
		return nil, err
	}
	var fault *Fault
	switch {
	case errors.As(headErr, &fault) && fault.Kind == "timeout":
		f.facts.headTimesOut.Store(true)
	case headErr != nil || isOK(ans.StatusCode):
		f.facts.headFailures.Add(1)
	}
	return f.response(ans), nil
}

// getMaySucceed reports whether GET may fare better than HEAD did.
func getMaySucceed(err error) bool {
	var f *Fault
	if !errors.As(err, &f) || f.Local {
		return false
	}
	switch f.Kind {
	case "connection-reset", "protocol-error":
		return true
	case "timeout":
		return f.Op == "fetch" // not while connecting
	}
	return false
}

// profile returns the header profile to begin with.
func (f *httpFetch) profile() profile {
	if f.facts.alternate.Load() && !f.req.Internal {
		return secondProfile
	}
	return firstProfile
}

// get asks with GET, and where the headers may be to blame for a refusal, once
// more with others. The second answer counts when it is 2xx.
func (f *httpFetch) get(ctx context.Context) (*answer, error) {
	p := f.profile()
	ans, err := f.send(ctx, http.MethodGet, p, false)
	if err == nil && f.req.Validators.explains(ans.Response) {
		ans.discard()
		plain := *f.req
		plain.Validators, f.req = Validators{}, &plain
		ans, err = f.send(ctx, http.MethodGet, p, false)
	}
	if err != nil || !wantsSecondProfile(f.req, ans.Response) {
		return ans, err
	}
	refusedType := ans.StatusCode == http.StatusNotAcceptable || ans.StatusCode == http.StatusUnsupportedMediaType
	second, err := f.send(ctx, http.MethodGet, p.alternative(), refusedType)
	switch {
	case err != nil:
		if ctx.Err() != nil {
			ans.discard()
			return nil, err
		}
	case isOK(second.StatusCode):
		ans.discard()
		f.facts.alternate.Store(p.alternative() == secondProfile)
		return second, nil
	default:
		second.discard()
	}
	return ans, nil
}

// send sends a request and does what its answer asks for: again with a cookie
// that breaks a redirect to the URL itself, again with credentials.
func (f *httpFetch) send(ctx context.Context, method string, p profile, refusedType bool) (*answer, error) {
	for again := 0; ; again++ {
		header := f.profiles.header(f.req, p, refusedType, f.loopback)
		if method == http.MethodGet {
			f.req.Validators.addTo(header)
		}
		f.sentCookies = f.cookies.addTo(f.req.URL, header)
		sent := f.authorize(header, method)
		ans, err := f.roundTrip(ctx, method, header)
		if err != nil {
			return nil, err
		}
		gotCookie := f.cookies.store(f.req.URL, ans.Response)
		if again < maxResends {
			if gotCookie && isRedirect(ans.StatusCode) && resolvesTo(f.req.URL, locationOf(ans.Header), f.req.URL) ||
				ans.StatusCode == http.StatusUnauthorized && f.answerChallenge(ans.Header["Www-Authenticate"], sent) {
				ans.discard()
				continue
			}
		}
		return ans, nil
	}
}

// authorize adds the Authorization header, if this host has an account, and returns
// it. Over TLS and on this machine nobody can listen.
func (f *httpFetch) authorize(header http.Header, method string) string {
	if header["Authorization"] != nil {
		return ""
	}
	user := f.accounts.forURL(f.req.URL, f.req.Internal)
	if user == nil {
		return ""
	}
	value := f.facts.login.authorization(user, method, f.req.URL.RequestTarget(), f.loopback || f.req.URL.Scheme() == "https")
	if value != "" {
		header["Authorization"] = []string{value}
	}
	return value
}

// answerChallenge looks at a 401 and reports whether the request should be sent
// again with what its challenges ask for. sent is the Authorization that was refused.
func (f *httpFetch) answerChallenge(challenges []string, sent string) bool {
	return f.accounts.forURL(f.req.URL, f.req.Internal) != nil && len(f.req.Header["Authorization"]) == 0 && f.facts.login.learn(challenges, sent)
}

// getCertificate reads at most limit bytes of what a URL answers, for issuers.
func (h *HTTP) getCertificate(ctx context.Context, u urinorm.URL, limit int64) ([]byte, error) {
	f := &httpFetch{HTTP: h, req: &Request{URL: u}, loopback: isLoopback(u.Host()), facts: h.hosts.factsOf(u)}
	ans, err := f.roundTrip(ctx, http.MethodGet, http.Header{
		"User-Agent":      h.profiles.userAgent,
		"Accept":          {"application/pkix-cert,application/pkcs7-mime,*/*;q=0.1"},
		"Accept-Encoding": {"identity"},
	})
	if err != nil {
		return nil, err
	}
	defer ans.discard()
	if ans.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch %s: status %d", u.Printed(), ans.StatusCode)
	}
	return io.ReadAll(io.LimitReader(ans.Body, limit))
}

// response makes the Response of an answer, reading or leaving its body.
func (f *httpFetch) response(ans *answer) *Response {
	resp := &Response{
		Status:      ans.StatusCode,
		Header:      ans.Header,
		Location:    locationOf(ans.Header),
		ContentType: declaredType(ans.Header),
		Size:        ans.ContentLength,
		TLS:         ans.TLS,
		Conditional: ans.Request != nil && isConditional(ans.Request.Header),
		SentCookies: f.sentCookies,
		Proxy:       ans.proxy,
	}
	if len(codingsOf(ans.Header.Get("Content-Encoding"))) > 0 {
		resp.Size = -1 // the length declared is not the content's
	}
	if modified := ans.Header.Get("Last-Modified"); modified != "" {
		if t, err := http.ParseTime(modified); err == nil {
			resp.Modified = t
		}
	}
	if ans.TLS != nil {
		resp.Notes = f.verifier.notes(ans.TLS)
	}
	switch {
	case f.req.Need == Existence:
		if ans.StatusCode >= 400 && ans.Request != nil && ans.Request.Method == http.MethodGet {
			resp.Excerpt = f.excerpt(ans)
		}
		if cut := ans.discard(); cut && isOK(ans.StatusCode) {
			resp.Notes = append(resp.Notes, Note{"body-truncated", "the body ended before it was complete"})
		}
	case isRedirect(ans.StatusCode) && resp.Location != "":
		ans.discard()
		resp.Body = http.NoBody
	default:
		resp.Body = f.content(ans)
	}
	return resp
}

// excerpt reads the beginning of an error page; what goes wrong there is no
// matter.
func (f *httpFetch) excerpt(ans *answer) []byte {
	ans.ex.limitTime(drainTime)
	b := f.content(ans)
	text, _ := io.ReadAll(io.LimitReader(b, excerptSize))
	b.plain.Close()
	return text
}

func isOK(status int) bool { return status >= 200 && status < 300 }

// isRedirect reports whether a status leads elsewhere by its Location (RFC 9110
// section 15.4).
func isRedirect(status int) bool {
	switch status {
	case 300, 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// locationOf returns the Location of an answer. Bytes beyond ASCII are
// percent-encoded as they are, which is what browsers make of them.
func locationOf(h http.Header) string {
	location := strings.TrimSpace(h.Get("Location"))
	for i := 0; i < len(location); i++ {
		if location[i] >= 0x80 {
			return escapeNonASCII(location)
		}
	}
	return location
}

// escapeNonASCII percent-encodes all bytes that no URL may hold and a header or a
// referral can: those beyond ASCII, and control characters.
func escapeNonASCII(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x20 && c < 0x7F || c == '\t' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func resolveLocation(from urinorm.URL, location string) (urinorm.URL, bool) {
	if location == "" {
		return urinorm.URL{}, false
	}
	base, err := urinorm.NewBase(from, "")
	if err != nil {
		return urinorm.URL{}, false
	}
	u, _, err := base.Resolve(location)
	return u, err == nil
}

// resolvesTo reports whether a Location on from is the URL to, fragments aside.
func resolvesTo(from urinorm.URL, location string, to urinorm.URL) bool {
	u, ok := resolveLocation(from, location)
	return ok && u.WithoutFragment().String() == to.WithoutFragment().String()
}

// isMinorRedirect reports whether a Location on u only mends its spelling: another
// scheme, "www." put on or taken off, a '/' at the end of the path.
func isMinorRedirect(u urinorm.URL, location string) bool {
	to, ok := resolveLocation(u, location)
	if !ok {
		return false
	}
	return to.WithoutFragment().String() != u.WithoutFragment().String() && withoutMinorParts(to) == withoutMinorParts(u)
}

func withoutMinorParts(u urinorm.URL) string {
	host := strings.TrimPrefix(u.Host(), "www.")
	if u.Port() != "" {
		host += ":" + u.Port()
	}
	spelling := host + strings.TrimSuffix(u.Path(), "/")
	if query, ok := u.Query(); ok {
		spelling += "?" + query
	}
	return spelling
}
