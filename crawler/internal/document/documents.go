package document

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Documents are the documents of directories that are read for links, by their URLs.
type Documents struct {
	urls map[string]struct{}
	mu   sync.Mutex
	dirs map[string]string // without symbolic links, by directory
}

// Add adds a document. None may be added while documents are looked up.
func (d *Documents) Add(u []byte) {
	if d.urls == nil {
		d.urls = map[string]struct{}{}
	}
	d.urls[string(u)] = struct{}{}
}

// Has reports whether a URL is that of a document.
func (d *Documents) Has(u urinorm.URL) bool {
	_, ok := d.urls[u.String()]
	return ok
}

// Elsewhere reports whether the file that answers for a URL of a site is read for its links
// under another URL: "guide/" is the same document as "guide/index.html", and what is in
// "latest/", a symbolic link to "v2/", is what is there. Its findings are reported once, and a
// link to a directory above it would have no end otherwise.
func (d *Documents) Elsewhere(site *disk.Site, u urinorm.URL, path string) bool {
	if site.IsExactPath(u, path) && d.Has(u) {
		return false
	}
	rel, err := filepath.Rel(site.Dir(), path)
	if err != nil {
		return false
	}
	own, err := site.URLOf(filepath.ToSlash(rel))
	switch {
	case err != nil:
		return false
	case d.Has(own):
		return own.Directory() == u.Directory() && own.String() != u.WithoutFragment().String()
	}
	return d.inLinkedDirectory(site, path)
}

// inLinkedDirectory reports whether the path of a file leads through a symbolic link to a
// directory, and the file is one of the site's documents where it really is.
func (d *Documents) inLinkedDirectory(site *disk.Site, path string) bool {
	root, err := d.dirPath(site.Dir())
	if err != nil {
		return false
	}
	real, err := d.filePath(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	own, err := site.URLOf(filepath.ToSlash(rel))
	return err == nil && d.Has(own)
}

// dirPath returns the path of a directory without symbolic links. To resolve them costs a system
// call for each name of a path; directories are few, and are remembered.
func (d *Documents) dirPath(dir string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if real, ok := d.dirs[dir]; ok {
		return real, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if d.dirs == nil {
		d.dirs = map[string]string{}
	}
	d.dirs[dir] = real
	return real, nil
}

// filePath returns the path of a file without symbolic links.
func (d *Documents) filePath(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return filepath.EvalSymlinks(path)
	}
	dir, err := d.dirPath(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}
