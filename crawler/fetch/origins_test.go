package fetch

import (
	"net/http"
	"testing"
)

func TestOrigins(t *testing.T) {
	o := NewOrigins(mustParse(t, "https://example.com/a/b"), mustParse(t, "http://www.example.org:8080/"), mustParse(t, "ftp://ftp.example/"))
	for url, want := range map[string]bool{
		"https://example.com/": true, "https://www.example.com/x": true, "wss://example.com/": true,
		"http://example.com/": false, "http://example.com:443/": false, "https://example.com:8443/": false, "https://sub.example.com/": false, "ws://example.com/": false,
		"http://example.org:8080/": true, "https://example.org:8080/": true, "http://example.org/": false, "ws://www.example.org:8080/": true,
		"ftp://ftp.example/": true, "http://ftp.example/": false, "ftps://ftp.example/": false, "mailto:me@example.com": false,
	} {
		if got := o.Has(mustParse(t, url)); got != want {
			t.Errorf("%s: %t, want %t", url, got, want)
		}
	}
	var none *Origins
	if none.Has(mustParse(t, "https://example.com/")) || !none.allows(mustParse(t, "http://example.com/"), false) {
		t.Error("no origins")
	}
}

// TestSecretsStayWithTheirOrigin follows redirects within a request: the headers of the
// request do not go to another port.
func TestSecretsStayWithTheirOrigin(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Host + r.URL.Path {
		case "example.com/":
			http.Redirect(w, r, "/same", http.StatusFound)
		case "example.com/same":
			http.Redirect(w, r, "http://example.com:8080/", http.StatusFound)
		}
	})
	h := newHTTP(t, HTTPConfig{Header: http.Header{"X-Given": {"1"}}, Origins: NewOrigins(mustParse(t, "http://example.com/")), ConnectTo: toLoopback(server)})
	if _, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/"), Need: Content, Follow: 5, Header: http.Header{"X-Rule": {"1"}}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rec.requests {
		want := ""
		if r.Host == "example.com" {
			want = "1"
		}
		if r.Header.Get("X-Rule") != want || r.Header.Get("X-Given") != want {
			t.Errorf("%s%s got %v", r.Host, r.URL.Path, r.Header)
		}
	}
	if len(rec.requests) != 3 {
		t.Errorf("%d requests", len(rec.requests))
	}
}
