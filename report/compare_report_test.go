package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Warnings are compared by page, target and code, if both reports list theirs.
func TestCompareWarnings(t *testing.T) {
	moved := func(url, proposal string, pages ...string) *result.Result {
		r := &result.Result{URL: url, Verdict: check.OK, Code: check.CodeOK, Warnings: []check.Warning{
			{Code: check.CodeRedirectPermanent, Proposal: proposal}, {Code: "redirect-temporary", Level: check.LevelInfo}}}
		for _, page := range pages {
			r.References = append(r.References, result.Reference{Page: page, Line: 3, Column: 1})
		}
		return r
	}
	gone := &result.Result{URL: "u4", Verdict: check.Broken, Code: "http-404", References: []result.Reference{{Page: "a", Line: 4}}}
	unsure := &result.Result{URL: "u5", Verdict: check.Unverified, Code: "timeout", References: []result.Reference{{Page: "a", Line: 4}}}
	old := &Report{Results: []*result.Result{moved("u1", "v1", "a", "b"), moved("u2", "v2", "a"), moved("u4", "v4", "a"), moved("u5", "v5", "a")}}
	now := &Report{Results: []*result.Result{moved("u1", "v1", "a"), moved("u3", "v3", "c"), gone, unsure}}
	d := Compare(old, now)
	const want = `new a u4 http-404 4
new_warnings c u3 redirect-permanent 3
fixed_warnings a u2 redirect-permanent 3
fixed_warnings b u1 redirect-permanent 3
still_warnings a u1 redirect-permanent 3
`
	if got := describe(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var text strings.Builder
	if err := d.WriteText(&text, 0, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "1 new, 1 new warning, 2 fixed warnings, 1 unchanged warning\n"; !strings.HasSuffix(text.String(), want) || !strings.Contains(text.String(), "-> v3") {
		t.Errorf("got\n%s\nwant a proposal, and %s", text.String(), want)
	}
	now.Results = now.Results[1:2]
	if d := Compare(old, now); d.Exit() != ExitOK || len(d.newWarnings) != 1 {
		t.Errorf("exit status %d with new warnings only:\n%s", d.Exit(), describe(d))
	}
	now.Summary.Warnings = 2 // one is not listed
	if d := Compare(old, now); len(d.newWarnings)+len(d.fixedWarnings)+len(d.stillWarnings) > 0 {
		t.Errorf("compares warnings that are not listed:\n%s", describe(d))
	}
}

// Many findings that have not changed take a few lines, after what changed.
func TestCompareOfManyFits(t *testing.T) {
	var old, now []string
	for i := range 15_000 {
		line := fmt.Sprintf("broken http-404 https://example.com/%d/gone-%d.html page-%d.html:%d", i%100, i, i/10, i%10+1)
		if i > 3 {
			old = append(old, line)
		}
		if i < 14_995 {
			now = append(now, line)
		}
	}
	d := Compare(brokenRun(t, true, old...), brokenRun(t, true, now...))
	write := func(show Parts) []string {
		var text strings.Builder
		if err := d.WriteText(&text, show, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		return strings.Split(text.String(), "\n")
	}
	lines := write(0)
	if len(lines) > 45 {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	const want = "4 new, 5 fixed, 14,991 still broken"
	if got := lines[len(lines)-2]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !strings.Contains(lines[1], "new") || !strings.Contains(strings.Join(lines, "\n"), "  and 13,491 more still broken (--show still)") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	if all := strings.Join(write(partStill), "\n"); strings.Count(all, "150 pages") < 90 || strings.Contains(all, "--show") {
		t.Errorf("got of what was asked for\n%s", all)
	}
	if all := strings.Join(write(partNew|partFixed), "\n"); strings.Contains(all, " still  ") || !strings.Contains(all, " fixed  ") {
		t.Errorf("got\n%s", all)
	}
}

// What is the same on many pages is listed once, as in a report. Of a directory, each document is named once.
func TestCompareFolds(t *testing.T) {
	faults := []string{"broken file-missing site/other.html page-0.html:1"}
	for i := range 30 {
		for _, fragment := range []string{"", "#a", "#b"} {
			faults = append(faults, fmt.Sprintf("broken file-missing site/old/%d.html%s page-%d.html:%d", i%7, fragment, i, i+1))
		}
	}
	none, some := brokenRun(t, true), brokenRun(t, true, faults...)
	for i := range 30 {
		id := check.Warning{Code: check.CodeFragmentDuplicate, Message: fmt.Sprintf("the id \"top\" (line %d) appears more than once", i)}
		some.Results = append(some.Results, &result.Result{URL: fmt.Sprintf("page-%02d.html", i), Verdict: check.OK, Code: check.CodeOK, Warnings: []check.Warning{id}})
	}
	some.Summary.Warnings = 30
	const sameID = `the id "top" appears more than once`
	for _, row := range []struct {
		diff                 Diff
		word, title, summary string
	}{
		{Compare(none, some), "new", sameID, "91 new, 30 new warnings"},
		{Compare(some, none), "fixed", "duplicate id", "91 fixed, 30 fixed warnings"},
		{Compare(some, some), "still", sameID, "91 still broken, 30 unchanged warnings"},
	} {
		var text strings.Builder
		if err := row.diff.WriteText(&text, 0, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"  0.html, 1.html, 2.html, 3.html, 4.html, 5.html, 1 more; first at page-0.html:1:1",
			fmt.Sprintf("  30 pages  %-12sfragment-duplicate  ", row.word) + row.title + "\n      first at page-00.html, page-01.html, page-02.html\n\n" + row.summary + "\n"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("got\n%s\nwithout %q", text.String(), want)
			}
		}
	}
}

// Other formats write a comparison as they write a report.
func TestCompareInFormats(t *testing.T) {
	old := brokenRun(t, true, "broken http-404 https://compared.test/a index.html:1", "broken http-404 https://compared.test/b index.html:2", "broken timeout https://compared.test/c index.html:3")
	now := brokenRun(t, true, "broken http-404 https://compared.test/b index.html:2", "unverified timeout https://compared.test/c index.html:3", "broken http-410 https://compared.test/d index.html:4")
	d := Compare(old, now)
	for _, test := range []struct {
		format      string
		show        Parts
		want, never []string
	}{
		{"csv", 0, []string{",message,change\n", "https://compared.test/a,ok,http-404,0,index.html,1,1,a,,,here,,,fixed\n", "b,broken,http-404,0,index.html,2,1,a,,,here,,,still\n",
			"c,skipped,timeout,0,index.html,3,1,a,,,here,,,unclear\n", "d,broken,http-410,0,index.html,4,1,a,,,here,,,new\n"}, nil},
		{"csv", partNew | partFixed, []string{",fixed\n", ",new\n"}, []string{",still\n", ",unclear\n"}},
		{"markdown", 0, []string{"## Link check: 1 new, 1 fixed, 1 unclear, 1 still broken\n", "### New\n", "### Fixed\n", "### Unclear\n"}, []string{"compared.test/b", "### Broken"}},
		{"markdown", allParts, []string{"### Still there\n", "compared.test/b"}, nil},
		{"junit", 0, []string{`tests="4" failures="1" errors="0"`, `<testcase name="http-410 https://compared.test/d"`, "<failure", `<testcase name="http-404 https://compared.test/a"`}, []string{"compared.test/b"}},
		{"sarif", 0, []string{`"baselineState": "new"`, `"baselineState": "unchanged"`}, []string{"compared.test/a"}},
		{"html", 0, []string{`y="21.5">4</text>`, "1 new, 1 fixed, 1 unclear, 1 still broken", "https://compared.test/a", "https://compared.test/d"}, []string{"https://compared.test/b"}},
	} {
		f, err := ByName(test.format)
		if err != nil {
			t.Fatal(err)
		}
		show := ShowAll
		if test.show == 0 && f.NewOnly {
			show &^= ShowKnown
		}
		got := render(t, test.format, Options{Show: show, Baseline: true}, d.Report(test.show))
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", test.format, want, got[:min(len(got), 3000)])
			}
		}
		for _, never := range test.never {
			if strings.Contains(got, never) {
				t.Errorf("%s: %q in\n%s", test.format, never, got[:min(len(got), 3000)])
			}
		}
	}
}

func TestParseParts(t *testing.T) {
	for text, want := range map[string]Parts{"new,fixed": partNew | partFixed, " Still": partStill, "all": allParts, "unclear,new": partUnclear | partNew} {
		if got, err := ParseParts(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := ParseParts("fixd"); err == nil || !strings.Contains(err.Error(), "did you mean fixed?") {
		t.Errorf("got %v", err)
	}
}
