package gitchanges

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Limits on what git reads of a repository.
const (
	maxEntries = 5_000_000 // files and directories
	maxRead    = 100 << 20 // bytes of a file that git keeps in memory; it also ignores longer attributes
	maxConfig  = 4 << 20   // bytes of a file of the configuration
	maxConfigs = 100       // files of the configuration
)

// guard looks for files that git would open and never finish reading: a named pipe waits for its writer, and
// a device such as /dev/zero has no end. Git opens whatever has the right name, so this happens before it is
// started.
type guard struct {
	ctx     context.Context
	seen    map[string]bool // directories, without symbolic links
	entries int
}

// check returns an error if git cannot read the repository, or the attributes and patterns that apply in the
// directory in of the work tree.
func (r *repository) check(ctx context.Context, in string) error {
	g := &guard{ctx: ctx, seen: map[string]bool{}}
	for _, dir := range slices.Compact([]string{r.gitDir, r.common}) {
		if err := g.repository(dir); err != nil {
			return err
		}
	}
	if err := r.checkConfig(ctx); err != nil {
		return err
	}
	return g.workTree(r.top, in)
}

// repository checks what git reads of a .git directory. Other programs keep large files in it, too.
func (g *guard) repository(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries { // any may be the name of a commit, such as FETCH_HEAD
		if err := isReadable(filepath.Join(dir, e.Name()), 0); err != nil {
			return err
		}
	}
	for _, name := range []string{"info", "logs", "refs", "reftable"} {
		if err := g.all(filepath.Join(dir, name), maxRead); err != nil {
			return err
		}
	}
	return g.objects(filepath.Join(dir, "objects"), 0)
}

// objects checks a directory of objects, and those that it borrows from.
func (g *guard) objects(dir string, depth int) error {
	alternates := filepath.Join(dir, "info", "alternates")
	if err := isReadable(alternates, maxRead); err != nil {
		return err
	}
	if err := g.all(dir, 0); err != nil {
		return err
	}
	text, err := os.ReadFile(alternates)
	if err != nil {
		return nil // there are none
	}
	for line := range strings.Lines(string(text)) {
		other := strings.TrimRight(line, "\r\n")
		if other == "" || other[0] == '#' {
			continue
		}
		if other[0] == '"' {
			if other, err = strconv.Unquote(other); err != nil {
				return fmt.Errorf("%s has a name that cannot be read", alternates)
			}
		}
		if !filepath.IsAbs(other) {
			other = filepath.Join(dir, other)
		}
		if depth == 5 { // git follows no more
			return fmt.Errorf("%s borrows from a repository that borrows too often", alternates)
		}
		if real, err := filepath.EvalSymlinks(other); err != nil || g.seen[real] {
			continue
		}
		if err := g.objects(other, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// all checks everything in a directory, if there is one. Files have a maximum size, unless it is 0.
func (g *guard) all(dir string, size int64) error {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && g.seen[real] {
		return nil
	}
	if err != nil {
		return err
	}
	g.seen[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		return err
	}
	if g.entries += len(entries); g.entries > maxEntries {
		return fmt.Errorf("the repository has more than %d files", maxEntries)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && size == 0 {
			continue
		}
		name := filepath.Join(real, e.Name())
		err := isReadable(name, size)
		if info, fault := os.Stat(name); fault == nil && info.IsDir() {
			err = g.all(name, size)
		}
		if err := errors.Join(err, g.ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// isReadable returns an error unless a file ends, within a number of bytes if that is not 0. There may be no such
// file. Nothing can be read from a directory, nor from a socket, which the monitor of git leaves in a repository.
func isReadable(name string, size int64) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir(), info.Mode()&fs.ModeSocket != 0:
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case size > 0 && info.Size() > size:
		return fmt.Errorf("%s has more than %d MiB", name, size>>20)
	}
	return nil
}

// workTree checks the attributes and patterns of the directories in and below a directory, and of those above it.
func (g *guard) workTree(top, in string) error {
	for dir := in; ; dir = filepath.Dir(dir) {
		for _, name := range []string{".gitattributes", ".gitignore"} {
			if err := g.ownFile(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		if dir == top || dir == filepath.Dir(dir) {
			break
		}
	}
	return filepath.WalkDir(in, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // git reports what it cannot read
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.Name() == ".gitattributes" || e.Name() == ".gitignore":
			return g.ownFile(path)
		}
		return g.ctx.Err()
	})
}

// ownFile checks a file that git does not read if it is a link.
func (g *guard) ownFile(name string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	return isReadable(name, maxRead)
}

// checkConfig checks the files that the configuration of the repository includes, whatever their conditions.
func (r *repository) checkConfig(ctx context.Context) error {
	files := []string{filepath.Join(r.common, "config"), filepath.Join(r.gitDir, "config.worktree")}
	for i := 0; i < len(files); i++ {
		if err := isReadable(files[i], maxConfig); err != nil {
			return err
		}
		if info, err := os.Stat(files[i]); err != nil || !info.Mode().IsRegular() {
			continue // git reads none
		}
		included, err := r.includes(ctx, files[i])
		if err != nil {
			return err
		}
		for _, name := range included {
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
		if len(files) > maxConfigs {
			return fmt.Errorf("the configuration of the repository has more than %d files", maxConfigs)
		}
	}
	return nil
}

// includes returns the files that a file of the configuration includes.
func (r *repository) includes(ctx context.Context, file string) (files []string, err error) {
	c := call{program: r.program, dir: r.top, environment: []string{"GIT_DIR=" + os.DevNull}, args: []string{"config", "--file", file, "--no-includes", "--null", "--list"}}
	out, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		name, value, _ := strings.Cut(entry, "\n")
		if name != "include.path" && !(strings.HasPrefix(name, "includeif.") && strings.HasSuffix(name, ".path")) {
			continue
		}
		path, err := pathOf(value, filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// pathOf returns the path that a value of the configuration stands for (git-config(1)); a relative one is in
// dir. Home directories of other users and directories of git's installation are errors.
func pathOf(value, dir string) (string, error) {
	rest, inHome := strings.CutPrefix(value, "~/")
	home, err := os.UserHomeDir()
	switch {
	case inHome && err == nil:
		return filepath.Join(home, rest), nil
	case strings.HasPrefix(value, "~"), strings.HasPrefix(value, "%("):
		return "", fmt.Errorf("the configuration of the repository has the path %s", value)
	case filepath.IsAbs(value):
		return value, nil
	}
	return dir + string(filepath.Separator) + value, nil
}
