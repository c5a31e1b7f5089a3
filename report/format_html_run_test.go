package report

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// The summary shows how the run was started, what a baseline says, what is not listed, and
// what may be the right URL of a target that many places link to.
func TestHTMLOfARun(t *testing.T) {
	run := contractRun()
	broken := func(url string, refs ...result.Reference) *result.Result {
		return &result.Result{URL: url, Verdict: check.Broken, Code: "file-missing", References: refs}
	}
	known := broken("known.html", result.Reference{Page: "index.html", Line: 1, Column: 1})
	b := NewBaseline(&Report{Results: []*result.Result{known, broken("gone.html", result.Reference{Page: "a<b>.html", Line: 1, Column: 1})}})
	many := broken("setpu.html", result.Reference{Page: "a.html", Line: 1, Column: 1}, result.Reference{Page: "b.html", Line: 1, Column: 1}, result.Reference{Page: "c.html", Line: 1, Column: 1})
	many.Suggestions = []check.Suggestion{{URL: "setup.html", Why: "closest name"}}
	run.Results = []*result.Result{many, b.Mark(known)}
	run.Summary = result.Summary{Results: 7, Broken: 2, OK: 3, Skipped: 2, ByCode: map[check.Code]int{"file-missing": 2, "excluded": 2}}
	b.ExcludeKnown(&run.Summary)
	run.Head.Baseline = b
	run.Head.Command = []string{"orbweaver", "check", "docs dir", "--header=***", "--exclude=<x>", "https://me:secret@example.com/"}
	run.Head.Settings = []Setting{{"depth", "3"}, {"base-url", "https://me:secret@example.com/"}}
	text := renderHTML(t, Options{}, run, nil)
	for _, want := range []string{
		"orbweaver check &#39;docs dir&#39; &#39;--header=***&#39; &#39;--exclude=&lt;x&gt;&#39;",
		"<dt>depth</dt><dd><code>3</code></dd>",
		"broken: 1 new, 1 known · 1 finding fixed or removed",
		`a&lt;b&gt;.html</span>: <span class="url">gone.html</span> <code>file-missing</code>`,
		`3 <span class="badge ok">ok</span>`,
		`2 <span class="badge skipped">skipped</span><details>`,
		`2 <a href="#code-excluded"><code>excluded</code></a>`,
		`3 places on 3 pages</a> <span class="hint">did you mean setup.html?</span>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not contain %s", want)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("the report contains a password")
	}
}

// Hosts have the number of their targets that are ok, also those without a finding.
func TestHTMLHostsCountOK(t *testing.T) {
	run := &Report{Results: []*result.Result{{URL: "https://a.example/gone", Verdict: check.Broken, Code: "http-404"}}}
	run.Summary = result.Summary{Results: 1204, Broken: 1, OK: 1203, OKByHost: map[string]int{"a.example": 1200, "": 3}}
	text := renderHTML(t, Options{}, run, nil)
	for _, want := range []string{
		`host=a.example">a.example</a></span> <span class="count">1 · 1,200 ok</span>`,
		`<span class="label">local documents</span> <span class="count">0 · 3 ok</span>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not contain %s", want)
		}
	}
}

// Files outside the working directory have their paths from the root, as in a text report. What
// links to them are written like does not change.
func TestHTMLNamesFilesFromTheRoot(t *testing.T) {
	run := &Report{Results: []*result.Result{{
		URL: "../site/gone.html", Verdict: check.Broken, Code: "file-missing",
		Suggestions: []check.Suggestion{{URL: "../site/gone.htm", Why: "closest name"}},
		References:  []result.Reference{{Page: "../site/a/index.html", Line: 1, Column: 10, Raw: "../gone.html"}},
	}}}
	pages := []*result.Page{{URL: "../site/a/index.html", Links: []result.Edge{{URL: "../site/gone.html"}, {URL: "../site/b.html"}}}, {URL: "../site/b.html"}}
	text := renderHTML(t, Options{RunDir: "/home/me"}, run, pages)
	for _, want := range []string{`"/home/site/gone.html"`, `"/home/site/gone.htm"`, `"/home/site/a/index.html"`, `"/home/site/b.html"`, `"../gone.html"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not contain %s", want)
		}
	}
	if strings.Contains(text, "../site") {
		t.Error("the report has a name with ../")
	}
}

// A page is as far from the start as the redirect that leads to it, also if the report does not
// list the redirect.
func TestHTMLMapFollowsRedirects(t *testing.T) {
	run := &Report{Head: Head{Targets: []string{"https://a.example/"}}, Results: []*result.Result{{
		URL: "https://a.example/old", FinalURL: "https://a.example/new", Redirects: []result.Hop{{URL: "https://a.example/old", Status: 302}},
		Warnings: []check.Warning{{Code: "redirect-temporary"}},
	}}}
	pages := []*result.Page{{URL: "https://a.example/", Links: []result.Edge{{URL: "https://a.example/old#x"}}}, {URL: "https://a.example/new", Depth: 1}}
	if text := renderHTML(t, Options{}, run, pages); strings.Contains(text, "not linked from the start</span>") || !strings.Contains(text, "1 link away</span>") {
		t.Error("the page behind a redirect is not one link away")
	}
}
