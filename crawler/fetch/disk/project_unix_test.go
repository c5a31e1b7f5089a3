//go:build unix

package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A configuration or a document that is a named pipe is not opened: that would wait for its writer.
func TestProjectPipe(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docusaurus.config.js", "docs/pipe.md"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base, _, err := urinorm.ParseWeb("https://1.site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSite(SiteConfig{Base: base, Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	document, err := s.URLOf("docs/a.md")
	if err != nil {
		t.Fatal(err)
	}
	p := ProjectOf(s, document)
	if p == nil {
		t.Fatal("the project is not recognized")
	}
	if target, ok := p.Lead(document, "/docs/none"); ok {
		t.Errorf("/docs/none leads to %s", target)
	}
}
