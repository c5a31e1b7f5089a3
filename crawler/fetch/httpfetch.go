package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxResends is the maximum number of times that a request is repeated because its answer set a
// cookie or asked for credentials.
const maxResends = 3

// httpFetch is one call of HTTP.Fetch: a Request until it has a Response.
//
//	Fetch ─ headOrGet ─┬─ send HEAD ─┐
//	                   └─ get ─┬─ send GET, first profile  ─┐
//	                           └─ send GET, second profile ─┴─ roundTrip ─ attempt
type httpFetch struct {
	by          *HTTP
	req         *Request
	loopback    bool
	facts       *hostFacts
	requests    int
	dialed      time.Duration // the longest time that it took to connect
	sentCookies bool          // the last request included cookies of this run
	recorder    Recorder
	replay      Replay     // nil if requests are sent
	exchanges   int        // that the recorder has seen
	resent      bool       // the next request repeats the last one
	conn        *connTrace // of the last attempt
}

// printed returns the URL in the form used in messages.
func (f *httpFetch) printed() string { return f.req.URL.WithoutFragment().Printed() }

func (f *httpFetch) fault(kind, op string, err error) *Fault {
	return &Fault{Kind: kind, Op: op, Target: f.printed(), Err: err, Requests: f.requests}
}

// fetch fetches the URL.
func (f *httpFetch) fetch(ctx context.Context) (*Response, error) {
	resp, err := f.headOrGet(ctx)
	if err != nil {
		return nil, err
	}
	resp.URL = f.req.URL
	return resp, nil
}

// submit sends the form.
func (f *httpFetch) submit(ctx context.Context) (*Response, error) {
	header := f.by.profiles.header(f.req, firstProfile, false, f.loopback)
	header["Content-Type"] = []string{f.req.Form.ContentType}
	f.addCookies(header)
	user, sent := f.account()
	f.authorize(header, http.MethodPost, user, sent)
	ans, err := f.roundTrip(ctx, http.MethodPost, header)
	if err != nil {
		return nil, err
	}
	f.storeCookies(ans)
	resp := f.response(ans)
	resp.URL = f.req.URL
	return resp, nil
}

// addCookies adds the cookies for the URL to a header.
func (f *httpFetch) addCookies(header http.Header) {
	f.sentCookies = !f.req.Anonymous && f.by.cookies.addTo(f.req.URL, header)
}

// storeCookies stores the cookies of an answer and reports whether there were any.
func (f *httpFetch) storeCookies(ans *answer) bool {
	return !f.req.Anonymous && f.by.cookies.store(f.req.URL, ans.Response)
}

// headOrGet sends HEAD or GET requests.
//
// It tries HEAD first if only existence matters. If the answer to HEAD is not 2xx, the
// answer to GET counts. The exception is a redirect that changes only the spelling of
// the URL, which servers send before they look at the method (see isMinorRedirect).
// Other redirects of HEAD are not trusted, because some servers redirect HEAD in a
// circle or to an error page. Nor are 429 and 503, because a rate limit may apply to
// HEAD alone. But if such an answer asks for a pause and another try follows, it counts, so
// that the host gets its pause; from then on GET is sent at once. Faults before the request is sent (names,
// connections, TLS) are final, because they would affect GET too.
func (f *httpFetch) headOrGet(ctx context.Context) (*Response, error) {
	if f.req.Need == Content || f.skipsHead() {
		ans, err := f.get(ctx)
		if err != nil {
			return nil, err
		}
		return f.response(ans), nil
	}
	head, headErr := f.send(ctx, http.MethodHead, f.profile(), false)
	if headErr == nil {
		if isOK(head.StatusCode) || head.StatusCode == http.StatusNotModified && isConditional(f.req.Header) || isRedirect(head.StatusCode) && isMinorRedirect(f.req.URL, locationOf(head.Header)) {
			return f.response(head), nil
		}
		if asksForPause(head.Response) && !f.req.Final {
			f.facts.headPaused.Store(true)
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

// skipsHead reports whether existence is checked with GET at once. What was kept decides for a
// replay: what is known of a host depends on the order of requests.
func (f *httpFetch) skipsHead() bool {
	if f.replay != nil {
		return f.replay.StartsWith(http.MethodGet)
	}
	return f.facts.skipHead()
}

// asksForPause reports whether an answer says that the next request must wait (RFC 6585 4, RFC
// 9110 15.6.4).
func asksForPause(r *http.Response) bool {
	return (r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusServiceUnavailable) && r.Header.Get("Retry-After") != ""
}

// getMaySucceed reports whether GET may succeed after HEAD failed with err.
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

// profile returns the header profile to try first.
func (f *httpFetch) profile() profile {
	if f.facts.alternate.Load() && !f.req.Internal {
		return secondProfile
	}
	return firstProfile
}

// get sends GET and, if the headers may be the cause of a refusal, sends it again with
// other headers. The second answer counts if it is 2xx.
func (f *httpFetch) get(ctx context.Context) (*answer, error) {
	p := f.profile()
	ans, err := f.send(ctx, http.MethodGet, p, false)
	if err == nil && f.req.Validators.Explains(ans.Response) {
		ans.discard()
		plain := *f.req
		plain.Validators, f.req = versions.Validators{}, &plain
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

// send sends a request and repeats it if the answer asks for that: with a cookie that
// ends a redirect of the URL to itself, or with credentials.
func (f *httpFetch) send(ctx context.Context, method string, p profile, refusedType bool) (*answer, error) {
	user, sent := f.account()
	for again := 0; ; again++ {
		header := f.by.profiles.header(f.req, p, refusedType, f.loopback)
		if method == http.MethodGet {
			f.req.Validators.AddTo(&header)
		}
		f.addCookies(header)
		if header["Authorization"] != nil {
			user = nil // a header that was given takes precedence
		}
		f.authorize(header, method, user, sent)
		ans, err := f.exchange(ctx, method, header)
		if err != nil {
			return nil, err
		}
		gotCookie := f.storeCookies(ans)
		refused := ans.StatusCode == http.StatusUnauthorized
		if sent.answers && !refused {
			f.facts.login.learn(f.req.URL, sent)
		}
		if f.replay != nil {
			if !f.replay.Resent() {
				return ans, nil
			}
			ans.discard()
			continue
		}
		f.resent = false
		if again < maxResends {
			if gotCookie && isRedirect(ans.StatusCode) && resolvesTo(f.req.URL, locationOf(ans.Header), f.req.URL) {
				ans.discard()
				f.resent = true
				continue
			}
			if refused && user != nil {
				if next, ok := sent.answer(parseChallenges(ans.Header["Www-Authenticate"])); ok {
					sent = next
					ans.discard()
					f.resent = true
					continue
				}
			}
		}
		return ans, nil
	}
}

// account returns the account for the URL, nil if there is none, and what is sent of it
// before the server asks. Connections over TLS and within this machine count as private.
func (f *httpFetch) account() (user *account, sent credentials) {
	if user = f.by.accounts.forURL(f.req.URL); user != nil {
		sent = f.facts.login.predict(f.req.URL.Path(), f.loopback || f.req.URL.Scheme() == "https")
	}
	return user, sent
}

// authorize adds the Authorization header of an account, unless there is none.
func (f *httpFetch) authorize(header http.Header, method string, user *account, sent credentials) {
	if user == nil || header["Authorization"] != nil {
		return
	}
	if value := sent.header(user, method, f.req.URL.RequestTarget()); value != "" {
		header["Authorization"] = []string{value}
	}
}

// completeChain requests the certificates that are missing between those a server sent and a
// trusted root. It reports whether the chain is now valid. The next handshake verifies
// the host name and the dates again. It adds the requests that it sent to *requests. Their pace is
// not that of the context, which is one of another host.
func (h *HTTP) completeChain(ctx context.Context, certs []*x509.Certificate, requests *int) bool {
	admit, given := traffic.IssuersOf(ctx)
	if given && admit == nil {
		return false // it would wait for the decision that the request is for
	}
	attempt, complete := h.issuers.begin(ctx, certs[0])
	if attempt == nil {
		return complete
	}
	ctx = traffic.WithPace(ctx, nil)
	search := newChainSearch(h.verifier, certs)
	left := min(issuerTime, h.timeout) // for all requests together, without the time that admit needs
	for left > 0 && ctx.Err() == nil {
		u, ok := search.next()
		if !ok {
			break
		}
		if BlockedPort(u.EffectivePort()) != "" {
			continue
		}
		if admit != nil {
			ok, sent := admit(traffic.WithIssuers(ctx, nil), u)
			if *requests += sent; !ok {
				continue
			}
		}
		began := time.Now()
		asking, done := context.WithTimeout(ctx, left)
		if found, err := h.getCertificates(asking, u, requests); err == nil {
			search.take(found)
		}
		done()
		left -= time.Since(began)
	}
	h.issuers.end(attempt, search.complete, ctx.Err() != nil)
	return search.complete
}

// getCertificates returns the certificates at a URL, and adds the requests that it sent to *requests.
func (h *HTTP) getCertificates(ctx context.Context, u urinorm.URL, requests *int) ([]*x509.Certificate, error) {
	f := &httpFetch{by: h, req: &Request{URL: u}, loopback: isLoopback(u.Host()), facts: h.hosts.factsOf(u), recorder: h.recorder}
	ans, err := f.exchange(traffic.WithAsker(ctx, traffic.Asker{URL: u}), http.MethodGet, http.Header{
		"User-Agent":      h.profiles.userAgent,
		"Accept":          {"application/pkix-cert,application/pkcs7-mime,*/*;q=0.1"},
		"Accept-Encoding": {"identity"},
	})
	*requests += f.requests
	if err != nil {
		return nil, err
	}
	defer ans.discard()
	if ans.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch %s: status %d", u.Printed(), ans.StatusCode)
	}
	der, err := io.ReadAll(io.LimitReader(ans.Body, maxIssuerSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(der) > maxIssuerSize:
		return nil, fmt.Errorf("fetch %s: more than %d bytes", u.Printed(), maxIssuerSize)
	}
	return parseIssuers(der)
}

// response converts an answer to a Response and reads or discards its body.
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
	if len(codingsOf(contentEncoding(ans.Header))) > 0 {
		resp.Size = -1 // the declared length is that of the encoded body
	}
	if modified := ans.Header.Get("Last-Modified"); modified != "" {
		if t, err := http.ParseTime(modified); err == nil {
			resp.Modified = t
		}
	}
	if ans.TLS != nil {
		resp.Notes = f.by.verifier.notes(ans.TLS)
	}
	resp.Notes = append(resp.Notes, ans.notes...)
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

// excerpt reads the beginning of an error page. It ignores errors.
func (f *httpFetch) excerpt(ans *answer) []byte {
	ans.ex.limitTime(drainTime)
	b := f.content(ans)
	text, _ := io.ReadAll(io.LimitReader(b, excerptSize))
	b.plain.Close()
	return text
}

func isOK(status int) bool { return status >= 200 && status < 300 }

// isRedirect reports whether a status redirects to a Location (RFC 9110 section 15.4).
func isRedirect(status int) bool {
	switch status {
	case 300, 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// locationOf returns the Location of an answer. It percent-encodes bytes outside ASCII,
// as browsers do.
func locationOf(h http.Header) string {
	location := strings.TrimSpace(h.Get("Location"))
	for i := 0; i < len(location); i++ {
		if location[i] >= 0x80 {
			return escapeNonASCII(location)
		}
	}
	return location
}

// escapeNonASCII percent-encodes the bytes that can occur in a header or a referral but
// not in a URL: bytes outside ASCII and control characters.
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

// resolvesTo reports whether a Location in an answer from one URL resolves to another,
// ignoring fragments.
func resolvesTo(from urinorm.URL, location string, to urinorm.URL) bool {
	u, ok := resolveLocation(from, location)
	return ok && u.WithoutFragment().String() == to.WithoutFragment().String()
}

// isMinorRedirect reports whether a Location changes no more of the URL u than its
// scheme, a leading "www." of the host or a final '/' of the path.
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

func isConditional(h http.Header) bool {
	return h["If-None-Match"] != nil || h["If-Modified-Since"] != nil
}
