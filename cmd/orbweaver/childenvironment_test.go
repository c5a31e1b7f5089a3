package main

import (
	"strings"
	"testing"
)

func TestChildEnvironment(t *testing.T) {
	got := childEnvironment([]string{"PATH=/bin", "ORBWEAVER_LOGIN_PASSWORD=x", "TOKEN=secret", "TOKENS=1", "ORBWEAVER=1", "EMPTY="}, []string{"TOKEN", "OTHER"})
	if want := "PATH=/bin TOKENS=1 ORBWEAVER=1 EMPTY="; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := childEnvironment([]string{"TOKEN=secret"}, []string{"TOKEN"}); got == nil || len(got) != 0 {
		t.Errorf("got %#v, want an empty environment that is not nil", got)
	}
}
