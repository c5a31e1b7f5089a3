package check

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// TestMediaTypeEssence holds the reading of one media type to the web platform's tests.
func TestMediaTypeEssence(t *testing.T) {
	var suite struct {
		Source string
		Cases  []struct{ Input, Essence string }
	}
	data, err := os.ReadFile("testdata/mime-essence.json")
	if err == nil {
		err = json.Unmarshal(data, &suite)
	}
	if err != nil || len(suite.Cases) < 700 {
		t.Fatalf("%d cases, %v", len(suite.Cases), err)
	}
	for _, c := range suite.Cases {
		if got := mediaTypeEssence(c.Input); got != c.Essence {
			t.Errorf("%q: %q, want %q", c.Input, got, c.Essence)
		}
	}
}

func TestMediaType(t *testing.T) {
	tests := map[string]string{
		"":                                  "",
		"text/html":                         "text/html",
		"Text/HTML; Charset=UTF-8":          "text/html",
		" text/html ;x":                     "text/html",
		"text/html, text/plain":             "text/plain", // the last one counts (Fetch 2.2.6)
		"text/html, */*":                    "text/html",
		"text/html, nonsense":               "text/html",
		`text/html; x="a,b/c"`:              "text/html",
		`text/html; x="a\",b/c", image/png`: "image/png",
		"html":                              "",
		"text/":                             "",
		"/html":                             "",
		"text/ht ml":                        "",
		"text html":                         "",
		"\x00/\x00":                         "",
	}
	for contentType, want := range tests {
		if got := MediaType(contentType); got != want {
			t.Errorf("%q: %q, want %q", contentType, got, want)
		}
	}
}

func TestDeclaredType(t *testing.T) {
	tests := []struct {
		fields []string
		want   string
	}{
		{nil, ""},
		{[]string{"text/html; charset=utf-8"}, "text/html; charset=utf-8"},
		{[]string{"TEXT/HTML"}, "TEXT/HTML"},
		{[]string{"text"}, ""}, {[]string{";;;text//html charset"}, ""}, {[]string{"*/*"}, ""}, {[]string{""}, ""},
		{[]string{"text/html", "text/plain"}, "text/plain"},
		{[]string{"text/html, nonsense"}, "text/html"},
		// the examples of the Fetch standard
		{[]string{"text/plain;charset=gbk, text/html"}, "text/html"},
		{[]string{"text/html;charset=gbk;a=b, text/html;x=y"}, "text/html;charset=gbk;a=b"},
		{[]string{"text/html;charset=gbk;a=b", "text/html;x=y"}, "text/html;charset=gbk;a=b"},
		{[]string{"text/html;charset=gbk", "x/x", "text/html;x=y"}, "text/html;x=y"},
		{[]string{"text/html", "cannot-parse"}, "text/html"},
		{[]string{"text/html", "*/*"}, "text/html"},
		{[]string{"text/html", ""}, "text/html"},
	}
	for _, test := range tests {
		if got := DeclaredType(http.Header{"Content-Type": test.fields}); got != test.want {
			t.Errorf("%q: %q, want %q", test.fields, got, test.want)
		}
	}
}

func TestObserve(t *testing.T) {
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := Observe(Question{}, &fetch.Response{Status: 200, ContentType: "text/html; charset=utf-8", Size: 5120, Modified: modified,
		Requests: 2, Path: "docs/x.html", Notes: []fetch.Note{{Code: "tls-expires-soon", Message: "soon"}, {Code: "tls-expires-soon", Message: "soon"}}})
	if o.Code != CodeOK || o.Status != 200 || o.ContentType != "text/html" || o.Size != 5120 || !o.Modified.Equal(modified) ||
		o.Requests != 2 || o.Path != "docs/x.html" || len(o.Warnings) != 1 {
		t.Errorf("%+v", o)
	}
	if local := Observe(Question{}, &fetch.Response{Size: -1}); local.Code != CodeOK || local.Size != -1 {
		t.Errorf("a file: %+v", local)
	}
	wall := Observe(Question{}, &fetch.Response{Status: 503, Excerpt: []byte("<script>window._cf_chl_opt={}</script>")})
	if wall.Code != CodeBotWall {
		t.Errorf("a wall told by the excerpt of its page: %+v", wall)
	}
	followed := Observe(Question{URL: parse(t, "https://e.test/a/b")},
		&fetch.Response{Status: 302, Location: "d", URL: parse(t, "https://e.test/c/"), Header: http.Header{}})
	if followed.Next != "https://e.test/c/d" {
		t.Errorf("a Location is relative to what answered: %q", followed.Next)
	}
	for status, want := range map[int]string{
		404: "the server answered 404 (not found)",
		477: "the server answered 477",
		304: "the server answered 304 (not modified), unasked",
		429: "the server answered 429 (too many requests)",
		302: "the server answered 302 (found) without a Location",
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
	if secret.Code != CodeRedirectInvalid || secret.Message != `the server answered 302 (found) with the Location "https://joe:***@a b/", which is no URL` {
		t.Errorf("%+v", secret)
	}
	for _, status := range []int{1, 99, 1000, -5} {
		if o := Observe(Question{}, &fetch.Response{Status: status}); o.Code != CodeProtocolError {
			t.Errorf("status %d: %s", status, o.Code)
		}
	}
}
