package inspect

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// BenchmarkSyntax looks at the syntax of pages, and compares the time with that of splitting them
// into tokens with golang.org/x/net/html. The pages are those of the tests, or all below the
// directory that ORBWEAVER_DOCUMENTATION names.
func BenchmarkSyntax(b *testing.B) {
	texts := pageTexts(b)
	if root := os.Getenv("ORBWEAVER_DOCUMENTATION"); root != "" {
		texts = nil
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".html") || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			texts = append(texts, strings.ToValidUTF8(string(text), ""))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, of := range []struct {
		name   string
		groups Groups
	}{{"html", HTML}, {"html+css", HTML | CSS}} {
		b.Run(of.name, func(b *testing.B) {
			inspector, err := Open(b.Context(), Config{Groups: of.groups, SyntaxMax: 20})
			if err != nil {
				b.Fatal(err)
			}
			var checking, scanning time.Duration
			for b.Loop() {
				for _, text := range texts {
					body := []byte(text)
					start := time.Now()
					inspector.Begin(&page.Page{Format: "html", Charset: "utf-8", Text: body, Body: body}, false).End(b.Context())
					checked := time.Now()
					for z := html.NewTokenizer(bytes.NewReader(body)); z.Next() != html.ErrorToken; { // without names and values
					}
					checking += checked.Sub(start)
					scanning += time.Since(checked)
				}
			}
			n := float64(b.N * len(texts))
			b.ReportMetric(float64(checking.Nanoseconds())/n, "ns/page")
			b.ReportMetric(float64(scanning.Nanoseconds())/n, "ns-x/net/page")
			b.ReportMetric(100*float64(checking)/float64(scanning), "%-of-x/net")
		})
	}
}
