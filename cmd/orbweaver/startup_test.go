package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
)

// Limits of what the program needs before it checks anything.
const (
	largestBinary   = 40 << 20 // bytes, stripped
	mostInitBytes   = 3 << 19  // used by package variables
	mostInitObjects = 8_500
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

// TestCommandNames tests that each command has its help, although only the one that is called is
// built.
func TestCommandNames(t *testing.T) {
	for _, c := range commands() {
		for _, args := range [][]string{{c.name, "--help"}, {"help", c.name}} {
			t.Run(strings.Join(args, " "), func(t *testing.T) {
				root := newRoot(args...)
				var out strings.Builder
				root.SetOut(&out)
				root.SetArgs(args)
				if err := root.Execute(); err != nil {
					t.Fatal(err)
				}
				want := "usage: orbweaver " + c.name
				if args[0] == "help" && slices.Contains(topics(), c.name) {
					want = "# " // a guide
				}
				if !strings.Contains(out.String(), want) {
					t.Errorf("output without %q:\n%s", want, out.String())
				}
			})
		}
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
