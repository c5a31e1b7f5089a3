package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// query runs a query with the sqlite3 program.
func queryFile(t testing.TB, database, sql string) string {
	t.Helper()
	cmd := exec.Command(tool(t, "sqlite3"), "-readonly", "-batch", "-bail", "-nullvalue", "NULL", database, sql)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("sqlite3: %v: %s in %.300s", err, stderr.Bytes(), sql)
	}
	return string(out)
}

// databaseOf writes a database to a file.
func databaseOf(t testing.TB, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.db")
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSQLite(t *testing.T) {
	db := databaseOf(t, renderPages(t, "sqlite", Options{Show: ShowAll}, fullRun(), sitePages()))
	for _, test := range []struct{ sql, want string }{
		{"PRAGMA integrity_check", "ok"},
		{"PRAGMA foreign_key_check", ""},
		{"PRAGMA user_version", "3"},
		{"PRAGMA journal_mode", "delete"},
		{"SELECT tool, version, started, elapsed_ms, complete, stopped_by, start_targets FROM run", `orbweaver|1.0.0|2026-01-02T03:04:05Z|65000|0|max-time|["https://example.com/"]`},
		{`SELECT pages, targets, "references", requests, ok, broken, unverified, skipped, warnings FROM run`, "28|9|60|12|3|4|1|1|2"},
		{"SELECT count(*), count(DISTINCT url) FROM results", "8|8"},
		{"SELECT * FROM results WHERE url LIKE '%/old'", "6|https://example.com/old|ok|ok||internal|example.com|200|2|9|https://example.com/new/|text/html|0|0|NULL|NULL|NULL|NULL|NULL"},
		{"SELECT size FROM results WHERE url LIKE '%/wall'", "NULL"},
		{"SELECT page, line, column, element, attribute, raw, text FROM refs JOIN results ON results.id = result WHERE url LIKE '%#setup'",
			"https://example.com/a|40|3|a|href|guide#setup|Setup"},
		{"SELECT page, line, column FROM refs WHERE page = 'command line'", "command line|NULL|NULL"},
		{"SELECT hop, redirects.url, redirects.status FROM redirects JOIN results ON id = result WHERE results.url LIKE '%/old'",
			"1|https://example.com/old|301\n2|https://example.com/new|302"},
		{"SELECT code, message, proposal FROM warnings WHERE result = 6", "redirect-permanent|moved permanently|https://example.com/new/\nredirect-temporary|moved for now|NULL\nuri-repaired|spaces around it|NULL"},
		{"SELECT rank, suggestions.url, why FROM suggestions", "1|https://example.com/guide#set-up|closest id\n2|https://example.com/setup|closest path"},
		{"SELECT url, title, depth, modified, noindex, canonical FROM pages", "https://example.com/|Home|0|NULL|0|NULL\nhttps://example.com/a||1|NULL|0|NULL\n" +
			"https://example.com/b|日本語 \"b\" & <c>|1|NULL|0|NULL\nhttps://example.com/guide|Guide|2|NULL|0|NULL"},
		{"SELECT count(*) FROM edges", "13"},
		{"SELECT document, edges.url, text FROM edges JOIN pages ON pages.id = page WHERE pages.url LIKE '%/a' AND edges.url LIKE '%#%'",
			"https://example.com/guide|https://example.com/guide#setup|Setup"},
		{"SELECT code, title, severity, count FROM codes WHERE code IN ('http-404', 'timeout', 'ok') ORDER BY code",
			"http-404|404 not found|error|1\nok|it works|info|3\ntimeout|no answer in time|error|0"},
		// The views.
		{"SELECT page, line, column, url, code, suggestion FROM broken LIMIT 2",
			"NULL|NULL|NULL|https://example.com/missing.css|http-404|NULL\nhttps://example.com/a|40|3|https://example.com/guide#setup|fragment-missing|https://example.com/guide#set-up"},
		{"SELECT count(*) FROM broken", "52"},
		{"SELECT * FROM broken_by_page LIMIT 2", "https://example.com/p/00|2|1\nhttps://example.com/p/01|2|1"},
		{"SELECT * FROM broken_by_host", "example.com|3|51"},
		{"SELECT code, count FROM by_code LIMIT 2", "ok|3\nbot-wall|1"},
		{"SELECT * FROM by_host", "example.com|6|3|3|0|0|8|1\nexample.org|1|0|0|1|0|2|40\ntel:|1|0|0|0|1|0|0"},
		{"SELECT url, code, links FROM unverified", "https://example.org/wall|bot-wall|3"},
		{"SELECT url, elapsed_ms FROM slow", "https://example.org/wall|40\nhttps://example.com/old|9"},
		{"SELECT url, size FROM large", "https://example.com/guide#setup|5120\nhttps://example.com/|2048\nhttps://example.com/later|100"},
		{"SELECT page, line, column, url, proposal FROM redirects_permanent", "https://example.com/a|3|14|https://example.com/old|https://example.com/new/"},
		{"SELECT count(*), count(DISTINCT code) FROM warnings_by_page", "4|3"},
		{"SELECT * FROM orphans", ""},
		{"SELECT * FROM duplicate_titles", ""},
	} {
		if got := strings.TrimSuffix(queryFile(t, db, test.sql), "\n"); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.sql, got, test.want)
		}
	}
}

// Fields from other runs and sources, and the links that a warning concerns.
func TestSQLiteFieldsOfOtherRuns(t *testing.T) {
	db := databaseOf(t, render(t, "sqlite", Options{Show: ShowAll}, rememberedRun()))
	for _, test := range []struct{ sql, want string }{
		{"SELECT cached, known, broken_runs FROM results WHERE code = 'bot-wall'", "1|bot-wall redirect-permanent|NULL"},
		{"SELECT cached, known, broken_runs, broken_since, fails_after FROM results WHERE code = 'fragment-missing'", "0|NULL|13|2026-01-02T03:04:05Z|14"},
		{"SELECT known, unaffected, source, source_line, source_column, source_raw FROM refs WHERE source IS NOT NULL", "1|uri-repaired mixed-content|guide.md|15|16|setup.md"},
		{"SELECT count(*) FROM refs WHERE NOT known AND unaffected IS NULL AND source_line IS NULL", "57"},
	} {
		if got := strings.TrimSuffix(queryFile(t, db, test.sql), "\n"); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.sql, got, test.want)
		}
	}
	run := warnedRun()
	run.Results = append(run.Results, &result.Result{URL: "a%20b.html", Verdict: check.OK, Code: "ok", Warnings: []check.Warning{{Code: "fragment-duplicate"}}})
	db = databaseOf(t, render(t, "sqlite", Options{}, run))
	const want = "a b.html|NULL|fragment-duplicate\npage.html|NULL|fragment-duplicate\nx.html|1|redirect-permanent\nx.html|1|uri-repaired\nx.html|2|redirect-permanent\n"
	if got := queryFile(t, db, "SELECT page, line, code FROM warnings_by_page"); got != want {
		t.Errorf("warnings by page: got\n%s", got)
	}
	if got := queryFile(t, db, "SELECT page, line, column, raw, url, proposal FROM redirects_permanent"); got != "x.html|1|3|page.html|page.html|new.html\nx.html|2|3|./page.html|page.html|new.html\n" {
		t.Errorf("redirects: got\n%s", got)
	}
}

// warnedRun has a target with a warning about its own page, one about its redirects, and
// one about the spelling of the first of two links.
func warnedRun() *Report {
	return &Report{Results: []*result.Result{{
		URL: "page.html", Verdict: check.OK, Code: "ok", Internal: true,
		Warnings: []check.Warning{{Code: "fragment-duplicate", Message: "twice"}, {Code: "redirect-permanent", Proposal: "new.html"}, {Code: "uri-repaired", Message: "a blank"}},
		References: []result.Reference{
			{Page: "x.html", Line: 1, Column: 3, Raw: "page.html"},
			{Page: "x.html", Line: 2, Column: 3, Raw: "./page.html", Unaffected: "uri-repaired"},
		},
	}}}
}

func TestSQLiteOrphans(t *testing.T) {
	edge := func(url string) result.Edge { return result.Edge{URL: url} }
	pages := []*result.Page{
		{URL: "a/index.html", Title: "same", Links: []result.Edge{edge("a/b.html#x"), edge("a/old"), edge("a/sub/"), edge("a/short")}},
		{URL: "a/b.html", Title: "same", Links: []result.Edge{edge("a/b.html"), edge("a/")}},
		{URL: "a/sub/index.html", Links: []result.Edge{edge("a/alone/")}},
		{URL: "a/new"},
		{URL: "a/short.html"},
		{URL: "a/self.html", Links: []result.Edge{edge("a/self.html")}},
		{URL: "a/lonely/index.html"},
	}
	run := contractRun()
	run.Results = append(run.Results, &result.Result{URL: "a/old", FinalURL: "a/new"})
	db := databaseOf(t, renderPages(t, "sqlite", Options{Show: ShowAll}, run, pages))
	if got, want := queryFile(t, db, "SELECT url FROM orphans"), "a/lonely/index.html\na/self.html\n"; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := queryFile(t, db, "SELECT * FROM duplicate_titles"), "same|2|a/b.html\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// All rows are inserted, also after a full batch, and a second report has the same bytes.
func TestSQLiteHasEveryRow(t *testing.T) {
	for _, n := range []int{0, sqliteBatch, 2*sqliteBatch + 1} {
		run := &Report{}
		for i := range n {
			run.Results = append(run.Results, &result.Result{URL: fmt.Sprintf("https://example.com/%04d", i), References: []result.Reference{{Page: "p", Line: 1}, {Page: "q"}}})
		}
		first := render(t, "sqlite", Options{Show: ShowAll}, run)
		if got, want := queryFile(t, databaseOf(t, first), "SELECT (SELECT count(*) FROM results), count(*), count(line) FROM refs"), fmt.Sprintf("%d|%d|%d\n", n, 2*n, n); got != want {
			t.Errorf("%d: got %s", n, got)
		}
		if render(t, "sqlite", Options{Show: ShowAll}, run) != first {
			t.Errorf("%d: a second report differs", n)
		}
	}
}

func TestSQLiteFile(t *testing.T) {
	dir := writeFile(t, "report.db", fullRun(), sitePages())
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	if got := queryFile(t, filepath.Join(dir, "report.db"), "SELECT count(*) FROM broken"); got != "52\n" {
		t.Error(got)
	}
}

// A report that fails leaves no file behind.
func TestSQLiteCleansUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	boom := errors.New("boom")
	for n := range 2 {
		w := newWriter(t, &sqliteFormat, &failingWriter{n: n * 5000, err: boom}, Options{})
		if err := fullRun().Write(w); !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
	}
	if names, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "no", "such"))
	if err := fullRun().Write(newWriter(t, &sqliteFormat, &bytes.Buffer{}, Options{})); err == nil || !strings.Contains(err.Error(), "write sqlite: ") {
		t.Errorf("got %v", err)
	}
}

// SQLite would read a drive letter or the host of a network share as the host of the URI.
func TestSQLiteFileURI(t *testing.T) {
	for path, want := range map[string]string{"/tmp/a b": "file:///tmp/a%20b", "C:/a/b": "file:///C:/a/b", "//server/share/b": "file:////server/share/b"} {
		if got, _, _ := strings.Cut(temporaryDatabase(path), "?"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
