package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Limits of a tree of sources.
const (
	// maxFiles is the maximum number of source files; more are an error.
	maxFiles = 200_000
	// maxSource is the size in bytes of the largest source that is read.
	maxSource = 16 << 20
	// maxHead is the number of bytes of a source that are read for its front matter.
	maxHead = 2 << 10
)

// Tree is a directory of sources. It is not safe for concurrent use.
type Tree struct {
	dir        string // as passed to Open
	label      string // its name in reports: relative to the working directory, with slashes
	files      []file
	byLastName map[string][]keyMatch // by the last name of their keys; "" for the page of the root
	roots      []string              // directories of built sites, as printed in reports, with a slash at the end

	cache    cache
	byRef    map[string][]place // references of all sources by their spelling; nil until needed
	complete bool               // byRef contains all references
}

type file struct{ rel string }

type keyMatch struct {
	file int
	key  key
}

// skipped are names of directories that contain no sources of pages.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, "node_modules": true, ".venv": true, "__pycache__": true, ".cache": true, ".tox": true,
}

// Open reads the names of the files below dir. Reports print paths relative to
// workingDir. built are the directories of the checked sites, which may be inside dir but
// contain no sources.
func Open(dir, workingDir string, built []string) (*Tree, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read sources %s: there is no such directory", dir)
	case err != nil:
		return nil, fmt.Errorf("read sources %s: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("read sources %s: not a directory", dir)
	}
	t := &Tree{dir: dir, label: printed(dir, workingDir), byLastName: map[string][]keyMatch{}}
	leave := map[string]bool{}
	for _, b := range built {
		if abs, err := filepath.Abs(b); err == nil {
			leave[abs] = true
		}
		if root := printed(b, workingDir); root == "." {
			t.roots = append(t.roots, "")
		} else {
			t.roots = append(t.roots, root+"/")
		}
	}
	if err := t.walk(leave); err != nil {
		return nil, fmt.Errorf("read sources %s: %w", dir, err)
	}
	return t, nil
}

func printed(dir, workingDir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(workingDir, abs); err == nil {
			dir = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(dir))
}

func (t *Tree) walk(leave map[string]bool) error {
	abs, err := filepath.Abs(t.dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(abs, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == abs:
			return err
		case err != nil:
			return nil // a file that cannot be read is not a source
		case d.IsDir():
			if name != abs && (skipped[d.Name()] || leave[name]) {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !isSource(d.Name()):
			return nil
		}
		if len(t.files) == maxFiles {
			return fmt.Errorf("it contains more than %d documents: use the directory that contains only the sources of pages", maxFiles)
		}
		rel, err := filepath.Rel(abs, name)
		if err != nil {
			return err
		}
		t.add(filepath.ToSlash(rel), head(name))
		return nil
	})
}

func isSource(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && sourceExtensions[strings.ToLower(name[dot+1:])]
}

// head returns the beginning of a file, or nil if it cannot be read.
func head(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, maxHead)
	n, _ := io.ReadFull(f, text) // a shorter file is not an error
	return text[:n]
}

// add records a file under its keys.
func (t *Tree) add(rel string, head []byte) {
	id := len(t.files)
	t.files = append(t.files, file{rel})
	for _, k := range sourceKeys(rel, readFrontMatter(head)) {
		t.byLastName[k.last()] = append(t.byLastName[k.last()], keyMatch{id, k})
	}
}

func (k key) last() string {
	if len(k) == 0 {
		return ""
	}
	return k[len(k)-1]
}

func (t *Tree) name(id int) string {
	if t.label == "." {
		return t.files[id].rel
	}
	return t.label + "/" + t.files[id].rel
}

// sourcesByPath returns the most likely sources of a page: those whose paths have the
// most names in common with its own. Directories that generators add or remove at the
// beginning of a path (content/, docs/, a version, the path of a site) do not matter.
func (t *Tree) sourcesByPath(page string) []int {
	k := pageKey(t.sitePath(page))
	if len(k) == 0 {
		return t.homeSources()
	}
	var best []int
	most := 0
	for _, m := range t.byLastName[k.last()] {
		n := commonNames(m.key, k)
		switch whole := n == len(m.key) && n == len(k); {
		case whole && most <= len(k):
			if most < len(k)+1 {
				best, most = best[:0], len(k)+1 // no match is better than the same path
			}
			best = appendNew(best, m.file)
		case whole || n == most:
			best = appendNew(best, m.file)
		case n > most:
			best, most = append(best[:0], m.file), n
		}
	}
	return best
}

// sitePath removes the scheme and host of a page, or the directory of its site.
func (t *Tree) sitePath(page string) string {
	if at := strings.Index(page, "://"); at >= 0 {
		_, path, _ := strings.Cut(page[at+3:], "/")
		path, _, _ = strings.Cut(path, "?")
		return path
	}
	longest := ""
	for _, root := range t.roots {
		if strings.HasPrefix(page, root) && len(root) > len(longest) {
			longest = root
		}
	}
	return page[len(longest):]
}

// homeSources returns the sources of the first page of a site: the index files in the
// topmost directory that has any.
func (t *Tree) homeSources() []int {
	if top := t.byLastName[""]; len(top) > 0 {
		var all []int
		for _, m := range top {
			all = appendNew(all, m.file)
		}
		return all
	}
	var best []int
	depth := 0
	for id, f := range t.files {
		k := sourceKeys(f.rel, frontMatter{})[0]
		if name := withoutExtension(f.rel[strings.LastIndexByte(f.rel, '/')+1:]); !indexNames[strings.ToLower(name)] {
			continue
		}
		switch {
		case best == nil || len(k) < depth:
			best, depth = append(best[:0], id), len(k)
		case len(k) == depth:
			best = append(best, id)
		}
	}
	return best
}

func appendNew(all []int, id int) []int {
	for _, have := range all {
		if have == id {
			return all
		}
	}
	return append(all, id)
}
