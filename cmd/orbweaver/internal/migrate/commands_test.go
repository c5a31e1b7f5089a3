package migrate

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShellCommands(t *testing.T) {
	for script, want := range map[string]string{
		"a b  c":                          "a|b|c",
		"a 'b c' \"d e\"f":                "a|b c|d ef",
		`a b\ c \'`:                       "a|b c|'",
		"a; b && c || d | e & f":          "a / b / c / d / e / f",
		"a # b\nc":                        "a / c",
		"a b#c":                           "a|b#c",
		"a \\\n  b":                       "a|b",
		"a >out 2>&1 b":                   "a",
		"a 2 >x":                          "a|2",
		`a "x $Y ${Z}" '$Q'`:              "a|x ${Y} ${Z}|$Q",
		"a ${{ secrets.TOKEN }}/x":        "a|${TOKEN}/x",
		"a $(make b) `c`":                 "a|${}|${}",
		"a $(NAME) cost$":                 "a|${NAME}|cost$",
		`a "unclosed`:                     "a|unclosed",
		"a 'unclosed":                     "a|unclosed",
		"":                                "",
		"if muffet x; then\n\techo y\nfi": "if|muffet|x / then / echo|y / fi",
	} {
		var got []string
		for _, words := range shellCommands(script) {
			got = append(got, readable(strings.Join(words, "|")))
		}
		if got := strings.Join(got, " / "); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func TestProgramIn(t *testing.T) {
	for command, want := range map[string]string{
		"muffet a":         "muffet a",
		"A=1 B=2 muffet a": "muffet a",
		"./bin/muffet a":   "muffet a",
		"go run github.com/raviqqe/muffet/v2@latest a":   "muffet a",
		"go install github.com/raviqqe/muffet/v2@latest": "",
		"go tool muffet a":                            "muffet a",
		"docker run --rm -it raviqqe/muffet:2.11 a":   "muffet a",
		"docker run --rm lycheeverse/lychee lychee a": "lychee a",
		"docker pull raviqqe/muffet":                  "",
		"npx linkinator a":                            "linkinator a",
		"npx --yes linkinator@8 a":                    "linkinator a",
		"npm exec linkinator -- a":                    "linkinator a",
		"npm install -g linkinator":                   "",
		"pnpm dlx linkinator a":                       "linkinator a",
		"yarn linkinator a":                           "linkinator a",
		"brew install muffet":                         "",
		"echo muffet a":                               "",
		"sudo time muffet a":                          "muffet a",
		"timeout 300 muffet a":                        "muffet a",
		"linkchecker --check-extern a":                "linkchecker --check-extern a",
		"docker run wjdp/htmltest -s":                 "htmltest -s",
		"if muffet a":                                 "muffet a",
		"":                                            "",
		"A=1":                                         "",
	} {
		name, args := programIn(strings.Fields(command))
		if got := strings.TrimSpace(name + " " + strings.Join(args, " ")); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	dir := fstest.MapFS{
		"lychee.toml":                   file("timeout = 30\n"),
		".lycheeignore":                 file("a\n"),
		"pyproject.toml":                file("[tool.lychee]\ntimeout = 40\n"),
		"Cargo.toml":                    file("[package]\nname = \"x\"\n"),
		"package.json":                  file(`{"scripts": {"test": "linkinator docs --recurse"}}`),
		"linkinator.config.js":          file("module.exports = {}"),
		"Makefile":                      file("all:\n\techo\n"),
		".github/workflows/a.yml":       file("jobs: {a: {steps: [{run: 'muffet -f http://localhost:1'}]}}"),
		".github/workflows/b.yaml":      file("jobs: {a: {steps: [{run: 'go test'}]}}"),
		".github/workflows/broken.yaml": file("a: ["),
		"linkcheckerrc/x":               file(""),
	}
	found, skipped := Find(dir)
	var names []string
	for _, f := range found {
		names = append(names, f.Name+" ("+f.Config.Program+")")
	}
	if got, want := strings.Join(names, ", "), ".lycheeignore (lychee), lychee.toml (lychee), package.json (linkinator), .github/workflows/a.yml (muffet)"; got != want {
		t.Errorf("found %s\nwant  %s", got, want)
	}
	names = nil
	for _, s := range skipped {
		names = append(names, s.Option)
	}
	slices.Sort(names)
	if got, want := strings.Join(names, ", "), ".github/workflows/broken.yaml, linkinator.config.js, pyproject.toml"; got != want {
		t.Errorf("skipped %s\nwant    %s", got, want)
	}
}

func TestHideSecrets(t *testing.T) {
	c := &Config{
		Settings: []Setting{
			{Key: "header", Values: []string{"Authorization: Bearer abc", "X-Api-Key: def", "Accept: ${x}", "Cookie: " + varOpen + "C" + varClose, "authorization: other"}},
			{Key: "user", Values: []string{"me:pass:word"}},
			{Key: "proxy", Values: []string{"http://me:pass@proxy:3128"}},
			{Key: "login-field", Values: []string{"tenant=docs", "csrf_token=xyz"}},
			{Key: "exclude", Values: []string{"${y}"}},
		},
		Rules: []Rule{
			{MatchRE: `^https://intranet\.example\.com/`, Header: map[string]string{"Authorization": "Basic Z", "Accept": "b"}},
			{MatchRE: `^.*$`, Header: map[string]string{"X-Token": "t"}},
		},
		LoginPassword: "pw",
	}
	var secrets []string
	for _, s := range c.HideSecrets([]string{"header", "user", "proxy", "login-field"}) {
		secrets = append(secrets, s.Name+"="+s.Value)
	}
	want := "AUTHORIZATION=Bearer abc, AUTHORIZATION_2=other, INTRANET_EXAMPLE_COM_AUTHORIZATION=Basic Z, LOGIN_CSRF_TOKEN=xyz, PROXY=http://me:pass@proxy:3128, " +
		"RULE_X_TOKEN=t, USER_PASSWORD=pass:word, X_API_KEY=def, ORBWEAVER_LOGIN_PASSWORD=pw"
	if got := strings.Join(secrets, ", "); got != want {
		t.Errorf("secrets\n%s\nwant\n%s", got, want)
	}
	text := formatConfig(c)
	want = `program , targets []
header = ["Authorization: ${AUTHORIZATION}" "X-Api-Key: ${X_API_KEY}" "Accept: $${x}" "Cookie: ${C}" "authorization: ${AUTHORIZATION_2}"]
user = ["me:${USER_PASSWORD}"]
proxy = ["${PROXY}"]
login-field = ["tenant=docs" "csrf_token=${LOGIN_CSRF_TOKEN}"]
exclude = ["${y}"]
rule ^https://intranet\.example\.com/ header=map[Accept:b Authorization:${INTRANET_EXAMPLE_COM_AUTHORIZATION}]
rule ^.*$ header=map[X-Token:${RULE_X_TOKEN}]
password pw
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// TestAliases reads a workflow whose aliases stand for more values than memory could hold.
func TestAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 {run: muffet x}\n")
	for i := 1; i < 30; i++ {
		last := "*a" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		if i == 1 {
			last = "*a0"
		}
		name := "a" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		b.WriteString(name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat(last+", ", 10), ", ") + "]\n")
	}
	if _, err := Read("ci.yml", []byte(b.String())); err == nil {
		t.Error("a workflow of aliases was read")
	}
}
