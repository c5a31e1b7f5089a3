package gitchanges

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxRead limits what git reads into memory of lists of patterns, attributes and repositories, in bytes of a file.
const maxRead = 100 << 20

// check returns an error if git would open a file of the repository and never finish reading it: a named pipe waits
// for its writer, and a device such as /dev/zero has no end. It looks at the directories whose files git opens by
// their names, any of which may be that of a commit, such as FETCH_HEAD. What else git may open, it opens for at
// most the time that Since gives it.
func (r *repository) check() error {
	info, objects := filepath.Join(r.common, "info"), filepath.Join(r.common, "objects", "info")
	for _, dir := range []string{r.gitDir, r.common, info, objects} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			size := int64(0) // an index, packed references and a graph of commits are as large as a history makes them
			if dir == info || dir == objects && e.Name() == "alternates" {
				size = maxRead
			}
			if err := isReadable(filepath.Join(dir, e.Name()), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// isReadable returns an error unless a file ends, within a number of bytes if that is not 0. Nothing can be read from
// a directory, nor from a socket, which the monitor of git leaves in a repository. Other programs leave links that
// lead nowhere.
func isReadable(name string, size int64) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir(), info.Mode()&fs.ModeSocket != 0:
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case size > 0 && info.Size() > size:
		return fmt.Errorf("%s has more than %d MiB", name, size>>20)
	}
	return nil
}

// reads reports whether a setting is the path of a file that ends, or of none (git-config(1)). Relative ones are
// in the work tree. What is in home directories of other users and in git's installation is not read.
func (r *repository) reads(path string) bool {
	rest, inHome := strings.CutPrefix(path, "~/")
	switch home, err := os.UserHomeDir(); {
	case inHome:
		path = filepath.Join(home, rest)
		return err == nil && isReadable(path, maxRead) == nil
	case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "%("):
		return false
	case !filepath.IsAbs(path):
		path = filepath.Join(r.top, path)
	}
	return isReadable(path, maxRead) == nil
}
