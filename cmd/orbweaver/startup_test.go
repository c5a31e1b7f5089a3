package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
)

// Limits of what the program needs before it checks anything.
const (
	largestBinary   = 40 << 20 // bytes, stripped
	mostInitBytes   = 3 << 20  // used by package variables
	mostInitObjects = 15_000
)

// program returns the program that ORBWEAVER_BIN names, or one that is built for this package.
func program(t *testing.T) string {
	t.Helper()
	if given != "" {
		return given
	}
	return releaseBuild(t)
}

// given is the program that ORBWEAVER_BIN names, "" if there is none.
var given = programtest.Given()

// releaseBuild builds the program as for the release 1.2.3.
func releaseBuild(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "orbweaver-release-"); shared.err != nil {
			return
		}
		build := readReleaser(t).Builds[0]
		ldflags := strings.ReplaceAll(strings.Join(build.Ldflags, " "), "{{ .Version }}", "1.2.3")
		args := slices.Concat([]string{"build", "-ldflags", ldflags, "-o", filepath.Join(shared.dir, "orbweaver")}, build.Flags, []string{"../../" + build.Main})
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			shared.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return filepath.Join(shared.dir, "orbweaver")
}

// shared is the program that releaseBuild builds once for all tests.
var shared struct {
	once sync.Once
	dir  string
	err  error
}

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

// BenchmarkStartUp starts the program as for a release. Beyond the elapsed time it reports the
// least CPU time of a start.
func BenchmarkStartUp(b *testing.B) {
	program := releaseBuild(b)
	least := time.Hour
	for b.Loop() {
		cmd := exec.Command(program, "version")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	b.ReportMetric(float64(least.Microseconds())/1000, "cpu-ms")
}
