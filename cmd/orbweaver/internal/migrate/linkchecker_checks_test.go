package migrate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func readRC(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Read("linkcheckerrc", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWarningRegex(t *testing.T) {
	for _, section := range []string{"RegexCheck", "checking"} {
		for _, c := range []struct{ pattern, want string }{
			{`(This page has moved|Oracle Application error)`, `(This page has moved|Oracle Application error)`},
			{`end\Z`, `end\z`},
			{`\\Z [\Z]`, `\\Z [\Z]`},
			{`a{,3}\{,3} [{,3}]`, `a{0,3}\{,3} [{,3}]`},
			{`[\u0041-\u005A] \u00e9 \\u00e9`, `[\x{0041}-\x{005A}] \x{00e9} \\u00e9`},
		} {
			got := readRC(t, "["+section+"]\nwarningregex="+c.pattern)
			if strings.Contains(c.pattern, `[\Z]`) { // Python does not accept it either
				if len(got.Content) != 0 || len(got.Skipped) != 1 {
					t.Errorf("%s: %+v", c.pattern, got)
				}
				continue
			}
			want := ContentRule{"warningregex", []string{"re:" + c.want}, "source", "warning"}
			if len(got.Content) != 1 || got.Content[0].Name != want.Name || !slices.Equal(got.Content[0].Not, want.Not) || got.Content[0].In != want.In || got.Content[0].Level != want.Level {
				t.Errorf("%s: %+v, want %+v; %v", c.pattern, got.Content, want, got.Skipped)
			}
		}
		for pattern, why := range map[string]string{
			`a(?=b)`: "look-around is not supported", `(?<!a)b`: "look-around is not supported", `(a)\1`: `invalid escape sequence: `, `(?P<q>a)(?P=q)`: "not valid in RE2",
		} {
			got := readRC(t, "["+section+"]\nwarningregex="+pattern)
			if len(got.Content) != 0 || len(got.Skipped) != 1 || got.Skipped[0].Option != section+".warningregex" || !strings.Contains(got.Skipped[0].Reason, why) {
				t.Errorf("%s: %+v, %+v, want %s", pattern, got.Content, got.Skipped, why)
			}
		}
	}
	if got := readRC(t, "[RegexCheck]\nwarningregex=\n"); len(got.Content)+len(got.Skipped) != 0 {
		t.Errorf("without a pattern: %+v", got)
	}
}

func TestContentChecks(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "clamd.conf")
	if err := os.WriteFile(conf, []byte("# clamd\nLocalSocket /run/clamd.sock\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text    string
		want    []string
		skipped string
	}{
		{"[HtmlSyntaxCheck]\n", []string{"check=html"}, ""},
		{"[CssSyntaxCheck]\n[HtmlSyntaxCheck]\n", []string{"check=css,html"}, ""},
		{"[VirusCheck]\n", []string{"check=virus"}, ""},
		{"[VirusCheck]\nclamavconf=" + conf, []string{"check=virus", "clamd=unix:/run/clamd.sock"}, ""},
		{"[VirusCheck]\nclamavconf=/nowhere/clamd.conf", []string{"check=virus"}, "set clamd to unix:PATH or tcp:HOST:PORT"},
		{"[VirusCheck]\nclamavconf=" + filepath.Dir(conf), []string{"check=virus"}, "it is not a file"},
		{"[VirusCheck]\nother=1", []string{"check=virus"}, "unknown option"},
	} {
		c.want = append(c.want, "external=skip")
		got := readRC(t, c.text)
		var settings []string
		for _, s := range got.Settings {
			settings = append(settings, s.Key+"="+strings.Join(s.Values, "|"))
		}
		if !slices.Equal(settings, c.want) {
			t.Errorf("%s: %q, want %q", c.text, settings, c.want)
		}
		if c.skipped == "" && len(got.Skipped) > 0 || c.skipped != "" && (len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, c.skipped)) {
			t.Errorf("%s: %+v, want %s", c.text, got.Skipped, c.skipped)
		}
	}
}

func TestClamdAddress(t *testing.T) {
	for conf, want := range map[string]string{
		"LocalSocket /run/clamav/clamd.ctl\nTCPSocket 3310": "unix:/run/clamav/clamd.ctl",
		"#LocalSocket /a\nTCPSocket 3310":                   "tcp:localhost:3310",
		"TCPAddr ::1\nTCPSocket 3310\n":                     "tcp:[::1]:3310",
		"LocalSocket \"/a b\"":                              "unix:/a b",
		"LocalSocketGroup clamav\nTCPAddr 127.0.0.1":        "",
	} {
		got, found := clamdAddress(conf)
		if found != (want != "") || found && got != want {
			t.Errorf("%q: %q, want %q", conf, got, want)
		}
	}
}

func FuzzRE2(f *testing.F) {
	f.Add(`[\u0041]\Z{,3}`)
	f.Fuzz(func(t *testing.T, pattern string) {
		if re2(re2(pattern)) != re2(pattern) {
			t.Errorf("%q: %q, then %q", pattern, re2(pattern), re2(re2(pattern)))
		}
		if _, err := regexp.Compile(pattern); err == nil && !strings.Contains(pattern, "{,") && !strings.Contains(pattern, `\Q`) && re2(pattern) != pattern {
			t.Errorf("%q is valid and becomes %q", pattern, re2(pattern))
		}
	})
}
