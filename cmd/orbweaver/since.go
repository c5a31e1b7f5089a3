package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/gitchanges"
)

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
	ctx, stop := signal.NotifyContext(ctx, endingSignals()...) // git and its files do not stay behind
	defer stop()
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
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return nil, fmt.Errorf("--since %s: %s: %w", ref, dir, err)
		}
	}
	return c, nil
}

// addBelow adds the changes below one directory.
func (c *changes) addBelow(ctx context.Context, ref, dir string) error {
	abs, err := filepath.Abs(dir) // with the symbolic links that the run uses
	if err != nil {
		return err
	}
	changed, err := gitchanges.Since(ctx, ref, abs)
	if err != nil {
		return err
	}
	for _, f := range changed {
		if f.Removed {
			c.removed++
		} else {
			c.changed++
		}
		c.add(strings.TrimSuffix(abs, string(filepath.Separator)) + string(filepath.Separator) + f.Path)
	}
	return nil
}
