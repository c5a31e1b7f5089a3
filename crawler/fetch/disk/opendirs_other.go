//go:build !unix

package disk

import (
	"os"
	"path/filepath"
	"time"
)

// openDirs opens files through the os.Root only.
type openDirs struct{ root *os.Root }

func newOpenDirs(root *os.Root) *openDirs { return &openDirs{root} }

func (f *openDirs) close() {}

func (f *openDirs) openFile(string) (file fdFile, size int64, modified time.Time, ok bool) {
	return file, 0, modified, false
}

func (f *openDirs) list(dir, _ string) (*os.File, error) {
	if dir == "" {
		dir = "."
	}
	return f.root.Open(filepath.FromSlash(dir))
}

// fdFile is never used on this system.
type fdFile struct{ *os.File }
