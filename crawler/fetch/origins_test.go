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

// TestSecretsStayWithTheirOrigin requests from two ports of a host: the given headers go only
// to the one that they are meant for.
func TestSecretsStayWithTheirOrigin(t *testing.T) {
	server, rec := serve(t, func(http.ResponseWriter, *http.Request) {})
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Header: http.Header{"X-Given": {"1"}}, Origins: NewOrigins(mustParse(t, "http://example.com/"))}, ConnectTo: toLoopback(server)})
	for url, want := range map[string]string{"http://example.com/": "1", "http://example.com/same": "1", "http://example.com:8080/": ""} {
		if _, _, err := ask(t, h, &Request{URL: mustParse(t, url), Need: Content}); err != nil {
			t.Fatal(err)
		}
		if got := rec.last().Header.Get("X-Given"); got != want {
			t.Errorf("%s got the header %q, want %q", url, got, want)
		}
	}
}
