package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// compile accepts the defaults in the table, and they are the values that the help shows.
func TestDefaultsCompile(t *testing.T) {
	s := addFlags(&cobra.Command{Use: "orbweaver"}, option.Check)
	o, err := compile(s, option.Check)
	if err != nil {
		t.Fatal(err)
	}
	k := o.crawl
	if k.Politeness.Concurrency != 64 || k.Politeness.PerHost != 8 || k.Politeness.Retries != 2 || k.Limits.MaxRedirects != 10 || k.Limits.MaxBody != 10<<20 || k.Scope.Depth != 0 {
		t.Errorf("defaults: %+v", k)
	}
	if k.Politeness.PerHostGiven || k.Politeness.SecondPassGiven || k.Scope.RobotsGiven {
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
		s := addFlags(cmd, option.Check)
		if err := cmd.ParseFlags([]string{c.args}); err != nil {
			t.Fatal(err)
		}
		_, err := compile(s, option.Check)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nerror %v, want %q", c.args, err, c.want)
		}
	}
}

// The error for several mistakes lists all of them.
func TestCompileTellsEveryFault(t *testing.T) {
	cmd := &cobra.Command{Use: "orbweaver"}
	s := addFlags(cmd, option.Check)
	if err := cmd.ParseFlags([]string{"--depth=x", "--scope=y", "--rate=z"}); err != nil {
		t.Fatal(err)
	}
	_, err := compile(s, option.Check)
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
