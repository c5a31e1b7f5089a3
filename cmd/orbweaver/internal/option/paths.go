package option

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

var (
	errOutside    = errors.New("it is outside the working directory")
	errRepository = errors.New("it is in the directory of a repository")
	errHidden     = errors.New("other programs read hidden files and directories")
	errNotRegular = errors.New("it is not a regular file")
	errTracked    = errors.New("git tracks it, so a stranger may have written what it says of earlier runs")
	errNotOurs    = errors.New("it exists, and this program did not write it")
)

// mayUse returns an error if a found configuration may not use a path as the value of a key. A relative path is
// that of a file in dir.
func mayUse(dir, key, path string, use use) error {
	var format *report.Format
	if key == "output" {
		out, err := report.ParseOutput(path)
		if err != nil || out.File == report.Stdout {
			return nil // the compiler reports the error
		}
		format, path = out.Format, out.File
	}
	if path == "" {
		return nil
	}
	path = At(dir, path)
	if err := staysInside(dir, path, use == writes); err != nil {
		return err
	}
	isDirectory := key == "sources" || key == "state" || key == "root"
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular() && !(isDirectory && info.IsDir()):
		return errNotRegular
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return withoutPath(err)
	}
	exists := err == nil
	if exists && (key == "cache" || key == "history" || key == "state") && disk.Tracks(path) {
		return errTracked
	}
	switch key {
	case "output":
		extensions := format.FinalExtensions()
		if !slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
			return fmt.Errorf("a report in the format %s has the extension %s there", format.Name, strings.Join(extensions, " or "))
		}
		if exists && !format.Wrote(path) || format.Name == "sitemap" && anyBeside(path) {
			return errNotOurs
		}
	case "write-clean":
		if extension := strings.ToLower(filepath.Ext(path)); extension != ".html" && extension != ".htm" {
			return errors.New("a file of bookmarks has the extension .html there")
		}
		if exists {
			return errNotOurs
		}
	case "cache", "history":
		if !slices.Contains(databaseExtensions, strings.ToLower(filepath.Ext(path))) {
			return errors.New("a database has the extension .db, .sqlite or .cache there, or none")
		}
		if exists && !store.IsCache(path) {
			return errNotOurs
		}
	}
	return nil
}

// At returns how the process names a path that is relative to a directory; "" is its own. Nothing is cleaned, because
// a link may be before a "..".
func At(dir, path string) string {
	if dir == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// anyBeside reports whether there are files whose names begin with that of a file without its
// extensions, as the parts of a large sitemap have.
func anyBeside(path string) bool {
	stem, _, _ := strings.Cut(filepath.Base(path), ".")
	entries, err := os.ReadDir(filepath.Dir(path))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), stem) })
}

// databaseExtensions are the extensions of the databases that a found configuration may name.
var databaseExtensions = []string{"", ".db", ".sqlite", ".sqlite3", ".cache"}

// staysInside returns an error if a path is not in the working directory, or is in a .git
// directory, where git would execute it. Symbolic links are resolved. A path that is written
// has no hidden element either, because CI systems, editors and hooks read such files. The same
// holds for the files that are written together with it: those in it, if it is a directory,
// and those beside it whose names begin with its name without the extension. They must also be
// regular files. The working directory is wd, or that of the process if it is "".
func staysInside(wd, path string, writes bool) error {
	wd, err := filepath.Abs(wd)
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	if err != nil {
		return withoutPath(err)
	}
	if err := realPathInside(wd, path, writes); err != nil || !writes {
		return err
	}
	beside, stem := filepath.Split(path)
	if beside == "" {
		beside = "."
	}
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	for _, dir := range []string{beside, path} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // it is a file, or there is nothing yet
		}
		for _, e := range entries {
			if e.Type().IsRegular() || e.IsDir() || dir == beside && !strings.HasPrefix(e.Name(), stem) {
				continue
			}
			err := errNotRegular
			if e.Type()&fs.ModeSymlink != 0 {
				err = realPathInside(wd, filepath.Join(dir, e.Name()), writes)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.ToSlash(filepath.Join(dir, e.Name())), err)
			}
		}
	}
	return nil
}

// realPathInside returns an error if a path leads out of the directory wd or into a
// repository's own directory, or, if it is written, to something hidden. The end of the path
// need not exist.
func realPathInside(wd, path string, writes bool) error {
	existing, missing := path, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			existing = real
			break
		}
		if _, dangling := os.Lstat(existing); dangling == nil || !errors.Is(err, fs.ErrNotExist) {
			return errOutside // it leads nowhere, or cannot be followed
		}
		dir, base := filepath.Split(strings.TrimRight(filepath.ToSlash(existing), "/"))
		if base == ".." {
			return errOutside
		}
		missing = filepath.Join(base, missing)
		if existing = dir; existing == "" {
			existing = "."
		}
	}
	real := filepath.Join(existing, missing)
	if !filepath.IsAbs(real) {
		real = filepath.Join(wd, real)
	}
	rel, err := filepath.Rel(wd, real)
	if err != nil || !filepath.IsLocal(rel) {
		return errOutside
	}
	for element := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		switch {
		case strings.EqualFold(element, ".git"):
			return errRepository
		case writes && strings.HasPrefix(element, ".") && element != "." && !strings.HasPrefix(element, ".orbweaver"):
			return errHidden
		}
	}
	return nil
}

// withoutPath removes the operation and the file name from an error whose context already
// names them.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
