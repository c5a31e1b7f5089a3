//go:build !race

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/report"
)

// TestHostileRepositories checks that nothing in a tree is executed. For each repository it
// first checks that git itself would do it.
func TestHostileRepositories(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("this needs git and a shell: %v", err)
		}
		t.Skip("this needs git and a shell")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range hostileRepositories {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t, git)
			h.shell(t, h.tree, calm+row.setup)
			if row.plain != "" {
				copied := h.copyTree(t)
				h.attempt(copied, row.path, row.plain)
				if !h.started() {
					t.Errorf("git does not start the program by %q", row.plain)
				}
				os.Remove(h.canary)
			} else if row.dead == "" {
				t.Error("the row does not show that it is dangerous")
			}
			index, _ := os.ReadFile(filepath.Join(h.tree, ".git/index"))
			ref := row.since
			if ref == "" {
				ref = "HEAD"
			}

			code, stdout, stderr := h.run(t, program, row.path, "docs", "--since", ref)
			events, _ := os.ReadFile(filepath.Join(h.log, "events"))
			switch {
			case row.fails != "":
				if code != exitUsage || !regexp.MustCompile(row.fails).MatchString(stderr) {
					t.Errorf("docs --since %s: exit status %d, want 2 with the error %q\n%s", ref, code, row.fails, stderr)
				}
			case code != report.ExitFindings || !strings.Contains(stdout, "new-fault.html") || strings.Contains(stdout, "old-fault.html"):
				t.Errorf("docs --since %s: exit status %d, want 1 with the new fault alone\n%s%s", ref, code, stdout, stderr)
			case !bytes.Contains(events, []byte(`"event":"start"`)):
				t.Error("no call of git was traced")
			}
			for line := range bytes.Lines(events) {
				if bytes.Contains(line, []byte(`"event":"child_start"`)) || bytes.Contains(line, []byte(`"event":"exec"`)) {
					t.Errorf("git started a program: %s", line)
				}
			}
			environment, _ := os.ReadFile(filepath.Join(h.log, "environment"))
			if bytes.Contains(environment, []byte("hunter2")) {
				t.Error("git got a password")
			}
			if after, _ := os.ReadFile(filepath.Join(h.tree, ".git/index")); !bytes.Equal(index, after) {
				t.Error("the index was written")
			}
			os.RemoveAll(h.log)

			for _, target := range []string{"docs", "."} {
				code, stdout, stderr := h.run(t, program, row.path, target)
				if code != report.ExitFindings || !strings.Contains(stdout, "new-fault.html") || !strings.Contains(stdout, "old-fault.html") {
					t.Errorf("%s: exit status %d, want 1 with both faults\n%s%s", target, code, stdout, stderr)
				}
			}
			if events, err := os.ReadFile(filepath.Join(h.log, "events")); err == nil {
				t.Errorf("git was started without --since: %s", events)
			}
			if h.started() {
				t.Error("the program was started")
			}
		})
	}
	if len(hostileRepositories) < 25 {
		t.Errorf("%d hostile repositories, want at least 25", len(hostileRepositories))
	}
}
