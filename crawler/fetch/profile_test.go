package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestUserAgentAvoidsBlockedWords(t *testing.T) {
	for _, agent := range []string{DefaultUserAgent("1.2.3"), DefaultUserAgent(""), alternateUserAgent("1.2.3")} {
		for _, word := range []string{"link", "check", "crawl", "bot", "spider", "scan", "scrape"} {
			if strings.Contains(strings.ToLower(agent), word) {
				t.Errorf("%s has the word %s", agent, word)
			}
		}
		if !strings.HasPrefix(agent, "Mozilla/5.0 (") || !strings.Contains(agent, "Orbweaver") {
			t.Errorf("%s", agent)
		}
	}
}

func TestSecondProfile(t *testing.T) {
	refuse := func(code int, when func(*http.Request) bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if when(r) {
				w.WriteHeader(code)
				fmt.Fprint(w, "refused")
				return
			}
			fmt.Fprint(w, "welcome")
		}
	}
	compatible := func(r *http.Request) bool { return strings.Contains(r.UserAgent(), "compatible") }
	always := func(*http.Request) bool { return true }
	for _, row := range []struct {
		name     string
		handle   http.HandlerFunc
		req      Request
		status   int
		text     string
		requests int
	}{
		{"agent", refuse(403, compatible), Request{}, 200, "welcome", 2},
		{"agent 404", refuse(404, compatible), Request{}, 200, "welcome", 2},
		{"accept 406", refuse(406, func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get("Accept"), "text/html") }), Request{}, 200, "welcome", 2},
		{"referer", refuse(403, func(r *http.Request) bool { return r.Referer() != "" }), Request{Referrer: "http://a.example/x"}, 200, "welcome", 2},
		{"no click", refuse(400, func(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Mode") == "" }), Request{}, 200, "welcome", 2},
		{"dead", refuse(404, always), Request{}, 404, "refused", 2},
		{"own site", refuse(404, compatible), Request{Internal: true}, 404, "refused", 1},
		{"gone", refuse(410, compatible), Request{}, 410, "refused", 1},
		{"bot wall", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("cf-mitigated", "challenge")
			refuse(403, compatible)(w, r)
		}, Request{}, 403, "refused", 1},
	} {
		server, _ := serve(t, row.handle)
		h := newHTTP(t, HTTPConfig{})
		req := row.req
		req.URL, req.Need = mustParse(t, server.URL+"/x"), Content
		resp, text, err := ask(t, h, &req)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if resp.Status != row.status || text != row.text || resp.Requests != row.requests {
			t.Errorf("%s: %d %q after %d requests, want %d %q after %d", row.name, resp.Status, text, resp.Requests, row.status, row.text, row.requests)
		}
	}
}

func TestSecondProfileIsRemembered(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.UserAgent(), "compatible") == (r.URL.Path != "/odd") {
			w.WriteHeader(403)
		}
	})
	h := newHTTP(t, HTTPConfig{})
	for i, want := range []int{2, 1, 2} {
		path := []string{"/1", "/2", "/odd"}[i]
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+path), Need: Content})
		if err != nil || resp.Status != 200 || resp.Requests != want {
			t.Errorf("%s: %+v, %v, want %d requests", path, resp, err, want)
		}
	}
	// A User-Agent chosen by the user stays the same.
	rec.reset()
	h = newHTTP(t, HTTPConfig{UserAgent: "mine compatible"})
	if _, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+"/1"), Need: Content}); err != nil {
		t.Fatal(err)
	}
	if rec.last().UserAgent() != "mine compatible" {
		t.Errorf("the agent became %q", rec.last().UserAgent())
	}
}

func TestReferrerPolicy(t *testing.T) {
	for _, row := range []struct{ from, to, want string }{
		{"https://a.example/x?y#z", "https://a.example/b", "https://a.example/x?y"},
		{"https://u:p@a.example/x", "https://a.example/b", "https://a.example/x"},
		{"https://u:p@a.example/x", "https://b.example/b", "https://a.example/"},
		{"https://a.example/x", "https://a.example:444/b", "https://a.example/"},
		{"https://a.example/x", "http://a.example/b", ""},
		{"http://a.example/x", "https://a.example/b", "http://a.example/"},
		{"http://a.example/x", "http://b.example/b", "http://a.example/"},
		{"http://a.example", "http://b.example/b", "http://a.example/"},
		{"https://1.site.invalid/x", "https://b.example/b", ""},
		{"file:///etc/passwd", "https://b.example/b", ""},
		{"", "https://b.example/b", ""},
	} {
		req := &Request{URL: mustParse(t, row.to), Referrer: row.from}
		if got := referrerOf(req); got != row.want {
			t.Errorf("from %s to %s: %q, want %q", row.from, row.to, got, row.want)
		}
	}
}
