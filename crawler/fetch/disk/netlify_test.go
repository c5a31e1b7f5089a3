package disk

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseRedirects(t *testing.T) {
	rules, err := parseRedirects(strings.NewReader(`
# a comment
/old        /new
/news/*     /blog/:splat      302
/a/:b/:c    /x/:c?b=:b        301!   # why
/store id=:id  /blog/:id  301
/lang       /de   302  Language=de
/spa/*      /index.html  200
/gone       /404.html    410
/away       https://example.org/x
https://old.example/*  https://new.example/:splat
/broken
/broken /x 99
/broken nowhere
/cond x=1 /y 302! Country=at,ch
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []redirectRule{
		{from: []string{"old"}, to: "/new", status: 301},
		{from: []string{"news", "*"}, to: "/blog/:splat", status: 302},
		{from: []string{"a", ":b", ":c"}, to: "/x/:c?b=:b", status: 301, force: true},
		{from: []string{"store"}, query: [][2]string{{"id", ":id"}}, to: "/blog/:id", status: 301},
		{from: []string{"spa", "*"}, to: "/index.html", status: 200},
		{from: []string{"gone"}, to: "/404.html", status: 410},
		{from: []string{"away"}, to: "https://example.org/x", status: 301},
	}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("%+v\nwant %+v", rules, want)
	}
	if _, err := parseRedirects(strings.NewReader(strings.Repeat("/a /b\n", maxRedirectsRules+1))); err == nil {
		t.Error("too many rules")
	}
	if _, err := parseRedirects(strings.NewReader(strings.Repeat("# comment, comment, comment, comment\n", maxRedirectsSize/30))); err == nil {
		t.Error("too large a file")
	}
	if _, err := parseRedirects(strings.NewReader(strings.Repeat("x", 100_000))); err == nil {
		t.Error("too long a line")
	}
}

func TestRedirectsFile(t *testing.T) {
	dir := writeTree(t, "index.html", "page.html", "new.html", "blog/one.html", "blog/index.html", "shadow.html", "spa/real.html", "404.html",
		`_redirects=/old /new
/news/* /blog/:splat 302
/shadow /new
/shadow.html /new.html 301!
/store id=:id /blog/:id
/store /blog/
/x/:a/:b /:b/:a 307
/spa/* /page.html 200
/proxy/* https://api.example/:splat 200
/away https://example.org/ 302
/dir /blog 200
/lost /nowhere.html 200
/gone /404.html 410
/all/* /404.html 404
`)
	for _, style := range []HostStyle{hostAuto, hostNetlify} {
		site := openSite(t, "https://example.com/", dir, style)
		if site.locator.style != hostNetlify {
			t.Errorf("%v became %v", style, site.locator.style)
		}
		for url, want := range map[string]string{
			"/old":             "301 /new",
			"/old/":            "301 /new",
			"/old?x=1":         "301 /new?x=1",
			"/news":            "302 /blog/",
			"/news/one":        "302 /blog/one",
			"/news/a/b":        "302 /blog/a/b",
			"/shadow":          "shadow.html",
			"/shadow.html":     "301 /new.html",
			"/store?id=7&x=1":  "301 /blog/7",
			"/store?x=1":       "301 /blog/?x=1",
			"/x/1/2":           "307 /2/1",
			"/x/1":             "file-missing",
			"/x/1/2/3":         "file-missing",
			"/spa/real.html":   "spa/real.html",
			"/spa/anything/at": "page.html",
			"/proxy/v1/x":      "307 https://api.example/v1/x",
			"/away":            "302 https://example.org/",
			"/dir":             "blog/index.html",
			"/lost":            "file-missing",
			"/gone":            "410",
			"/all/of/it":       "404",
			"/nothing":         "file-missing",
			"/page":            "page.html",
		} {
			if got := answerOf(t, site, dir, "https://example.com"+url); got != want {
				t.Errorf("%s: %s, want %s", url, got, want)
			}
		}
	}
	plain := openSite(t, "https://example.com/", dir, hostGitHubPages)
	if got := answerOf(t, plain, dir, "https://example.com/old"); got != "file-missing" {
		t.Errorf("GitHub Pages obeys _redirects: %s", got)
	}
}

func FuzzRedirects(f *testing.F) {
	f.Add("/a/:b/* x=:y /c/:b/:splat?y=:y 301!", "a/b/c/d", "?x=1")
	f.Add("/* /index.html 200", "", "")
	f.Fuzz(func(t *testing.T, line, path, query string) {
		rule, ok := parseRedirect(line)
		if !ok {
			return
		}
		if rule.status < 200 || rule.status > 599 || rule.to == "" {
			t.Errorf("%q became %+v", line, rule)
		}
		rule.match(splitPath(path), query)
	})
}
