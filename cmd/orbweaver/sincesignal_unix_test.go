//go:build unix && !race

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/report"
)

// A run that is interrupted while git compares the files leaves neither git nor its temporary repository.
func TestInterruptedSince(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	h := newHostile(t, git)
	h.shell(t, h.tree, calm)
	began, temporary := filepath.Join(h.dir, "began"), filepath.Join(h.dir, "temporary")
	slow := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *diff-index*) echo $$ >'%s'; exec sleep 600;; esac\nexec '%s' \"$@\"\n", began, git)
	if err := os.WriteFile(filepath.Join(h.wrapper, "git"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	h.shell(t, h.dir, "mkdir temporary; mkfifo began")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Args = []string{"orbweaver", "docs", "--since", "HEAD"}
	cmd.Dir, cmd.Env = h.tree, append(h.environment, "TMPDIR="+temporary, "PATH="+h.wrapper+":"+os.Getenv("PATH"))
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(began) // waits until git has begun
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitUnsound {
		t.Errorf("exit status %d, want %d: %s", code, report.ExitUnsound, said.String())
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("git is still there: %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
