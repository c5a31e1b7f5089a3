package fetch

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cookies of a session go to the origins of its group only, whatever their Domain
// says, and never from https to http.
func TestCookieGroup(t *testing.T) {
	set := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/in/set" {
			for _, cookie := range []string{"own=1", "shared=2; Path=/; Domain=example.com", "foreign=3; Domain=example.org", "public=4; Domain=com"} {
				w.Header().Add("Set-Cookie", cookie)
			}
		}
		if r.URL.Path == "/in/out" {
			w.Header().Add("Set-Cookie", "shared=; Path=/; Domain=example.com; Max-Age=0")
		}
	}
	server, rec := serve(t, set)
	h := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server), Secrets: Secrets{CookieGroups: [][]string{{"http://login.example.com", "http://app.example.com:8080"}}}})
	sent := func(url string) string {
		t.Helper()
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, url), Need: Content}); err != nil {
			t.Fatal(err)
		}
		return rec.last().Header.Get("Cookie")
	}
	sent("http://login.example.com/in/set")
	for url, want := range map[string]string{
		"http://login.example.com/in/x":      "own=1; shared=2",
		"http://login.example.com/":          "shared=2",
		"http://app.example.com:8080/":       "shared=2",
		"http://app.example.com/":            "",
		"http://other.example.com/":          "",
		"http://example.com/":                "",
		"http://login.example.com:8080/in/x": "",
	} {
		if got := sent(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}

	file := filepath.Join(t.TempDir(), "cookies.txt")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.WriteCookies(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server), Secrets: Secrets{Cookies: file}})
	if _, _, err := ask(t, again, &Request{URL: mustParse(t, "http://login.example.com/in/x"), Need: Content}); err != nil {
		t.Fatal(err)
	}
	if got := rec.last().Header.Get("Cookie"); got != "own=1; shared=2" {
		t.Errorf("from the file: %q", got)
	}

	sent("http://login.example.com/in/out")
	if got := sent("http://app.example.com:8080/"); got != "" {
		t.Errorf("after the cookie was removed: %q", got)
	}
	if _, err := NewHTTP(HTTPConfig{Secrets: Secrets{CookieGroups: [][]string{{"http://a.test"}, {"http://a.test"}}}}); err == nil {
		t.Error("an origin is in two groups")
	}
}

func TestCookieGroupOverTLS(t *testing.T) {
	c, err := newCookies("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.groups, err = newCookieGroups([][]string{{"https://a.test", "http://a.test"}}); err != nil {
		t.Fatal(err)
	}
	c.store(mustParse(t, "https://a.test/"), &http.Response{Header: http.Header{"Set-Cookie": {"session=1"}}})
	for url, want := range map[string]string{"https://a.test/": "session=1", "http://a.test/": ""} {
		header := http.Header{}
		c.addTo(mustParse(t, url), header)
		if got := header.Get("Cookie"); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// A form is posted once, whatever the answer.
func TestSubmit(t *testing.T) {
	posts := 0
	var body, contentType string
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "visited", Value: "1", Path: "/"})
		if r.Method == http.MethodPost {
			posts++
			text, _ := io.ReadAll(r.Body)
			body, contentType = string(text), r.Header.Get("Content-Type")
		}
		switch r.URL.Path {
		case "/self":
			w.Header().Set("Location", "/self")
			w.WriteHeader(http.StatusFound)
		case "/basic":
			w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n"`)
			w.WriteHeader(http.StatusUnauthorized)
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
		}
	})
	h := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server), Secrets: Secrets{Credentials: "bob:secret"}})
	for path, status := range map[string]int{"/self": 302, "/basic": 401, "/refused": 403, "/": 200} {
		posts = 0
		req := &Request{URL: mustParse(t, "http://example.com"+path), Need: Content, Internal: true, Form: &Form{ContentType: "application/x-www-form-urlencoded", Body: []byte("a=b")}}
		resp, err := h.Fetch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if posts != 1 || resp.Status != status || body != "a=b" || !strings.HasPrefix(contentType, "application/x-www") {
			t.Errorf("%s: %d times, status %d, %q as %q", path, posts, resp.Status, body, contentType)
		}
	}
}

func TestAnonymousRequest(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "at", Value: r.URL.Path[1:], Path: "/"})
	})
	given := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server), Secrets: Secrets{Header: http.Header{"cookie": {"user=1"}}, Origins: NewOrigins(mustParse(t, "http://example.com/"))}})
	for anonymous, want := range map[bool]string{false: "user=1", true: ""} {
		if _, _, err := ask(t, given, &Request{URL: mustParse(t, "http://example.com/"), Need: Content, Anonymous: anonymous}); err != nil {
			t.Fatal(err)
		}
		if got := rec.last().Header.Get("Cookie"); got != want {
			t.Errorf("with a header of the user, anonymous %t: %q", anonymous, got)
		}
	}
	h := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server)})
	for _, row := range []struct {
		path      string
		anonymous bool
		want      string
	}{{"1", false, ""}, {"2", true, ""}, {"3", false, "at=1"}} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/"+row.path), Need: Content, Anonymous: row.anonymous}); err != nil {
			t.Fatal(err)
		}
		if got := rec.last().Header.Get("Cookie"); got != row.want {
			t.Errorf("request %s: %q, want %q", row.path, got, row.want)
		}
	}
}
