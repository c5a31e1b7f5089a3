package sources_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/sources"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Find the line of a Markdown file that a broken link on a built page comes from.
func ExampleTree_Map() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "docs", "guide.md")
	if err := os.Mkdir(filepath.Dir(source), 0o700); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("# Guide\n\nSee [more](https://example.com/gone).\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	tree, err := sources.Open(filepath.Join(dir, "docs"), dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	r := &result.Result{URL: "https://example.com/gone", References: []result.Reference{
		{Page: "site/guide/index.html", Line: 40, Column: 12, Raw: "https://example.com/gone", Element: "a", Attribute: "href", Text: "more"},
	}}
	tree.Map(r)
	at := r.References[0].Source
	fmt.Printf("%s:%d\n", filepath.ToSlash(at.File), at.Line)
	// Output: docs/guide.md:3
}
