//go:build !race

package architecture

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Files of a package that use each other in a cycle can only be understood together, and
// so can the methods of a type and the parameters of a function.
const (
	mostFilesInCycle = 15
	mostMethods      = 25
	mostParameters   = 6
)

// overLimits are packages (by their cycle), types (by their methods) and functions (by
// their parameters) that are over a limit, with the reason. A line goes with the change
// that makes it unnecessary.
var overLimits = map[string]string{}

// TestStructure limits how much of a package must be understood at once.
func TestStructure(t *testing.T) {
	t.Parallel()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax,
		Dir:  root,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	patterns := 0
	unusedExceptions := maps.Clone(overLimits)
	over := func(what, problem string) {
		if _, allowed := overLimits[what]; allowed {
			delete(unusedExceptions, what)
			return
		}
		t.Errorf("%s: %s", what, problem)
	}
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(pkg.PkgPath, module+"/")
		if cycle := largestCycle(fileUses(pkg)); len(cycle) > mostFilesInCycle {
			over(name, fmt.Sprintf("%d files use each other in a cycle, more than %d: split the package, or pass on values: %s",
				len(cycle), mostFilesInCycle, strings.Join(cycle, " ")))
		}
		for typeName, count := range methodCounts(pkg.Types) {
			if count > mostMethods {
				over(name+"."+typeName, fmt.Sprintf("the type has %d methods, more than %d: give parts of its job to types of their own", count, mostMethods))
			}
		}
		for function, count := range parameterCounts(pkg) {
			if count > mostParameters {
				over(name+"."+function, fmt.Sprintf("the function has %d parameters, more than %d: give those that belong together a type", count, mostParameters))
			}
		}
		for _, pattern := range lazyPatterns(pkg) {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			patterns++
		}
	}
	if patterns < 50 {
		t.Errorf("%d expressions of lazy.Regexp were compiled: are there no more?", patterns)
	}
	for what := range unusedExceptions {
		t.Errorf("%s: it is within the limit: remove it from overLimits", what)
	}
}

// lazyPatterns returns the expressions that a package compiles when they are needed. One that is not
// valid would be noticed only then.
func lazyPatterns(pkg *packages.Package) (patterns []string) {
	for _, file := range pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Regexp" && strings.HasSuffix(pkg.TypesInfo.Uses[f.Sel].Pkg().Path(), "/internal/lazy") {
				if v := pkg.TypesInfo.Types[call.Args[0]].Value; v != nil {
					patterns = append(patterns, constant.StringVal(v))
				}
			}
			return true
		})
	}
	return patterns
}

// fileUses returns for each file of a package the files of the package whose
// package-level names and methods it uses.
func fileUses(pkg *packages.Package) map[string]map[string]bool {
	fileOf := func(n interface{ Pos() token.Pos }) string {
		return filepath.Base(pkg.Fset.Position(n.Pos()).Filename)
	}
	uses := map[string]map[string]bool{}
	for _, file := range pkg.Syntax {
		uses[fileOf(file)] = map[string]bool{}
	}
	for ident, object := range pkg.TypesInfo.Uses {
		if object.Pkg() != pkg.Types {
			continue
		}
		function, _ := object.(*types.Func)
		if object.Parent() == pkg.Types.Scope() || function != nil {
			uses[fileOf(ident)][fileOf(object)] = true
		}
	}
	return uses
}

// largestCycle returns the largest set of files that all use each other, directly or
// by way of others, in alphabetical order.
func largestCycle(uses map[string]map[string]bool) []string {
	reached := map[string]map[string]bool{}
	for file := range uses {
		reached[file] = map[string]bool{}
		for used := range uses[file] {
			if _, measured := uses[used]; measured {
				reached[file][used] = true
			}
		}
	}
	for by := range reached {
		for from := range reached {
			if reached[from][by] {
				maps.Copy(reached[from], reached[by])
			}
		}
	}
	var largest []string
	for file := range reached {
		cycle := []string{file}
		for other := range reached[file] {
			if other != file && reached[other][file] {
				cycle = append(cycle, other)
			}
		}
		if len(cycle) > len(largest) {
			largest = cycle
		}
	}
	slices.Sort(largest)
	return largest
}

// methodCounts returns how many methods are declared for each type of a package.
func methodCounts(pkg *types.Package) map[string]int {
	counts := map[string]int{}
	for _, name := range pkg.Scope().Names() {
		declared, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		named := declared.Type().(*types.Named)
		counts[name] = named.NumMethods()
		if list, ok := named.Underlying().(*types.Interface); ok {
			counts[name] = list.NumMethods()
		}
	}
	return counts
}

// parameterCounts returns how many parameters each function and method of a package has.
func parameterCounts(pkg *packages.Package) map[string]int {
	counts := map[string]int{}
	for _, file := range pkg.Syntax {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				object := pkg.TypesInfo.Defs[function.Name].(*types.Func)
				name := object.Name()
				if receiver := object.Signature().Recv(); receiver != nil {
					name = types.TypeString(receiver.Type(), func(*types.Package) string { return "" }) + "." + name
				}
				counts[strings.TrimPrefix(name, "*")] = object.Signature().Params().Len()
			}
		}
	}
	return counts
}
