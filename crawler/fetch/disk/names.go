package disk

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// fileNames finds files by their names alone. It is filled at the first use.
type fileNames struct {
	once  sync.Once
	paths map[string]string // by the name in the form of nameKey
}

// Files are found by name in a limited number of directories, which are not nested too deeply:
// linked directories may contain each other.
const (
	maxNamedDirectories = 1 << 15
	maxNamedDepth       = 32
)

// nameKey returns the form in which names are compared: wikis ignore letter case, and write
// hyphens or low lines for blanks.
func nameKey(name string) string { return blanks.Replace(foldKey(name)) }

var blanks = strings.NewReplacer(" ", "-", "_", "-")

// Find returns the URL of the file with a name, in whatever directory it is. Letter case does
// not matter, and a hyphen or a low line is the same as a blank. Of several files, the one with the fewest
// directories above it is found, and of those the first. Hidden directories do not count.
func (s *Site) Find(name string) (urinorm.URL, bool) {
	rel, ok := s.locator.index.find(name)
	if !ok {
		return urinorm.URL{}, false
	}
	u, err := s.URLOf(rel)
	return u, err == nil
}

func (x *directoryIndex) find(name string) (rel string, ok bool) {
	x.byName.once.Do(func() { x.byName.paths = x.allNames() })
	rel, ok = x.byName.paths[nameKey(name)]
	return rel, ok
}

// allNames returns the paths of all files by their names, level by level.
func (x *directoryIndex) allNames() map[string]string {
	paths := map[string]string{}
	for level, seen, depth := []string{""}, 0, 0; len(level) > 0 && depth < maxNamedDepth; depth++ {
		var next []string
		for _, dir := range level {
			if seen++; seen > maxNamedDirectories {
				return paths
			}
			l := x.list(dir)
			if l.err != nil {
				continue
			}
			l.mu.RLock()
			names := slices.Sorted(maps.Keys(l.kinds))
			l.mu.RUnlock()
			for _, name := range names {
				if strings.HasPrefix(name, ".") {
					continue
				}
				switch x.exact(l, dir, name) {
				case entryDir:
					next = append(next, join(dir, name))
				case entryFile:
					if key := nameKey(name); paths[key] == "" {
						paths[key] = join(dir, name)
					}
				}
			}
		}
		level = next
	}
	return paths
}

// IsProject reports whether a directory is the root of a git work tree or of a vault of notes.
func IsProject(dir string) bool {
	for _, mark := range []string{".git", ".obsidian"} {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}
