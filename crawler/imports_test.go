package crawler

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/orbweaver/orbweaver"

// mayImport is the map of the project: imports point down only. What a package
// may import besides the standard library is all there is to read to know what it
// can do.
var mayImport = map[string][]string{
	"cmd/orbweaver":                  {"*"},
	"cmd/orbweaver/found":            {"cmd/orbweaver/quantity", "report", "crawler/cache"},
	"cmd/orbweaver/gitchanges":       {"crawler/fetch/disk/gitignore"},
	"cmd/orbweaver/migrate":          {},
	"cmd/orbweaver/patternsize":      {},
	"cmd/orbweaver/programtest":      {},
	"cmd/orbweaver/quantity":         {},
	"cmd/orbweaver/serve":            {"cmd/orbweaver/serve/api", "cmd/orbweaver/serve/auth", "cmd/orbweaver/serve/findings", "cmd/orbweaver/serve/notify", "cmd/orbweaver/serve/runs", "cmd/orbweaver/serve/secret", "cmd/orbweaver/serve/service", "cmd/orbweaver/serve/store", "cmd/orbweaver/serve/strictjson", "cmd/orbweaver/serve/web", "report", "crawler/check", "crawler/fetch"},
	"cmd/orbweaver/serve/api":        {},
	"cmd/orbweaver/serve/webtest":    {},
	"cmd/orbweaver/serve/web":        {"cmd/orbweaver/serve/api", "cmd/orbweaver/serve/auth", "cmd/orbweaver/serve/findings", "cmd/orbweaver/serve/service", "cmd/orbweaver/serve/store", "cmd/orbweaver/serve/strictjson", "report", "crawler", "crawler/check"},
	"cmd/orbweaver/serve/client":     {"cmd/orbweaver/serve/api"},
	"cmd/orbweaver/serve/findings":   {"cmd/orbweaver/serve/api", "report", "crawler", "crawler/check", "urinorm"},
	"cmd/orbweaver/serve/runs":       {"cmd/orbweaver/serve/api", "cmd/orbweaver/serve/findings", "cmd/orbweaver/serve/store", "report", "crawler", "crawler/check"},
	"cmd/orbweaver/serve/servetest":  {},
	"cmd/orbweaver/serve/service":    {"cmd/orbweaver/similar", "cmd/orbweaver/serve/api", "cmd/orbweaver/serve/auth", "cmd/orbweaver/serve/findings", "cmd/orbweaver/serve/notify", "cmd/orbweaver/serve/runs", "cmd/orbweaver/serve/schedule", "cmd/orbweaver/serve/secret", "cmd/orbweaver/serve/store", "cmd/orbweaver/serve/strictjson", "report", "crawler/fetch", "urinorm"},
	"cmd/orbweaver/serve/store":      {"cmd/orbweaver/serve/api", "cmd/orbweaver/serve/auth", "cmd/orbweaver/serve/notify"},
	"cmd/orbweaver/serve/strictjson": {},
	"cmd/orbweaver/similar":          {},
	"cmd/orbweaver/serve/auth":       {},
	"cmd/orbweaver/serve/secret":     {},
	"cmd/orbweaver/serve/schedule":   {},
	"cmd/orbweaver/serve/notify":     {"report", "crawler/fetch", "urinorm"},
	"cmd/orbweaver-bench":            {"crawler/crawlertest"},
	"report":                         {"crawler/result", "crawler", "crawler/results", "crawler/check", "urinorm"},
	"report/browsertest":             {},
	"report/sources":                 {"crawler", "crawler/fetch", "crawler/extract", "urinorm"},
	"report/fix":                     {"report", "crawler", "crawler/check", "crawler/fetch", "crawler/extract", "crawler/extract/edit", "urinorm"},
	"crawler":                        {"crawler/result", "crawler/render", "crawler/inspect/visible", "crawler/inspect", "crawler/inspect/clamd", "crawler/references", "crawler/verdicts", "crawler/rules", "crawler/session", "crawler/robots", "crawler/trap", "crawler/cache", "crawler/frontier", "crawler/check", "crawler/fetch", "crawler/fetch/disk", "crawler/extract", "urinorm"},
	"crawler/cache":                  {"crawler/check", "crawler/fetch", "crawler/extract", "urinorm"},
	"crawler/references":             {"crawler/rules", "crawler/frontier", "crawler/check", "crawler/fetch", "crawler/fetch/disk", "crawler/extract", "urinorm"},
	"crawler/result":                 {"crawler/check"},
	"crawler/results":                {"crawler/rules", "crawler/check"},
	"crawler/verdicts":               {"crawler/result", "crawler/results", "crawler/inspect/visible", "crawler/inspect/facts", "crawler/inspect/siterules", "crawler/rules", "crawler/session", "crawler/frontier", "crawler/check", "crawler/fetch", "crawler/extract", "urinorm"},
	"crawler/rules":                  {"crawler/result", "crawler/render", "crawler/inspect", "crawler/session", "crawler/cache", "crawler/frontier", "crawler/check", "crawler/fetch", "crawler/fetch/disk", "crawler/extract", "urinorm"},
	"crawler/inspect":                {"crawler/inspect/clamd", "crawler/inspect/content", "crawler/inspect/csssyntax", "crawler/inspect/facts", "crawler/inspect/htmlsyntax", "crawler/inspect/htmltoken", "crawler/inspect/page", "crawler/inspect/pagerules", "crawler/inspect/siterules", "crawler/inspect/plugin", "crawler/inspect/validator", "crawler/inspect/visible", "crawler/check", "urinorm"},
	"crawler/inspect/facts":          {"crawler/inspect/imagesize"},
	"crawler/inspect/imagesize":      {},
	"crawler/inspect/langtag":        {},
	"crawler/inspect/pagerules":      {"crawler/inspect/facts", "crawler/inspect/htmltoken", "crawler/inspect/langtag", "crawler/inspect/page", "crawler/inspect/visible", "crawler/robots", "crawler/check", "crawler/extract", "urinorm"},
	"crawler/inspect/page":           {"crawler/extract", "urinorm"},
	"crawler/inspect/clamd":          {},
	"crawler/inspect/validator":      {"crawler/inspect/page", "crawler/check"},
	"crawler/inspect/csssyntax":      {},
	"crawler/inspect/htmlsyntax":     {"crawler/inspect/htmltoken", "crawler/inspect/page", "crawler/check"},
	"crawler/inspect/htmltoken":      {"crawler/extract"},
	"crawler/inspect/content":        {"crawler/inspect/page", "crawler/inspect/htmltoken", "crawler/inspect/visible", "crawler/check"},
	"crawler/inspect/siterules":      {"crawler/inspect/facts", "crawler/inspect/pagerules", "crawler/check"},
	"crawler/inspect/visible":        {"crawler/inspect/facts", "crawler/inspect/htmltoken", "crawler/extract"},
	"crawler/inspect/plugin":         {"crawler/inspect/page", "crawler/check"},
	"crawler/render":                 {},
	"crawler/robots":                 {"crawler/fetch", "urinorm"},
	"crawler/session":                {"crawler/check", "crawler/fetch", "crawler/extract", "urinorm"},
	"crawler/trap":                   {"urinorm"},
	"crawler/frontier":               {"crawler/check", "urinorm"},
	"crawler/check":                  {"crawler/fetch", "crawler/extract", "urinorm"},
	"crawler/fetch":                  {"urinorm"},
	"crawler/fetch/disk":             {"crawler/fetch", "crawler/fetch/disk/gitignore", "urinorm"},
	"crawler/fetch/disk/gitignore":   {},
	"crawler/extract":                {"urinorm"},
	"crawler/extract/edit":           {"crawler/extract", "urinorm"},
	"urinorm":                        {"urinorm/idna"},
	"urinorm/idna":                   {},
	"crawler/crawlertest":            {"urinorm"},
	"crawler/frontier/storetest":     {"crawler/frontier"},
	"crawler/frontier/diskstore":     {"crawler/frontier"},
	"crawler/frontier/redisstore":    {"crawler/frontier"},
	"crawler/frontier/sharedmemory":  {"crawler/frontier"},
}

// elsewhere are the modules a package of ours may use; a row here is a decision.
var elsewhere = map[string][]string{
	"urinorm":      {"golang.org/x/net/publicsuffix", "golang.org/x/text", "github.com/agext/levenshtein"},
	"urinorm/idna": {},
}

func TestImportsPointDown(t *testing.T) {
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("..", file)
		if err != nil {
			return err
		}
		from := path.Dir(filepath.ToSlash(rel))
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if len(parsed.Comments) > 0 && strings.HasPrefix(parsed.Comments[0].List[0].Text, "//go:build ignore") {
			return nil // a generator, built by nobody
		}
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("%s is in no place on the map: add its package to mayImport, and to the layout in cmd/orbweaver/docs/architecture.md", rel)
		}
		for _, spec := range parsed.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(to, module+"/"); ok {
				if !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
					t.Errorf("%s imports %s: imports point down only (report, crawler, then frontier, check, fetch, extract, then urinorm)", rel, ours)
				}
				if strings.HasSuffix(ours, "test") && !strings.HasSuffix(from, "test") && from != "cmd/orbweaver-bench" {
					t.Errorf("%s imports %s, which is for tests", rel, ours)
				}
				continue
			}
			if list, bounded := elsewhere[from]; bounded && strings.Contains(strings.Split(to, "/")[0], ".") &&
				!slices.ContainsFunc(list, func(m string) bool { return to == m || strings.HasPrefix(to, m+"/") }) {
				t.Errorf("%s imports %s: %s is to stand on its own, but for %v", rel, to, from, list)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
