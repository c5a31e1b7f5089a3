package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestFindingsOfContentChecks renders findings of content checks in every format that lists
// them. The formats of graphs and sitemaps are the same with and without them.
func TestFindingsOfContentChecks(t *testing.T) {
	extensions := map[string]string{
		"text": "txt", "json": "json", "ndjson": "ndjson", "csv": "csv", "markdown": "md", "junit": "junit.xml", "sarif": "sarif", "github": "github",
		"codequality": "codequality", "xml": "xml", "linkchecker-csv": "linkchecker.csv", "linkchecker-xml": "linkchecker.xml", "linkchecker-sql": "linkchecker.sql",
	}
	for _, f := range Formats {
		if extension := extensions[f.Name]; extension != "" {
			golden(t, "checked."+extension+".golden", []byte(render(t, f.Name, Options{Show: ShowAll}, checkedRun())))
			continue
		}
		switch f.Name {
		case "html", "sqlite": // see TestHTMLGolden and TestSQLiteFindings
		default:
			checked := checkedRun()
			checked.Summary = fullRun().Summary // some have its first line
			without := render(t, f.Name, Options{Show: ShowAll}, fullRun())
			if got := render(t, f.Name, Options{Show: ShowAll}, checked); got != without {
				t.Errorf("%s differs:\n%s\nwant:\n%s", f.Name, got, without)
			}
		}
	}
}

// TestReportOfFindings tests that a saved report has all that the formats need.
func TestReportOfFindings(t *testing.T) {
	saved, err := Read(strings.NewReader(render(t, "json", Options{Show: ShowAll}, checkedRun())))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats {
		if f.Streams || f.Name == "sqlite" || f.Name == "html" { // in the order of arrival; times of files; the graph
			continue
		}
		if got, want := render(t, f.Name, Options{Show: ShowAll}, saved), render(t, f.Name, Options{Show: ShowAll}, checkedRun()); got != want {
			t.Errorf("%s of the saved report:\n%s\nwant:\n%s", f.Name, got, want)
		}
	}
}

// A page's own result comes before the findings about it, which are in the order of their
// places; at one place, codes, rules and messages order them.
func TestOrderOfFindings(t *testing.T) {
	at := func(line, column int, code check.Code, rule, message string) *result.Result {
		return pageResult(check.VerdictWarning, code, rule, message, result.Reference{Page: "b.html", Line: line, Column: column})
	}
	want := []*result.Result{
		{URL: "a.html", Verdict: check.Skipped, Code: "external"},
		{URL: "b.html", Verdict: check.Skipped, Code: "external"},
		at(0, 0, "title-missing", "", "z"),
		at(2, 9, "title-long", "", "a"),
		at(10, 1, "css-syntax", "bad-url", "b"),
		at(10, 1, "html-syntax", "a", "b"),
		at(10, 1, "html-syntax", "b", "a"),
		at(10, 1, "html-syntax", "b", "b"),
		{URL: "c.html"},
	}
	run := &Report{Results: slices.Clone(want)}
	slices.Reverse(run.Results)
	saved, err := Read(strings.NewReader(render(t, "json", Options{Show: ShowAll}, run)))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range saved.Results {
		if r.URL != want[i].URL || r.Kind != want[i].Kind || r.Code != want[i].Code || r.Rule != want[i].Rule || r.Message != want[i].Message {
			t.Errorf("result %d is %s %s %s %s", i, r.URL, r.Code, r.Rule, r.Message)
		}
	}
}

// Information about a page is listed only with --show all.
func TestShowFindings(t *testing.T) {
	for show, want := range map[string]int{"broken": 1, "unverified": 1, "warning": 30, "ok,skipped": 0, "all": 33} {
		set, err := ParseShow(show)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, r := range listedResults(t, set, checkedRun()) {
			if r.Kind == result.KindPage {
				got++
			}
		}
		if got != want {
			t.Errorf("--show %s: %d findings, want %d", show, got, want)
		}
	}
}

// listedResults returns the results of a run that are shown.
func listedResults(t *testing.T, show Show, run *Report) []*result.Result {
	t.Helper()
	saved, err := Read(strings.NewReader(render(t, "json", Options{Show: show}, run)))
	if err != nil {
		t.Fatal(err)
	}
	return saved.Results
}

// A baseline has a finding if page, code and rule are the same, as often as it has them.
// A finding whose text changed is still known.
func TestBaselineOfFindings(t *testing.T) {
	at := func(page string, line int, rule, raw string) *result.Result {
		return pageResult(check.VerdictWarning, "html-syntax", rule, "message "+raw, result.Reference{Page: page, Line: line, Column: 1, Raw: raw})
	}
	before := &Report{Results: []*result.Result{at("a", 1, "x", "one"), at("a", 2, "x", "two"), at("a", 3, "y", "three"), at("b", 1, "x", "four")}}
	b := NewBaseline(before)
	var known []string
	for _, r := range []*result.Result{at("a", 1, "x", "new text"), at("a", 5, "x", "one"), at("a", 6, "x", "more"), at("a", 7, "z", "three"), at("c", 1, "x", "four")} {
		r = b.Mark(r)
		known = append(known, fmt.Sprintf("%s:%d %v %v", r.URL, r.References[0].Line, r.Known, r.References[0].Known))
	}
	want := []string{"a:1 [html-syntax] true", "a:5 [html-syntax] true", "a:6 [] false", "a:7 [] false", "c:1 [] false"}
	if !slices.Equal(known, want) {
		t.Errorf("got %q", known)
	}
	s := &result.Summary{Internal: result.Tally{Warnings: 5}}
	if b.ExcludeKnown(s); s.Internal.Warnings != 3 || s.Known.Warnings != 2 {
		t.Errorf("%+v", s)
	}
	if gone, places := b.Gone(&result.Summary{Findings: &result.FindingCounts{}}); gone != 2 || places != 4 {
		t.Errorf("%d of %d gone", gone, places)
	}
	// A run that checks no content says nothing about them.
	if gone, _ := b.Gone(&result.Summary{}); gone != 0 {
		t.Errorf("%d gone", gone)
	}
	// The verdict of a finding is not that of the page.
	r := at("a", 3, "y", "three")
	r.Verdict = check.Unverified
	b = NewBaseline(before)
	b.Mark(r)
	if gone, _ := b.Gone(&result.Summary{Findings: &result.FindingCounts{}}); gone != 3 {
		t.Errorf("%d gone", gone)
	}
}

// Broken and unverified findings and warnings are compared like links, by page, code and rule.
func TestCompareFindings(t *testing.T) {
	at := func(verdict check.Verdict, page string, line int, rule string) *result.Result {
		return pageResult(verdict, "html-syntax", rule, "message", result.Reference{Page: page, Line: line, Column: 1})
	}
	checked := result.Summary{Findings: &result.FindingCounts{}}
	old := &Report{Summary: checked, Results: []*result.Result{
		{URL: "a", Verdict: check.Broken, Code: "http-404", References: []result.Reference{{Page: "a", Line: 9}}},
		at(check.Broken, "a", 1, "x"), at(check.Unverified, "a", 2, "y"), at(check.Broken, "a", 3, "z"), at(check.VerdictWarning, "a", 4, "w")}}
	now := &Report{Summary: checked, Results: []*result.Result{
		at(check.Unverified, "a", 8, "x"), at(check.Unverified, "a", 12, "x"), at(check.Broken, "b", 3, "z"), at(check.VerdictWarning, "a", 5, "q")}}
	d := Compare(old, now)
	if got, want := describe(d), `new a a html-syntax 12
new b b html-syntax 3
new_warnings a a html-syntax 5
fixed a a http-404 9
fixed a a html-syntax 2
fixed a a html-syntax 3
fixed_warnings a a html-syntax 4
still_broken a a html-syntax 8
`; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var text, json strings.Builder
	if err := d.WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-findings.txt.golden", []byte(text.String()))
	if err := d.WriteJSON(&json, 0); err != nil {
		t.Fatal(err)
	}
	validate(t, compileSchema(t, "#/$defs/comparison", true), json.String())
	if n := strings.Count(json.String(), `"kind": "page"`); n != 7 {
		t.Errorf("%d findings in %s", n, json.String())
	}
	// A run that checks no content cannot tell that a fault was corrected.
	now.Summary.Findings = nil
	if d := Compare(old, now); len(d.unclear) != 2 || len(d.fixed) != 1 {
		t.Errorf("%s", describe(d))
	}
}

// What was found on pages does not make a run sound or unsound.
func TestUnsoundWithFindings(t *testing.T) {
	type S = result.Summary
	found := &result.FindingCounts{Broken: 2, Unverified: 3}
	for name, test := range map[string]struct {
		s    S
		why  string
		exit int
	}{
		"only findings are broken": {S{Broken: 2, Unverified: 4, Findings: found, ByCode: map[check.Code]int{"timeout": 1, "sri-mismatch": 2}, Internal: result.Tally{Broken: 2}},
			"no link could be verified: 1 timeout", ExitFindings},
		"only findings are unverified": {S{Broken: 0, Unverified: 3, Pages: 1, Findings: &result.FindingCounts{Unverified: 3}}, "", ExitOK},
		"the pages have no links":      {S{Crawled: true, Pages: 1, OK: 1, StartDocuments: 1, Warnings: 1, Findings: &result.FindingCounts{Warning: 1}}, "", ExitOK},
		"no page has links, and none was looked at": {S{Crawled: true, Findings: &result.FindingCounts{}},
			"nothing was checked: no document that can be read for links was found", ExitUnsound},
		"the start could not be read": {S{Broken: 3, Findings: found, Internal: result.Tally{Broken: 3}, StartFailed: []string{"a"}}, "", ExitUnsound},
	} {
		test.s.Soundness = result.SoundnessOf(&test.s, 1)
		if got := test.s.Soundness.Why; got != test.why && len(test.s.StartFailed) == 0 {
			t.Errorf("%s: %q", name, got)
		}
		if got := (Policy{}).Exit(&test.s); got != test.exit {
			t.Errorf("%s: exit %d, want %d", name, got, test.exit)
		}
	}
}

// The table of findings leaves the tables and views of links as they are.
func TestSQLiteFindings(t *testing.T) {
	db := databaseOf(t, renderPages(t, "sqlite", Options{Show: ShowAll}, checkedRun(), sitePages()))
	for sql, want := range map[string]string{
		"SELECT count(*) FROM results":    "8",
		"SELECT count(*) FROM broken":     "52",
		"SELECT count(*) FROM unverified": "1",
		"SELECT count(*) FROM refs":       "58",
		"SELECT broken, clamd, findings_broken, findings_unverified, findings_warning, findings_info FROM run":      "5|ClamAV 1.4.3/27800|1|1|30|1",
		"SELECT * FROM findings WHERE code = 'spell-typo'":                                                          `3|https://example.com/a|warning|spell-typo|NULL|"teh" is not in the dictionary|the|internal|example.com|9|4|||teh|teh quick|0|NULL`,
		"SELECT line, rule FROM findings WHERE code = 'header-missing'":                                             "NULL|referrer-policy",
		"SELECT level FROM findings WHERE code = 'title-long'":                                                      "unverified",
		"SELECT * FROM findings_by_page LIMIT 2":                                                                    "https://example.com/a|4|1|0|3|0\nhttps://example.com/b|4|0|1|2|1",
		"SELECT * FROM findings_by_code LIMIT 1":                                                                    "lang-missing|NULL|page without a language|i18n|warning|25|25|https://example.com/p/00",
		"SELECT title, severity, content_group, count FROM codes WHERE code IN ('spell-typo', 'content-no-drafts')": "a content rule was broken|warning|content|1\nword that is not in the dictionary|warning|plugins|1",
	} {
		if got := strings.TrimSpace(queryFile(t, db, sql)); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", sql, got, want)
		}
	}
	none := databaseOf(t, renderPages(t, "sqlite", Options{}, fullRun(), nil))
	if got := strings.TrimSpace(queryFile(t, none, "SELECT clamd, findings_broken FROM run")); got != "NULL|NULL" {
		t.Errorf("without checks: %s", got)
	}
}
