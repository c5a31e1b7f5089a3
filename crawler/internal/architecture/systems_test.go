//go:build !race

package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems checks the types of all packages and their tests for 32-bit Windows and for
// macOS, where no test runs. Nothing is compiled for these systems: that takes ten times as long,
// for the database and the standard library above all.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	// Of other modules, only what they declare is of interest. What go test generates has no suffix.
	parse := func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, module+string(filepath.Separator)) {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
		}
		return file, err
	}
	for _, system := range [][]string{{"GOOS=windows", "GOARCH=386"}, {"GOOS=darwin", "GOARCH=arm64"}} {
		t.Run(system[0], func(t *testing.T) {
			t.Parallel()
			pkgs, err := packages.Load(&packages.Config{
				Mode:  packages.LoadTypes | packages.NeedDeps | packages.NeedSyntax,
				Dir:   root,
				Env:   append(os.Environ(), append(system, "CGO_ENABLED=0")...),
				Tests: true,

				ParseFile: parse,
			}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			ours := 0
			for _, pkg := range pkgs {
				ours += len(pkg.Syntax)
				for _, err := range pkg.Errors {
					t.Error(err)
				}
			}
			if ours < 1000 {
				t.Errorf("only %d files were read", ours)
			}
		})
	}
}
