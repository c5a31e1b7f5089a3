package report

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestFormatsAreWellFormed(t *testing.T) {
	names, extensions := map[string]bool{}, map[string]bool{}
	for _, f := range Formats {
		if f.Use == "" || f.New == nil || !formatLike(f.Name) || f.Name != strings.ToLower(f.Name) || names[f.Name] {
			t.Errorf("format %q", f.Name)
		}
		names[f.Name] = true
		for _, ext := range f.Extensions {
			if !strings.HasPrefix(ext, ".") || ext != strings.ToLower(ext) || extensions[ext] {
				t.Errorf("format %s: extension %q", f.Name, ext)
			}
			extensions[ext] = true
		}
		for _, name := range f.Files {
			if name != strings.ToLower(name) || extensions[name] {
				t.Errorf("format %s: file %q", f.Name, name)
			}
			extensions[name] = true
		}
		if _, ok := f.New(&strings.Builder{}, Options{}).(PageWriter); ok != f.Pages {
			t.Errorf("format %s: Pages is %v", f.Name, f.Pages)
		}
	}
}

// TestFormatsWithoutReferences tests the field References of formats: the output of
// formats without it does not depend on references to a page whose findings are only
// about itself.
func TestFormatsWithoutReferences(t *testing.T) {
	run := func(refs ...result.Reference) *Report {
		own := check.Warning{Code: check.CodeFragmentDuplicate, Message: `two elements have the id "a"`}
		return &Report{
			Head:    Head{Started: started, Targets: []string{"docs"}},
			Summary: result.Summary{Started: started, Results: 3, Warnings: 3, Pages: 2},
			Results: []*result.Result{
				{URL: "docs/a.html", FinalURL: "docs/a.html", Internal: true, Code: check.CodeOK, Warnings: []check.Warning{own}, References: refs},
				{URL: "https://example.com/", FinalURL: "https://example.com/", Code: check.CodeOK, References: refs,
					Warnings: []check.Warning{{Code: "tls-expires-soon", Message: "the certificate expires soon"}, own}},
			},
		}
	}
	all := []result.Reference{
		{Page: "docs/b.html", Line: 1, Column: 2, Element: "a", Attribute: "href", Raw: "a.html", Text: "one"},
		{Page: "docs/b.html", Line: 2, Column: 2, Element: "a", Attribute: "href", Raw: "a.html#", Text: "two"},
	}
	for _, f := range Formats {
		if f.Binary {
			if !f.References {
				t.Errorf("%s: not looked at", f.Name)
			}
			continue
		}
		for _, o := range []Options{{}, {FailOn: Policy{failOnWarning, failOnWarning}}, {Show: ShowWarning}} {
			same := render(t, f.Name, o, run(all...)) == render(t, f.Name, o, run())
			if f.References == same && !f.Pages { // graphs take links from the pages if there are any
				t.Errorf("%s: References is %v, and without them the report is the same: %v", f.Name, f.References, same)
			}
		}
	}
}

func TestParseOutput(t *testing.T) {
	for _, test := range []struct{ in, format, file string }{
		{"out.json", "json", "out.json"},
		{"dir/OUT.JSON", "json", "dir/OUT.JSON"},
		{"out.txt", "text", "out.txt"},
		{"a.b.ndjson", "ndjson", "a.b.ndjson"},
		{"a.jsonl", "ndjson", "a.jsonl"},
		{"json:out", "json", "out"},
		{"JSON:out.csv", "json", "out.csv"},
		{"json:-", "json", "-"},
		{"csv:a:b", "csv", "a:b"},
		{`C:\out.csv`, "csv", `C:\out.csv`},
		{`json:C:\out`, "json", `C:\out`},
		{"./a:b.json", "json", "./a:b.json"},
		{"/tmp/x:y.csv", "csv", "/tmp/x:y.csv"},
		{"a.md", "markdown", "a.md"},
		{"a.xml", "xml", "a.xml"},
		{"a.junit.xml", "junit", "a.junit.xml"},
		{"dir/JUnit.xml", "junit", "dir/JUnit.xml"},
		{"my-junit.xml", "xml", "my-junit.xml"},
		{"sitemap.xml", "sitemap", "sitemap.xml"},
		{"public/sitemap.xml.gz", "sitemap", "public/sitemap.xml.gz"},
		{"a.sitemap.xml", "sitemap", "a.sitemap.xml"},
		{"a.sarif", "sarif", "a.sarif"},
		{"a.sarif.json", "sarif", "a.sarif.json"},
		{"a.codequality.json", "codequality", "a.codequality.json"},
		{"gl-code-quality-report.json", "codequality", "gl-code-quality-report.json"},
		{"a.gv", "dot", "a.gv"},
		{"a.graphml", "graphml", "a.graphml"},
		{"a.db", "sqlite", "a.db"},
		{"linkchecker-out.xml", "linkchecker-xml", "linkchecker-out.xml"},
		{"a.linkchecker.csv", "linkchecker-csv", "a.linkchecker.csv"},
		{"linkchecker-sql:out.txt", "linkchecker-sql", "out.txt"},
	} {
		got, err := ParseOutput(test.in)
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		if got.Format.Name != test.format || got.File != test.file {
			t.Errorf("%s: got %s to %s, want %s to %s", test.in, got.Format.Name, got.File, test.format, test.file)
		}
	}
	for in, want := range map[string]string{
		"":            "an output needs a file name",
		"-":           `name the format, as in "json:-"`,
		"jsno:x":      `unknown format "jsno": did you mean json? use text, json`,
		"zzz:x":       `unknown format "zzz": use text, json`,
		"json:":       `"json:" does not name a file`,
		"out.xyz":     `no format has the extension ".xyz": name the format`,
		"out":         `"out" has no extension that selects a format: name the format`,
		".json":       "name the format",
		"dir.json/ab": "no extension",
	} {
		if _, err := ParseOutput(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

func TestNearestName(t *testing.T) {
	names := []string{"text", "json", "ndjson", "csv", "html", "ok"}
	for got, want := range map[string]string{
		"jsn": "json", "JSON5": "json", "njson": "json", "ndjosn": "ndjson", "tetx": "text", "cvs": "", "csb": "csv",
		"htm": "html", "yaml": "", "": "", "k": "", "xx": "", strings.Repeat("json", 1e6): "",
	} {
		if near := nearestName(got, names); near != want {
			t.Errorf("%.20q: got %q, want %q", got, near, want)
		}
	}
}

func TestParseShow(t *testing.T) {
	for in, want := range map[string]Show{
		"broken":                    ShowBroken,
		"broken,unverified,warning": ShowDefault,
		" OK , skipped":             ShowOK | ShowSkipped,
		"all":                       ShowAll,
		"broken,all":                ShowAll,
		"broken,known":              ShowBroken | ShowKnown,
		"known":                     ShowDefault | ShowKnown,
	} {
		got, err := ParseShow(in)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v", in, got, err)
		}
		if again, err := ParseShow(got.String()); err != nil || again != got {
			t.Errorf("%q: %v reads as %v, %v", in, got, again, err)
		}
	}
	if got := Show(0).String(); got != "broken,unverified,warning" {
		t.Errorf("default is %s", got)
	}
	for in, want := range map[string]string{
		"":           `unknown kind of result "": use broken, unverified, warning, ok, skipped, known or all`,
		"broken,":    `unknown kind of result ""`,
		"warnings":   `unknown kind of result "warnings": did you mean warning?`,
		"everything": `use broken, unverified, warning, ok, skipped, known or all`,
	} {
		if _, err := ParseShow(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}
