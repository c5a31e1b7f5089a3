package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestEqualBefore compares the program with an earlier one, for changes that must not change a
// report:
//
//	go build -o /tmp/before ./cmd/orbweaver   # before the change
//	ORBWEAVER_BEFORE=/tmp/before ORBWEAVER_TREES=/usr/share/doc/a/html:/usr/share/doc/b/html \
//		go test ./cmd/orbweaver -run EqualBefore -v -timeout 1h
//
// Both programs check each tree as a directory and over HTTP, without requests to other hosts.
// The JSON reports are equal but for times and the version, and so are exit statuses.
func TestEqualBefore(t *testing.T) {
	before, trees := os.Getenv("ORBWEAVER_BEFORE"), filepath.SplitList(os.Getenv("ORBWEAVER_TREES"))
	if before == "" || len(trees) == 0 {
		t.Skip("a tool for changes of the engine: set ORBWEAVER_BEFORE to an earlier program and ORBWEAVER_TREES to directories")
	}
	now := filepath.Join(t.TempDir(), "orbweaver.exe")
	if out, err := exec.Command("go", "build", "-o", now, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	for _, tree := range trees {
		t.Run(filepath.ToSlash(tree), func(t *testing.T) {
			if info, err := os.Stat(tree); err != nil || !info.IsDir() {
				t.Fatalf("%s is not a directory: %v", tree, err)
			}
			site := httptest.NewServer(http.FileServer(http.Dir(tree)))
			defer site.Close()
			for _, target := range []string{tree + string(filepath.Separator), site.URL + "/"} {
				want, wantCode, wantTime := checkedBy(t, before, target)
				got, gotCode, gotTime := checkedBy(t, now, target)
				t.Logf("%s: %v before, %v now, report of %d bytes", target, wantTime.Round(time.Millisecond), gotTime.Round(time.Millisecond), len(got))
				if gotCode != wantCode {
					t.Errorf("%s: exit status %d, before %d", target, gotCode, wantCode)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %s", target, firstDifference(got, want))
				}
			}
		})
	}
}

// changing matches what differs between any two runs: times, and the version of the program.
var changing = regexp.MustCompile(`"started": "[^"]*"|"elapsed_ms": \d+|"version": "[^"]*"`)

// checkedBy lets a program check a target. It returns the report without what is changing, the
// exit status and the time that it took.
func checkedBy(t *testing.T, program, target string) (report []byte, code int, took time.Duration) {
	t.Helper()
	cmd := exec.Command(program, "check", target, "--no-config", "--external", "skip", "--show", "all", "-q", "-f", "json")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	took = time.Since(began)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", program, err)
	}
	if stdout.Len() == 0 {
		t.Fatalf("%s %s: no report\n%s", program, target, stderr.Bytes())
	}
	return changing.ReplaceAll(stdout.Bytes(), nil), cmd.ProcessState.ExitCode(), took
}

// firstDifference shows the first line in which two reports differ, and the lines before it.
func firstDifference(got, want []byte) string {
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	at := 0
	for at < min(len(g), len(w)) && g[at] == w[at] {
		at++
	}
	line := func(lines []string) string { return strings.Join(lines[min(at, len(lines)):min(at+1, len(lines))], "") }
	return "the reports differ after\n" + strings.Join(w[max(at-12, 0):at], "") + "now\n" + line(g) + "before\n" + line(w)
}
