package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// mustParse parses an absolute URL.
func mustParse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newHTTP returns an HTTP that is closed at the end of the test. It ignores the proxies
// of the machine.
func newHTTP(t testing.TB, config HTTPConfig) *HTTP {
	t.Helper()
	spared := "*"
	if config.Proxy != "" {
		spared = ""
	}
	t.Setenv("NO_PROXY", spared)
	t.Setenv("no_proxy", spared)
	h, err := NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// toLoopback sends requests for a public host to a server of the test, so that the
// rules for loopback hosts do not apply.
func toLoopback(server *httptest.Server) []ConnectTo {
	return []ConnectTo{{From: ":", To: server.Listener.Addr().String()}}
}

// ask sends a request and reads the answer.
func ask(t testing.TB, h Fetcher, req *Request) (*Response, string, error) {
	t.Helper()
	resp, err := h.Fetch(t.Context(), req)
	if err != nil {
		if resp != nil {
			t.Error("both a response and an error")
		}
		return nil, "", err
	}
	if resp.Body == nil {
		return resp, "", nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// recorder is a handler that records requests.
type recorder struct {
	mu       sync.Mutex
	requests []*http.Request
	handle   http.HandlerFunc
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests = append(r.requests, req.Clone(context.WithoutCancel(req.Context())))
	r.mu.Unlock()
	r.handle(w, req)
}

// methods returns the methods of all requests, such as "GET HEAD", oldest first.
func (r *recorder) methods() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var methods []string
	for _, req := range r.requests {
		methods = append(methods, req.Method)
	}
	return strings.Join(methods, " ")
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

func (r *recorder) last() *http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests[len(r.requests)-1]
}

// serve starts a server for a handler.
func serve(t testing.TB, handle http.HandlerFunc) (*httptest.Server, *recorder) {
	t.Helper()
	r := &recorder{handle: handle}
	server := httptest.NewUnstartedServer(r)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server, r
}

func TestGet(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT")
		fmt.Fprint(w, "hello")
	})
	h := newHTTP(t, HTTPConfig{Version: "1.0.0"})
	resp, text, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/a?b#c"), Need: Content})
	if err != nil {
		t.Fatal(err)
	}
	if text != "hello" || resp.Status != 200 || resp.Size != 5 || resp.Requests != 1 || resp.ContentType != "text/html; charset=utf-8" || resp.URL.String() != server.URL+"/a?b#c" {
		t.Errorf("%q %+v", text, resp)
	}
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); !resp.Modified.Equal(want) {
		t.Errorf("modified %v", resp.Modified)
	}
	r := rec.last()
	if r.RequestURI != "/a?b" {
		t.Errorf("asked for %s", r.RequestURI)
	}
	for name, want := range map[string]string{
		"Accept":          "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Accept-Encoding": "identity",
		"Accept-Language": "en-US,en;q=0.8,*;q=0.5",
		"User-Agent":      "Mozilla/5.0 (compatible; Orbweaver/1.0.0; +https://github.com/orbweaver/orbweaver)",
		"Referer":         "",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The request target is sent byte by byte as in the URL.
func TestRequestTarget(t *testing.T) {
	server := serveRaw(t, func(c *rawConn) { c.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") })
	h := newHTTP(t, HTTPConfig{})
	for _, target := range []string{
		"/", "/%20", "/a%2Fb", "/%5C", "/%25", "/%E6", "/%e6", "/100%", "/%zz", "/a//b", "/a;b=c", "/a'b", "/[x]|{y}^z", "/~user",
		"//x/y", "//", "//x%2Fy?q=%zz", "//x?", "/?", "/?a=%zz&b", "/?q=%C3%BC", "/x?a?b", "/x?a=b+c%20d", "/a:b@c", "/?u=http://x/y", "/x?'%22<>",
	} {
		u := mustParse(t, server.url+target)
		if _, _, err := ask(t, h, &Request{URL: u, Need: Content}); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if got, want := server.lastLine(), "GET "+u.RequestTarget()+" HTTP/1.1"; got != want {
			t.Errorf("%s was sent as %q, want %q", target, got, want)
		}
	}
	// A path that begins with "//" is sent in the absolute form if net/url would change it.
	if _, _, err := ask(t, h, &Request{URL: mustParse(t, server.url+"//x/y|z?q"), Need: Content}); err != nil {
		t.Fatal(err)
	}
	if got, want := server.lastLine(), "GET "+server.url+"//x/y|z?q HTTP/1.1"; got != want {
		t.Errorf("//x/y|z went as %q", got)
	}
}

func TestExistence(t *testing.T) {
	const ok = 200
	for _, row := range []struct {
		name     string
		head     http.HandlerFunc // nil for plain 200
		status   int
		methods  string
		requests int
	}{
		{"200", status(200), ok, "HEAD", 1},
		{"204", status(204), 204, "HEAD", 1},
		{"400", status(400), ok, "HEAD GET", 2},
		{"403", status(403), ok, "HEAD GET", 2},
		{"404", status(404), ok, "HEAD GET", 2},
		{"405", status(405), ok, "HEAD GET", 2},
		{"406", status(406), ok, "HEAD GET", 2},
		{"429", status(429), ok, "HEAD GET", 2},
		{"500", status(500), ok, "HEAD GET", 2},
		{"501", status(501), ok, "HEAD GET", 2},
		{"503", status(503), ok, "HEAD GET", 2},
		{"304", status(304), ok, "HEAD GET", 2},
		{"429 with a pause", pause(429), 429, "HEAD", 1},
		{"503 with a pause", pause(503), 503, "HEAD", 1},
		{"500 with a pause", pause(500), ok, "HEAD GET", 2},
		{"redirect in a circle", redirect(302, "/"), ok, "HEAD GET", 2},
		{"redirect to an error page", redirect(302, "/error"), ok, "HEAD GET", 2},
		{"redirect to a slash", redirect(301, "/page/"), 301, "HEAD", 1},
		{"redirect without Location", status(302), ok, "HEAD GET", 2},
		{"reset", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, ok, "HEAD GET", 2},
	} {
		server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				row.head(w, r)
				return
			}
			fmt.Fprint(w, "the body")
		})
		h := newHTTP(t, HTTPConfig{})
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/page")})
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if resp.Status != row.status || rec.methods() != row.methods || resp.Requests != row.requests || resp.Body != nil {
			t.Errorf("HEAD %s: status %d after %s (%d requests), want %d after %s", row.name, resp.Status, rec.methods(), resp.Requests, row.status, row.methods)
		}
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
}

func pause(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(code)
	}
}

// After the pause that the answer to HEAD asked for, GET is sent.
func TestGetAfterPause(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			pause(429)(w, r)
		}
	})
	for want, final := range map[string]bool{"HEAD GET GET": false, "HEAD GET HEAD GET HEAD GET": true} {
		rec.reset()
		h := newHTTP(t, HTTPConfig{})
		for try := range 3 {
			resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/page"), Final: final})
			if paused := !final && try == 0; err != nil || (resp.Status == 429) != paused {
				t.Errorf("final %t, try %d: %+v, %v", final, try, resp, err)
			}
		}
		if got := rec.methods(); got != want {
			t.Errorf("final %t: %s, want %s", final, got, want)
		}
	}
}

func redirect(code int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(code)
	}
}

// GET decides even if its answer is worse.
func TestGetWins(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(405)
			return
		}
		w.WriteHeader(410)
		fmt.Fprint(w, "gone for good")
	})
	h := newHTTP(t, HTTPConfig{})
	resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/x")})
	if err != nil || resp.Status != 410 || rec.methods() != "HEAD GET" {
		t.Fatalf("%+v, %v after %s", resp, err, rec.methods())
	}
	if string(resp.Excerpt) != "gone for good" {
		t.Errorf("excerpt %q", resp.Excerpt)
	}
}

func TestHeadFailuresAreRemembered(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(405)
		}
	})
	h := newHTTP(t, HTTPConfig{})
	for i := range 6 {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, fmt.Sprintf("%s/%d", server.URL, i))}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := rec.methods(), "HEAD GET HEAD GET HEAD GET GET GET GET"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestCookieEndsRedirectLoop(t *testing.T) {
	needed := 1
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) < needed {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprint("c", len(r.Cookies())), Value: "1", Path: "/"})
			redirect(302, r.URL.Path)(w, r)
			return
		}
		fmt.Fprint(w, "in")
	})
	h := newHTTP(t, HTTPConfig{})
	for _, row := range []struct{ needed, status, requests int }{{1, 200, 2}, {4, 200, 4}, {9, 302, 4}} {
		rec.reset()
		needed = row.needed
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/in"), Need: Content})
		if err != nil || resp.Status != row.status || resp.Requests != row.requests {
			t.Errorf("%d cookies: %+v, %v", row.needed, resp, err)
		}
	}
	// Without a cookie it is a redirect like any other.
	server2, _ := serve(t, redirect(302, "/in"))
	resp, _, err := ask(t, h, &Request{URL: mustParse(t, server2.URL+"/in"), Need: Content})
	if err != nil || resp.Status != 302 || resp.Requests != 1 || resp.Location != "/in" || resp.Body == nil {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestLocation(t *testing.T) {
	for location, want := range map[string]string{
		"/x":                     "/x",
		" //other.example/ ":     "//other.example/",
		"/\u00fc":                "/%C3%BC",
		"/\xe9":                  "/%E9",
		"":                       "",
		"\\x":                    "\\x",
		"http://x.example/a b|c": "http://x.example/a b|c",
	} {
		server, _ := serve(t, redirect(301, location))
		h := newHTTP(t, HTTPConfig{})
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/page"), Need: Content})
		if err != nil || resp.Location != want || resp.Status != 301 {
			t.Errorf("%q: %+v, %v", location, resp, err)
		}
	}
}

func TestHeadersGoToStartTargetsOnly(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	u := mustParse(t, server.URL+"/")
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Origins: NewOrigins(u), Header: http.Header{"x-token": {"secret"}, "Accept": {"x/y"}, "Host": {"virtual.example"}}}})
	if _, _, err := ask(t, h, &Request{URL: u}); err != nil {
		t.Fatal(err)
	}
	if r := rec.last(); r.Header.Get("X-Token") != "secret" || r.Header.Get("Accept") != "x/y" || r.Host != "virtual.example" {
		t.Errorf("start target: %v to %s", r.Header, r.Host)
	}
	u = mustParse(t, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/")
	if _, _, err := ask(t, h, &Request{URL: u, Internal: true, Header: http.Header{"X-Rule": {"1"}}}); err != nil {
		t.Fatal(err)
	}
	if r := rec.last(); r.Header.Get("X-Token") != "" || r.Host == "virtual.example" || r.Header.Get("X-Rule") != "1" {
		t.Errorf("other host: %v to %s", r.Header, r.Host)
	}
}

func TestHeadersAreChecked(t *testing.T) {
	for _, config := range []HTTPConfig{
		{Secrets: Secrets{Header: http.Header{"X-Secret": {"s3cret\r\nHost: x"}}}},
		{Secrets: Secrets{Header: http.Header{"not a name": {"s3cret"}}}},
		{UserAgent: "s3cret\n"},
		{UserAgent: "s3cret\x00"},
	} {
		if h, err := NewHTTP(config); err == nil {
			h.Close()
			t.Errorf("%+v: no error", config)
		} else if strings.Contains(err.Error(), "s3cret") || !strings.HasPrefix(err.Error(), "check header ") {
			t.Errorf("%v", err)
		}
	}
}

func TestBlockedPorts(t *testing.T) {
	h := newHTTP(t, HTTPConfig{})
	for _, url := range []string{"http://127.0.0.1:25/", "https://example.com:6667/x", "http://127.0.0.1:0/"} {
		_, _, err := ask(t, h, &Request{URL: mustParse(t, url)})
		var f *Fault
		if !errors.As(err, &f) || f.Kind != "port-blocked" || f.Requests != 0 || !strings.Contains(err.Error(), "browsers refuse port") {
			t.Errorf("%s: %v", url, err)
		}
	}
	h = newHTTP(t, HTTPConfig{AllowPorts: []int{1}})
	_, _, err := ask(t, h, &Request{URL: mustParse(t, "http://127.0.0.1:1/")})
	if kindOfError(err) != "connect-refused" {
		t.Errorf("allowed port: %v", err)
	}
}

// kindOfError returns the kind of a Fault, or the text of another error.
func kindOfError(err error) string {
	var f *Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Kind
	}
	return err.Error()
}

func TestCanceledRun(t *testing.T) {
	entered := make(chan struct{})
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	h := newHTTP(t, HTTPConfig{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	go func() {
		<-entered
		cancel(stopped)
	}()
	_, err := h.Fetch(ctx, &Request{URL: mustParse(t, server.URL+"/"), Need: Content})
	if err != stopped {
		t.Errorf("%v, want the context's error", err)
	}
	if _, err := h.Fetch(ctx, &Request{URL: mustParse(t, server.URL+"/"), Need: Content}); err != stopped {
		t.Errorf("%v, want the context's error", err)
	}
}
