package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract/edit"
)

// A bookmarkCleaner writes a copy of a bookmark file without the bookmarks that a run found
// broken. Unverified and skipped bookmarks stay.
type bookmarkCleaner struct {
	from, to string
	before   fs.FileInfo // the original at the start of the run
	broken   map[place]bool
}

// place is the place of a reference in the bookmark file.
type place struct{ line, column int }

// newBookmarkCleaner checks that the only target is a bookmark file that can be copied. Its
// errors are usage errors.
func newBookmarkCleaner(to string, targets []target) (*bookmarkCleaner, error) {
	if len(targets) != 1 || targets[0].kind != document {
		return nil, usageError("--write-clean copies one bookmark file: name that file as the only target")
	}
	from := targets[0].path
	info, err := os.Stat(from)
	if err != nil {
		return nil, usageError("--write-clean: read %s: %w", from, withoutPath(err))
	}
	if format, err := sniffFormat(from); err != nil {
		return nil, usageError("--write-clean: read %s: %w", from, withoutPath(err))
	} else if format != netscapeBookmarks {
		return nil, usageError("--write-clean: %s is not a bookmark file in HTML, as browsers export it", from)
	}
	switch there, err := os.Stat(to); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(to)); err != nil {
			return nil, usageError("--write-clean: write %s: the directory %s does not exist", to, filepath.Dir(to))
		}
	case err != nil:
		return nil, usageError("--write-clean: write %s: %w", to, withoutPath(err))
	case os.SameFile(info, there):
		return nil, usageError("--write-clean: %s is the original file, which is never changed: name another file", to)
	case !there.Mode().IsRegular():
		return nil, usageError("--write-clean: %s is not a regular file", to)
	}
	return &bookmarkCleaner{from: from, to: to, before: info, broken: map[place]bool{}}, nil
}

// netscapeBookmarks is the name of the format in package extract.
const netscapeBookmarks = "netscape-bookmarks"

// add records the places of references to a broken target.
func (c *bookmarkCleaner) add(r *crawler.Result) {
	if r.Verdict != check.Broken {
		return
	}
	for _, ref := range r.References {
		if ref.Page != crawler.CommandLine {
			c.broken[place{ref.Line, ref.Column}] = true
		}
	}
}

// write writes the copy, completely or not at all, and returns the number of removed
// bookmarks.
func (c *bookmarkCleaner) write() (removed int, err error) {
	original, err := os.Open(c.from)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", c.from, withoutPath(err))
	}
	defer original.Close()
	now, err := original.Stat()
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", c.from, withoutPath(err))
	}
	if now.Size() != c.before.Size() || !now.ModTime().Equal(c.before.ModTime()) {
		return 0, fmt.Errorf("write %s: %s changed during the run", c.to, c.from)
	}
	dir, name := filepath.Split(c.to)
	copied, err := os.OpenFile(filepath.Join(dir, "."+name[:min(len(name), 100)]+"."+rand.Text()[:10]+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, now.Mode().Perm())
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", c.to, withoutPath(err))
	}
	defer func() {
		copied.Close()
		if err != nil {
			os.Remove(copied.Name())
		}
	}()
	out := bufio.NewWriter(copied)
	removed, err = edit.CleanNetscape(out, original, func(_ string, line, column int) bool {
		return c.broken[place{line, column}]
	})
	if err == nil {
		err = errors.Join(out.Flush(), copied.Sync(), copied.Close())
	}
	if err == nil {
		err = os.Rename(copied.Name(), c.to)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", c.to, withoutPath(err))
	}
	return removed, nil
}
