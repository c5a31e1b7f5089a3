package judging

import (
	"net/http"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestObserve(t *testing.T) {
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Observe(Question{}, &fetch.Response{Status: 200, ContentType: "text/html; charset=utf-8", Size: 5120, Modified: modified,
		Requests: 2, Path: "docs/x.html", Notes: []fetch.Note{{Code: "tls-expires-soon", Message: "soon"}, {Code: "tls-expires-soon", Message: "soon"}}})
	if o.Code != check.CodeOK || o.Status != 200 || o.ContentType != "text/html" || o.Size != 5120 || !o.Modified.Equal(modified) ||
		o.Requests != 2 || o.Path != "docs/x.html" || len(o.Warnings) != 1 {
		t.Errorf("%+v", o)
	}
	if local := Observe(Question{}, &fetch.Response{Size: -1}); local.Code != check.CodeOK || local.Size != -1 {
		t.Errorf("a file: %+v", local)
	}
	wall := Observe(Question{}, &fetch.Response{Status: 503, Excerpt: []byte("<script>window._cf_chl_opt={}</script>")})
	if wall.Code != CodeBotWall {
		t.Errorf("a wall recognized by the excerpt of its page: %+v", wall)
	}
	followed := Observe(Question{URL: parse(t, "https://e.test/a/b")},
		&fetch.Response{Status: 302, Location: "d", URL: parse(t, "https://e.test/c/"), Header: http.Header{}})
	if followed.Next != "https://e.test/c/d" {
		t.Errorf("a Location is relative to what answered: %q", followed.Next)
	}
	for status, want := range map[int]string{
		404: "the server answered 404 (not found)",
		477: "the server answered 477",
		304: "the server answered 304 (not modified), but the request was not conditional",
		429: "the server answered 429 (too many requests)",
		302: "the server answered 302 (found) without a Location header",
	} {
		if got := Observe(Question{}, &fetch.Response{Status: status}).Message; got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
	for status, want := range map[int]string{
		407: "the proxy proxy.test:3128 asks for a name and a password (407)",
		403: "the proxy proxy.test:3128 answered 403 (forbidden) in place of the server",
		429: "the server answered 429 (too many requests)",
	} {
		if got := Observe(Question{}, &fetch.Response{Status: status, Proxy: "proxy.test:3128"}).Message; got != want {
			t.Errorf("%d by a proxy: %q, want %q", status, got, want)
		}
	}
	secret := Observe(Question{}, &fetch.Response{Status: 302, Location: "https://joe:secret@a b/"})
	if secret.Code != check.CodeRedirectInvalid || secret.Message != `the server answered 302 (found) with the Location "https://joe:***@a b/", which is not a URL` {
		t.Errorf("%+v", secret)
	}
	for _, status := range []int{1, 99, 1000, -5} {
		if o := Observe(Question{}, &fetch.Response{Status: status}); o.Code != CodeProtocolError {
			t.Errorf("status %d: %s", status, o.Code)
		}
	}
}

func TestObserveWebSocket(t *testing.T) {
	for address, want := range map[string]check.Code{"ws://example.com/": check.CodeOK, "wss://example.com/": check.CodeOK, "https://example.com/": "http-101"} {
		u, _, err := urinorm.ParseWeb(address)
		if err != nil {
			t.Fatal(err)
		}
		if o := Observe(Question{URL: u}, &fetch.Response{Status: 101}); o.Code != want {
			t.Errorf("%s: %s, want %s", address, o.Code, want)
		}
	}
}
