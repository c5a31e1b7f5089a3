package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

func readContentText(t *testing.T, text string) (*settings, error) {
	t.Helper()
	s := addFlags(&cobra.Command{}, option.Check)
	return s, applyConfig(s, &configFile{name: "orbweaver.toml"}, text)
}

func TestContentRules(t *testing.T) {
	s, err := readContentText(t, `
[[content]]
name = "no-drafts"
match = "/docs/**"
not = ["lorem ipsum", "re:TODO|FIXME"]
level = "broken"

[[content]]
name = "csp"
match = "https://example.com/*"
type = ["text/HTML", "text/plain"]
must = "default-src"
in = "header:content-security-policy"
`)
	if err != nil {
		t.Fatal(err)
	}
	inspector, err := inspect.Open(t.Context(), inspect.Config{Content: s.content})
	if err != nil {
		t.Fatal(err)
	}
	defer inspector.Close()
	for _, c := range []struct{ url, contentType, want string }{
		{"https://example.com/docs/a/b.html?x", "text/html", "content-no-drafts"},
		{"https://example.com/a", "text/html", "content-csp"},
		{"https://example.com/a", "text/plain", "content-csp"},
		{"https://example.com/a", "text/css", ""},
		{"http://example.com/", "text/html", ""},
		{"https://example.org/x/docs/a", "text/html", ""},
	} {
		start, _, err := urinorm.ParseWeb(c.url)
		if err != nil {
			t.Fatal(err)
		}
		cfg := &crawler.Config{Fetch: fetch.Mux{start.Scheme(): oneDocument{c.contentType, "TODO"}}}
		if got := contentCodes(t, cfg, inspector, start); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.url, c.contentType, got, c.want)
		}
	}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("site/docs", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("site/docs/b.html", []byte("TODO"), 0o666); err != nil {
		t.Fatal(err)
	}
	base, _, err := urinorm.ParseWeb("https://site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	site, err := disk.OpenSite(disk.SiteConfig{Dir: "site", Base: base, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	start, err := site.URLOf("docs/b.html")
	if err != nil {
		t.Fatal(err)
	}
	if got := contentCodes(t, &crawler.Config{Sites: []*disk.Site{site}}, inspector, start); got != "content-no-drafts" {
		t.Errorf("site/docs/b.html: %q", got)
	}
}

// oneDocument answers each request with the same document.
type oneDocument struct{ contentType, body string }

func (d oneDocument) Fetch(_ context.Context, req *fetch.Request) (*fetch.Response, error) {
	return &fetch.Response{Status: http.StatusOK, URL: req.URL, ContentType: d.contentType, Header: http.Header{},
		Size: int64(len(d.body)), Body: io.NopCloser(strings.NewReader(d.body))}, nil
}

// contentCodes returns the codes of content rules that a run reports from one page.
func contentCodes(t *testing.T, cfg *crawler.Config, inspector *inspect.Inspector, start urinorm.URL) string {
	t.Helper()
	cfg.Judging.Inspector = inspector
	cfg.Scope.Robots = crawler.RobotsIgnore
	var codes []string
	_, err := crawler.Run(t.Context(), cfg, []crawler.Seed{{URL: start, Follow: true, Crawl: true}}, result.Func(func(r *result.Result) error {
		if strings.HasPrefix(string(r.Code), "content-") {
			codes = append(codes, string(r.Code))
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(codes, " ")
}

func TestContentRuleErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[[content]]\nname = \"a\"\nnot = [\"re:x(?!y)\"]", `orbweaver.toml: content rule "a": not: "re:x(?!y)": offset 1: look-around (look-ahead) is not supported by RE2`},
		{"[[content]]\nname = \"a\"\nmust = \"x\"\nmacth = \"/\"", `orbweaver.toml: content rule "a": macth: unknown key: did you mean match?`},
		{"[[content]]\nname = \"a\"\nmust = \"x\"\nin = \"css:[\"", `orbweaver.toml: content rule "a": in: "css:[": not a CSS selector`},
		{"[[content]]\nname = \"a\"\nmust = \"x\"\nin = \"everywhere\"", `orbweaver.toml: content rule "a": in: "everywhere": use text, source`},
		{"[[content]]\nname = \"a\"\nmust = \"x\"\nlevel = \"bad\"", `orbweaver.toml: content rule "a": level: "bad": use broken`},
		{"[[content]]\nmust = \"x\"", `orbweaver.toml: content rule 1: name: a rule needs a name`},
		{"[[content]]\nname = \"a\"\nmust = \"x\"\n[[content]]\nname = \"a\"\nmust = \"x\"", `orbweaver.toml: content rule "a": name: another rule has this name`},
		{"[[content]]\nname = \"a_b\"\nmust = \"x\"", `orbweaver.toml: content rule "a_b": name: use the characters a-z, 0-9 and - only`},
		{"[[content]]\nname = \"a\"", `orbweaver.toml: content rule "a": must or not is missing`},
		{"[[content]]\nname = \"a\"\nnot = [1]", `orbweaver.toml: content rule "a": not: use a string or an array of strings`},
		{"[[content]]\nname = 1\nnot = \"x\"", `orbweaver.toml: content rule 1: name: use a string`},
		{"[[content]]\nname = \"a\"\nnot = \"x\"\nmatch = \"[\"", `orbweaver.toml: content rule "a": match: "[" is not allowed: use a glob`},
		{"content = \"x\"", `orbweaver.toml: content: write each rule as a [[content]] block`},
	} {
		if _, err := readContentText(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %s", c.text, err, c.want)
		}
	}
}
