package lsptest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealEditors tests sessions of editors with their own clients: findings, a fix, and a rename in all
// documents.
func TestRealEditors(t *testing.T) {
	eglot := "." // Emacs 29 has it
	if found, _ := filepath.Glob("/usr/share/emacs/site-lisp/elpa-src/eglot-*"); len(found) > 0 {
		eglot = found[0]
	}
	for _, row := range []struct {
		program string
		args    []string
		want    []string // in this order
	}{
		{"nvim", []string{"--headless", "--clean", "-S", "neovim.lua"},
			[]string{"findings: 3:23 file-case, 3:5 fragment-missing", "action: fix all", "text: [a](b.md#section) [b](guide.md)", "findings: \n"}},
		{"emacs", []string{"-Q", "--batch", "-L", eglot, "-l", "emacs.el"},
			[]string{"finding: 3 orbweaver [file-case]", "finding: 3 orbweaver [fragment-missing]", "action: fix all"}},
	} {
		path, err := exec.LookPath(row.program)
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is missing", row.program)
			}
			continue
		}
		dir := t.TempDir()
		for name, text := range map[string]string{"a.md": "# First\n\n[a](b.md#sectoin) [b](guide.MD)\n", "b.md": "# Section\n\ntext\n", "guide.md": "# Guide\n\n[s](b.md#section)\n"} {
			write(t, dir, name, text)
		}
		script, err := filepath.Abs(filepath.Join("testdata", row.args[len(row.args)-1]))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, append(row.args[:len(row.args)-1:len(row.args)-1], script)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ORBWEAVER="+program, "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", row.program, err, out.String(), errs.String())
			continue
		}
		rest := out.String()
		for _, want := range append(row.want, "a.md: # First |", "[a](b.md#new-part) [b](guide.md)", "b.md: # New part |", "guide.md: # Guide |", "[s](b.md#new-part)\n") {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: %q is missing:\n%s", row.program, want, out.String())
				break
			}
			rest = after
		}
	}
}
