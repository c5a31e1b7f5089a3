package main

import (
	"context"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/gitchanges"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// changes are the local files that were changed or removed since a commit.
type changes struct {
	disk.Changes
	changed, removed int
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

// changesSince asks git what has changed below the targets since a commit. It compares
// with the point at which the current branch left that commit's branch, so later changes
// there do not count. Untracked files count as changed.
func changesSince(ctx context.Context, ref string, targets []target) (*changes, error) {
	ctx, stop := signal.NotifyContext(ctx, endingSignals()...) // git and its files do not stay behind
	defer stop()
	c := &changes{}
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
		c.Add(strings.TrimSuffix(abs, string(filepath.Separator)) + string(filepath.Separator) + f.Path)
	}
	return nil
}
