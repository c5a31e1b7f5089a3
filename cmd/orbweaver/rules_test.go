package main

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/inspect"
)

func TestRules(t *testing.T) {
	s, err := parsed(t, `
[[rule]]
match   = "https://intranet.example.com/**"
accept  = [403]
verdict = "unverified"
header  = {Authorization = "Bearer ${TOKEN}"}
rate    = "30/m"

[[rule]]
match_re = '^http://(a|b)/'
verdict = "ignore"
`)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.rules[0].compile(s.parseLevel)
	if err != nil {
		t.Fatal(err)
	}
	if first.Verdict != "unverified" || first.Rate != 0.5 || first.Header.Get("Authorization") != "Bearer s3cret" || !first.Accept.Has(403) || first.Accept.Has(404) {
		t.Errorf("first rule: %+v", first)
	}
	second, err := s.rules[1].compile(s.parseLevel)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule    func(string) bool
		printed string
		want    bool
	}{
		{first.Match, "https://intranet.example.com/a/b?x=/y#z", true},
		{first.Match, "https://intranet.example.com/", true},
		{first.Match, "https://intranet.example.com.evil/", false},
		{second.Match, "http://b/", true},
		{second.Match, "http://c/", false},
	} {
		if got := c.rule(c.printed); got != c.want {
			t.Errorf("match of %s: %v, want %v", c.printed, got, c.want)
		}
	}
}

// A rule that is copied from a printed URL matches that URL, even if it contains special
// characters of globs.
func TestRuleFromPrintedURL(t *testing.T) {
	for _, printed := range []string{
		"https://example.com/a?b=c",
		"http://[2001:db8::1]/x",
		"https://example.com/?q[]=1&r={x}",
		"docs/a*b.html#c",
		`https://example.com/\`,
	} {
		if !inspect.Glob(printed).MatchString(printed) {
			t.Errorf("%s does not match itself", printed)
		}
	}
}

func TestRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		`accept = [403]`:                          "rule 1 in orbweaver.toml: use either match (a glob) or match_re (a regular expression)",
		"match = \"a\"\nmatch_re = \"b\"":         "use either match",
		`mtach = "a"`:                             "rule 1 in orbweaver.toml: unknown key mtach: did you mean match?",
		`match = 3`:                               "match: use a string",
		`header = "x"`:                            "header: use a table",
		`header = {A = "${NO}"}`:                  "header: A: the environment variable NO is not set",
		`header = {"A B" = "x"}`:                  "header: A B: ",
		"match = \"a\"\nverdict = \"ignroe\"":     `verdict: "ignroe" is not allowed: did you mean ignore? use unverified, ignore or broken`,
		"match = \"[a\"\nverdict = \"ignore\"":    `match: "[a" is not allowed: use a glob`,
		"match_re = \"(a\"\nverdict = \"ignore\"": `match_re: "(a" is not allowed: use a regular expression`,
		"match = \"a\"\naccept = \"40\"":          `accept: "40" is not allowed: use HTTP statuses`,
		"match = \"a\"\nrate = \"2/y\"":           `rate: "2/y" is not allowed: use requests per second`,
	} {
		s, err := parsed(t, "[[rule]]\n"+text)
		if err == nil {
			_, err = s.rules[0].compile(s.parseLevel)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want %q", text, err, want)
		}
	}
}
