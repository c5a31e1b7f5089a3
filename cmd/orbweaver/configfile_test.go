package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// parsed returns the settings of a check command line with a configuration file.
func parsed(t *testing.T, text string, args ...string) (*settings, error) {
	t.Helper()
	cmd := &cobra.Command{Use: "orbweaver"}
	s := addFlags(cmd, option.Check)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"TOKEN": "s3cret", "EMPTY": ""}[name]
		return v, ok
	}
	return s, applyConfig(s, &configFile{name: "orbweaver.toml", env: env}, text)
}

func TestConfigFillsSettings(t *testing.T) {
	s, err := parsed(t, `
timeout = "5s"
depth = 3
insecure = true
exclude = ["^https://a/", "b"]
accept = [403, "500-599"]
show = "all"
header = {X-Token = "${TOKEN}"}
user = "me:$${x}${EMPTY}"
`)
	if err != nil {
		t.Fatal(err)
	}
	if s.Text("timeout") != "5s" || s.Text("depth") != "3" || !s.On("insecure") || s.Text("user") != "me:${x}" {
		t.Errorf("timeout %q, depth %q, insecure %v, user %q", s.Text("timeout"), s.Text("depth"), s.On("insecure"), s.Text("user"))
	}
	for name, pair := range map[string][2][]string{
		"exclude": {s.List("exclude"), {"^https://a/", "b"}},
		"accept":  {s.List("accept"), {"403", "500-599"}},
		"show":    {s.List("show"), {"all"}},
		"header":  {s.List("header"), {"X-Token: s3cret"}},
	} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s = %q, want %q", name, pair[0], pair[1])
		}
	}
}

func TestCommandLineWins(t *testing.T) {
	const file = `
timeout = "5s"
insecure = true
netrc = true
exclude = ["a"]
ignore-fragment = ["x"]
show = "all"
`
	s, err := parsed(t, file, "--timeout", "7s", "--no-insecure", "--netrc=false", "--exclude", "b", "--ignore-fragment=", "--ignore-fragment", "y", "--show", "broken", "--show", "ok")
	if err != nil {
		t.Fatal(err)
	}
	if s.Text("timeout") != "7s" || s.On("insecure") || s.On("netrc") {
		t.Errorf("timeout %q, insecure %v, netrc %v", s.Text("timeout"), s.On("insecure"), s.On("netrc"))
	}
	if want := []string{"a", "b"}; !slices.Equal(s.List("exclude"), want) {
		t.Errorf("exclude = %q, want %q: lists add up", s.List("exclude"), want)
	}
	if want := []string{"", "y"}; !slices.Equal(s.List("ignore-fragment"), want) {
		t.Errorf("ignore-fragment = %q, want %q: an empty value drops the file's", s.List("ignore-fragment"), want)
	}
	if want := []string{"broken", "ok"}; !slices.Equal(s.List("show"), want) {
		t.Errorf("show = %q, want %q", s.List("show"), want)
	}
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		`timeuot = "5s"`:        `orbweaver.toml: unknown key timeuot: did you mean timeout?`,
		`config = "x"`:          `orbweaver.toml: unknown key config`,
		`xyzzyxyzzy = 1`:        `use the long name of a flag, or a [[rule]]`,
		`timeout = ["5s"]`:      `timeout in orbweaver.toml: use one value: a string or a number`,
		`timeout = true`:        `timeout in orbweaver.toml: use one value`,
		`insecure = "yes"`:      `insecure in orbweaver.toml: use true or false`,
		`exclude = [true]`:      `exclude in orbweaver.toml: use a string, or an array of strings`,
		`header = ["A: ${NO}"]`: `header in orbweaver.toml: the environment variable NO is not set`,
		`user = "${NO"`:         `user in orbweaver.toml: ${NO has no closing brace`,
		"a = 1\na = 2":          `orbweaver.toml:2:`,
		`rule = 3`:              `write each rule as a [[rule]] block`,
	} {
		_, err := parsed(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want %q", text, err, want)
		}
	}
}

// Every key of a configuration file is a flag, accepts the same text as the flag, and its
// errors name the file.
func TestEveryFlagIsAKey(t *testing.T) {
	for name, row := range configRows() {
		text := name + ` = "x"`
		if row.IsSwitch() {
			text = name + " = true"
		}
		s, err := parsed(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want := name + " in orbweaver.toml"; s.Named(name) != want {
			t.Errorf("%s is named %q, want %q", name, s.Named(name), want)
		}
	}
}
