package scope

import (
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// A file in the working directory is printed by its name there, whatever site its
// URL belongs to; on Windows, too, where a path begins with a volume.
func TestPrintedFileURLs(t *testing.T) {
	wd := t.TempDir()
	p := NewPrinter(nil, wd)
	for name, want := range map[string]string{filepath.Join(wd, "a", "x.html"): "a/x.html", filepath.Join(filepath.Dir(wd), "x.html"): "../x.html"} {
		u, err := disk.FileURL(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.URL(u); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := p.Path(name); got != want {
			t.Errorf("%s: path %s, want %s", name, got, want)
		}
	}
}
