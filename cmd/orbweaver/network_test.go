package main

import (
	"path/filepath"
	"testing"
)

func TestNetrcFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // on Windows
	environment := map[string]string{}
	env := func(name string) string { return environment[name] }
	if got := netrcFile(env); filepath.Dir(got) != home {
		t.Errorf("without NETRC: %s, want a file in %s", got, home)
	}
	environment["NETRC"] = "given"
	if got := netrcFile(env); got != "given" {
		t.Errorf("with NETRC: %s, want given", got)
	}
}
