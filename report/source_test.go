package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// sourcedRun is a run whose pages were generated from sources.
func sourcedRun() *Report {
	at := func(page string, line int, source *result.Place) result.Reference {
		return result.Reference{Page: page, Line: line, Column: 9, Element: "a", Attribute: "href", Raw: "gone/", Text: "gone", Source: source}
	}
	return &Report{
		Head:    Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{"site"}},
		Summary: result.Summary{Started: started, Targets: []string{"site"}, Pages: 3, Results: 1, References: 4, Links: 4, Broken: 1, ByCode: map[check.Code]int{"file-missing": 1}},
		Results: []*result.Result{{
			URL: "site/gone/", Verdict: check.Broken, Code: "file-missing", Internal: true, Size: -1,
			Suggestions: []check.Suggestion{{URL: "site/goner/", Why: "closest path", Unique: true}, {URL: "site/done/", Why: "closest path"}},
			References: []result.Reference{
				at("site/a/index.html", 30, &result.Place{File: "docs/a.md", Line: 3, Column: 5, Raw: "gone.md"}),
				at("site/a/index.html", 31, &result.Place{File: "docs/a.md", Line: 3, Column: 5, Raw: "gone.md"}),
				at("site/b/index.html", 40, &result.Place{File: "docs/b.md", Line: 1, Column: 5, Raw: "gone/"}),
				at("site/c/index.html", 50, nil),
			},
		}},
	}
}

func TestSourcesInText(t *testing.T) {
	want := `docs/a.md
  3:5    broken      file-missing  site/gone/                      "gone"   did you mean site/goner/ or site/done/?

docs/b.md
  1:5    broken      file-missing  site/gone/                      "gone"   did you mean site/goner/ or site/done/?

site/c/index.html
  50:9   broken      file-missing  site/gone/                      "gone"   did you mean site/goner/ or site/done/?

`
	if got := render(t, "text", Options{}, sourcedRun()); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAnnotationsAtSources tests that annotations are at the files that people edit.
func TestAnnotationsAtSources(t *testing.T) {
	for _, format := range []string{"github", "sarif", "codequality", "junit", "markdown"} {
		text := render(t, format, Options{}, sourcedRun())
		all := format == "github" || strings.Contains(text, "docs/b.md") && strings.Contains(text, "site/c/index.html") // github names only one place
		if !strings.Contains(text, "docs/a.md") || !all || strings.Contains(text, "site/a/index.html") {
			t.Errorf("%s: %s", format, text)
		}
	}
}

func TestArchivedCopiesAreNotGuesses(t *testing.T) {
	r := &result.Result{URL: "https://example.com/gone", Verdict: check.Broken, Code: "http-404", Message: "not found",
		Suggestions: []check.Suggestion{{URL: "https://example.com/here"}, check.ArchivedCopy("https://web.archive.org/x", started)}}
	want := "broken link to https://example.com/gone: not found; did you mean https://example.com/here?; archived copy of 2026-01-02: https://web.archive.org/x"
	if got := findingsOf(ShowDefault, r)[0].sentence(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSourcesAreReadBack(t *testing.T) {
	text := render(t, "json", Options{}, sourcedRun())
	if !strings.Contains(text, `"source": "docs/a.md", "source_line": 3, "source_column": 5, "source_raw": "gone.md"}`) ||
		!strings.Contains(text, `"source": "docs/b.md", "source_line": 1, "source_column": 5}`) || !strings.Contains(text, `"unique": true`) {
		t.Errorf("%s", text)
	}
	validate(t, compileSchema(t, "", true), text)
	back, err := Read(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if again := render(t, "json", Options{}, back); again != text {
		t.Errorf("read back and written again:\n%s\nwas\n%s", again, text)
	}
	for i, want := range sourcedRun().Results[0].References {
		got := back.Results[0].References[i]
		if (got.Source == nil) != (want.Source == nil) || got.Source != nil && *got.Source != *want.Source {
			t.Errorf("reference %d: %+v, want %+v", i, got.Source, want.Source)
		}
	}
	if s := back.Results[0].Suggestions; !s[0].Unique || s[1].Unique {
		t.Errorf("%+v", s)
	}
}

// TestSourcesAreClean tests that sources are cleaned of passwords, too.
func TestSourcesAreClean(t *testing.T) {
	run := sourcedRun()
	run.Results[0].References[0].Source.Raw = "https://joe:secret@e.test/"
	kept := run.Results[0].References[0].Source
	for _, format := range []string{"json", "ndjson", "text", "csv"} {
		if text := render(t, format, Options{}, run); strings.Contains(text, "secret") {
			t.Errorf("%s: %s", format, text)
		}
	}
	if kept.Raw != "https://joe:secret@e.test/" {
		t.Error("the run's own place was changed")
	}
}
