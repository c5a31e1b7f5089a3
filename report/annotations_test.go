package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestAnnotationsGolden(t *testing.T) {
	for _, format := range []string{"github", "codequality"} {
		golden(t, "contract."+format+".golden", []byte(render(t, format, Options{Prefix: "site"}, contractRun())))
		golden(t, "full."+format+".golden", []byte(render(t, format, Options{}, fullRun())))
	}
}

// annotation is a workflow command as parsed by GitHub's runner.
type annotation struct {
	level, message string
	properties     map[string]string
}

var workflowCommand = regexp.MustCompile(`^::(error|warning|notice)( [^:]*)?::(.*)$`)

// readAnnotations parses every line as the runner does. Each line must be a command.
func readAnnotations(t testing.TB, log string) []annotation {
	t.Helper()
	var all []annotation
	for line := range strings.Lines(log) {
		m := workflowCommand.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("is no annotation: %.200q", line)
		}
		a := annotation{level: m[1], message: unescapeData.Replace(m[3]), properties: map[string]string{}}
		for property := range strings.SplitSeq(strings.TrimSpace(m[2]), ",") {
			name, value, ok := strings.Cut(property, "=")
			if !ok {
				t.Fatalf("%q is no property in %.200q", property, line)
			}
			a.properties[name] = unescapeProperty.Replace(value)
		}
		all = append(all, a)
	}
	return all
}

var (
	unescapeData     = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	unescapeProperty = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
)

// Annotations are in the order of their places.
func TestGitHubAnnotations(t *testing.T) {
	run := contractRun()
	run.Results[1].References = append(run.Results[1].References, result.Reference{Page: "z.html", Line: 1, Column: 1})
	got := readAnnotations(t, render(t, "github", Options{Prefix: "web"}, run))
	want := []annotation{
		{"error", `broken link to https://example.com/gone: not found (and at 1 more place)`,
			map[string]string{"file": "web/docs/install.html", "line": "12", "col": "8", "endColumn": "32", "title": "404 not found (http-404)"}},
		{"error", `broken link to guide.html#setup: no element has the id "setup"; did you mean guide.html#set-up?`,
			map[string]string{"file": "web/docs/install.html", "line": "40", "col": "3", "endColumn": "22", "title": "no such anchor on the page (fragment-missing)"}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// A sentence contains each URL only once.
func TestSentencesDoNotRepeatThemselves(t *testing.T) {
	const page = "https://example.com/p"
	run := &Report{Results: []*result.Result{
		{URL: page, Verdict: check.OK, Code: "ok", Warnings: []check.Warning{{Code: "fragment-duplicate", Message: "the id \"a\" appears more than once"}}},
		{URL: "https://example.com/old", Verdict: check.OK, Code: "ok",
			Warnings:   []check.Warning{{Code: "redirect-permanent", Message: "moved permanently to https://example.com/new", Proposal: "https://example.com/new"}},
			References: []result.Reference{{Page: page, Line: 3, Column: 7}}},
		{URL: "https://example.com/older", Verdict: check.OK, Code: "ok",
			Warnings:   []check.Warning{{Code: "redirect-permanent", Message: "moved permanently to https://example.com/new", Proposal: "https://example.com/new#a"}},
			References: []result.Reference{{Page: page, Line: 4, Column: 7}}},
	}}
	want := []string{
		`https://example.com/p: the id "a" appears more than once`,
		"https://example.com/p:3:7: https://example.com/old: moved permanently to https://example.com/new",
		"https://example.com/p:4:7: https://example.com/older: moved permanently to https://example.com/new; use https://example.com/new#a",
	}
	for i, a := range readAnnotations(t, render(t, "github", Options{}, run)) {
		if a.message != want[i] {
			t.Errorf("got  %s\nwant %s", a.message, want[i])
		}
	}
	markdown := render(t, "markdown", Options{}, run)
	if n := strings.Count(markdown, "`https://example.com/new`"); n != 0 {
		t.Errorf("the new address stands again %d times:\n%s", n, markdown)
	}
}

// Each level has at most ten annotations. The last one counts the rest.
// Annotations are in the order of their places.
func TestGitHubAnnotationsAreLimited(t *testing.T) {
	for _, n := range []int{0, 1, 10, 11, 500} {
		run := &Report{}
		for i := range n {
			run.Results = append(run.Results, &result.Result{
				URL: fmt.Sprint("https://example.com/", i), Verdict: check.Broken, Code: "http-404",
				Warnings: []check.Warning{{Code: "uri-repaired"}, {Code: "redirect-temporary"}},
			})
		}
		counts := map[string]int{}
		for _, a := range readAnnotations(t, render(t, "github", Options{Show: ShowAll}, run)) {
			counts[a.level]++
			if said := strings.HasPrefix(a.message, fmt.Sprintf("%d more findings have no annotation", n-9)); said != (n > 10 && counts[a.level] == 10) {
				t.Errorf("%d of %d: %s", counts[a.level], n, a.message)
			}
		}
		for _, level := range githubCommands {
			if counts[level] != min(n, 10) {
				t.Errorf("%d: %d of level %s", n, counts[level], level)
			}
		}
	}
}

// A thousand findings with one code leave room for findings with another.
// Annotations are in the order of their places.
func TestGitHubAnnotationsAreShared(t *testing.T) {
	run := &Report{}
	for i := range 100 {
		run.Results = append(run.Results, &result.Result{URL: fmt.Sprintf("https://example.com/%03d", i), Verdict: check.Broken, Code: "file-missing"})
	}
	run.Results[98].Code, run.Results[99].Code = "http-404", "dns-not-found"
	titles := map[string]int{}
	for _, a := range readAnnotations(t, render(t, "github", Options{}, run)) {
		titles[a.properties["title"]]++
	}
	want := map[string]int{"file does not exist (file-missing)": 7, "404 not found (http-404)": 1, "host name does not exist (dns-not-found)": 1, "more findings": 1}
	if fmt.Sprint(titles) != fmt.Sprint(want) {
		t.Errorf("got %v", titles)
	}
}

func TestAnnotationsOfCleanRun(t *testing.T) {
	for format, want := range map[string]string{"github": "", "codequality": "[]\n"} {
		if got := render(t, format, Options{Show: ShowAll}, &Report{Results: []*result.Result{{URL: "a"}}}); got != want {
			t.Errorf("%s: got %q", format, got)
		}
	}
}

func TestCodeQualityMatchesItsSchema(t *testing.T) {
	text, err := os.ReadFile(schemaFile("codequality.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:codequality", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:codequality")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range testRuns() {
		report := render(t, "codequality", Options{Show: ShowAll}, run)
		validate(t, schema, report)
		var issues []struct{ Fingerprint string }
		if err := json.Unmarshal([]byte(report), &issues); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, i := range issues {
			if seen[i.Fingerprint] {
				t.Errorf("fingerprint %s is there twice", i.Fingerprint)
			}
			seen[i.Fingerprint] = true
		}
	}
}
