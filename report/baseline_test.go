package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// comparedRun is a run that was compared with others, with all fields that only such a
// run has.
func comparedRun() *Report {
	place := func(page string, line int, known bool) result.Reference {
		return result.Reference{Page: page, Line: line, Column: 1, Element: "a", Attribute: "href", Raw: "x", Text: "x", Known: known}
	}
	return &Report{
		Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{"docs"}},
		Summary: result.Summary{
			Started: started, Elapsed: time.Second, Targets: []string{"docs"}, Pages: 3, Results: 5, References: 7, Links: 7,
			Requests: 4, Cached: 1, OK: 1, Broken: 3, Unverified: 1, Warnings: 2,
			ByCode:   map[check.Code]int{"http-404": 3, "timeout": 1, "redirect-permanent": 1, "redirect-to-root": 1},
			Internal: result.Tally{Broken: 1}, External: result.Tally{Warnings: 1},
			Known: result.Tally{Broken: 1, Unverified: 1, Warnings: 1}, Recent: 1,
		},
		Results: []*result.Result{
			{URL: "https://example.com/known", Verdict: check.Broken, Code: "http-404", Internal: true, Status: 404, Size: -1,
				Known: []check.Code{"http-404"}, BrokenRuns: 7, BrokenSince: started, References: []result.Reference{place("a.html", 1, true), place("b.html", 2, true)}},
			{URL: "https://example.com/more", Verdict: check.Broken, Code: "http-404", Internal: true, Status: 404, Size: -1,
				BrokenRuns: 3, BrokenSince: started, References: []result.Reference{place("a.html", 3, true), place("c.html", 4, false)}},
			{URL: "https://example.com/recent", Verdict: check.Broken, Code: "http-404", Internal: true, Status: 404, Size: -1,
				BrokenRuns: 1, BrokenSince: started, FailsAfter: 3, References: []result.Reference{place("a.html", 5, false)}},
			{URL: "https://example.net/moved", Verdict: check.OK, Code: "ok", Status: 200, Size: 1, Cached: true, Known: []check.Code{"redirect-permanent"},
				Warnings:   []check.Warning{{Code: "redirect-permanent", Proposal: "https://example.net/"}, {Code: "redirect-to-root", Message: "to the home page"}},
				References: []result.Reference{place("a.html", 6, false)}},
			{URL: "https://example.net/slow", Verdict: check.Unverified, Code: "timeout", Size: -1, Known: []check.Code{"timeout"},
				References: []result.Reference{place("a.html", 7, true)}},
		},
	}
}

func TestKnownGolden(t *testing.T) {
	golden(t, "known.txt.golden", []byte(render(t, "text", Options{}, comparedRun())))
	golden(t, "known-shown.txt.golden", []byte(render(t, "text", Options{Show: ShowDefault | ShowKnown | ShowOK}, comparedRun())))
	golden(t, "known.json.golden", []byte(render(t, "json", Options{}, comparedRun())))
}

// Formats that tell people what to fix omit known findings. Other formats mark them, so
// that a report can be the next baseline.
func TestKnownByFormat(t *testing.T) {
	for _, f := range Formats {
		for _, show := range []Show{0, ShowAll} {
			out := render(t, f.Name, Options{Show: show}, comparedRun())
			if f.Pages {
				continue // a graph has links between pages, and this run has none
			}
			if got, want := strings.Contains(out, "example.com/known"), !f.NewOnly || show != 0; got != want {
				t.Errorf("%s, show %v: the known finding is listed: %t", f.Name, show, got)
			}
			for _, url := range []string{"example.com/more", "example.com/recent", "example.net/moved"} {
				if !strings.Contains(out, url) {
					t.Errorf("%s, show %v: %s is not listed", f.Name, show, url)
				}
			}
			if strings.Contains(out, "a.html:3") && f.NewOnly && show == 0 {
				t.Errorf("%s: a known place is listed", f.Name)
			}
		}
	}
}

// A finding that cannot fail a run is not a failure for CI systems either.
func TestExcusedFindingsAreNotFailures(t *testing.T) {
	for format, want := range map[string][2]string{
		"junit":       {`failures="1"`, `skipped="1"`},
		"github":      {"::error file=c.html", "::warning file=a.html,line=5"},
		"codequality": {`"major", "location": {"path": "c.html"`, `"minor", "location": {"path": "a.html", "lines": {"begin": 5}`},
	} {
		for _, part := range want {
			if out := render(t, format, Options{}, comparedRun()); !strings.Contains(out, part) {
				t.Errorf("%s: %s is not in\n%s", format, part, out)
			}
		}
	}
	if out := render(t, "github", Options{Show: ShowAll}, comparedRun()); !strings.Contains(out, "::notice file=a.html,line=1") {
		t.Errorf("known:\n%s", out)
	}
}

// markAll marks the results of a run and returns what can fail it.
func markAll(b *Baseline, run *Report) *Report {
	out := *run
	out.Results = nil
	for _, r := range run.Results {
		out.Results = append(out.Results, b.Mark(r))
		countResult(&out.Summary, r)
	}
	b.ExcludeKnown(&out.Summary)
	return &out
}

func describeKnown(r *Report) string {
	var b strings.Builder
	for _, result := range r.Results {
		b.WriteString(result.URL)
		for _, code := range result.Known {
			b.WriteString(" " + string(code))
		}
		for _, ref := range result.References {
			if !ref.Known && isFinding(result.Verdict) {
				b.WriteString(" new:" + ref.Page)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestBaseline(t *testing.T) {
	old := []string{
		"broken http-404 u1 a:1 a:9 b:2",
		"broken http-404 u2 a:3",
		"unverified timeout u3 a:4",
		"broken http-404 u4",
	}
	for _, test := range []struct {
		name  string
		new   []string
		want  string
		exit  int
		known result.Tally
		gone  int
	}{
		{"the same", old, "u1 http-404\nu2 http-404\nu3 timeout\nu4 http-404\n", ExitOK, result.Tally{Broken: 3, Unverified: 1}, 0},
		{"moved lines", []string{"broken http-404 u1 a:100 a:7 b:20", "broken http-404 u2 a:1"}, "u1 http-404\nu2 http-404\n", ExitOK, result.Tally{Broken: 2}, 2},
		{"fewer", []string{"broken http-404 u1 a:1"}, "u1 http-404\n", ExitOK, result.Tally{Broken: 1}, 5},
		{"more on a page", []string{"broken http-404 u2 a:1 a:2"}, "u2 new:a\n", ExitFindings, result.Tally{}, 5},
		{"on another page", []string{"broken http-404 u2 a:1 c:2"}, "u2 new:c\n", ExitFindings, result.Tally{}, 5},
		{"with another code", []string{"broken http-410 u2 a:1"}, "u2 new:a\n", ExitFindings, result.Tally{}, 6},
		{"another target", []string{"broken http-404 u5 a:1"}, "u5 new:a\n", ExitFindings, result.Tally{}, 6},
		{"could not be told", []string{"unverified timeout u2 a:1", "skipped excluded u1 a:1"}, "u2 new:a\nu1\n", ExitOK, result.Tally{}, 2},
		{"nothing left", nil, "", ExitOK, result.Tally{}, 6},
	} {
		b := NewBaseline(brokenRun(t, true, old...))
		run := brokenRun(t, true, test.new...)
		run.Summary.Pages, run.Summary.OK, run.Summary.Links = 1, 1, 1
		marked := markAll(b, run)
		if got := describeKnown(marked); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
		if got := (Policy{}).Exit(&marked.Summary); got != test.exit {
			t.Errorf("%s: exit status %d, want %d", test.name, got, test.exit)
		}
		if marked.Summary.Known != test.known {
			t.Errorf("%s: known %+v, want %+v", test.name, marked.Summary.Known, test.known)
		}
		if gone, places := b.Gone(&result.Summary{}); gone != test.gone || places != 6 {
			t.Errorf("%s: %d of %d gone, want %d", test.name, gone, places, test.gone)
		}
	}
	if got := NewBaseline(brokenRun(t, true, old...)).URLs(); !slices.Equal(got, []string{"u1", "u2", "u3", "u4"}) {
		t.Errorf("URLs: %q", got)
	}
}

// Among the places on a page, those with the earlier spelling are known.
func TestKnownPlaces(t *testing.T) {
	old := brokenRun(t, true, "broken http-404 u a:1")
	old.Results[0].References[0].Text = "the old one"
	now := brokenRun(t, true, "broken http-404 u a:1 a:5")
	now.Results[0].References[1].Text = "the old one"
	r := NewBaseline(old).Mark(now.Results[0])
	if r.References[0].Known || !r.References[1].Known {
		t.Errorf("%+v", r.References)
	}
	if now.Results[0].References[1].Known {
		t.Error("the result itself was changed")
	}
}

// Warnings are known by their own codes. A warning about a page as a whole is known
// regardless of the links to the page.
func TestKnownWarnings(t *testing.T) {
	warned := func(codes ...check.Code) *Report {
		r := brokenRun(t, true, "ok ok u a:1 b:2")
		for _, code := range codes {
			r.Results[0].Warnings = append(r.Results[0].Warnings, check.Warning{Code: code})
		}
		return r
	}
	b := NewBaseline(warned("redirect-permanent", "fragment-duplicate", "redirect-temporary"))
	run := warned("redirect-permanent", "redirect-to-root", "fragment-duplicate", "redirect-temporary")
	run.Results[0].References = append(run.Results[0].References, result.Reference{Page: "c"})
	run.Summary.OK, run.Summary.Pages, run.Summary.Links = 1, 1, 1
	marked := markAll(b, run)
	if got := marked.Results[0].Known; !slices.Equal(got, []check.Code{"fragment-duplicate"}) {
		t.Errorf("known: %v", got)
	}
	run.Results[0].References = run.Results[0].References[:2]
	marked = markAll(NewBaseline(warned("redirect-permanent", "fragment-duplicate")), run)
	if got := marked.Results[0].Known; !slices.Equal(got, []check.Code{"fragment-duplicate", "redirect-permanent"}) {
		t.Errorf("known: %v", got)
	}
	policy := Policy{Internal: failOnWarning, External: failOnWarning}
	if s := marked.Summary; s.Known.Warnings != 2 || policy.Exit(&s) != ExitFindings {
		t.Errorf("%+v", s)
	}
	marked = markAll(NewBaseline(run), run)
	if s := marked.Summary; policy.Exit(&s) != ExitOK {
		t.Errorf("%+v", s)
	}
}

// A marked report fails after reading it exactly if its run failed.
func TestReadKnown(t *testing.T) {
	read, err := Read(strings.NewReader(render(t, "json", Options{}, comparedRun())))
	if err != nil {
		t.Fatal(err)
	}
	want := comparedRun().Summary
	if s := read.Summary; s.Internal != want.Internal || s.External != want.External || s.Known != want.Known || s.Recent != 1 || s.Cached != 1 {
		t.Errorf("%+v", s)
	}
	if r := read.Results[2]; r.FailsAfter != 3 || r.BrokenRuns != 1 || r.BrokenSince.IsZero() {
		t.Errorf("%+v", r)
	}
}
