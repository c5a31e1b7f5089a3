//go:build !race

package main

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestStartUp builds the program as for a release, runs its version command, and counts what
// its package variables allocate. BenchmarkStartUp measures the time.
func TestStartUp(t *testing.T) {
	program := releaseBuild(t)
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > largestBinary {
		t.Errorf("the binary has %d bytes, want %d at most", info.Size(), largestBinary)
	}
	if out, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(out), "orbweaver 1.2.3 (") {
		t.Errorf("the version is %q, %v", out, err)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	bytes, objects := 0, 0
	before, after, released := strings.Cut(string(out), "/cmd/orbweaver/internal/startup ")
	if n, rest := strings.Count(before, "\n"), strings.Count(after, "\n"); runtime.GOOS == "linux" && (!released || n < 2*rest || n > 8*rest) {
		t.Errorf("memory is given back when %d packages have been initialized and %d have not, want most, but not nearly all", n, rest)
	}
	for _, m := range regexp.MustCompile(`(?m)^init .* (\d+) bytes, (\d+) allocs$`).FindAllSubmatch(out, -1) {
		b, _ := strconv.Atoi(string(m[1]))
		n, _ := strconv.Atoi(string(m[2]))
		bytes, objects = bytes+b, objects+n
	}
	t.Logf("%d bytes; package variables: %d bytes in %d objects", info.Size(), bytes, objects)
	if bytes == 0 || bytes > mostInitBytes || objects > mostInitObjects {
		t.Errorf("package variables take %d bytes in %d objects, want %d and %d at most", bytes, objects, mostInitBytes, mostInitObjects)
	}
}
