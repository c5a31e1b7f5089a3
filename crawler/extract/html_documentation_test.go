package extract

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documentation lists directories, separated as in PATH, whose HTML is read with and
// without fast paths, such as /usr/share/doc on Debian. Symbolic links are followed only
// if they are listed themselves.
const documentation = "ORBWEAVER_DOCUMENTATION"

// TestDocumentation checks that fast paths change nothing in what is found in real pages:
// those of testdata/pages, the documents, and the pages in the listed directories.
func TestDocumentation(t *testing.T) {
	roots := append([]string{"testdata", "../../testdata/documents"}, filepath.SplitList(os.Getenv(documentation))...)
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) {
			var sum struct{ documents, bytes, links, anchors int }
			real, err := filepath.EvalSymlinks(root)
			if err != nil {
				t.Fatal(err)
			}
			err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || !isPageName(d.Name()) {
					return err
				}
				body, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				in := Input{Body: body, Name: d.Name()}
				found := compareDocuments(t, in)
				if t.Failed() {
					return fs.SkipAll
				}
				if found.Format == "html" {
					text, _ := decode(body, "", htmlCharset)
					compareEvents(t, text)
				}
				sum.documents++
				sum.bytes += len(body)
				sum.links += len(found.Links)
				sum.anchors += len(found.Anchors)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if sum.documents == 0 {
				t.Error("no documents")
			}
			t.Logf("%d documents, %d MB: %d links, %d anchors", sum.documents, sum.bytes>>20, sum.links, sum.anchors)
		})
	}
}

func isPageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}
