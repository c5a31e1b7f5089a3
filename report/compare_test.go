package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// brokenRun returns a report with results from lines "verdict code url page:line
// page:line …".
func brokenRun(t *testing.T, complete bool, lines ...string) *Report {
	t.Helper()
	r := &Report{Head: Head{Started: started}, Summary: result.Summary{Soundness: result.Read(complete, "", "")}}
	for _, line := range lines {
		f := strings.Fields(line)
		v, err := check.ParseVerdict(f[0])
		if err != nil {
			t.Fatal(err)
		}
		res := &result.Result{Verdict: v, Code: check.Code(f[1]), URL: f[2]}
		for _, place := range f[3:] {
			ref := result.Reference{Column: 1, Element: "a", Text: "here"}
			page, line, _ := strings.Cut(place, ":")
			ref.Page = page
			if _, err := fmt.Sscan(line, &ref.Line); err != nil {
				t.Fatal(err)
			}
			res.References = append(res.References, ref)
		}
		r.Results = append(r.Results, res)
	}
	return r
}

func describe(d Diff) string {
	var b strings.Builder
	for _, part := range d.parts() {
		for _, c := range part.changes {
			fmt.Fprintf(&b, "%s %s %s %s", part.key, c.page, c.url, c.code)
			if c.was != "" {
				fmt.Fprintf(&b, " was %s", c.was)
			}
			for _, r := range c.references {
				fmt.Fprintf(&b, " %d", r.Line)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	old := []string{
		"broken http-404 u1 a:1 a:9 b:2",
		"broken http-404 u2 a:3",
		"broken timeout u3 a:4",
		"broken http-500 u4 a:5",
		"broken http-404 u5",
		"unverified timeout u6 a:6",
	}
	for _, test := range []struct {
		name     string
		complete bool
		new      []string
		want     string
	}{
		{"the same", true, old,
			`still_broken  u5 http-404
still_broken a u1 http-404 1 9
still_broken a u2 http-404 3
still_broken a u3 timeout 4
still_broken a u4 http-500 5
still_broken b u1 http-404 2
`},
		{"moved lines change nothing", true, []string{
			"broken http-404 u1 a:100 a:7 b:20", "broken http-404 u2 a:1", "broken timeout u3 a:40", "broken http-500 u4 a:50", "broken http-404 u5"},
			`still_broken  u5 http-404
still_broken a u1 http-404 7 100
still_broken a u2 http-404 1
still_broken a u3 timeout 40
still_broken a u4 http-500 50
still_broken b u1 http-404 20
`},
		{"more and fewer on a page", true, []string{
			"broken http-404 u1 a:9 b:2 b:3 b:4", "broken http-404 u2 a:3", "broken timeout u3 a:4", "broken http-500 u4 a:5", "broken http-404 u5"},
			`new b u1 http-404 3 4
fixed a u1 http-404 9
still_broken  u5 http-404
still_broken a u1 http-404 9
still_broken a u2 http-404 3
still_broken a u3 timeout 4
still_broken a u4 http-500 5
still_broken b u1 http-404 2
`},
		{"all changes", true, []string{
			"broken http-404 u1 b:2 c:1", // fixed on a, new on c
			"broken http-410 u2 a:3",     // another code
			"unverified http-503 u3 a:4", // could not be verified
			"broken http-404 u6 a:6",     // was unverified
			"broken fragment-missing u7#x a:7",
		},
			`new a u2 http-410 was http-404 3
new a u6 http-404 6
new a u7#x fragment-missing 7
new c u1 http-404 1
fixed  u5 http-404
fixed a u1 http-404 1 9
fixed a u4 http-500 5
unclear a u3 timeout 4
still_broken b u1 http-404 2
`},
		{"a run that was cut short proves nothing", false, []string{"broken http-404 u1 a:1", "ok ok u2 a:3", "skipped limit u3 a:4"},
			`fixed a u2 http-404 3
fixed b u1 http-404 2
unclear  u5 http-404
unclear a u3 timeout 4
unclear a u4 http-500 5
still_broken a u1 http-404 1
`},
		{"nothing left", true, nil,
			`fixed  u5 http-404
fixed a u1 http-404 1 9
fixed a u2 http-404 3
fixed a u3 timeout 4
fixed a u4 http-500 5
fixed b u1 http-404 2
`},
	} {
		d := Compare(brokenRun(t, true, old...), brokenRun(t, test.complete, test.new...))
		if got := describe(d); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
		if want := strings.Contains(test.want, "new "); (d.Exit() == ExitFindings) != want {
			t.Errorf("%s: exit status %d", test.name, d.Exit())
		}
	}
	if got, want := len(Compare(brokenRun(t, true), brokenRun(t, true, old...)).new), 6; got != want {
		t.Errorf("%d new, want %d", got, want)
	}
}

func TestCompareGolden(t *testing.T) {
	footer := "broken http-404 https://example.com/footer"
	for i := range siteWidePages + 1 {
		footer += fmt.Sprintf(" p%02d.html:9", i)
	}
	old := brokenRun(t, true,
		"broken http-404 https://example.com/a index.html:1",
		"broken http-404 https://example.com/b index.html:2 other.html:7",
		"broken timeout https://example.com/c index.html:3",
		"broken http-500 https://example.com/e index.html:6",
	)
	new := brokenRun(t, true,
		"broken http-404 https://example.com/b index.html:5 other.html:7",
		"unverified timeout https://example.com/c index.html:3",
		"broken fragment-missing https://example.com/d#x index.html:4",
		"broken http-503 https://example.com/e index.html:6",
		footer,
	)
	new.Results[2].Suggestions = []check.Suggestion{{URL: "https://example.com/d#y", Why: "closest id"}}
	d := Compare(old, new)
	var text, json strings.Builder
	if err := d.WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteJSON(&json, 0); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.txt.golden", []byte(text.String()))
	golden(t, "compare.json.golden", []byte(json.String()))
}

// TestCompareOfIgnoredReferences tests that a link is fixed, even if other references to its
// target are now skipped.
func TestCompareOfIgnoredReferences(t *testing.T) {
	old := brokenRun(t, true, "broken http-404 u1 a:1", "broken http-404 u2 a:2")
	new := brokenRun(t, true, "ok ok u1 a:1", "skipped excluded u1 b:1", "skipped excluded u2 a:2")
	if got, want := describe(Compare(old, new)), "fixed a u1 http-404 1\nunclear a u2 http-404 2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestCompareInSources tests that text lists links at their places in sources, as a report does.
func TestCompareInSources(t *testing.T) {
	old := brokenRun(t, true)
	new := brokenRun(t, true, "broken http-404 https://example.com/a z.html:1 public/index.html:31 public/other.html:32")
	for i := range new.Results[0].References[1:] {
		new.Results[0].References[i+1].Source = &result.Place{File: "docs/index.md", Line: 3, Column: 4, Raw: "a"}
	}
	var text strings.Builder
	if err := Compare(old, new).WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `docs/index.md
  3:4    new         http-404  https://example.com/a           "here"

z.html
  1:1    new         http-404  https://example.com/a           "here"

3 new
`
	if got := text.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCompareOfNothing(t *testing.T) {
	var text strings.Builder
	if err := Compare(&Report{}, &Report{}).WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := text.String(), "no broken links before or now\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompareIsHarmless(t *testing.T) {
	var text, json strings.Builder
	d := Compare(fullRun(), hostileRun())
	if err := d.WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteJSON(&json, 0); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), json.String()} {
		if strings.Contains(out, "secret") {
			t.Error("holds a password")
		}
		if i := strings.IndexFunc(strings.ReplaceAll(out, "\n", ""), invisible); i >= 0 {
			t.Errorf("holds an unseen character at %d", i)
		}
	}
}
