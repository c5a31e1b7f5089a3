package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// asked returns the command for a command line.
func asked(t *testing.T, targets []string, line ...string) *command {
	t.Helper()
	cmd := &cobra.Command{}
	s := addFlags(cmd, option.Check)
	if err := cmd.ParseFlags(line); err != nil {
		t.Fatal(err)
	}
	return newCommand(s, targets)
}

func TestCommandKeepsNoSecrets(t *testing.T) {
	c := asked(t, []string{"https://example.com/"}, "--user", "me:s3cr3t", "-H", "X-Token: t0psecret", "--proxy", "http://me:pr0xy@proxy:3128",
		"--depth", "3", "--state", "crawl", "--netrc", "--no-soft-404")
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cr3t", "t0psecret", "pr0xy", "X-Token"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%q is stored: %s", secret, text)
		}
	}
	if want := []string{"user", "header", "proxy"}; !slices.Equal(c.Withheld, want) {
		t.Errorf("withheld: %q, want %q", c.Withheld, want)
	}
	if want := []option.Given{{Name: "depth", Text: "3"}, {Name: "netrc", Text: "true"}, {Name: "no-soft-404", Text: "true"}}; !slices.Equal(c.Line, want) {
		t.Errorf("stored: %q, want %q", c.Line, want)
	}
	if c := asked(t, []string{"https://me:pw@example.com/"}); !slices.Equal(c.Targets, []string{"https://me:***@example.com/"}) || !slices.Equal(c.Withheld, []string{"user"}) {
		t.Errorf("a target's password: %q, withheld %q", c.Targets, c.Withheld)
	}
	if c := asked(t, nil, "--proxy", "http://proxy:3128"); len(c.Withheld) > 0 {
		t.Errorf("a proxy without a password is withheld: %q", c.Withheld)
	}
}

// Data that cannot be read will not be readable next time either.
func TestResumeHintFromDamage(t *testing.T) {
	for _, err := range []error{check.ErrMalformed, store.ErrDamaged} {
		s := &state{name: "crawl"}
		if got := s.resumeHint(fmt.Errorf("target 1: %w", err)); !strings.HasPrefix(got, "this crawl cannot be resumed or reported") {
			t.Errorf("%v: %q", err, got)
		}
	}
}

func TestCommandDifferences(t *testing.T) {
	site, open := []string{"https://me:pw@example.com/"}, []string{"https://example.com/"}
	for _, c := range []struct {
		name     string
		old, new *command
		want     []string
	}{
		{"the same", asked(t, site, "--depth", "3"), asked(t, site, "--depth", "3"), nil},
		{"in other words", asked(t, site, "--scope", "path", "--depth=3"), asked(t, site, "--depth", "3", "--no-soft-404"), nil},
		{"what may change", asked(t, site), asked(t, site, "--rate", "2/s", "-o", "x.json", "--max-time", "3s", "--fail-on", "none", "--accept", "403"), nil},
		{"targets", asked(t, site), asked(t, []string{"a", "b", "c", "d", "e", "f", "g"}),
			[]string{"targets: https://me:***@example.com/ then, a, b, c, d, e and 2 more now", "credentials: given then, none now"}},
		{"settings", asked(t, site, "--depth", "3", "--exclude", "x", "--exclude", "y"), asked(t, site, "--scope", "host", "--sitemaps"),
			[]string{"--depth: 3 then, none now", "--exclude: x, y then, none now", "--scope: path then, host now", "--sitemaps: false then, true now"}},
		{"credentials", asked(t, open, "--user", "a:b"), asked(t, open), []string{"credentials: given then, none now"}},
		{"other credentials", asked(t, site, "--user", "a:b"), asked(t, site, "--header", "x: y"), nil},
	} {
		if got := c.old.differences(c.new); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	elsewhere := asked(t, site)
	elsewhere.Directory = "/elsewhere"
	if got := elsewhere.differences(asked(t, site)); len(got) > 0 {
		t.Errorf("a website depends on the working directory: %q", got)
	}
	elsewhere = asked(t, []string{"docs/"})
	elsewhere.Directory = "/elsewhere"
	if got := elsewhere.differences(asked(t, []string{"docs/"})); len(got) != 1 || !strings.HasPrefix(got[0], "working directory: /elsewhere then, ") {
		t.Errorf("a directory differs in another working directory: %q", got)
	}
}

// Flags of a session replace those of the same name.
func TestCommandSettings(t *testing.T) {
	c := asked(t, nil, "--show", "broken", "--output", "a.json", "--output", "b.json", "--depth", "2", "--netrc", "--no-config")
	s, err := c.settings([]option.Given{{Name: "output", Text: "c.json"}, {Name: "no-netrc", Text: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.List("show"), []string{"broken"}) || !slices.Equal(s.List("output"), []string{"c.json"}) || s.Text("depth") != "2" || s.On("netrc") {
		t.Errorf("show %q, output %q, depth %q, netrc %v", s.List("show"), s.List("output"), s.Text("depth"), s.On("netrc"))
	}
}

func TestAbsoluteFiles(t *testing.T) {
	abs, err := filepath.Abs("x.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := absoluteFiles([]option.Given{{Name: "output", Text: "x.json"}, {Name: "output", Text: "csv:x.json"}, {Name: "output", Text: "-"}, {Name: "rate", Text: "x.json"}, {Name: "cookies", Text: "x.json"}})
	want := []option.Given{{Name: "output", Text: abs}, {Name: "output", Text: "csv:" + abs}, {Name: "output", Text: "-"}, {Name: "rate", Text: "x.json"}, {Name: "cookies", Text: abs}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("absoluteFiles = %q, %v; want %q", got, err, want)
	}
}

func TestShellQuote(t *testing.T) {
	for arg, want := range map[string]string{"crawl": "crawl", "a/b-c.d": "a/b-c.d", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'"} {
		if got := shellQuote(arg); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", arg, got, want)
		}
	}
}
