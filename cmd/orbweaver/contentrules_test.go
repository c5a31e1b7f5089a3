package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/inspect"
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
	for _, c := range []struct{ url, address, contentType, want string }{
		{"https://example.com/docs/a/b.html?x", "https://example.com/docs/a/b.html?x", "text/html", "content-no-drafts"},
		{"site/docs/b.html", "https://site.invalid/docs/b.html", "text/html", "content-no-drafts"},
		{"https://example.com/a", "https://example.com/a", "text/html", "content-csp"},
		{"https://example.com/a", "https://example.com/a", "text/plain", "content-csp"},
		{"https://example.com/a", "https://example.com/a", "text/css", ""},
		{"https://example.com", "https://example.com", "text/html", ""},
		{"https://example.org/x/docs/a", "https://example.org/x/docs/a", "text/html", ""},
	} {
		address, _, err := urinorm.ParseWeb(c.address)
		if err != nil {
			t.Fatal(err)
		}
		p := &inspect.Page{URL: c.url, Address: address, ContentType: c.contentType, Header: http.Header{}, Text: []byte("TODO")}
		var codes []string
		for _, f := range inspector.Page(t.Context(), p).Inspection.Findings {
			codes = append(codes, string(f.Code))
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
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
