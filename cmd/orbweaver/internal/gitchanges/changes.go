// Package gitchanges lists the local files that have changed since a commit.
//
// It is the only package that starts git, and the tree that it looks at may be a
// stranger's: a configuration, attributes or hooks that lie in it must not make git start
// another program. So git compares the files from a repository of its own, a temporary
// directory that borrows the objects and a copy of the index. Of the configuration, it gets
// only the settings in [passive], which say how files are compared. Filters, hooks, monitors
// and remotes are therefore unknown to it. Two commands do read the repository itself, because
// only it knows its settings and the names of its commits: git config, which starts nothing,
// and git rev-parse, which fetches missing objects unless that is forbidden.
//
//	changes.go     the files: what is compared with what
//	diff.go        the tracked files
//	repository.go  the repository, and the one that borrows from it
//	regular.go     files that git would not finish reading, such as named pipes
//	command.go     one call of git: program, environment, limits
package gitchanges

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// Change is a file that differs from a commit.
type Change struct {
	// Path is relative to the directory that was asked about. That of an untracked
	// repository in the work tree ends with a separator; everything in it is new.
	Path    string
	Removed bool
}

// Since returns the changes below a directory. It compares with the point at which the
// current branch left that commit's branch, so later changes there do not count. Untracked
// files that git does not ignore count as changed. A file is compared as git would add it,
// but without its filter: one with a filter counts as changed if it was written since git
// last looked at it.
func Since(ctx context.Context, ref, dir string) ([]Change, error) {
	if ref == "" || strings.HasPrefix(ref, "-") {
		return nil, errors.New("not the name of a commit")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		if p := new(fs.PathError); errors.As(err, &p) {
			err = p.Err // the caller knows the directory
		}
		return nil, err
	}
	r, err := open(dir)
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	commit, err := r.commit(ctx, ref)
	if err != nil {
		return nil, errors.New("git finds no such commit; it may be missing from a shallow clone")
	}
	head, err := r.commit(ctx, "HEAD")
	if err != nil {
		head = commit
	}
	b, err := r.borrow(ctx)
	if err != nil {
		return nil, err
	}
	defer b.close()
	base := commit
	if out, err := b.run(ctx, nil, "merge-base", commit, head); err == nil {
		base = strings.TrimSpace(out)
	}

	in, err := filepath.Rel(r.top, dir)
	if err != nil {
		return nil, err
	}
	var changes []Change
	add := func(name string, removed bool) error {
		rel, err := filepath.Rel(in, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, "/") {
			rel += string(filepath.Separator)
		}
		changes = append(changes, Change{rel, removed})
		return nil
	}
	diff, err := b.diff(ctx, base, filepath.ToSlash(in))
	if err != nil {
		return nil, err
	}
	for _, d := range diff {
		if err := add(d.name, d.removed); err != nil {
			return nil, err
		}
	}
	untracked, err := b.list(ctx, "ls-files", "--others", "--exclude-standard", "-z", "--", filepath.ToSlash(in))
	if err != nil {
		return nil, err
	}
	for _, name := range untracked {
		if err := add(name, false); err != nil {
			return nil, err
		}
	}
	if len(changes) > 0 {
		return changes, nil
	}
	tracked, err := b.list(ctx, "ls-files", "--cached", "-z", "--", filepath.ToSlash(in))
	if err == nil && len(tracked) == 0 {
		err = errors.New("git tracks no file there; build output that is not under version control has no history")
	}
	return nil, err
}
