//go:build !race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManuals: the manual page and the completion scripts that a release packs are the
// files that .ci/manuals writes.
func TestManuals(t *testing.T) {
	r := readReleaser(t)
	hook := strings.Fields(strings.ReplaceAll(r.Before.Hooks[len(r.Before.Hooks)-1], "{{ .Version }}", "1.2.3"))
	if len(hook) != 3 || hook[0] != ".ci/manuals" {
		t.Fatalf("the last hook of .goreleaser.yaml is %q", hook)
	}
	dir, written := hook[1], t.TempDir()
	if out, err := exec.Command("../../"+hook[0], written, hook[2]).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := exec.Command("gzip", "-dc", filepath.Join(written, "orbweaver.1.gz")).Output()
	if err != nil || !strings.Contains(string(page), `"orbweaver 1.2.3"`) {
		t.Errorf("the manual page does not name the version: %v", err)
	}
	packed := 0
	for _, c := range r.Nfpms[0].Contents {
		name, ok := strings.CutPrefix(c.Src, dir+"/")
		file := filepath.Join(written, name)
		if c.Src == "LICENSE" { // whoever gets the program gets its license
			file, ok = "../../LICENSE", c.Dst == "/usr/share/doc/orbweaver/copyright"
		}
		info, err := os.Stat(file)
		if !ok || err != nil || info.Size() == 0 {
			t.Errorf("%s is not written to %s: %v", c.Src, dir, err)
		}
		packed++
	}
	if packed != 5 {
		t.Errorf("%d files are packed, want the license, the manual page and three completion scripts", packed)
	}
	ignored, err := os.ReadFile("../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, "dist"} {
		if !strings.Contains(string(ignored), "\n/"+path+"/\n") {
			t.Errorf("git does not ignore %s: the version of a release would be marked as modified", path)
		}
	}
}
