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
	for _, l := range c.Skipped {
		fmt.Fprintf(&b, "skipped %s: %s\n", l.Option, l.Reason)
	}
	return b.String()
}

func TestFilesOfOtherPrograms(t *testing.T) {
	for _, name := range []string{"lychee.toml", "lycheeignore", "linkcheckerrc", "htmltest.yml", "linkinator.config.json", "Makefile", "workflow.yml", "package.json"} {
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
	for _, name := range []string{"lychee.toml", "lycheeignore", "linkcheckerrc", "htmltest.yml", "linkinator.config.json", "Makefile", "workflow.yml", "package.json"} {
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
