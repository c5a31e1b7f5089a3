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
	// MaxFiles is how many files are looked at; more is an error.
	MaxFiles = 200_000
	// maxSource is the size of the largest source that is read, in bytes.
	maxSource = 16 << 20
	// maxHead is how much of a source is read for its front matter.
	maxHead = 2 << 10
)

// Tree is a directory of sources. It is not safe for concurrent use.
type Tree struct {
	dir   string // as it was given
	label string // how reports call it: relative to the working directory, with slashes
	files []file
	last  map[string][]match // by the last name of their keys; "" for the root's own page
	roots []string           // directories of built sites, as reports print them, with a slash at the end

	cache cache
	all   map[string][]place // every reference of every source, by how it is written; nil until it is needed
	whole bool               // all holds every one
}

// file is a source.
type file struct{ rel string }

// match is a key of a file.
type match struct {
	file int
	key  key
}

// skipped are directories that hold no sources of pages.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, "node_modules": true, ".venv": true, "__pycache__": true, ".cache": true, ".tox": true,
}

// Open reads the names of the files below dir. workingDir is what reports print
// paths relative to; built are the directories of the sites that are checked, which
// hold no sources although they may lie in dir.
func Open(dir, workingDir string, built []string) (*Tree, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read sources %s: there is no such directory", dir)
	case err != nil:
		return nil, fmt.Errorf("read sources %s: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("read sources %s: it is no directory", dir)
	}
	t := &Tree{dir: dir, label: printed(dir, workingDir), last: map[string][]match{}}
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

// printed is a directory as reports print it.
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
			return nil // what cannot be read is no source
		case d.IsDir():
			if name != abs && (skipped[d.Name()] || leave[name]) {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !isSource(d.Name()):
			return nil
		}
		if len(t.files) == MaxFiles {
			return fmt.Errorf("it holds more than %d documents: name the directory of the pages' sources", MaxFiles)
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

// head is the beginning of a file; nil when it cannot be read.
func head(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := make([]byte, maxHead)
	n, _ := io.ReadFull(f, text) // a short file is a whole one
	return text[:n]
}

// add makes a file known under its keys.
func (t *Tree) add(rel string, head []byte) {
	id := len(t.files)
	t.files = append(t.files, file{rel})
	for _, k := range sourceKeys(rel, readFrontMatter(head)) {
		t.last[k.last()] = append(t.last[k.last()], match{id, k})
	}
}

func (k key) last() string {
	if len(k) == 0 {
		return ""
	}
	return k[len(k)-1]
}

// name is how reports call a source.
func (t *Tree) name(id int) string {
	if t.label == "." {
		return t.files[id].rel
	}
	return t.label + "/" + t.files[id].rel
}

// of returns the sources that a page may have been made from, the likeliest: those
// whose paths have most names in common with its own. What generators put above
// their pages (content/, docs/, a version, the path of a site) is no hindrance.
func (t *Tree) of(page string) []int {
	k := pageKey(t.below(page))
	if len(k) == 0 {
		return t.home()
	}
	var best []int
	most := 0
	for _, m := range t.last[k.last()] {
		n := shared(m.key, k)
		switch whole := n == len(m.key) && n == len(k); {
		case whole && most <= len(k):
			if most < len(k)+1 {
				best, most = best[:0], len(k)+1 // nothing is nearer than the same path
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

// below takes off the scheme and host of a page, or the directory its site is in.
func (t *Tree) below(page string) string {
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

// home are the sources of a site's first page: index files as high up as there are.
func (t *Tree) home() []int {
	if top := t.last[""]; len(top) > 0 {
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
