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

// maxAgain bounds how often one request is sent again because its own answer
// asks for it: with a cookie it set, or with credentials.
const maxAgain = 3

// asking is one Request on its way to a Response.
//
//	Fetch ─ run ─ ask ─┬─ send HEAD ─┐
//	                   └─ get ─┬─ send GET, first profile  ─┐
//	                           └─ send GET, second profile ─┴─ roundTrip ─ once
type asking struct {
	*HTTP
	req      *Request
	loopback bool
	memory   *hostFacts
	requests int
	cookied  bool // cookies of this run went with the last request
}

// printed returns the URL as messages show it.
func (a *asking) printed() string { return a.req.URL.WithoutFragment().Printed() }

func (a *asking) fault(kind, op string, err error) *Fault {
	return &Fault{Kind: kind, Op: op, Target: a.printed(), Err: err, Requests: a.requests}
}

// run asks for the URL and, when the request says so, for those within its host
// that it is redirected to.
func (a *asking) run(ctx context.Context) (*Response, error) {
	for hops := a.req.Follow; ; hops-- {
		resp, err := a.ask(ctx)
		if err != nil {
			return nil, err
		}
		resp.URL = a.req.URL
		if hops <= 0 || !isRedirect(resp.Status) {
			return resp, nil
		}
		next, ok := resolveLocation(a.req.URL, resp.Location)
		if !ok || next.Host() != a.req.URL.Host() {
			return resp, nil
		}
		if resp.Body != nil {
			resp.Body.Close()
		}
		req := *a.req
		req.URL, req.Validators = next, Validators{}
		req.Internal = req.Internal && next.Authority() == a.req.URL.Authority() // another port is another host
		a.req, a.memory = &req, a.hosts.of(next)
	}
}

// ask answers the request by HEAD or GET.
//
// HEAD is asked first where existence is all that is wanted; GET has the last
// word unless HEAD says 2xx. Of redirects, HEAD is believed only those that mend
// the spelling of the URL, which servers do before they look at the method (see
// isRespelling); others have been seen to lead users of HEAD in a circle or to an
// error page. HEAD is not believed when it says 429 or 503 either: a limit may be
// on HEAD alone. Faults of the way there (names, connections, TLS) would meet GET
// too and are final.
func (a *asking) ask(ctx context.Context) (*Response, error) {
	if a.req.Need == Content || a.memory.skipHead() {
		ans, err := a.get(ctx)
		if err != nil {
			return nil, err
		}
		return a.response(ans), nil
	}
	head, headErr := a.send(ctx, http.MethodHead, a.profile(), false)
	if headErr == nil {
		if isOK(head.StatusCode) || isRedirect(head.StatusCode) && isRespelling(a.req.URL, locationOf(head.Header)) {
			return a.response(head), nil
		}
		head.discard()
	} else if !headMayLie(headErr) {
		return nil, headErr
	}
	ans, err := a.get(ctx)
	if err != nil {
		return nil, err
	}
	var fault *Fault
	switch {
	case errors.As(headErr, &fault) && fault.Kind == "timeout":
		a.memory.headHangs.Store(true)
	case headErr != nil || isOK(ans.StatusCode):
		a.memory.headFailures.Add(1)
	}
	return a.response(ans), nil
}

// headMayLie reports whether GET may fare better than HEAD did.
func headMayLie(err error) bool {
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
func (a *asking) profile() profile {
	if a.memory.alternate.Load() && !a.req.Internal {
		return secondProfile
	}
	return firstProfile
}

// get asks with GET, and where the headers may be to blame for a refusal, once
// more with others. The second answer counts when it is 2xx.
func (a *asking) get(ctx context.Context) (*answer, error) {
	p := a.profile()
	ans, err := a.send(ctx, http.MethodGet, p, false)
	if err == nil && a.req.Validators.refused(ans.Response) {
		ans.discard()
		plain := *a.req
		plain.Validators, a.req = Validators{}, &plain
		ans, err = a.send(ctx, http.MethodGet, p, false)
	}
	if err != nil || !wantsSecondProfile(a.req, ans.Response) {
		return ans, err
	}
	refusedType := ans.StatusCode == http.StatusNotAcceptable || ans.StatusCode == http.StatusUnsupportedMediaType
	second, err := a.send(ctx, http.MethodGet, p.other(), refusedType)
	switch {
	case err != nil:
		if ctx.Err() != nil {
			ans.discard()
			return nil, err
		}
	case isOK(second.StatusCode):
		ans.discard()
		a.memory.alternate.Store(p.other() == secondProfile)
		return second, nil
	default:
		second.discard()
	}
	return ans, nil
}

// send sends a request and does what its answer asks for: again with a cookie
// that breaks a redirect to the URL itself, again with credentials.
func (a *asking) send(ctx context.Context, method string, p profile, refusedType bool) (*answer, error) {
	for again := 0; ; again++ {
		header := a.profiles.header(a.req, p, refusedType, a.loopback)
		if method == http.MethodGet {
			a.req.Validators.put(header)
		}
		a.cookied = a.cookies.send(a.req.URL, header)
		sent := a.authorize(header, method)
		ans, err := a.roundTrip(ctx, method, header)
		if err != nil {
			return nil, err
		}
		gotCookie := a.cookies.keep(a.req.URL, ans.Response)
		if again < maxAgain {
			if gotCookie && isRedirect(ans.StatusCode) && leadsTo(a.req.URL, locationOf(ans.Header), a.req.URL) ||
				ans.StatusCode == http.StatusUnauthorized && a.answerChallenge(ans.Header["Www-Authenticate"], sent) {
				ans.discard()
				continue
			}
		}
		return ans, nil
	}
}

// authorize adds the Authorization header, if this host has an account, and returns
// it. Over TLS and on this machine nobody can listen.
func (a *asking) authorize(header http.Header, method string) string {
	if header["Authorization"] != nil {
		return ""
	}
	user := a.accounts.of(a.req.URL, a.req.Internal)
	if user == nil {
		return ""
	}
	value := a.memory.login.authorization(user, method, a.req.URL.RequestTarget(), a.loopback || a.req.URL.Scheme() == "https")
	if value != "" {
		header["Authorization"] = []string{value}
	}
	return value
}

// answerChallenge looks at a 401 and reports whether the request should be sent
// again with what its challenges ask for. sent is the Authorization that was refused.
func (a *asking) answerChallenge(challenges []string, sent string) bool {
	return a.accounts.of(a.req.URL, a.req.Internal) != nil && len(a.req.Header["Authorization"]) == 0 && a.memory.login.learn(challenges, sent)
}

// getCertificate reads at most limit bytes of what a URL answers, for issuers.
func (h *HTTP) getCertificate(ctx context.Context, u urinorm.URL, limit int64) ([]byte, error) {
	a := &asking{HTTP: h, req: &Request{URL: u}, loopback: isLoopback(u.Host()), memory: h.hosts.of(u)}
	ans, err := a.roundTrip(ctx, http.MethodGet, http.Header{
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
func (a *asking) response(ans *answer) *Response {
	resp := &Response{
		Status:      ans.StatusCode,
		Header:      ans.Header,
		Location:    locationOf(ans.Header),
		ContentType: declaredType(ans.Header),
		Size:        ans.ContentLength,
		TLS:         ans.TLS,
		Conditional: ans.Request != nil && isConditional(ans.Request.Header),
		Cookied:     a.cookied,
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
		resp.Notes = a.verifier.notes(ans.TLS)
	}
	switch {
	case a.req.Need == Existence:
		if ans.StatusCode >= 400 && ans.Request != nil && ans.Request.Method == http.MethodGet {
			resp.Excerpt = a.excerpt(ans)
		}
		if cut := ans.discard(); cut && isOK(ans.StatusCode) {
			resp.Notes = append(resp.Notes, Note{"body-truncated", "the body ended before it was complete"})
		}
	case isRedirect(ans.StatusCode) && resp.Location != "":
		ans.discard()
		resp.Body = http.NoBody
	default:
		resp.Body = a.content(ans)
	}
	return resp
}

// excerpt reads the beginning of an error page; what goes wrong there is no
// matter.
func (a *asking) excerpt(ans *answer) []byte {
	ans.ex.hurry(drainTime)
	b := a.content(ans)
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

// leadsTo reports whether a Location on from is the URL to, fragments aside.
func leadsTo(from urinorm.URL, location string, to urinorm.URL) bool {
	u, ok := resolveLocation(from, location)
	return ok && u.WithoutFragment().String() == to.WithoutFragment().String()
}

// isRespelling reports whether a Location on u only mends its spelling: another
// scheme, "www." put on or taken off, a '/' at the end of the path.
func isRespelling(u urinorm.URL, location string) bool {
	to, ok := resolveLocation(u, location)
	if !ok {
		return false
	}
	return to.WithoutFragment().String() != u.WithoutFragment().String() && plainSpelling(to) == plainSpelling(u)
}

func plainSpelling(u urinorm.URL) string {
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
