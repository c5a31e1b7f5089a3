package architecture

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docOf returns what go doc shows of a package of the module.
func docOf(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, path.Join(module, dir))
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return p
}

// TestSurface: what go doc lists of this package is short. Functions that say something about one
// URL, one store or one document belong to the packages of those.
func TestSurface(t *testing.T) {
	const most = 10
	p := docOf(t, "crawler")
	functions := p.Funcs
	for _, typ := range p.Types {
		functions = append(functions, typ.Funcs...)
	}
	var names []string
	for _, f := range functions {
		names = append(names, f.Name)
	}
	if len(names) > most {
		t.Errorf("package crawler has %d functions, at most %d: %s", len(names), most, strings.Join(names, ", "))
	}
	for _, typ := range p.Types {
		names = append(names, typ.Name)
	}
	for _, name := range names { // package store has them
		for _, word := range []string{"Coordinat", "Join", "Work", "Shared", "Taken"} {
			if strings.Contains(name, word) {
				t.Errorf("package crawler lists %s: what a crawl of several processes needs is no part of it", name)
			}
		}
	}
	for _, want := range []string{"Run", "Report"} {
		if !slices.Contains(names, want) {
			t.Errorf("package crawler has the functions %s, without %s", strings.Join(names, ", "), want)
		}
	}
}

// TestDocsOpenWithAnExample: the second block of the documentation of an importable package is code,
// or, where the first paragraph needs another one, the third.
func TestDocsOpenWithAnExample(t *testing.T) {
	for dir := range mayImport {
		if strings.HasPrefix(dir, "cmd/") || strings.Contains(dir, "internal") {
			continue
		}
		blocks := new(comment.Parser).Parse(docOf(t, dir).Doc).Content
		if !slices.ContainsFunc(blocks[:min(3, len(blocks))], func(b comment.Block) bool { _, is := b.(*comment.Code); return is }) {
			t.Errorf("the documentation of package %s does not begin with an example", dir)
		}
	}
}
