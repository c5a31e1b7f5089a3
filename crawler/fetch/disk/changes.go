package disk

import (
	"os"
	"path/filepath"
	"strings"
)

// Changes are local files that were changed or removed. Changes that no file is added to may be used by
// several goroutines.
type Changes struct {
	paths map[string]bool // absolute
	trees map[string]bool // directories that were added or removed as a whole
}

// Add adds a file by its absolute path, under all paths by which it may be requested. If the path ends
// with a separator, it adds a directory with everything in it.
func (c *Changes) Add(abs string) {
	if c.paths == nil {
		c.paths, c.trees = map[string]bool{}, map[string]bool{}
	}
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

// Has reports whether a file was changed or removed. The path may also be one that a host
// answers with the file, such as "guide" or "guide/".
func (c *Changes) Has(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	return c.paths[abs] || c.inChangedDirectory(abs)
}

// inChangedDirectory reports whether a file is in a directory that was added or removed as a whole.
func (c *Changes) inChangedDirectory(abs string) bool {
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
