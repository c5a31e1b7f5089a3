package fix

import (
	"bytes"
	"os"
	"path/filepath"
)

// Root returns the directory that the names in a patch are relative to: the top of the
// git work tree that contains dir, since git apply expects names relative to it, or dir
// if there is no work tree.
func Root(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	for at := abs; ; {
		if isWorkTree(at) {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return abs
		}
		at = up
	}
}

// maxGitFile is the maximum size of a file that names a repository, in bytes.
const maxGitFile = 64 << 10

// isWorkTree reports whether a directory is the top of a work tree: it contains a
// repository, or a file that names one (gitrepository-layout).
func isWorkTree(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		_, err := os.Stat(filepath.Join(git, "HEAD"))
		return err == nil
	}
	if !info.Mode().IsRegular() || info.Size() > maxGitFile {
		return false
	}
	text, err := os.ReadFile(git)
	return err == nil && bytes.HasPrefix(text, []byte("gitdir:"))
}
