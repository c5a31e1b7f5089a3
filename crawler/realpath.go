package crawler

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// realPaths resolves the symbolic links in the paths of files. That costs a system call for
// each name of a path; directories are few, and are remembered.
type realPaths struct {
	mu   sync.Mutex
	dirs map[string]string
}

// ofDir is the real path of a directory.
func (p *realPaths) ofDir(dir string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if real, ok := p.dirs[dir]; ok {
		return real, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if p.dirs == nil {
		p.dirs = map[string]string{}
	}
	p.dirs[dir] = real
	return real, nil
}

// ofFile is the real path of a file.
func (p *realPaths) ofFile(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return filepath.EvalSymlinks(path)
	}
	dir, err := p.ofDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}
