package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A hostile repository has settings, attributes, hooks or files that make git start the
// program $EVIL. Its scripts run in the root of the work tree, which is $TREE.
type hostileRepository struct {
	name  string
	setup string // makes the repository hostile
	plain string // a use of git by which the program is started, in a copy of the tree
	dead  string // instead of plain: why git does not start the program
	path  string // what comes first in PATH
	since string // HEAD if empty
	fails string // what the error of --since says, if there must be one
}

// evil creates the file that shows that it was started, and fails.
const evil = "#!/bin/sh\n: >'%s'\nexit 1\n"

// calm is a repository with changes: a.html has a new broken link, b.html an old one.
const calm = `
git init -q -b main
mkdir docs
echo '<a href="b.html">b</a>' >docs/a.html
git add .
git commit -qm first
echo '<a href="old-fault.html">b</a>' >docs/b.html
git add .
git commit -qm second
echo '<a href="new-fault.html">a</a>' >docs/a.html
`

// traced stands before git in PATH. It logs what git starts, and the variables that it gets.
const traced = `#!/bin/sh
env >>'%[1]s/environment'
GIT_TRACE2_EVENT='%[1]s/events' exec '%[2]s' "$@"
`

// hostile is a place for a hostile repository.
type hostile struct {
	dir, tree, canary, log, wrapper string
	environment                     []string
}

func newHostile(t *testing.T, git string) *hostile {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{dir: dir, tree: filepath.Join(dir, "tree"), canary: filepath.Join(dir, "started"), log: filepath.Join(dir, "log"), wrapper: filepath.Join(dir, "bin")}
	for name, text := range map[string]string{
		"tree/evil":       fmt.Sprintf(evil, h.canary),
		"home/.gitconfig": "[user]\n\tname = Test\n\temail = test@example.com\n",
		"bin/git":         fmt.Sprintf(traced, h.log, git),
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, variablePrefix) {
			h.environment = append(h.environment, v)
		}
	}
	h.environment = append(h.environment, "HOME="+filepath.Join(dir, "home"), "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm",
		"TREE="+h.tree, "EVIL="+filepath.Join(h.tree, "evil"), "CANARY="+h.canary)
	return h
}

// started reports whether the program was started.
func (h *hostile) started() bool {
	_, err := os.Lstat(h.canary)
	return err == nil
}

// shell runs a script, which must succeed.
func (h *hostile) shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = dir, h.environment
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s%s", err, script, out)
	}
	os.Remove(h.canary)
}

// attempt runs a script, which may fail.
func (h *hostile) attempt(dir, path, script string) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(h.environment), "PATH="+h.path(path)+os.Getenv("PATH"))
	cmd.Run()
}

func (h *hostile) path(first string) string {
	if first == "" {
		return ""
	}
	return strings.ReplaceAll(first, "$TREE", h.tree) + ":"
}

// copyTree returns a copy of the tree, to which git may do what it likes.
func (h *hostile) copyTree(t *testing.T) string {
	t.Helper()
	copied := filepath.Join(h.dir, "copy")
	h.shell(t, h.dir, "cp -a tree copy")
	return copied
}

// run runs a check in the tree.
func (h *hostile) run(t *testing.T, program, path string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if err := os.MkdirAll(h.log, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Args = append([]string{"orbweaver", "check", "--progress=never", "--external=skip"}, args...)
	cmd.Dir = h.tree
	cmd.Env = append(slices.Clone(h.environment), "GORACE="+raceExit, variablePrefix+"LOGIN_PASSWORD=hunter2",
		"PATH="+h.path(path)+h.wrapper+":"+os.Getenv("PATH"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
