package architecture

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

// root is the directory of the module.
const root = "../../.."

// mayImport is the map of the project: imports point down only. What a package
// may import besides the standard library is all there is to read to know what it
// can do.
var mayImport = map[string][]string{
	"cmd/orbweaver":                           {"*"},
	"cmd/orbweaver/internal/option":           {"cmd/orbweaver/internal/patternsize", "cmd/orbweaver/internal/quantity", "cmd/orbweaver/internal/archiving", "crawler", "crawler/extract", "crawler/fetch/disk", "crawler/inspect", "crawler/store", "report"},
	"cmd/orbweaver/internal/gitchanges":       {"crawler/fetch/disk"},
	"cmd/orbweaver/internal/filelock":         {},
	"cmd/orbweaver/internal/archiving":        {"crawler", "crawler/fetch", "urinorm"},
	"crawler/evidence":                        {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/judging", "crawler/internal/record", "crawler/internal/traffic", "crawler/result", "urinorm"},
	"cmd/orbweaver/internal/lsp":              {"cmd/orbweaver/internal/lazy", "cmd/orbweaver/internal/workspace", "crawler/check", "crawler/extract", "crawler/result", "report", "urinorm"},
	"cmd/orbweaver/internal/lsptest":          {},
	"cmd/orbweaver/internal/workspace":        {"crawler", "crawler/check", "crawler/extract", "crawler/result"},
	"cmd/orbweaver/internal/mcp":              {"cmd/orbweaver/internal/fix", "cmd/orbweaver/internal/serve/findings", "cmd/orbweaver/internal/similar", "crawler/check", "crawler/result", "report", "urinorm"},
	"cmd/orbweaver/internal/migrate":          {"cmd/orbweaver/internal/lazy"},
	"cmd/orbweaver/internal/lazy":             {},
	"cmd/orbweaver/internal/patternsize":      {"cmd/orbweaver/internal/lazy"},
	"cmd/orbweaver/internal/programtest":      {},
	"cmd/orbweaver/internal/quantity":         {},
	"cmd/orbweaver/internal/tomlsize":         {},
	"cmd/orbweaver/internal/serve":            {"cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/audit", "cmd/orbweaver/internal/serve/auth", "cmd/orbweaver/internal/serve/findings", "cmd/orbweaver/internal/serve/notify", "cmd/orbweaver/internal/serve/runs", "cmd/orbweaver/internal/serve/secret", "cmd/orbweaver/internal/serve/service", "cmd/orbweaver/internal/serve/sso", "cmd/orbweaver/internal/serve/store", "cmd/orbweaver/internal/serve/strictjson", "cmd/orbweaver/internal/serve/web", "crawler/check", "crawler/fetch", "report"},
	"cmd/orbweaver/internal/serve/api":        {},
	"cmd/orbweaver/internal/serve/webtest":    {},
	"cmd/orbweaver/internal/serve/web":        {"cmd/orbweaver/internal/option", "cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/audit", "cmd/orbweaver/internal/serve/auth", "cmd/orbweaver/internal/serve/findings", "cmd/orbweaver/internal/serve/service", "cmd/orbweaver/internal/serve/store", "cmd/orbweaver/internal/serve/strictjson", "crawler/check", "crawler/result", "report"},
	"cmd/orbweaver/internal/serve/client":     {"cmd/orbweaver/internal/serve/api"},
	"cmd/orbweaver/internal/serve/findings":   {"cmd/orbweaver/internal/lazy", "cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/rows", "crawler/check", "crawler/result", "report", "urinorm"},
	"cmd/orbweaver/internal/serve/runs":       {"cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/findings", "cmd/orbweaver/internal/serve/store", "crawler/check", "crawler/result", "report"},
	"cmd/orbweaver/internal/serve/mailtest":   {"crawler/crawlertest"},
	"cmd/orbweaver/internal/serve/servetest":  {},
	"cmd/orbweaver/internal/serve/service":    {"cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/audit", "cmd/orbweaver/internal/serve/auth", "cmd/orbweaver/internal/serve/findings", "cmd/orbweaver/internal/serve/notify", "cmd/orbweaver/internal/serve/runs", "cmd/orbweaver/internal/serve/schedule", "cmd/orbweaver/internal/serve/secret", "cmd/orbweaver/internal/serve/store", "cmd/orbweaver/internal/serve/strictjson", "cmd/orbweaver/internal/similar", "cmd/orbweaver/internal/tomlsize", "crawler/fetch", "report", "urinorm"},
	"cmd/orbweaver/internal/serve/store":      {"cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/audit", "cmd/orbweaver/internal/serve/auth", "cmd/orbweaver/internal/serve/notify", "cmd/orbweaver/internal/serve/rows", "crawler/result"},
	"cmd/orbweaver/internal/serve/strictjson": {},
	"cmd/orbweaver/internal/thread":           {"cmd/orbweaver/internal/lazy"},
	"cmd/orbweaver/internal/similar":          {},
	"cmd/orbweaver/internal/startup":          {},
	"cmd/orbweaver/internal/serve/audit":      {"cmd/orbweaver/internal/serve/rows", "report"},
	"cmd/orbweaver/internal/serve/auth":       {"cmd/orbweaver/internal/lazy", "cmd/orbweaver/internal/serve/rows"},
	"cmd/orbweaver/internal/serve/backup":     {"cmd/orbweaver/internal/serve/rows"},
	"cmd/orbweaver/internal/serve/secret":     {},
	"cmd/orbweaver/internal/serve/sso":        {"cmd/orbweaver/internal/serve/auth"},
	"cmd/orbweaver/internal/serve/schedule":   {},
	"cmd/orbweaver/internal/serve/rows":       {},
	"cmd/orbweaver/internal/serve/notify":     {"cmd/orbweaver/internal/serve/api", "cmd/orbweaver/internal/serve/rows", "crawler/fetch", "report", "urinorm"},
	"report":                                  {"crawler/check", "crawler/result", "urinorm"},
	"cmd/orbweaver/internal/sources":          {"cmd/orbweaver/internal/lazy", "crawler/extract", "crawler/fetch", "crawler/result", "urinorm"},
	"cmd/orbweaver/internal/fix":              {"cmd/orbweaver/internal/lazy", "crawler/check", "crawler/extract", "crawler/fetch", "crawler/result", "report", "urinorm"},
	"crawler":                                 {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/fetch/disk", "crawler/inspect", "crawler/internal/account", "crawler/internal/admit", "crawler/internal/crew", "crawler/internal/document", "crawler/internal/drift", "crawler/internal/formlogin", "crawler/internal/frontier", "crawler/internal/frontier/shards", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/local", "crawler/internal/proof", "crawler/internal/reading", "crawler/internal/recall", "crawler/internal/references", "crawler/internal/repeat", "crawler/internal/scope", "crawler/internal/seeds", "crawler/internal/signin", "crawler/internal/stored", "crawler/internal/traffic", "crawler/internal/verdicts", "crawler/internal/view", "crawler/render", "crawler/result", "crawler/session", "crawler/store", "urinorm"},
	"crawler/store":                           {"crawler/check", "crawler/internal/cacheentry", "crawler/internal/frontier", "crawler/internal/frontier/diskstore", "crawler/internal/frontier/redisstore", "crawler/internal/frontier/shards", "crawler/internal/stored", "crawler/internal/traffic", "urinorm"},
	"crawler/internal/crew":                   {"crawler/internal/admit", "crawler/internal/frontier", "crawler/internal/frontier/diskstore", "crawler/internal/frontier/redisstore", "crawler/internal/frontier/shards", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/scope", "crawler/internal/stored", "crawler/internal/trap", "crawler/result", "crawler/store", "urinorm"},
	"crawler/internal/document":               {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/fetch/disk", "crawler/inspect", "crawler/internal/buffers", "crawler/internal/drift", "crawler/internal/gap", "crawler/internal/inspect/clamd", "crawler/internal/inspect/inspected", "crawler/internal/inspect/page", "crawler/internal/inspect/visible", "crawler/internal/judging", "crawler/internal/lazy", "crawler/internal/scope", "urinorm"},
	"crawler/internal/recall":                 {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/fetch/disk", "crawler/internal/admit", "crawler/internal/cacheentry", "crawler/internal/frontier", "crawler/internal/judging", "crawler/internal/record", "crawler/internal/scope", "crawler/internal/stored", "crawler/internal/traffic", "crawler/internal/versions", "crawler/store", "urinorm"},
	"crawler/internal/record":                 {},
	"crawler/internal/captures":               {"crawler/check", "urinorm"},
	"crawler/internal/drift":                  {"crawler/internal/htmltoken", "crawler/internal/inspect/visible", "crawler/internal/record"},
	"crawler/internal/references":             {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/fetch/disk", "crawler/internal/frontier", "crawler/internal/judging", "crawler/internal/recall", "crawler/internal/record", "crawler/internal/scope", "crawler/result", "urinorm"},
	"crawler/result":                          {"crawler/check", "crawler/internal/gap", "crawler/internal/record"},
	"crawler/internal/stored":                 {"crawler/check", "crawler/internal/admit", "crawler/internal/frontier", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/record", "crawler/internal/scope", "crawler/internal/trap", "crawler/result", "urinorm"},
	"crawler/internal/view":                   {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/admit", "crawler/internal/buffers", "crawler/internal/document", "crawler/internal/judging", "crawler/internal/recall", "crawler/internal/references", "crawler/internal/render", "crawler/internal/scope", "urinorm"},
	"crawler/internal/proof":                  {"crawler/check", "crawler/fetch", "crawler/internal/formlogin", "crawler/internal/frontier", "crawler/internal/judging", "crawler/session"},
	"crawler/internal/admit":                  {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/frontier", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/robots", "crawler/internal/scope", "crawler/internal/traffic", "crawler/internal/trap", "crawler/internal/versions", "urinorm"},
	"crawler/internal/verdicts":               {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/admit", "crawler/internal/buffers", "crawler/internal/cacheentry", "crawler/internal/captures", "crawler/internal/drift", "crawler/internal/frontier", "crawler/internal/gap", "crawler/internal/inspect/facts", "crawler/internal/inspect/siterules", "crawler/internal/inspect/visible", "crawler/internal/judging", "crawler/internal/record", "crawler/internal/scope", "crawler/internal/stored", "crawler/internal/traffic", "crawler/internal/trap", "crawler/result", "crawler/session", "crawler/store", "urinorm"},
	"crawler/internal/scope":                  {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/fetch/disk", "crawler/inspect", "crawler/internal/frontier", "crawler/internal/judging", "urinorm"},
	"crawler/inspect":                         {"crawler/check", "crawler/internal/htmltoken", "crawler/internal/inspect/clamd", "crawler/internal/inspect/content", "crawler/internal/inspect/csssyntax", "crawler/internal/inspect/facts", "crawler/internal/inspect/htmlsyntax", "crawler/internal/inspect/inspected", "crawler/internal/inspect/page", "crawler/internal/inspect/pagerules", "crawler/internal/inspect/plugin", "crawler/internal/inspect/siterules", "crawler/internal/inspect/validator", "crawler/internal/inspect/visible", "crawler/internal/judging"},
	"crawler/internal/inspect/facts":          {"crawler/internal/inspect/imagesize", "crawler/internal/record"},
	"crawler/internal/inspect/imagesize":      {},
	"crawler/internal/inspect/langtag":        {},
	"crawler/internal/inspect/pagerules":      {"crawler/check", "crawler/extract", "crawler/internal/htmltoken", "crawler/internal/inspect/facts", "crawler/internal/inspect/langtag", "crawler/internal/inspect/page", "crawler/internal/inspect/visible", "crawler/internal/judging", "crawler/internal/lazy", "crawler/internal/robots", "urinorm"},
	"crawler/internal/inspect/page":           {"crawler/extract", "urinorm"},
	"crawler/internal/inspect/clamd":          {"crawler/internal/inspect/helper"},
	"crawler/internal/inspect/helper":         {},
	"crawler/internal/inspect/validator":      {"crawler/check", "crawler/internal/inspect/helper", "crawler/internal/inspect/page", "crawler/internal/judging", "crawler/internal/lazy"},
	"crawler/internal/csstoken":               {},
	"crawler/internal/htmltoken":              {},
	"crawler/internal/inspect/csssyntax":      {"crawler/internal/csstoken"},
	"crawler/internal/inspect/htmlsyntax":     {"crawler/internal/htmltoken", "crawler/internal/inspect/page", "crawler/internal/judging"},
	"crawler/internal/inspect/content":        {"crawler/check", "crawler/internal/htmltoken", "crawler/internal/inspect/page", "crawler/internal/inspect/visible", "crawler/internal/judging"},
	"crawler/internal/inspect/siterules":      {"crawler/check", "crawler/internal/inspect/facts", "crawler/internal/inspect/pagerules", "crawler/internal/judging"},
	"crawler/internal/inspect/visible":        {"crawler/internal/htmltoken", "crawler/internal/inspect/facts"},
	"crawler/internal/inspect/plugin":         {"crawler/check", "crawler/internal/inspect/helper", "crawler/internal/inspect/page", "crawler/internal/judging"},
	"crawler/internal/render":                 {},
	"crawler/render":                          {"crawler/internal/render"},
	"crawler/internal/robots":                 {"crawler/fetch", "urinorm"},
	"crawler/session":                         {"crawler/check", "crawler/internal/totp", "urinorm"},
	"crawler/internal/trap":                   {"crawler/internal/frontier", "urinorm"},
	"crawler/internal/account":                {"crawler/internal/frontier", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/stored", "crawler/internal/verdicts", "crawler/result"},
	"crawler/internal/signin":                 {"crawler/fetch", "crawler/internal/admit", "crawler/internal/document", "crawler/internal/formlogin", "crawler/internal/frontier", "crawler/internal/judging", "crawler/internal/proof", "crawler/internal/render", "crawler/session", "urinorm"},
	"crawler/internal/reading":                {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/account", "crawler/internal/admit", "crawler/internal/buffers", "crawler/internal/document", "crawler/internal/formlogin", "crawler/internal/gap", "crawler/internal/inspect/inspected", "crawler/internal/judging", "crawler/internal/local", "crawler/internal/recall", "crawler/internal/references", "crawler/internal/robots", "crawler/internal/scope", "crawler/internal/signin", "crawler/internal/stored", "crawler/internal/view", "crawler/result", "urinorm"},
	"crawler/internal/seeds":                  {"crawler/check", "crawler/internal/document", "crawler/internal/frontier", "crawler/internal/judging", "crawler/internal/references", "crawler/internal/scope"},
	"crawler/internal/repeat":                 {"crawler/check", "crawler/fetch/disk", "crawler/internal/account", "crawler/internal/admit", "crawler/internal/cacheentry", "crawler/internal/frontier", "crawler/internal/frontier/diskstore", "crawler/internal/gap", "crawler/internal/judging", "crawler/internal/recall", "crawler/internal/record", "crawler/internal/scope", "crawler/internal/seeds", "crawler/internal/stored", "crawler/internal/traffic", "crawler/internal/verdicts", "crawler/result", "crawler/store", "urinorm"},
	"crawler/internal/local":                  {"crawler/internal/admit", "crawler/internal/frontier"},
	"crawler/internal/frontier":               {"crawler/check", "crawler/internal/judging", "urinorm"},
	"crawler/check":                           {},
	"crawler/fetch":                           {"crawler/internal/traffic", "crawler/internal/versions", "urinorm"},
	"crawler/fetch/disk":                      {"crawler/fetch", "crawler/internal/lazy", "crawler/internal/traffic", "crawler/internal/versions", "urinorm"},
	"crawler/extract":                         {"crawler/internal/csstoken", "crawler/internal/htmltoken", "crawler/internal/lazy", "urinorm"},
	"urinorm":                                 {"urinorm/internal/idna"},
	"urinorm/internal/idna":                   {},
	"crawler/crawlertest":                     {},
	"crawler/internal/storetest":              {},
	"crawler/internal/frontier/diskstore":     {"crawler/internal/frontier", "crawler/internal/record"},
	"crawler/internal/frontier/shards":        {"crawler/internal/frontier", "crawler/internal/frontier/diskstore", "crawler/internal/frontier/redisstore"},
	"crawler/internal/frontier/redisstore":    {"crawler/internal/frontier", "crawler/internal/lazy", "crawler/internal/record", "urinorm"},
	"crawler/internal/architecture":           {},
	"crawler/internal/sharedmemory":           {"crawler/internal/frontier"},
	"crawler/internal/judging":                {"crawler/check", "crawler/extract", "crawler/fetch", "crawler/internal/gap", "crawler/internal/lazy", "crawler/internal/record", "urinorm"},
	"crawler/internal/gap":                    {},
	"crawler/internal/inspect/inspected":      {"crawler/internal/inspect/facts", "crawler/internal/inspect/pagerules", "crawler/internal/inspect/siterules", "crawler/internal/judging", "urinorm"},
	"crawler/internal/buffers":                {},
	"crawler/internal/lazy":                   {},
	"crawler/internal/versions":               {},
	"crawler/internal/traffic":                {"urinorm"},
	"crawler/internal/clamdtest":              {},
	"crawler/internal/sitetest":               {},
	"crawler/internal/formlogin":              {"crawler/extract", "crawler/fetch", "crawler/internal/judging", "crawler/internal/lazy", "crawler/internal/scope", "crawler/internal/traffic", "crawler/session", "urinorm"},
	"crawler/internal/totp":                   {},
	"crawler/internal/cacheentry":             {},
}

// elsewhere are the modules a package of ours may use; a row here is a decision.
var elsewhere = map[string][]string{
	"urinorm":               {"github.com/agext/levenshtein", "golang.org/x/net/publicsuffix", "golang.org/x/text"},
	"urinorm/internal/idna": {},
}

// chosen are the modules that the project is built on, and the packages that use them.
var chosen = map[string]string{
	"golang.org/x/net/html":          "crawler/extract",
	"github.com/PuerkitoBio/goquery": "crawler/extract",
	"github.com/temoto/robotstxt":    "crawler/internal/robots",
	"golang.org/x/sync/errgroup":     "crawler",
}

func TestImportsPointDown(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
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
				if strings.HasSuffix(ours, "test") && !strings.HasSuffix(from, "test") {
					t.Errorf("%s imports %s, which is for tests", rel, ours)
				}
				continue
			}
			used[from+" "+to] = true
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
	for to, from := range chosen {
		if !used[from+" "+to] {
			t.Errorf("%s does not use %s, on which the project is built", from, to)
		}
	}
}
