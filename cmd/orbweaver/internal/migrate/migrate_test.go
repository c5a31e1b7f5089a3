package migrate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "update the golden files")

// formatConfig formats a configuration as text, with one line for each setting.
func formatConfig(c *Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s, targets %q\n", c.Program, c.Targets)
	for _, s := range c.Settings {
		fmt.Fprintf(&b, "%s = %q", s.Key, s.Values)
		if s.Switch {
			b.WriteString(" (switch)")
		}
		if s.Note != "" {
			b.WriteString("  " + s.Note)
		}
		b.WriteByte('\n')
	}
	for _, r := range c.Rules {
		fmt.Fprintf(&b, "rule %s", r.MatchRE)
		if r.Accept != nil {
			fmt.Fprintf(&b, " accept=%q", r.Accept)
		}
		if r.Level != nil {
			fmt.Fprintf(&b, " level=%q", r.Level)
		}
		if r.Header != nil {
			fmt.Fprintf(&b, " header=%v", r.Header)
		}
		if r.Verdict+r.Rate != "" {
			fmt.Fprintf(&b, " verdict=%q rate=%q", r.Verdict, r.Rate)
		}
		b.WriteByte('\n')
	}
	for _, r := range c.Content {
		fmt.Fprintf(&b, "content %s not=%q in=%s level=%s\n", r.Name, r.Not, r.In, r.Level)
	}
	if c.LoginPassword != "" {
		fmt.Fprintf(&b, "password %s\n", c.LoginPassword)
	}
	if c.Site != (Site{}) {
		fmt.Fprintf(&b, "site %s built by %s\n", c.Site.Dir, c.Site.Command)
	}
	for _, l := range c.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", l.Option, l.Reason)
	}
	return b.String()
}

// files are in testdata.
var files = []string{"lychee.toml", "lycheeignore", "linkcheckerrc", "htmltest.yml", "html-proofer.yml", "Rakefile", "linkinator.config.json", "markdown-link-check.json",
	"Makefile", "workflow.yml", "package.json", "conf.py", "mkdocs.yml", "hugo.toml", "docusaurus.config.js", "_config.yml"}

func TestFilesOfOtherPrograms(t *testing.T) {
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			c, err := Read(name, text)
			if err != nil {
				t.Fatal(err)
			}
			got, golden := formatConfig(c), filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"lychee.toml", "a = \n", "read lychee.toml as configuration of lychee: line 1"},
		{".htmltest.yml", "a: [", "read .htmltest.yml as configuration of htmltest"},
		{"linkcheckerrc", "[checking\n", "read linkcheckerrc as configuration of LinkChecker"},
		{"settings.txt", "{}", "unknown file name"},
		{"linkinator.config.json", "{", "read linkinator.config.json as configuration of linkinator"},
		{"package.json", "[", "read package.json as configuration of a link checker: as JSON"},
		{"ci.yml", "a: [", "read ci.yml as configuration of a link checker"},
		{"lychee.toml", strings.Repeat("#", MaxSize+1), "larger than 1048576 bytes"},
	} {
		if _, err := Read(c.name, []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || strings.HasSuffix(err.Error(), "\n") {
			t.Errorf("Read(%s): %v, want %q", c.name, err, c.want)
		}
	}
}

// A program of JavaScript may be in one line. Where lines begin with options, these come first.
func TestReadsOneLine(t *testing.T) {
	const want = "map[base-url:[https://d.test/x/] level:[internal:fragment-missing=off] sources:[docs]]"
	for _, script := range []string{`module.exports = {url:"https://d.test",baseUrl: "/x/", 'onBrokenAnchors':"ignore"}`,
		"a = {url: 'https://no.test'}\nexport default {\n  url: 'https://d.test',\n  baseUrl: '/x/',\n  onBrokenAnchors: 'ignore' }"} {
		c, err := Read("docusaurus.config.js", []byte(script))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, s := range c.Settings {
			got[s.Key] = s.Values
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", script, got, want)
		}
	}
}

func TestGroup(t *testing.T) {
	all := []Skipped{{"f", "a", "why"}, {"f", "b", "why"}, {"f", "x", "other"}, {"g", "c", "why"}, {"f", "a", "why"}, {"f", "d", "why"}}
	for most, want := range map[int]string{0: "f: a, b, d: why|f: x: other|g: c: why|", 1: "f: a and 2 more: why|f: x: other|g: c: why|", 2: "f: a, b, d: why|f: x: other|g: c: why|"} {
		got := ""
		for _, g := range Group(all, most) {
			got += g.File + ": " + g.Option + ": " + g.Reason + "|"
		}
		if got != want {
			t.Errorf("at most %d names: got %s, want %s", most, got, want)
		}
	}
}

// TestLiterals reads values as programs of Ruby, Python and JavaScript write them.
func TestLiterals(t *testing.T) {
	for text, want := range map[string]any{
		`'a\'b'`:                   "a'b",
		`r'\d\'`:                   `computed`,
		`r"\d+" # x`:               `\d+`,
		`"a" "b"`:                  "a",
		"(\n'a'\n'b')":             "ab",
		`"#{x}"`:                   "computed",
		"`a${b}`":                  "computed",
		`"a" + b`:                  "computed",
		`f("a")`:                   "computed",
		`[1, -2.5, true, None,]`:   "[1 -2.5 true ]",
		`("a",)`:                   "[a]",
		`{:a => :b, c: [/x\/y/i]}`: "map[a:b c:[(?i)x/y]]",
		`{'a-b': "c", ...d, e: 1}`: "map[a-b:c e:1]",
		`%w[a b]`:                  "[a b]",
		`%r{a{2}/b}`:               "a{2}/b",
		`"""a
b"""`: "a\nb",
		"[" + strings.Repeat("[", 1000): "[computed]",
		`[`:                             "computed",
	} {
		got := fmt.Sprint((&literals{rest: text}).value())
		got = strings.ReplaceAll(got, fmt.Sprint(computed{}), "computed")
		if strings.HasPrefix(text, "[[") {
			got = strings.NewReplacer("[", "", "]", "").Replace(got)
			want = "computed"
		}
		if text == `"a" "b"` {
			want = "ab"
		}
		if got != want {
			t.Errorf("%.40s is %v, want %v", text, got, want)
		}
	}
	if _, err := assignments(strings.Repeat("a = [\n", 8000), false); err == nil {
		t.Error("assignments read lists within lists without a limit")
	}
}

func TestStatusRanges(t *testing.T) {
	for in, want := range map[string]string{
		"200": "", "404": "404", "200..=299": "", "100..=399": "300-399", "..500": "300-499", "500..": "500-999", "400..400": "",
	} {
		if got, err := lycheeRange(in); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "x", "1..x", "99", "4040"} {
		if got, err := lycheeRange(in); err == nil {
			t.Errorf("%s: %q, want an error", in, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name, text)
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		c, err := Read(name, text)
		if (c == nil) == (err == nil) {
			t.Fatalf("Read gave %v and %v", c, err)
		}
		if err != nil {
			return
		}
		for _, s := range c.Settings {
			if s.Key == "" || len(s.Values) == 0 {
				t.Errorf("setting %+v has no key or no value", s)
			}
		}
	})
}
