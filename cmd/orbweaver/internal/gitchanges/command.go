package gitchanges

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Limits on git.
const (
	timeout   = 2 * time.Minute // of all its calls
	maxOutput = 256 << 20       // bytes of each
)

type call struct {
	program     string
	dir         string
	stdin       io.Reader
	before      []string // arguments before the command
	args        []string
	environment []string // besides the fixed variables
	// userSettings lets git read the settings of the user and the system.
	userSettings bool
}

// fixed are the variables that git gets instead of the user's: nothing is fetched, asked,
// written or started.
var fixed = []string{
	"GIT_ALLOC_LIMIT=256m", // of one allocation
	"GIT_ALLOW_PROTOCOL=",  // none
	"GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_LITERAL_PATHSPECS=1",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
}

func (c call) variables() []string {
	var kept []string
	for _, v := range os.Environ() {
		switch {
		case strings.HasPrefix(v, "ORBWEAVER_"): // one of which may be a password
		case !strings.HasPrefix(v, "GIT_"), c.userSettings && strings.HasPrefix(v, "GIT_CONFIG_"):
			kept = append(kept, v)
		}
	}
	for _, v := range fixed {
		if !c.userSettings || !strings.HasPrefix(v, "GIT_CONFIG_") {
			kept = append(kept, v)
		}
	}
	return append(kept, c.environment...)
}

func (c call) run(ctx context.Context) (string, error) {
	args := append([]string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull}, c.before...)
	cmd := exec.CommandContext(ctx, c.program, append(args, c.args...)...)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, c.variables(), c.stdin
	stdout, stderr := output{limit: maxOutput}, output{limit: 1 << 16}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if said == "" || ctx.Err() != nil || stdout.full {
			said = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", c.args[0], strings.TrimPrefix(said, "fatal: "))
	}
	return stdout.String(), nil
}

// output keeps what git prints. Beyond its limit, git is stopped.
type output struct {
	bytes.Buffer
	limit int
	full  bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.Len()+len(p) > o.limit {
		o.full = true
		return 0, fmt.Errorf("it printed more than %d bytes", o.limit)
	}
	return o.Buffer.Write(p)
}

// findGit finds git in PATH, but not in the tree: entries of PATH that are relative, or in
// the tree, do not count. Windows looks in the working directory first by default.
func findGit(tree string) (string, error) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		program, err := exec.LookPath(filepath.Join(dir, "git"))
		if err != nil {
			continue
		}
		for _, path := range []string{dir, program} { // either may be a symbolic link
			real, err := filepath.EvalSymlinks(path)
			if err != nil || within(tree, real) || within(tree, path) {
				program = ""
			}
		}
		if program != "" {
			return program, nil
		}
	}
	return "", errors.New("git is not installed, or only in the tree itself")
}

// within reports whether a path is in a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
