package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var allCommands = []commands{onCheck, onExplain, onExtract, onReport, onCompare, onFix, onHistory}

func TestFlagRows(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, on := range allCommands {
		seen := map[string]bool{}
		for _, f := range flagsOn(on) {
			switch {
			case !name.MatchString(f.name):
				t.Errorf("--%s: no flag name", f.name)
			case seen[f.name], f.short != "" && seen[f.short]:
				t.Errorf("--%s: the name or its shorthand is used twice", f.name)
			case f.doc == "" || strings.HasSuffix(f.doc, ".") || strings.ToUpper(f.doc[:1]) == f.doc[:1] && !regexp.MustCompile("^(HTTP|PEM|User-Agent)").MatchString(f.doc):
				t.Errorf("--%s: the doc %q does not start in lower case or ends with a full stop", f.name, f.doc)
			case !slices.Contains(groups, f.group):
				t.Errorf("--%s: its group %q is not in the help", f.name, f.group)
			case f.isSwitch() != (f.arg == ""):
				t.Errorf("--%s: a switch has no value, and everything else names one", f.name)
			case f.initial != "" && len(f.words) > 0 && !slices.Contains(f.words, f.initial):
				t.Errorf("--%s: the default %q is not among its words", f.name, f.initial)
			}
			if field, ok := f.field(&settings{}).(*[]string); (ok && field != nil) != (f.many != once) {
				t.Errorf("--%s: a list says how it is repeated, and nothing else does", f.name)
			}
			seen[f.name], seen[f.short] = true, true
		}
	}
}

// A flag's shorthand means the same on every command.
func TestShorthandsAgree(t *testing.T) {
	long := map[string]string{}
	for _, f := range flags() {
		if other := long[f.short]; f.short != "" && other != "" && other != f.name {
			t.Errorf("-%s is --%s and --%s", f.short, other, f.name)
		}
		long[f.short] = f.name
	}
}

// compile accepts the defaults in the table, and they are the values that the help shows.
func TestDefaultsCompile(t *testing.T) {
	s := addFlags(&cobra.Command{Use: "orbweaver"}, onCheck)
	o, err := compile(s, onCheck)
	if err != nil {
		t.Fatal(err)
	}
	k := o.crawl
	if k.Concurrency != 64 || k.PerHost != 8 || k.Retries != 2 || k.MaxRedirects != 10 || k.MaxBody != 10<<20 || k.Depth != 0 {
		t.Errorf("defaults: %+v", k)
	}
	if k.PerHostGiven || k.SecondPassGiven || k.RobotsGiven {
		t.Error("a default counts as given")
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--scope=pth", `--scope: "pth" is not allowed: did you mean path? use path, host, domain or page`},
		{"--depth=x", `--depth: "x" is not allowed: use a whole number, 0 or more`},
		{"--depth=-1", `--depth: "-1" is not allowed: use a whole number, 0 or more`},
		{"--concurrency=0", `--concurrency: "0" is not allowed: use a whole number, 1 or more`},
		{"--max-body=ten", `--max-body: "ten" is not allowed: use a size`},
		{"--timeout=soon", `--timeout: "soon" is not allowed: use a duration`},
		{"--timeout=0", `--timeout: "0" is not allowed`},
		{"--rate=fast", `--rate: "fast" is not allowed: use requests per second`},
		{"--exclude=a(b", `--exclude: "a(b" is not allowed: use a regular expression: missing closing )`},
		{"--accept=4xx", `--accept: "4xx" is not allowed: use HTTP statuses`},
		{"--header=nonsense", `--header: use 'Name: value'`},
		{"--format=jsn", `--format: "jsn" is not allowed: did you mean json?`},
		{"--output=x.doc", `--output: `},
		{"--show=brokn", `--show: `},
		{"--fail-on=brokn", `--fail-on: `},
		{"--base-url=docs", `--base-url: "docs" is not allowed: use an http or https URL`},
		{"--select=a[", `--select: "a[" is not allowed`},
		{"--proxy=ftp://x", `--proxy: `},
		{"--ca-file=/no/such/file", `--ca-file: `},
		{"--connect-to=a:b", `--connect-to: `},
		{"--depth=", `--depth: "" is not allowed: it is empty`},
	} {
		cmd := &cobra.Command{Use: "orbweaver"}
		s := addFlags(cmd, onCheck)
		if err := cmd.ParseFlags([]string{c.args}); err != nil {
			t.Fatal(err)
		}
		_, err := compile(s, onCheck)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nerror %v, want %q", c.args, err, c.want)
		}
	}
}

// The error for several mistakes lists all of them.
func TestCompileTellsEveryFault(t *testing.T) {
	cmd := &cobra.Command{Use: "orbweaver"}
	s := addFlags(cmd, onCheck)
	if err := cmd.ParseFlags([]string{"--depth=x", "--scope=y", "--rate=z"}); err != nil {
		t.Fatal(err)
	}
	_, err := compile(s, onCheck)
	for _, name := range []string{"--depth", "--scope", "--rate"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"timeout", "exclude", "external", "include", "depth", "html", "xml"}
	for word, want := range map[string]string{"tiemout": "timeout", "exlude": "exclude", "ext": "external", "dpeth": "depth", "xyzzy": "", "yaml": "", "mepth": "depth"} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
