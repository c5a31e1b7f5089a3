package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// dangerous are hostile strings for all formats, including long and unusual ones.
func dangerous() []string {
	return append(append([]string{}, hostile...),
		`</script><img src=x onerror=alert(1)>`, `</title></svg><svg onload=alert(1)>`, `=cmd|' /C calc'!A0`,
		"\x1b]0;title\x07\x1b[2J", "\u202emoc.elpmaxe\u202c", "nul\x00nul", "\x01\x02\x08\x0b\x0c\x0e\x7f", "x ]]> y", "a -- b", "--><b>", "<?php x ?>",
		"\xff\xfe\xfa", "::error::boom", "\n::error::boom", "\r\n::set-output name=x::y", "##[error]x", "line\nbreak", "tick`tock``", "|a|b|", "@all @user",
		"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "[x](https://evil.example/)", "![x](https://evil.example/i.png)", "<https://evil.example/>",
		"https://evil.example/ www.evil.example", "#1 GH-1 owner/repo#1", "'; DROP TABLE refs; --", `\N \G \L`, "&lt;b&gt; &#60; &quot;", "\\", `"\`, "%00%22", "{0} {{x}}",
		strings.Repeat("a", 100_000), strings.Repeat("<", 5_000), strings.Repeat("`|", 2_500),
	)
}

// dangerousRun has each string wherever a page, a server or a saved report can put one,
// as a URL and after the name of a host.
func dangerousRun() (*Report, []*result.Page) {
	run := fullRun()
	run.Results = nil
	var pages []*result.Page
	for i, s := range dangerous() {
		url := "https://example.com/" + s
		if i%3 == 0 {
			url = s
		}
		whole := s
		if len(s) > 50_000 {
			s = "long" // repeating it elsewhere would only take time
		}
		run.Results = append(run.Results, &result.Result{
			URL: url, Verdict: check.Verdict(1 + i%2), Code: check.Code([]string{"http-404", s}[i%2]), Message: s,
			Status: 404, FinalURL: s, ContentType: s, Size: -1, Internal: i%2 == 0,
			Redirects:   []result.Hop{{URL: s, Status: 301}},
			Warnings:    []check.Warning{{Code: "redirect-permanent", Message: s, Proposal: s}, {Code: check.Code(s), Message: s}},
			Suggestions: []check.Suggestion{{URL: s, Why: s}},
			References: []result.Reference{
				{Page: whole, Line: i, Column: 1, Element: s, Attribute: s, Raw: s, Text: whole},
				{Page: "page.html", Line: 1, Column: 1 + i, Element: s, Attribute: s, Raw: s, Text: s},
			},
		})
		found := pageResult(check.Verdict(1+i%2), check.Code([]string{"spell-typo", s}[i%2]), s, s,
			result.Reference{Page: url, Line: i % 3, Column: i % 3, Element: s, Attribute: s, Raw: s, Text: s})
		found.Proposal, found.FinalURL, found.ContentType = s, s, s
		run.Results = append(run.Results, found)
		pages = append(pages, &result.Page{URL: url, Title: whole, Format: "html", Canonical: []string{"", s, url}[i%3], Links: []result.Edge{{URL: s, Text: s}, {URL: url, Text: s}}})
		run.Summary.ByCode[check.Code(clean(s))] = 1
	}
	pages = append(pages, &result.Page{URL: "https://example.com/good", Title: "good", Format: "html"})
	run.Head.Targets, run.Summary.Targets, run.Summary.StartFailed = dangerous(), dangerous(), dangerous()
	run.Head.Tool = Tool{Name: "\x1b<tool>", Version: "\"--]]>\n::error::"}
	run.Head.Tool.Clamd = "\x1b<clamd>\n::error::"
	run.Head.Codes = append(run.Head.Codes, Code{Code: "spell-typo", Title: strings.Join(hostile, " "), Severity: check.Broken, Advice: "\n" + strings.Join(hostile, "\n")})
	run.Summary.Findings = &result.FindingCounts{Broken: 1}
	run.Summary.Soundness.StoppedBy = "x`|\n::error::<b>"
	return run, pages
}

// formatChecks read a report with a tool for its format and search for forbidden content.
var formatChecks = map[string]func(t *testing.T, report string){
	"json":   func(t *testing.T, report string) { validate(t, compileSchema(t, "", false), loosen(report)) },
	"ndjson": checkLines,
	"csv":    checkCells,
	"html":   checkHTML,
	"markdown": func(t *testing.T, report string) {
		checkMarkdown(t, report)
		if len(report) > defaultMarkdownSize {
			t.Errorf("%d bytes", len(report))
		}
	},
	"junit":       func(t *testing.T, report string) { xmllint(t, report, schemaFile("jenkins-junit.xsd")) },
	"sarif":       func(t *testing.T, report string) { validate(t, sarifSchemaOf(t), report) },
	"github":      func(t *testing.T, report string) { readAnnotations(t, report) },
	"codequality": func(t *testing.T, report string) { decodeJSON(t, report) },
	"xml": func(t *testing.T, report string) {
		xmllint(t, report, "report.xsd")
		found := xmlStrings(t, report)
		for _, s := range dangerous() {
			if s = xmlSafe(clean(s)); s != "" && !found[s] {
				t.Errorf("lacks %.100q", s)
			}
		}
	},
	"dot":              func(t *testing.T, report string) { checkDot(t, report, "URL") },
	"linkchecker-dot":  func(t *testing.T, report string) { checkDot(t, report, "href") },
	"linkchecker-gml":  func(t *testing.T, report string) { checkASCII(t, report); checkDelimited(t, report) },
	"linkchecker-xml":  func(t *testing.T, report string) { xmllint(t, report, "") },
	"linkchecker-gxml": func(t *testing.T, report string) { xmllint(t, report, "") },
	"linkchecker-csv": func(t *testing.T, report string) {
		r := csv.NewReader(strings.NewReader(report))
		r.Comma, r.Comment = ';', '#'
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		checkFormulas(t, rows, 3*len(dangerous())+1)
	},
	"linkchecker-sql": func(t *testing.T, report string) {
		cmd := exec.Command(tool(t, "sqlite3"), "-batch", "-bail", ":memory:")
		cmd.Stdin = strings.NewReader("create table linksdb (urlname, parentname, baseref, valid, result, warning, info, url, line, col, name, checktime, dltime, size, cached, level, modified);\n" +
			report + "\nselect count(*) from linksdb;\n")
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != strconv.Itoa(3*len(dangerous()))+"\n" {
			t.Errorf("%v: %.300s", err, out)
		}
	},
	"sqlite": func(t *testing.T, report string) {
		db := databaseOf(t, report)
		if got := queryFile(t, db, "PRAGMA integrity_check"); got != "ok\n" {
			t.Error(got)
		}
		checkText(t, queryFile(t, db, "SELECT * FROM run; SELECT * FROM results; SELECT * FROM refs; SELECT * FROM warnings; SELECT * FROM findings; SELECT * FROM codes; SELECT * FROM findings_by_code; SELECT * FROM pages; SELECT * FROM edges"))
		if got, want := queryFile(t, db, "SELECT count(*) FROM refs"), strconv.Itoa(2*len(dangerous()))+"\n"; got != want {
			t.Errorf("%s references, want %s", got, want)
		}
	},
	"sitemap": func(t *testing.T, report string) { xmllint(t, report, schemaFile("sitemap.xsd")) },
	"gml":     func(t *testing.T, report string) { checkGraph(t, readGraph(t, "gml", report), clean) },
	"graphml": func(t *testing.T, report string) {
		xmllint(t, report, schemaFile("graphml.xsd"))
		checkGraph(t, readGraph(t, "graphml", report), func(s string) string { return xmlSafe(clean(s)) })
	},
}

// Every format gets the same hostile strings and must treat them as data: a tool can read
// the report, and it contains no command for a terminal, a CI system or its reader. Every
// format must have a check.
func TestEveryFormatIsHarmless(t *testing.T) {
	run, pages := dangerousRun()
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			report := renderPages(t, f.Name, Options{Show: ShowAll}, run, pages)
			if !f.Binary {
				checkText(t, report)
				checkCommands(t, report, f.Name == "github")
			}
			for _, password := range []string{"user:secret", "/u:secret", "/v:secret"} {
				if i := strings.Index(report, password); i >= 0 {
					t.Errorf("holds a password: %.200q", report[max(0, i-100):])
				}
			}
			switch looksAt, ok := formatChecks[f.Name]; {
			case ok:
				looksAt(t, report)
			case f.Name != "text":
				t.Errorf("there is no check of %s: add one to formatChecks", f.Name)
			}
		})
	}
}

// TestNothingIsHidden tests that no format passes on characters that hide or reorder others,
// and that all formats pass on text that needs joiners.
func TestNothingIsHidden(t *testing.T) {
	shown := []string{"שלום עולם", "مرحبا", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻", "🏳️\u200d🌈"}
	escaped := []string{"pay\u200dpal", "a\u200c", "\u200db", "é\u200cb", "ב\u200d\u200dב", "\u200c"}
	for _, r := range "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff" {
		escaped = append(escaped, "x"+string(r)+"y", "ש"+string(r)+"ל")
	}
	for _, test := range []struct {
		name string
		all  []string
	}{{"shown", shown}, {"escaped", escaped}} {
		run := fullRun()
		run.Results = nil
		var pages []*result.Page
		for i, s := range test.all {
			run.Results = append(run.Results, &result.Result{
				URL: "https://example.com/" + s, Verdict: check.Broken, Code: "http-404", Message: s, FinalURL: s, ContentType: s, Size: -1,
				Redirects:   []result.Hop{{URL: s, Status: 301}},
				Warnings:    []check.Warning{{Code: "redirect-permanent", Message: s, Proposal: s}},
				Suggestions: []check.Suggestion{{URL: s, Why: s}},
				References:  []result.Reference{{Page: s, Line: i + 1, Column: 1, Element: s, Attribute: s, Raw: s, Text: s}},
			})
			pages = append(pages, &result.Page{URL: "https://example.com/" + s, Title: s, Format: "html", Links: []result.Edge{{URL: s, Text: s}}})
		}
		pages = append(pages, &result.Page{URL: "https://example.com/good", Title: "good", Format: "html"})
		run.Head.Targets, run.Summary.Targets, run.Summary.StartFailed = test.all, test.all, test.all
		for _, f := range Formats {
			t.Run(test.name+"/"+f.Name, func(t *testing.T) {
				report := renderPages(t, f.Name, Options{Show: ShowAll}, run, pages)
				if f.Binary {
					report = queryFile(t, databaseOf(t, report), "SELECT * FROM run; SELECT * FROM results; SELECT * FROM refs; SELECT * FROM warnings; SELECT * FROM pages; SELECT * FROM edges")
				}
				if f.Name == "html" {
					report = report[:strings.LastIndex(report, "<script>")] // the program names the characters
				}
				for i, r := range report {
					if r != '\n' && r != '\t' && unseen(report, i, r, utf8.RuneLen(r)) {
						t.Fatalf("holds %U in %.100q", r, report[max(0, i-40):])
					}
				}
				switch f.Name {
				case "gml", "linkchecker-gml", "sitemap", "linkchecker-dot": // these list only good pages, or only ASCII
					return
				}
				for _, s := range shown {
					if test.name == "shown" && !strings.Contains(report, s) {
						t.Errorf("lacks %s", s)
					}
				}
			})
		}
	}
}

// checkText searches for characters that control a terminal.
func checkText(t *testing.T, report string) {
	t.Helper()
	if !utf8.ValidString(report) {
		t.Error("is not UTF-8")
	}
	for i, r := range report {
		if r != '\n' && r != '\t' && (r < ' ' || 0x7F <= r && r < 0xA0) {
			t.Fatalf("holds %U in %.100q", r, report[max(0, i-40):])
		}
	}
}

// checkCommands searches for commands in the log of a CI system.
func checkCommands(t *testing.T, report string, annotates bool) {
	t.Helper()
	for line := range strings.Lines(report) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") && !annotates {
			t.Fatalf("a line is a command to a CI system: %.100q", line)
		}
	}
	for i := range report {
		if report[i] == '#' && isCommand(report[i+1:]) {
			t.Fatalf("holds a command to a CI system: %.100q", report[i:])
		}
	}
}

func decodeJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v in %.1000s", err, text)
	}
	return v
}

// loosen replaces unknown codes by ones that the schema permits.
func loosen(report string) string {
	var v map[string]any
	if json.Unmarshal([]byte(report), &v) != nil {
		return report
	}
	v["summary"].(map[string]any)["by_code"] = map[string]any{}
	for _, r := range v["results"].([]any) {
		r := r.(map[string]any)
		r["code"] = "http-404"
		for _, w := range r["warnings"].([]any) {
			w.(map[string]any)["code"] = "uri-repaired"
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return report
	}
	return string(text)
}

func checkLines(t *testing.T, report string) {
	n := 0
	for line := range strings.Lines(report) {
		decodeJSON(t, line)
		n++
	}
	if want := 2*len(dangerous()) + 1; n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
}

func checkCells(t *testing.T, report string) {
	rows, err := csv.NewReader(strings.NewReader(report)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checkFormulas(t, rows, 3*len(dangerous())+1)
}

func checkFormulas(t *testing.T, rows [][]string, want int) {
	t.Helper()
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && c != "-1" && strings.ContainsAny(c[:1], "=+-@\t\r\n") {
				t.Errorf("%.100q could be a formula", c)
			}
		}
	}
}

// checkHTML searches for scripts and links that come from pages.
func checkHTML(t *testing.T, report string) {
	z := html.NewTokenizer(strings.NewReader(report))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		if token.Data == "img" || token.Data == "b" {
			t.Errorf("holds %.200s", token)
		}
		for _, a := range token.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:text/html") {
				t.Errorf("holds %.200s", token)
			}
		}
	}
}

// checkDot also checks the attribute that contains links.
func checkDot(t *testing.T, report, link string) {
	labels, _, edges := readDot(t, report)
	if len(labels) < len(dangerous()) || len(edges) < len(dangerous()) {
		t.Errorf("%d nodes, %d edges", len(labels), len(edges))
	}
	cmd := exec.Command(tool(t, "gvpr"), strings.ReplaceAll(`N { if ($.URL != "" && index($.URL, "http") != 0) { print("link ", $.URL); } }`, "URL", link))
	cmd.Stdin = strings.NewReader(report)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("gvpr: %v: %s", err, stderr.Bytes())
	}
	if strings.Contains(string(out), "link ") {
		t.Errorf("%.1000s", out)
	}
}

// checkGraph searches for every string as a title or a text.
func checkGraph(t *testing.T, g drawn, as func(string) string) {
	found := map[string]bool{}
	for _, n := range g.Nodes {
		found[n.URL], found[n.Title] = true, true
	}
	for _, e := range g.Edges {
		found[e.Text] = true
	}
	for _, s := range dangerous() {
		if s = as(s); s != "" && !found[s] {
			t.Errorf("lacks %.100q", s)
		}
	}
}

func checkASCII(t *testing.T, report string) {
	t.Helper()
	for i := range report {
		if report[i] != '\n' && (report[i] < ' ' || report[i] > '~') {
			t.Fatalf("holds byte %#x", report[i])
		}
	}
}

// checkDelimited searches for GML strings that do not end, or continue after their end.
func checkDelimited(t *testing.T, report string) {
	t.Helper()
	for line := range strings.Lines(report) {
		if n := strings.Count(line, `"`); n != 0 && (n != 2 || !strings.HasSuffix(line, "\"\n")) {
			t.Fatalf("%.200q", line)
		}
	}
}
