package report

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// The summary shows how the run was started, what a baseline says, what is not listed, and
// what may be the right URL of a target that many places link to.
func TestHTMLOfARun(t *testing.T) {
	run := contractRun()
	broken := func(url string, refs ...crawler.Reference) *crawler.Result {
		return &crawler.Result{URL: url, Verdict: check.Broken, Code: "file-missing", References: refs}
	}
	known := broken("known.html", crawler.Reference{Page: "index.html", Line: 1, Column: 1})
	b := NewBaseline(&Report{Results: []*crawler.Result{known, broken("gone.html", crawler.Reference{Page: "a<b>.html", Line: 1, Column: 1})}})
	many := broken("setpu.html", crawler.Reference{Page: "a.html", Line: 1, Column: 1}, crawler.Reference{Page: "b.html", Line: 1, Column: 1}, crawler.Reference{Page: "c.html", Line: 1, Column: 1})
	many.Suggestions = []check.Suggestion{{URL: "setup.html", Why: "closest name"}}
	run.Results = []*crawler.Result{many, b.Mark(known)}
	run.Summary = crawler.Summary{Complete: true, Results: 7, Broken: 2, OK: 3, Skipped: 2, ByCode: map[check.Code]int{"file-missing": 2, "excluded": 2}}
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
