package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// maxWalkDepth is the greatest nesting depth of directories.
const maxWalkDepth = 256

// maxWalkErrors is the maximum number of unreadable directories that Walk reports.
const maxWalkErrors = 100

// versionControl are directories that contain no documents of a site.
var versionControl = map[string]bool{".git": true, ".hg": true, ".svn": true, ".bzr": true, "_darcs": true, "CVS": true}

// InVersionControl reports whether a path, with names separated by '/', leads through a directory of
// a version control system.
func InVersionControl(rel string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(name string) bool { return versionControl[name] })
}

// Walk calls fn for each regular file in the directory and below, and for each symbolic
// link to a file inside it, in lexical order of their paths. rel is the path from the
// root, with names separated by '/'. Walk does not enter linked directories or
// directories of version control systems. It leaves out what ignored says, the
// [Ignore] of the site's directory; nil ignores nothing. [Site.LeftOut] then
// tells what was left out. Walk must not be called while requests are answered.
//
// If fn returns [fs.SkipDir], Walk skips the rest of that file's directory; if it
// returns [fs.SkipAll], Walk skips all remaining files. Any other error ends the walk
// and is returned. Walk skips directories that it cannot read and returns their errors
// at the end, at most 100 of them.
func (s *Site) Walk(ignored *Ignore, fn func(rel string, d fs.DirEntry) error) error {
	w := walk{site: s, ignored: ignored}
	s.leftOut, s.LinksOut, s.linksIn = leftOut{}, nil, false
	err := w.dir("", 0, fn)
	if err == fs.SkipAll {
		err = nil
	}
	return errors.Join(append(w.failed, err)...)
}

// walk is one call of Walk.
type walk struct {
	site    *Site
	ignored *Ignore
	failed  []error // errors of directories, at most maxWalkErrors
}

func (w *walk) fail(err error) {
	if len(w.failed) < maxWalkErrors {
		w.failed = append(w.failed, err)
	}
}

// dir walks a directory at a depth below the root.
func (w *walk) dir(dir string, depth int, fn func(rel string, d fs.DirEntry) error) error {
	if depth > maxWalkDepth {
		w.fail(&fetch.Fault{Kind: "file-unreadable", Op: "read", Target: pathIn(w.site.name, dir), Err: errors.New("directories are nested too deeply")})
		return nil
	}
	entries, err := w.site.locator.index.readDir(dir)
	if err != nil {
		w.fail(fileFault("read", pathIn(w.site.name, dir), err))
		return nil
	}
	for _, entry := range entries {
		rel := join(dir, entry.Name())
		switch kindOf(entry.Type()) {
		case entryDir:
			if versionControl[entry.Name()] {
				continue
			}
			if w.ignored.Ignored(rel, true) {
				w.site.leftOut.addDirectory(w.site.path + EscapePath(rel))
				continue
			}
			if err := w.dir(rel, depth+1, fn); err != nil {
				return err
			}
			continue
		case entryLink:
			switch w.site.locator.index.follow(rel) {
			case entryFile:
				w.site.linksIn = true
			case entryDir:
				w.site.linksIn = true
				continue
			case entryOutside:
				w.site.LinksOut = append(w.site.LinksOut, rel)
				continue
			default:
				continue
			}
		case entrySpecial:
			continue
		}
		if w.ignored.Ignored(rel, false) {
			w.site.leftOut.addFile(w.site.path + EscapePath(rel))
			continue
		}
		switch err := fn(rel, entry); {
		case err == fs.SkipDir:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// readDir lists a directory so that a depth-first walk visits paths in lexical order: a
// directory sorts as its name with '/' appended.
func (x *directoryIndex) readDir(dir string) ([]fs.DirEntry, error) {
	texts := x.texts[dir]
	entries, err := listFiles(x.tree, dir)
	if err != nil && (texts == nil || !os.IsNotExist(err)) {
		return nil, err
	}
	entries = withTexts(entries, texts)
	x.add(dir, entries)
	slices.SortFunc(entries, compareEntries)
	return entries, nil
}

func listFiles(t tree, dir string) ([]fs.DirEntry, error) {
	f, err := t.List(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// compareEntries compares two entries of a directory by name, with '/' appended to the
// names of directories.
func compareEntries(a, b fs.DirEntry) int {
	x, y := a.Name(), b.Name()
	shared := min(len(x), len(y))
	if c := strings.Compare(x[:shared], y[:shared]); c != 0 {
		return c
	}
	return cmp.Compare(byteAt(a, x, shared), byteAt(b, y, shared))
}

// byteAt returns a byte of an entry's name, or 0, which no name contains, after its
// end.
func byteAt(entry fs.DirEntry, name string, i int) byte {
	switch {
	case i < len(name):
		return name[i]
	case entry.IsDir():
		return '/'
	}
	return 0
}

// EscapePath percent-encodes the names in a slash-separated path.
func EscapePath(path string) string {
	plain := 0
	for plain < len(path) && pathBytes[path[plain]] {
		plain++
	}
	if plain == len(path) {
		return path
	}
	var b strings.Builder
	b.Grow(len(path) + 16)
	b.WriteString(path[:plain])
	for i := plain; i < len(path); i++ {
		if c := path[i]; pathBytes[c] {
			b.WriteByte(c)
		} else {
			writeEscaped(&b, c)
		}
	}
	return b.String()
}

// pathBytes are the bytes that escapePath does not encode.
var pathBytes = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c == '/' || isPathByte(byte(c))
	}
	return plain
}()

// writeEscaped writes a byte percent-encoded.
func writeEscaped(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// isPathByte reports whether a byte of a file name needs no encoding in a path (RFC
// 3986 pchar).
func isPathByte(c byte) bool {
	switch {
	case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0
}
