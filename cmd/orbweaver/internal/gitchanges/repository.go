package gitchanges

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// maxCopied is the size of the largest index and list of patterns that is copied.
const maxCopied = 1 << 30

// passive are the settings that count, wherever they are set: they say how files are
// compared, and name no program. True stands for those whose value is a path.
var passive = map[string]bool{
	"core.attributesfile":     true,
	"core.autocrlf":           false,
	"core.checkstat":          false,
	"core.eol":                false,
	"core.excludesfile":       true,
	"core.filemode":           false,
	"core.ignorecase":         false,
	"core.precomposeunicode":  false,
	"core.symlinks":           false,
	"core.trustctime":         false,
	"extensions.objectformat": false,
}

type repository struct {
	program string // git
	top     string // the root of the work tree
	gitDir  string
	common  string // what all work trees share; the same as gitDir except in linked ones
	index   string
}

// open returns the repository of a directory: the one that the user names in the
// environment with its work tree, or the one whose work tree contains the directory. GIT_DIR
// alone counts only if there is none, because git sets it for hooks.
func open(dir string) (*repository, error) {
	r := &repository{}
	named, workTree := os.Getenv("GIT_DIR"), os.Getenv("GIT_WORK_TREE")
	if named == "" || workTree == "" {
		r.top, r.gitDir = disk.FindGit(dir)
		r.index = filepath.Join(r.gitDir, "index")
	}
	if r.top == "" {
		if named == "" {
			return nil, errors.New("not in a work tree of git")
		}
		var err error
		if r.top, err = filepath.Abs(workTree); err != nil {
			return nil, err
		}
		if r.top, err = filepath.EvalSymlinks(r.top); err != nil {
			return nil, fmt.Errorf("the work tree in GIT_WORK_TREE: %w", err)
		}
		if r.gitDir, err = filepath.Abs(named); err != nil {
			return nil, err
		}
		r.index = filepath.Join(r.gitDir, "index")
		if index := os.Getenv("GIT_INDEX_FILE"); index != "" {
			r.index = index
		}
	}
	if rel, err := filepath.Rel(r.top, dir); err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("not in the work tree %s", r.top)
	}
	r.common = disk.CommonGitDir(r.gitDir)
	var err error
	r.program, err = findGit(r.top)
	return r, err
}

func (r *repository) commit(ctx context.Context, ref string) (string, error) {
	out, err := r.call(nil, "rev-parse", "--verify", "--quiet", ref+"^{commit}").run(ctx)
	return strings.TrimSpace(out), err
}

func (r *repository) call(environment []string, args ...string) call {
	return call{program: r.program, dir: r.top, environment: append(environment, "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+r.top), args: args}
}

// settings returns the passive settings of the user, the system and the repository.
func (r *repository) settings(ctx context.Context) (map[string]string, error) {
	c := r.call(nil, "config", "--null", "--list")
	c.userSettings = true
	out, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		name, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		if isPath, ok := passive[name]; ok && (isPath && r.reads(value) || !isPath && isWord(value)) {
			settings[name] = value
		}
	}
	return settings, nil
}

func isWord(value string) bool {
	return value != "" && strings.Trim(value, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// borrower is a temporary repository that borrows the objects and the index of another one.
type borrower struct {
	repository          // with its own directory and index
	environment, before []string
}

func (r *repository) borrow(ctx context.Context) (b *borrower, err error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "orbweaver-git-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	b = &borrower{repository: *r, environment: []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(r.common, "objects")}}
	b.gitDir, b.index = dir, filepath.Join(dir, "index")
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if format, ok := strings.CutPrefix(name, "extensions."); ok { // counts only in the file
			config += fmt.Sprintf("[extensions]\n\t%s = %s\n", format, settings[name])
			continue
		}
		b.before = append(b.before, "-c", name+"="+settings[name])
	}
	for _, name := range []string{"refs", "info"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	copies := map[string]string{r.index: "index"}
	for _, name := range []string{"shallow", "info/exclude", "info/attributes"} {
		copies[filepath.Join(r.common, name)] = name
	}
	shared, err := fs.Glob(os.DirFS(filepath.Dir(r.index)), "sharedindex.*") // of a split index
	if err != nil {
		return nil, err
	}
	for _, name := range shared {
		copies[filepath.Join(filepath.Dir(r.index), name)] = name
	}
	for from, to := range copies {
		if err := copyFile(from, filepath.Join(dir, to)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *borrower) run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	c := b.call(b.environment, args...)
	c.stdin = stdin
	c.before = b.before
	return c.run(ctx)
}

// list returns the names that git prints with NULs.
func (b *borrower) list(ctx context.Context, args ...string) ([]string, error) {
	out, err := b.run(ctx, nil, args...)
	if out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), err
}

func (b *borrower) close() { os.RemoveAll(b.gitDir) }

// copyFile copies a regular file with its time: git takes a file in the index for unchanged
// only if it is older than the index. It does nothing if there is no such file.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCopied {
		return fmt.Errorf("%s is not a regular file of at most %d MiB", from, maxCopied>>20)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxCopied))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
