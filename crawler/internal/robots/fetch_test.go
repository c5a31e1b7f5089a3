package robots

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TestRobotsFetchRules checks the requirements of RFC 9309 2.3 and 2.4 row by row.
func TestRobotsFetchRules(t *testing.T) {
	for _, c := range robotsCases(t, "robots-fetch-rules.json") {
		want := c.Expect
		if c.Polite != "" {
			want = c.Polite
		}
		switch {
		case c.URL != "":
			if got := robotsURLOf(t, c.URL); got != want {
				t.Errorf("%s: the rules of %s are at %s, want %s", c.ID, c.URL, got, want)
			}
		case c.Redirects > 0:
			allowed := askAfterRedirects(t, c.Redirects)
			// Five redirects lead to a file that disallows everything. Six are too
			// many, so the file counts as missing.
			if followed := !allowed; followed != (want == "follow") {
				t.Errorf("%s: %d redirects: followed %v, want %s", c.ID, c.Redirects, followed, want)
			}
		case c.Network != "":
			rules, err := fetchRules(t.Context(), parseURL(t, "http://example.com/robots.txt"), "a", failingGetter(c.Network))
			if err != nil || rules.Allowed("/x") {
				t.Errorf("%s: %s: error %v, or not refused", c.ID, c.Network, err)
			}
		case c.Hours > 0:
			if lifetime != time.Duration(c.Hours)*time.Hour {
				t.Errorf("%s: rules are cached for %v", c.ID, lifetime)
			}
		case c.Bytes > 0:
			if maxBytes < c.Bytes {
				t.Errorf("%s: the limit is only %d bytes", c.ID, maxBytes)
			}
		case c.Days > 0:
			// TestRobotsCacheStale checks that the copy is used.
		case c.Status > 0:
			want, known := map[string]outcome{
				"parse": parseBody, "allow-all": allowAll, "disallow-all": disallow, "follow": followRedirect,
				// Requests are unconditional, so the rules read before are the copy to
				// use.
				"use-cache": disallow,
			}[want]
			got := outcomeOf(c.Status)
			if c.Status == 204 && got == parseBody {
				got = allowAll // an empty file
			}
			if !known || got != want {
				t.Errorf("%s: status %d means %d, want %d", c.ID, c.Status, got, want)
			}
		default:
			t.Errorf("%s: nothing to check", c.ID)
		}
	}
}

func robotsURLOf(t *testing.T, s string) string {
	at, err := urlFor(parseURL(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return at.String()
}

func parseURL(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// answer returns a response with a body.
func answer(status int, body string, header ...string) *fetch.Response {
	r := &fetch.Response{Status: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Size: -1}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Location = r.Header.Get("Location")
	return r
}

// failingGetter returns a Getter that fails like a network: with a fault, or while the
// body is read.
func failingGetter(kind string) Getter {
	return func(context.Context, urinorm.URL) (*fetch.Response, error) {
		fault := &fetch.Fault{Kind: kind, Op: "connect", Target: "example.com", Err: errors.New("it failed")}
		if kind == "read-timeout" {
			resp := answer(200, "")
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("User-agent: *\nAllow: /\n"), failingReader{fault}))
			return resp, nil
		}
		return nil, fault
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// askAfterRedirects reports whether /x is allowed if robots.txt is reached through a
// number of redirects to other hosts.
func askAfterRedirects(t *testing.T, redirects int) bool {
	rules, err := fetchRules(t.Context(), parseURL(t, "http://h0.example/robots.txt"), "a", func(_ context.Context, u urinorm.URL) (*fetch.Response, error) {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(u.Authority(), "h"), ".example"))
		if err != nil {
			t.Errorf("asked %s", u)
		}
		if n == redirects {
			return answer(200, "User-agent: *\nDisallow: /"), nil
		}
		return answer(301, "", "Location", "//h"+strconv.Itoa(n+1)+".example/robots.txt"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rules.Allowed("/x")
}

func TestRobotsRedirects(t *testing.T) {
	tests := []struct {
		name, location string
		want           bool // whether /x is allowed
	}{
		{"relative", "other.txt", false},
		{"path", "/other.txt", false},
		{"other host", "https://example.org/other.txt", false},
		{"to itself", "/robots.txt", true},
		{"no location", "", true},
		{"unusable", "http://[", true},
		{"not the web", "file:///etc/robots/other.txt", true},
	}
	for _, tt := range tests {
		rules, err := fetchRules(t.Context(), parseURL(t, "http://example.com/robots.txt"), "a", func(_ context.Context, u urinorm.URL) (*fetch.Response, error) {
			if strings.HasSuffix(u.Path(), "/other.txt") {
				return answer(200, "User-agent: *\nDisallow: /"), nil
			}
			return answer(302, "", "Location", tt.location), nil
		})
		if err != nil || rules.Allowed("/x") != tt.want {
			t.Errorf("%s: allowed is %v, want %v, error %v", tt.name, rules.Allowed("/x"), tt.want, err)
		}
	}
}

// TestRobotsFaults checks which faults concern the host and which do not.
func TestRobotsFaults(t *testing.T) {
	at := parseURL(t, "http://example.com/robots.txt")
	ask := func(ctx context.Context, err error) (*Rules, error) {
		return fetchRules(ctx, at, "a", func(context.Context, urinorm.URL) (*fetch.Response, error) { return nil, err })
	}
	gone := &fetch.Fault{Kind: "dns-not-found", Op: "look up", Target: "example.com", Err: errors.New("no such host")}
	rules, err := ask(t.Context(), gone)
	if err != nil || rules.Failure() == nil || rules.Failure().Fault != gone || rules.Reason("/x") != "robots.txt is unavailable: look up example.com: no such host" {
		t.Errorf("a missing host: %v, %v", rules, err)
	}
	rules, err = ask(t.Context(), &fetch.Fault{Kind: "file-missing", Op: "retrieve", Target: "ftp://example.com/robots.txt", Err: errors.New("no such file")})
	if err != nil || !rules.Allowed("/x") || rules.Failure() != nil {
		t.Errorf("a missing file: %v, %v", rules, err)
	}
	local := &fetch.Fault{Kind: "connect-refused", Op: "connect", Target: "example.com", Err: errors.New("too many open files"), Local: true}
	if rules, err = ask(t.Context(), local); rules != nil || err != local {
		t.Errorf("a local fault: %v, %v", rules, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rules, err = ask(ctx, gone); rules != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v, %v", rules, err)
	}
}

// TestRobotsBodyLimit checks that an endless robots.txt is not read to its end.
func TestRobotsBodyLimit(t *testing.T) {
	body := &countingBody{}
	rules, err := fetchRules(t.Context(), parseURL(t, "http://example.com/robots.txt"), "a", func(context.Context, urinorm.URL) (*fetch.Response, error) {
		return &fetch.Response{Status: 200, Body: body}, nil
	})
	if err != nil || !rules.Allowed("/x") {
		t.Errorf("%v, %v", rules, err)
	}
	if body.read > maxBytes+1 || !body.closed {
		t.Errorf("%d bytes were read, closed %v", body.read, body.closed)
	}
	body = &countingBody{}
	if _, err := fetchRules(t.Context(), parseURL(t, "http://example.com/robots.txt"), "a", func(context.Context, urinorm.URL) (*fetch.Response, error) {
		return &fetch.Response{Status: 404, Body: body}, nil
	}); err != nil || body.read > 0 || !body.closed {
		t.Errorf("the body of a 404: %d bytes were read, closed %v, error %v", body.read, body.closed, err)
	}
}

// countingBody is endless.
type countingBody struct {
	read   int
	closed bool
}

func (b *countingBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	b.read += len(p)
	return len(p), nil
}

func (b *countingBody) Close() error { b.closed = true; return nil }
