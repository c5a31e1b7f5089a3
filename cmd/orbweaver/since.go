package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gitTimeout limits each call of git.
const gitTimeout = 2 * time.Minute

// changes are the local files that were changed or removed since a commit, by absolute
// path.
type changes struct {
	paths            map[string]bool
	trees            map[string]bool // directories that were added or removed as a whole
	changed, removed int
}

func newChanges() *changes {
	return &changes{paths: map[string]bool{}, trees: map[string]bool{}}
}

// String returns the numbers of files, for notes.
func (c *changes) String() string {
	if c.changed+c.removed == 0 {
		return "nothing has changed, so no link is reported"
	}
	documents := "documents"
	if c.changed == 1 {
		documents = "document"
	}
	return fmt.Sprintf("%d %s changed, %d removed", c.changed, documents, c.removed)
}

// Has reports whether a file was changed or removed. The path may also be one that a host
// answers with the file, such as "guide" or "guide/".
func (c *changes) Has(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	return c.paths[abs] || c.inChangedDirectory(abs)
}

// inChangedDirectory reports whether a file is in a directory that was added or removed as a whole.
func (c *changes) inChangedDirectory(abs string) bool {
	if len(c.trees) == 0 {
		return false
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		if c.trees[dir] {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// add adds a file under all paths by which it may be requested. If the name ends with a
// separator, it adds a directory with everything in it.
func (c *changes) add(abs string) {
	if os.IsPathSeparator(abs[len(abs)-1]) {
		abs = filepath.Clean(abs)
		c.trees[abs] = true
	}
	c.paths[abs] = true
	dir, base := filepath.Split(abs)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	c.paths[filepath.Join(dir, stem)] = true
	if s := strings.ToLower(stem); s == "index" || s == "readme" {
		c.paths[filepath.Clean(dir)] = true
	}
}

// changesSince asks git what has changed below the targets since a commit. It compares
// with the point at which the current branch left that commit's branch, so later changes
// there do not count. Untracked files count as changed.
func changesSince(ctx context.Context, ref string, targets []target) (*changes, error) {
	c := newChanges()
	asked := map[string]bool{}
	for _, t := range targets {
		dir := t.path
		switch t.kind {
		case directory:
		case document:
			dir = filepath.Dir(dir)
		default:
			return nil, fmt.Errorf("--since: %s is not a local file or directory, so it has no history", t.raw)
		}
		if dir = filepath.Clean(dir); asked[dir] {
			continue
		}
		asked[dir] = true
		if err := c.addBelow(ctx, ref, dir); err != nil {
			return nil, fmt.Errorf("--since %s: %s: %w", ref, dir, err)
		}
	}
	return c, nil
}

// addBelow adds the changes below one directory.
func (c *changes) addBelow(ctx context.Context, ref, path string) error {
	user, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(user)
	if err != nil {
		return withoutPath(err)
	}
	environment := withoutOwnVariables(os.Environ())
	git := repository{dir: dir, environment: withoutHookVariables(environment)}
	out, err := git.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil && len(git.environment) < len(environment) { // the repository may only be known from the environment
		git.environment = environment
		if named, nerr := git.run(ctx, "rev-parse", "--show-toplevel"); nerr == nil {
			out, err = named, nil
		}
	}
	if err != nil {
		return err
	}
	top := strings.TrimRight(out, "\r\n")
	if _, err := git.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return errors.New("git finds no such commit; it may be missing from a shallow clone")
	}
	base := ref
	if out, err := git.run(ctx, "merge-base", "--", ref, "HEAD"); err == nil {
		base = strings.TrimSpace(out)
	}
	known, err := git.run(ctx, "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", dir)
	if err != nil {
		return err
	}
	diff, err := git.run(ctx, "diff", "--name-status", "--no-renames", "--no-relative", "--no-ext-diff", "-z", base, "--", dir)
	if err != nil {
		return err
	}
	if known == "" && diff == "" {
		return errors.New("git tracks no file there; build output that is not under version control has no history")
	}
	note := func(name string, removed bool) {
		full := filepath.Join(top, filepath.FromSlash(name))
		if rel, err := filepath.Rel(dir, full); err == nil {
			full = filepath.Join(user, rel) // the path with the symbolic links that the run uses
		}
		if removed {
			c.removed++
		} else {
			c.changed++
		}
		c.add(full)
	}
	fields := strings.Split(strings.TrimSuffix(diff, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		note(fields[i+1], fields[i] == "D")
	}
	untracked, err := git.run(ctx, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", dir)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name != "" {
			note(name, false)
		}
	}
	return nil
}

// repository runs git in a directory.
type repository struct {
	dir         string
	environment []string
}

// withoutHookVariables returns the environment without the variables that git sets for hooks:
// with GIT_DIR alone, git treats the current directory as the top of the work tree. The
// environment does not change if there are none, or if the user has set a work tree.
func withoutHookVariables(environ []string) []string {
	var kept []string
	hook := false
	for _, v := range environ {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_WORK_TREE":
			return environ
		case "GIT_DIR":
			hook = true
		case "GIT_INDEX_FILE":
		default:
			kept = append(kept, v)
		}
	}
	if !hook {
		return environ
	}
	return kept
}

// run runs git in the directory and returns its output.
func (r repository) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir}, args...)...)
	cmd.Env = r.environment
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed")
	}
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if said == "" {
			said = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(said, "fatal: "))
	}
	return stdout.String(), nil
}
