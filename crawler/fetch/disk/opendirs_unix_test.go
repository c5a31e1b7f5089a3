//go:build unix

package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Files are found through open directories, even after many others were opened, but
// never through a link that leads outside.
func TestOpenDirsStayInside(t *testing.T) {
	var files []string
	for i := range 3 * maxOpenDirs {
		files = append(files, fmt.Sprintf("a/b/%d/c/x.html=%d", i, i))
	}
	dir := writeTree(t, files...)
	outside := writeTree(t, "c/x.html=secret")
	for link, to := range map[string]string{"a/b/out": outside, "a/b/in": "7"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	site := openSite(t, "https://example.com/", dir, hostAuto)
	dirs := site.tree.openDirs
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 3 * maxOpenDirs {
				for _, name := range []string{"a/b", fmt.Sprintf("a/b/%d", i), fmt.Sprintf("a/b/%d/c", i), "a/b/in/c"} {
					f, err := dirs.list(name, name)
					if err != nil {
						t.Errorf("list %s: %v", name, err)
						continue
					}
					f.Close()
				}
				for _, name := range []string{"a/b/out", "a/b/out/c", "..", "a/b/gone", "a/b/1/c/x.html"} {
					if f, err := dirs.list(name, name); err == nil {
						f.Close()
						t.Errorf("list %s: it is opened", name)
					}
				}
				body, version, ok := dirs.openFile(fmt.Sprintf("a/b/%d/c/x.html", i))
				if want := int64(len(fmt.Sprint(i))); !ok || version.Size != want {
					t.Errorf("file %d: %v, %d bytes", i, ok, version.Size)
				}
				if ok {
					body.Close()
				}
			}
		})
	}
	readers.Wait()
	if len(dirs.order) != len(dirs.byDir) || len(dirs.order) > maxOpenDirs {
		t.Errorf("%d directories are open, %d in order", len(dirs.byDir), len(dirs.order))
	}
}
