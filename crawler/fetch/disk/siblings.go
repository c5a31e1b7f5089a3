package disk

import (
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxSiblings is the maximum number of names of a directory for which Siblings returns URLs.
const maxSiblings = 20_000

// Siblings returns the URLs of possible link targets in the same directory as a URL of
// the site: files, and directories with an index file, sorted by name. If the directory
// does not exist, one whose path differs only in letter case counts. For a directory
// with more than 20,000 names Siblings returns nil.
func (s *Site) Siblings(u urinorm.URL) []urinorm.URL {
	rel, ok := s.fileAt(u)
	if !ok || !s.Holds(u) {
		return nil
	}
	dir := path.Dir(strings.TrimSuffix(rel, "/"))
	if dir == "." {
		dir = ""
	}
	at := s.locator.index.walk("", dir, matchFold)
	if at.kind != entryDir {
		return nil
	}
	l := s.locator.index.list(at.rel)
	if l.err != nil || l.partial || len(l.kinds) > maxSiblings {
		return nil
	}
	l.mu.RLock()
	names := make([]string, 0, len(l.kinds))
	for name := range l.kinds {
		names = append(names, name)
	}
	l.mu.RUnlock()
	slices.Sort(names)
	var urls []urinorm.URL
	for _, name := range names {
		file := join(at.rel, name)
		switch s.locator.index.exact(l, at.rel, name) {
		case entryFile:
		case entryDir:
			if s.locator.indexOf(file) == "" {
				continue
			}
			file += "/"
		default:
			continue
		}
		if u, err := s.URLOf(file); err == nil {
			urls = append(urls, u)
		}
	}
	return urls
}
