package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	module := func(version string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: "github.com/orbweaver/orbweaver", Version: version}}
	}
	for _, test := range []struct {
		build   string
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"a release", "1.2.3", module("v1.2.3+dirty"), "1.2.3"},
		{"go install of a tag", "", module("v1.2.3"), "1.2.3"},
		{"go build of a commit", "", module("v1.2.4-0.20260102030405-0123456789ab"), "1.2.4-0.20260102030405-0123456789ab"},
		{"go run", "", module("(devel)"), "devel"},
		{"a test", "", module(""), "devel"},
		{"without modules", "", nil, "devel"},
	} {
		if got := versionOf(test.release, test.info); got != test.want {
			t.Errorf("%s: version %q, want %q", test.build, got, test.want)
		}
	}
}

// The image gets its version as a release does.
func TestImageHasVersion(t *testing.T) {
	text, err := os.ReadFile("../../.docker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	build := readReleaser(t).Builds[0]
	want := `-ldflags="` + strings.ReplaceAll(strings.Join(build.Ldflags, " "), "{{ .Version }}", "$VERSION") + `"`
	if !strings.Contains(string(text), want) {
		t.Errorf("the Dockerfile lacks %s", want)
	}
}
