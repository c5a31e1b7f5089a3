package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestSARIFGolden(t *testing.T) {
	golden(t, "contract.sarif.golden", []byte(render(t, "sarif", Options{Prefix: "site"}, contractRun())))
}

func sarifSchemaOf(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile("sarif-2.1.0-rtm.5.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:sarif", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:sarif")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSARIFMatchesItsSchema(t *testing.T) {
	schema := sarifSchemaOf(t)
	for name, run := range testRuns() {
		for _, show := range []Show{ShowDefault, ShowAll} {
			t.Run(name+" "+show.String(), func(t *testing.T) {
				validate(t, schema, render(t, "sarif", Options{Show: show}, run))
			})
		}
	}
}

// sarifLog has the fields that GitHub reads.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                                string
					ShortDescription, FullDescription struct{ Text string }
					Help                              struct{ Text, Markdown string }
					Properties                        map[string]any
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		OriginalURIBaseIDs map[string]struct{ URI string }
		Results            []sarifResult
	}
}

type sarifResult struct {
	RuleID    string
	RuleIndex int
	Level     string
	Message   struct{ Text string }
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI, URIBaseID string }
			Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
		}
	}
	PartialFingerprints map[string]string
	BaselineState       string
}

func readSARIF(t testing.TB, o Options, run *Report) sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(render(t, "sarif", o, run)), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// Requirements of GitHub's code scanning beyond the schema.
func TestSARIFForGitHub(t *testing.T) {
	for name, run := range testRuns() {
		log := readSARIF(t, Options{Show: ShowAll}, run)
		driver := log.Runs[0].Tool.Driver
		if driver.Name == "" || len(driver.Rules) == 0 {
			t.Errorf("%s: driver %q has %d rules", name, driver.Name, len(driver.Rules))
		}
		seen := map[string]bool{}
		for _, r := range driver.Rules {
			if seen[r.ID] || r.ID == "" {
				t.Errorf("%s: rule %q", name, r.ID)
			}
			seen[r.ID] = true
			for _, text := range []string{r.ShortDescription.Text, r.FullDescription.Text, r.Help.Text, r.Help.Markdown} {
				if text == "" {
					t.Errorf("%s: rule %s lacks a text", name, r.ID)
				}
			}
			if len(r.ShortDescription.Text) > 1024 || len(r.FullDescription.Text) > 1024 {
				t.Errorf("%s: rule %s has a long description", name, r.ID)
			}
			if _, ok := r.Properties["security-severity"]; ok {
				t.Errorf("%s: rule %s is about security", name, r.ID)
			}
		}
		prints := map[string]bool{}
		for _, r := range log.Runs[0].Results {
			if driver.Rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("%s: rule %s is not number %d", name, r.RuleID, r.RuleIndex)
			}
			if r.Message.Text == "" || len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" {
				t.Errorf("%s: %+v lacks something", name, r)
			}
			region := r.Locations[0].PhysicalLocation.Region
			if region.StartLine < 1 || region.StartColumn < 1 || region.EndLine < region.StartLine ||
				region.EndLine == region.StartLine && region.EndColumn <= region.StartColumn {
				t.Errorf("%s: region %+v", name, region)
			}
			print := r.PartialFingerprints["orbweaver/v1"]
			if print == "" || prints[print] {
				t.Errorf("%s: fingerprint %q", name, print)
			}
			prints[print] = true
		}
	}
}

// Fingerprints stay the same if lines are added above, and distinguish findings.
func TestSARIFFingerprintsOutlastMovedLines(t *testing.T) {
	prints := func(run *Report) (all []string) {
		for _, r := range readSARIF(t, Options{}, run).Runs[0].Results {
			all = append(all, r.PartialFingerprints["orbweaver/v1"])
		}
		return all
	}
	moved := fullRun()
	for _, r := range moved.Results {
		for i := range r.References {
			if r.References[i].Line > 0 {
				r.References[i].Line += 1000
			}
		}
	}
	before, after := prints(fullRun()), prints(moved)
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("before %v\nafter  %v", before, after)
	}
}

func TestSARIFLocations(t *testing.T) {
	for _, test := range []struct {
		page, target, prefix, uri, base string
	}{
		{"docs/a.html", "x", "", "docs/a.html", sourceRoot},
		{"a b/é#1?.html", "x", "", "a%20b/%C3%A9%231%3F.html", sourceRoot},
		{"100%.html", "x", "", "100%25.html", sourceRoot},
		{"a:b.html", "x", "", "a%3Ab.html", sourceRoot},
		{"a.html", "x", "web/site", "web/site/a.html", sourceRoot},
		{"../public/a.html", "x", "web", "public/a.html", sourceRoot},
		{"/abs/a b.html", "x", "web", "file:///abs/a%20b.html", ""},
		{"//abs/a.html", "x", "", "file:///abs/a.html", ""},
		{"https://example.com/a?b#c", "x", "web", "a?b#c", siteRoot},
		{"https://example.com/é|<>#a#b", "x", "", "%C3%A9%7C%3C%3E#a%23b", siteRoot},
		{"https://example.com/", "x", "", "./", siteRoot},
		{"https://example.com/?q", "x", "", "./?q", siteRoot},
		{"http://127.0.0.1:8080/a:b/c", "x", "", "./a:b/c", siteRoot},
		{"https://example.com//a", "x", "", "https://example.com//a", ""},
		{"https://user@example.com/a", "x", "", "https://user@example.com/a", ""},
		{"ftp://example.com/a", "x", "", "ftp://example.com/a", ""},
		{"https://[::1/", "x", "", "https:%2F%2F%5B::1%2F", ""},
		{"-", "x", "web", "-", ""},
		{result.CommandLine, "https://example.com/gone#x", "web", "gone", siteRoot},
		{result.CommandLine, "mailto:a@b", "web", "mailto:a@b", ""},
		{result.CommandLine, "no%20such.html", "web", "web/no%20such.html", sourceRoot},
		{"", "no%20such.html", "", "no%20such.html", sourceRoot},
	} {
		run := contractRun()
		run.Results = []*result.Result{{URL: test.target, Verdict: check.Broken, Code: "file-missing",
			References: []result.Reference{{Page: test.page}}}}
		at := readSARIF(t, Options{Prefix: test.prefix}, run).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation
		if at.URI != test.uri || at.URIBaseID != test.base {
			t.Errorf("%s: got %s in %q, want %s in %q", test.page, at.URI, at.URIBaseID, test.uri, test.base)
		}
	}
}

// URIs of pages on the site with the most findings are relative, others are absolute.
func TestSARIFSite(t *testing.T) {
	run := contractRun()
	run.Results = []*result.Result{{URL: "https://example.com/gone", Verdict: check.Broken, Code: "http-404", References: []result.Reference{
		{Page: "http://a.example/x"}, {Page: "https://example.com/a"}, {Page: "https://example.com/b/c"}, {Page: "docs/a.html"}}}}
	log := readSARIF(t, Options{}, run).Runs[0]
	if site := log.OriginalURIBaseIDs[siteRoot].URI; site != "https://example.com/" {
		t.Errorf("the site is %q", site)
	}
	var got []string
	for _, r := range log.Results {
		at := r.Locations[0].PhysicalLocation.ArtifactLocation
		got = append(got, at.URIBaseID+" "+at.URI)
	}
	if want := "[%SRCROOT% docs/a.html  http://a.example/x SITE a SITE b/c]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	run.Results[0].References = []result.Reference{{Page: "docs/a.html"}}
	if bases := readSARIF(t, Options{}, run).Runs[0].OriginalURIBaseIDs; len(bases) != 1 {
		t.Errorf("a directory has the roots %v", bases)
	}
}

// With a baseline, every result states whether it is new.
func TestSARIFBaselineState(t *testing.T) {
	states := func(o Options, run *Report) (all []string) {
		text := render(t, "sarif", o, run)
		validate(t, sarifSchemaOf(t), text)
		var log sarifLog
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		for _, r := range log.Runs[0].Results {
			all = append(all, r.RuleID+" "+r.BaselineState)
		}
		return all
	}
	run := &Report{Results: []*result.Result{
		{URL: "https://example.com/1", Verdict: check.Broken, Code: "http-404", References: []result.Reference{
			{Page: "a.html", Line: 1, Column: 1, Known: true}, {Page: "a.html", Line: 2, Column: 1}}},
		{URL: "https://example.com/2", Verdict: check.Broken, Code: "http-410", Known: []check.Code{"http-410"},
			Warnings:   []check.Warning{{Code: "redirect-permanent"}},
			References: []result.Reference{{Page: "a.html", Line: 3, Column: 1, Known: true}}},
	}}
	want := "[http-404 unchanged http-404 new redirect-permanent new http-410 unchanged]"
	if got := fmt.Sprint(states(Options{Baseline: true}, run)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(states(Options{}, run)); got != "[http-404  http-404  redirect-permanent  http-410 ]" {
		t.Errorf("without a baseline: %s", got)
	}
	run.Summary.Known.Broken = 1 // as in a saved report
	if got := fmt.Sprint(states(Options{}, run)); got != want {
		t.Errorf("from a saved report: %s, want %s", got, want)
	}
}

func TestSARIFRegions(t *testing.T) {
	for raw, want := range map[string][4]int{
		"":            {7, 3, 7, 4},
		"gone":        {7, 3, 7, 7},
		"日本 😀":        {7, 3, 7, 7},
		"a\nbc\n def": {7, 3, 9, 5},
		"a\n":         {7, 3, 8, 2},
	} {
		o := occurrence{place: place{line: 7, column: 3, ref: &result.Reference{Raw: raw}}}
		line, column, endLine, endColumn := o.region()
		if got := [4]int{line, column, endLine, endColumn}; got != want {
			t.Errorf("%q: got %v, want %v", raw, got, want)
		}
	}
}

// The most severe findings within the limit are kept, and the rest are counted.
func TestSARIFIsLimited(t *testing.T) {
	run := &Report{Summary: result.Summary{}}
	warned := &result.Result{URL: "https://example.com/1", Warnings: []check.Warning{{Code: "uri-repaired"}}}
	broken := &result.Result{URL: "https://example.com/2", Verdict: check.Broken, Code: "http-404"}
	for i := range 20 {
		ref := result.Reference{Page: "a.html", Line: i + 1, Column: 1}
		warned.References = append(warned.References, ref)
		broken.References = append(broken.References, ref)
	}
	run.Results = []*result.Result{warned, broken}
	var out strings.Builder
	w := sarifFormat.New(&out, Options{}).(*sarifWriter)
	if w.most != 25_000 {
		t.Errorf("the limit is %d", w.most)
	}
	w.most = 25
	if err := run.Write(w); err != nil {
		t.Fatal(err)
	}
	var read sarifLog
	if err := json.Unmarshal([]byte(out.String()), &read); err != nil {
		t.Fatal(err)
	}
	log := read.Runs[0]
	if n := len(log.Results); n != 25 {
		t.Errorf("%d results", n)
	}
	for i, r := range log.Results {
		if want := map[bool]string{true: "error", false: "warning"}[i < 20]; r.Level != want {
			t.Errorf("result %d is a %s", i, r.Level)
		}
	}
	notes := log.Invocations[0].ToolExecutionNotifications
	if len(notes) != 1 || !strings.Contains(notes[0].Message.Text, "15 more findings are omitted") {
		t.Errorf("notes %v", notes)
	}
}

func TestSARIFMessagesContainNoLinks(t *testing.T) {
	run := contractRun()
	run.Results[0].URL = "x[click](https://evil.example/)"
	for _, r := range readSARIF(t, Options{}, run).Runs[0].Results {
		if strings.Contains(strings.ReplaceAll(r.Message.Text, `\](`, ""), "](") {
			t.Errorf("%s", r.Message.Text)
		}
	}
}

// In every format with places, a finding leads to the source of its page.
func TestFindingsLeadToSources(t *testing.T) {
	run := contractRun()
	ref := &run.Results[1].References[0]
	ref.Source = &result.Place{File: "content/install.md", Line: 3, Column: 12, Raw: "/gone"}
	again := *ref
	again.Page = "docs/print.html" // another page generated from the same line
	run.Results[1].References = append(run.Results[1].References, again)
	run.Results = run.Results[1:]
	log := readSARIF(t, Options{}, run)
	if n := len(log.Runs[0].Results); n != 1 {
		t.Errorf("%d results", n)
	}
	at := log.Runs[0].Results[0].Locations[0].PhysicalLocation
	if at.ArtifactLocation.URI != "content/install.md" || at.Region != (struct{ StartLine, StartColumn, EndLine, EndColumn int }{3, 12, 3, 17}) {
		t.Errorf("sarif: %+v", at)
	}
	for format, want := range map[string]string{
		"github": "file=content/install.md,line=3,col=12,endColumn=17,", "codequality": `"path": "content/install.md", "lines": {"begin": 3}`,
		"markdown": "`content/install.md:3:12`", "junit": `<testsuite name="content/install.md" tests="1"`,
	} {
		if got := render(t, format, Options{}, run); strings.Count(got, want) != 1 || strings.Contains(got, "print.html") {
			t.Errorf("%s: %s", format, got)
		}
	}
}
