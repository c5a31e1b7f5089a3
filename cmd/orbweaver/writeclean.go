package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A bookmarkCleaner writes a copy of a bookmark file without the bookmarks that a run found
// broken and, with --unique, without those that repeat one that stays. Unverified and skipped bookmarks stay, and so do those whose page exists and only
// lacks the fragment.
type bookmarkCleaner struct {
	from, to  string
	overwrite bool        // to may exist
	many      bool        // more than half of the bookmarks may be left out
	dryRun    bool        // list the bookmarks and write nothing
	unique    bool        // leave out repeated bookmarks, too
	repeated  int         // the bookmarks of the last copy that were left out because they repeat one
	before    fs.FileInfo // the original at the start of the run
	broken    map[place]bool
}

// place is the place of a reference in the bookmark file.
type place struct{ line, column int }

// newBookmarkCleaner checks that the only target is a bookmark file that can be copied. Its
// errors are usage errors.
func newBookmarkCleaner(o *options, targets []target) (*bookmarkCleaner, error) {
	to := o.writeClean
	if len(targets) != 1 || targets[0].kind != document {
		return nil, usageError("--write-clean copies one bookmark file: name that file as the only target")
	}
	from := targets[0].path
	info, err := os.Stat(from)
	if err != nil {
		return nil, usageError("--write-clean: read %s: %w", from, withoutPath(err))
	}
	if format, err := sniffFormat(nil, from); err != nil {
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
	case !o.overwrite && !o.dryRun:
		return nil, usageError("--write-clean: %s already exists: --overwrite replaces it", to)
	}
	return &bookmarkCleaner{from: from, to: to, overwrite: o.overwrite, many: o.overwriteMany, dryRun: o.dryRun, unique: o.unique, before: info, broken: map[place]bool{}}, nil
}

// netscapeBookmarks is the name of the format in package extract.
const netscapeBookmarks = "netscape-bookmarks"

// add records the places of references to a broken target.
func (c *bookmarkCleaner) add(r *result.Result) {
	if r.Kind != result.KindTarget || r.Verdict != check.Broken || r.Code == check.CodeFragmentMissing || r.Code == check.CodeFragmentUnverified {
		return
	}
	for _, ref := range r.References {
		if ref.Page != result.CommandLine {
			c.broken[place{ref.Line, ref.Column}] = true
		}
	}
}

// finish writes the copy and prints the number of removed bookmarks. A dry run lists them
// instead.
func (c *bookmarkCleaner) finish(sum *result.Summary, note func(format string, args ...any)) error {
	if sum.Soundness.State == result.Unsound {
		return fmt.Errorf("write %s: not written: %s", c.to, sum.Soundness.Why)
	}
	original, err := os.Open(c.from)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.from, withoutPath(err))
	}
	defer original.Close()
	now, err := original.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.from, withoutPath(err))
	}
	if now.Size() != c.before.Size() || !now.ModTime().Equal(c.before.ModTime()) {
		return fmt.Errorf("write %s: %s changed during the run", c.to, c.from)
	}
	if c.dryRun {
		return c.list(original, note)
	}
	removed, err := c.write(original, now.Mode().Perm())
	if err != nil {
		return fmt.Errorf("write %s: %w", c.to, withoutPath(err))
	}
	if removed > 0 {
		note("%s: left out %s", c.to, c.countedLeftOut(removed))
	}
	return nil
}

// leavesOut returns a function that reports whether the copy leaves out a bookmark of the file, for
// all bookmarks in their order.
func (c *bookmarkCleaner) leavesOut() func(href string, line, column int) bool {
	c.repeated = 0
	seen := map[string]bool{}
	return func(href string, line, column int) bool {
		if c.broken[place{line, column}] {
			return true
		}
		if !c.unique {
			return false
		}
		key := bookmarkKey(href)
		if seen[key] {
			c.repeated++
			return true
		}
		seen[key] = true
		return false
	}
}

// countedLeftOut returns the number of bookmarks that were left out, by their reasons.
func (c *bookmarkCleaner) countedLeftOut(removed int) string {
	broken := removed - c.repeated
	switch {
	case c.repeated == 0:
		return counted(broken, "broken bookmark")
	case broken == 0:
		return counted(c.repeated, "repeated bookmark")
	}
	return counted(broken, "broken bookmark") + " and " + counted(c.repeated, "repeated bookmark")
}

// bookmarkKey returns what is equal for bookmarks of the same place: the normalized URL with its fragment, in which
// applications keep what they show.
func bookmarkKey(href string) string {
	u, _, err := urinorm.ParseWeb("https://bookmarks.invalid/") // for the rare relative one
	if err == nil {
		var b *urinorm.Base
		if b, err = urinorm.NewBase(u, ""); err == nil {
			u, _, err = b.Resolve(href)
		}
	}
	if err != nil {
		return href
	}
	fragment, _ := u.Fragment()
	return string(urinorm.KeyOf(u)) + "#" + fragment
}

// list prints the bookmarks that the copy would not have, with their folders and titles.
func (c *bookmarkCleaner) list(original io.Reader, note func(format string, args ...any)) error {
	body, err := io.ReadAll(original)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.from, withoutPath(err))
	}
	removed := map[place]bool{}
	leavesOut := c.leavesOut()
	if _, err := fix.CleanNetscape(io.Discard, bytes.NewReader(body), func(href string, line, column int) bool {
		at := place{line, column}
		removed[at] = leavesOut(href, line, column)
		return removed[at]
	}); err != nil {
		return err
	}
	n := 0
	for _, l := range extract.Extract(extract.Input{Body: body, ContentType: "text/html"}).Links {
		if l.Bookmark != nil && removed[place{l.Line, l.Column}] {
			n++
			ref := placeOf(l.Raw, c.from, &l)
			note("would leave out %s:%d:%d: %s %q in %s", ref.Page, ref.Line, ref.Column, ref.Raw, ref.Text, urinorm.Redact(l.Bookmark.Folder))
		}
	}
	note("%s: not written; it would leave out %s", c.to, c.countedLeftOut(n))
	return nil
}

// write writes the copy, completely or not at all, and returns the number of removed
// bookmarks.
func (c *bookmarkCleaner) write(original io.Reader, mode fs.FileMode) (removed int, err error) {
	dir, name := filepath.Split(c.to)
	copied, err := os.OpenFile(filepath.Join(dir, "."+name[:min(len(name), 100)]+"."+rand.Text()[:10]+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	defer func() {
		copied.Close()
		if err != nil {
			os.Remove(copied.Name())
		}
	}()
	out, all, leavesOut := bufio.NewWriter(copied), 0, c.leavesOut()
	removed, err = fix.CleanNetscape(out, original, func(href string, line, column int) bool {
		all++
		return leavesOut(href, line, column)
	})
	if broken := removed - c.repeated; err == nil && 2*broken > all && !c.many {
		return 0, fmt.Errorf("not written, because it would leave out %d of %s; --overwrite-many allows that", broken, counted(all, "bookmark"))
	}
	if err == nil {
		err = errors.Join(out.Flush(), copied.Sync(), copied.Close())
	}
	if err == nil && !c.overwrite {
		if _, there := os.Lstat(c.to); there == nil {
			err = fs.ErrExist // created during the run
		}
	}
	if err == nil {
		err = os.Rename(copied.Name(), c.to)
	}
	return removed, err
}
