package report

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var update = flag.Bool("update", false, "write golden files anew; read the difference before you commit")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it anew)\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// newWriter returns a writer of one report to w.
func newWriter(t testing.TB, f *Format, w io.Writer, o Options) *Multi {
	t.Helper()
	m, err := Open([]Output{{Format: f, File: Stdout}}, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// render writes a run in a format.
func render(t testing.TB, format string, o Options, run *Report) string {
	t.Helper()
	f, err := ByName(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run.Write(newWriter(t, f, &out, o)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var started = time.Date(2026, 1, 2, 4, 4, 5, 999_000_000, time.FixedZone("", 3600))

// contractRun is the run in the documented examples.
func contractRun() *Report {
	return &Report{
		Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{"docs"}},
		Summary: result.Summary{
			Started: started, Elapsed: 1234 * time.Millisecond, Targets: []string{"docs"},
			Pages: 57, Results: 410, References: 1204, Links: 1203, Requests: 398,
			OK: 400, Broken: 2, Unverified: 1, Skipped: 7, Warnings: 3,
			ByCode:   map[check.Code]int{"http-404": 1, "fragment-missing": 1},
			Internal: result.Tally{Broken: 1, Warnings: 3}, External: result.Tally{Broken: 1, Unverified: 1},
		},
		Results: []*result.Result{
			{
				URL: "guide.html#setup", Verdict: check.Broken, Code: "fragment-missing",
				Message: `no element has the id "setup"`, Internal: true,
				Elapsed: 12 * time.Millisecond, FinalURL: "guide.html", ContentType: "text/html", Size: 5120,
				Suggestions: []check.Suggestion{{URL: "guide.html#set-up", Why: "closest id"}},
				References: []result.Reference{
					{Page: "docs/install.html", Line: 40, Column: 3, Element: "a", Attribute: "href", Raw: "../guide.html#setup", Text: "Setup"},
				},
			},
			{
				URL: "https://example.com/gone", Verdict: check.Broken, Code: "http-404",
				Message: "not found", Status: 404, Attempts: 1, Elapsed: 30 * time.Millisecond,
				FinalURL: "https://example.com/gone", ContentType: "text/html", Size: -1,
				References: []result.Reference{
					{Page: "docs/install.html", Line: 12, Column: 8, Element: "a", Attribute: "href", Raw: "https://example.com/gone", Text: "Download"},
				},
			},
		},
	}
}

// fullRun has everything that a report can show, in an unsorted order.
func fullRun() *Report {
	place := func(page string, line, column int, raw, text string) result.Reference {
		return result.Reference{Page: page, Line: line, Column: column, Element: "a", Attribute: "href", Raw: raw, Text: text}
	}
	results := []*result.Result{
		{
			URL: "https://example.org/wall", Verdict: check.Unverified, Code: "bot-wall", Message: "blocked by bot protection",
			Status: 403, Attempts: 2, Elapsed: 40 * time.Millisecond, FinalURL: "https://example.org/wall", Size: -1,
			References: []result.Reference{
				place("https://example.com/b", 7, 1, "https://example.org/wall", "a wall"),
				place("https://example.com/a", 7, 10, "https://example.org/wall", "again"),
				place("https://example.com/a", 7, 2, "https://example.org/wall", ""),
			},
		},
		{
			URL: "https://example.com/old", Verdict: check.OK, Code: "ok", Internal: true, Status: 200, Attempts: 2,
			Elapsed: 9 * time.Millisecond, FinalURL: "https://example.com/new/", ContentType: "text/html", Size: 0,
			Redirects: []result.Hop{{URL: "https://example.com/old", Status: 301}, {URL: "https://example.com/new", Status: 302}},
			Warnings: []check.Warning{
				{Code: "redirect-permanent", Message: "moved permanently", Proposal: "https://example.com/new/"},
				{Code: "redirect-temporary", Message: "moved for now"},
				{Code: "uri-repaired", Message: "spaces around it"},
			},
			References: []result.Reference{place("https://example.com/a", 3, 14, "/old ", "The old <b> page & its \"name\"")},
		},
		{
			URL: "https://example.com/later", Verdict: check.OK, Code: "ok", Internal: true, Status: 200, Attempts: 2,
			FinalURL: "https://example.com/now", ContentType: "text/html", Size: 100,
			Redirects:  []result.Hop{{URL: "https://example.com/later", Status: 302}},
			Warnings:   []check.Warning{{Code: "redirect-temporary", Message: "moved for now"}},
			References: []result.Reference{place("https://example.com/b", 1, 1, "later", "later")},
		},
		{
			URL: "https://example.com/", Verdict: check.OK, Code: "ok", Internal: true, Status: 200, Attempts: 1,
			FinalURL: "https://example.com/", ContentType: "text/html", Size: 2048,
			References: []result.Reference{{Page: result.CommandLine, Raw: "example.com"}},
		},
		{
			URL: "https://example.com/guide#setup", Verdict: check.Broken, Code: "fragment-missing",
			Message: `no element has the id "setup"`, Internal: true, Status: 200, Attempts: 1,
			FinalURL: "https://example.com/guide", ContentType: "text/html", Size: 5120,
			Suggestions: []check.Suggestion{
				{URL: "https://example.com/guide#set-up", Why: "closest id"},
				{URL: "https://example.com/setup", Why: "closest path"},
			},
			References: []result.Reference{place("https://example.com/a", 40, 3, "guide#setup", "Setup")},
		},
		{
			URL: "https://example.com/missing.css", Verdict: check.Broken, Code: "http-404", Internal: true, Status: 404, Attempts: 1,
			FinalURL: "https://example.com/missing.css", Size: -1,
		},
		{
			URL: "tel:+1-201-555-0123", Verdict: check.Skipped, Code: "scheme-unchecked", Message: "tel is not checked", Size: -1,
			References: []result.Reference{place("https://example.com/b", 2, 5, "tel:+1-201-555-0123", "+1 201 555 0123")},
		},
	}
	footer := &result.Result{
		URL: "https://example.com/imprint", Verdict: check.Broken, Code: "http-410", Internal: true, Status: 410, Attempts: 1,
		FinalURL: "https://example.com/imprint", Size: -1,
	}
	for i := range 25 {
		page := fmt.Sprintf("https://example.com/p/%02d", 24-i)
		footer.References = append(footer.References, place(page, 90, 8, "/imprint", "Imprint"), place(page, 2, 8, "/imprint", "Imprint"))
	}
	return &Report{
		Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{"https://example.com/"}},
		Summary: result.Summary{
			Started: started, Elapsed: 65 * time.Second, Soundness: result.Read(false, "max-time", ""),
			Targets: []string{"https://example.com/"},
			Pages:   28, Results: 9, References: 60, Links: 59, Requests: 12,
			OK: 3, Broken: 4, Unverified: 1, Skipped: 1, Warnings: 2,
			ByCode: map[check.Code]int{
				"http-404": 1, "http-410": 1, "fragment-missing": 1, "bot-wall": 1, "scheme-unchecked": 1,
				"redirect-permanent": 1, "uri-repaired": 1,
			},
			Internal: result.Tally{Broken: 3, Warnings: 2}, External: result.Tally{Unverified: 1},
		},
		Results: append(results, footer),
	}
}

// pageResult is a finding of a content check about a page.
func pageResult(verdict check.Verdict, code check.Code, rule, message string, ref result.Reference) *result.Result {
	return &result.Result{Kind: result.KindPage, URL: ref.Page, Verdict: verdict, Code: code, Rule: rule, Message: message, Internal: true,
		Status: 200, FinalURL: ref.Page, ContentType: "text/html", Size: 2048, References: []result.Reference{ref}}
}

// checkedRun is fullRun with findings of content checks, of each kind and verdict.
func checkedRun() *Report {
	run := fullRun()
	run.Head.Tool.Clamd = "ClamAV 1.4.3/27800"
	run.Head.Codes = []Code{{Code: "spell-typo", Title: "word that is not in the dictionary", Severity: check.VerdictWarning, Advice: "Correct the word, or add it to the dictionary."}}
	const a, b = "https://example.com/a", "https://example.com/b"
	typo := pageResult(check.VerdictWarning, "spell-typo", "", `"teh" is not in the dictionary`,
		result.Reference{Page: a, Line: 9, Column: 4, Raw: "teh", Text: "teh quick"})
	typo.Proposal = "the"
	level := pageResult(check.Unverified, "title-long", "", "the title has 84 characters",
		result.Reference{Page: b, Line: 4, Column: 3, Element: "title", Raw: "<title>", Text: "A long title"})
	level.Level = check.Level("unverified")
	external := pageResult(check.Broken, "sri-mismatch", "", "no hash of the integrity attribute fits the script",
		result.Reference{Page: a, Line: 5, Column: 3, Element: "script", Attribute: "integrity", Raw: "sha384-AAAA"})
	run.Results = append(run.Results,
		level, external, typo,
		pageResult(check.VerdictWarning, "html-syntax", "duplicate-attribute", "the attribute src occurs twice",
			result.Reference{Page: a, Line: 12, Column: 16, Element: "img", Attribute: "src", Raw: "src=b.png", Text: "<img src=a.png src=b.png>"}),
		pageResult(check.VerdictWarning, "html-syntax", "missing-doctype", "the page has no doctype", result.Reference{Page: b, Line: 1, Column: 1}),
		pageResult(check.VerdictWarning, "content-no-drafts", "", `"lorem ipsum" must not be on a page`,
			result.Reference{Page: b, Line: 30, Column: 7, Raw: "lorem ipsum", Text: "lorem ipsum dolor"}),
		pageResult(check.VerdictWarning, "header-missing", "referrer-policy", "the response has no referrer-policy", result.Reference{Page: a}),
		pageResult(check.VerdictInfo, "css-syntax", "missing-value", "the property color has no value",
			result.Reference{Page: b, Line: 8, Column: 12, Element: "style", Raw: "color:"}),
	)
	for i := range 25 {
		run.Results = append(run.Results, pageResult(check.VerdictWarning, "lang-missing", "", "the html element has no language",
			result.Reference{Page: fmt.Sprintf("https://example.com/p/%02d", i), Line: 2, Column: 1, Element: "html"}))
	}
	s := &run.Summary
	s.Findings = &result.FindingCounts{Broken: 1, Unverified: 1, Warning: 30, Info: 1}
	s.Broken, s.Unverified, s.Warnings = s.Broken+1, s.Unverified+1, s.Warnings+30
	s.Internal.Broken, s.Internal.Unverified, s.Internal.Warnings = s.Internal.Broken+1, s.Internal.Unverified+1, s.Internal.Warnings+30
	for code, n := range map[check.Code]int{"sri-mismatch": 1, "title-long": 1, "spell-typo": 1, "html-syntax": 2, "content-no-drafts": 1, "header-missing": 1, "css-syntax": 1, "lang-missing": 25} {
		s.ByCode[code] = n
	}
	return run
}

// hostile are strings that a page may contain and that no report may act on.
var hostile = []string{
	`"><script>alert(1)</script>`,
	`=HYPERLINK("http://evil.example","x")`, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1",
	"\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
	"\u009b31m\u0085\u007f", "\x00\x01\x1f",
	"\u202egpj.exe\u2066\u2069\u200f\u061c", "\u200b\ufeff\u2060\U000e0041",
	"a\r\nb\nc\u2028d\u2029e", "  blanks  \t ",
	"https://user:secret@example.com/", "see https://u:secret@a.example/ and //v:secret@b.example/",
	"invalid \xff\xfe\xc0\xaf utf-8 \xed\xa0\x80", "\xe2\x82",
	`{{constructor.constructor("x")()}} ${jndi:ldap://x}`, "<!--#exec cmd=\"id\" -->", "]]>", "&amp;&#64;",
	`a","b`, "a;b,c|d", `\`, `\u0041`, `"`, "''", "`id`", "$(id)", "%0d%0a", "::error file=x::y", "##vso[task]", "|x|", "*/",
	"日本語 العربية 👩‍👩‍👧 é", "",
}

// hostileRun has hostile strings wherever a page or a server can put one.
func hostileRun() *Report {
	run := fullRun()
	run.Results = nil
	for i, s := range hostile {
		run.Results = append(run.Results, &result.Result{
			URL: "https://example.com/" + s, Verdict: check.Broken, Code: "http-404", Message: s,
			Status: 404, FinalURL: s, ContentType: s, Size: -1,
			Redirects:   []result.Hop{{URL: s, Status: 301}},
			Warnings:    []check.Warning{{Code: "redirect-permanent", Message: s, Proposal: s}},
			Suggestions: []check.Suggestion{{URL: s, Why: s}},
			References: []result.Reference{
				{Page: s, Line: i, Column: 1, Element: s, Attribute: s, Raw: s, Text: s},
			},
		})
	}
	run.Head.Targets, run.Summary.Targets = hostile, hostile
	run.Summary.Soundness.StoppedBy = hostile[9]
	return run
}

// failingWriter accepts n bytes and then fails.
type failingWriter struct {
	n   int
	err error
}

func (f *failingWriter) Write(p []byte) (int, error) {
	if len(p) <= f.n {
		f.n -= len(p)
		return len(p), nil
	}
	n := f.n
	f.n = 0
	return n, f.err
}

var _ io.Writer = (*failingWriter)(nil)
