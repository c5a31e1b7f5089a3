//go:build !unix

package disk

import (
	"os"
	"path/filepath"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/versions"
)

// openDirs opens files through the os.Root only.
type openDirs struct{ root *os.Root }

func newOpenDirs(root *os.Root) *openDirs { return &openDirs{root} }

func (f *openDirs) close() {}

func (f *openDirs) openFile(string) (file fdFile, version versions.File, ok bool) {
	return file, version, false
}

func (f *openDirs) list(dir, _ string) (*os.File, error) {
	if dir == "" {
		dir = "."
	}
	return f.root.Open(filepath.FromSlash(dir))
}

func (f *openDirs) stat(string, string, bool, time.Time) (mode uint32, tag string, ok bool) {
	return 0, "", false
}

// fdFile is never used on this system.
type fdFile struct{ *os.File }
