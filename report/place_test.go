package report

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// runWithoutLines has links without lines: in a PDF, where one is broken over two lines, and in a header.
func runWithoutLines() *Report {
	in := func(page, element, attribute string) result.Reference {
		return result.Reference{Page: page, Element: element, Attribute: attribute, Raw: "gone"}
	}
	return &Report{Results: []*result.Result{
		{URL: "gone/a", Verdict: check.Broken, Code: "http-404", References: []result.Reference{in("a.pdf", "page 10", "uri"), in("a.pdf", "page 10", "uri"), in("https://example.com/", "header", "link")}},
		{URL: "gone/b", Verdict: check.Broken, Code: "http-404", References: []result.Reference{in("a.pdf", "outline", "file"), in("a.pdf", "page 9", "uri"), in("b.docx", "hyperlink", "r:id")}},
	}}
}

// Links without lines have another description of their places, which also orders them.
func TestPlacesWithoutLines(t *testing.T) {
	run := runWithoutLines()
	for format, want := range map[string]string{
		"text": `a.pdf
  outline  broken      http-404  gone/b
  page 9   broken      http-404  gone/b
  page 10  broken      http-404  gone/a

b.docx
  -        broken      http-404  gone/b

https://example.com/
  header   broken      http-404  gone/a

`,
		"markdown": "| `a.pdf (outline)` | `gone/b` | 404 not found `http-404` |\n| `a.pdf (page 9)` | `gone/b` | 404 not found `http-404` |\n| `a.pdf (page 10)` | `gone/a` | 404 not found `http-404` |\n| `b.docx` |",
		"github":   "::error file=a.pdf,title=404 not found (http-404)::broken link to gone/a: 404 not found (page 10) (and at 2 more places)\n",
		"junit":    "at a.pdf (page 9)&#10;",
		"sarif":    `"broken link to gone/b: 404 not found (page 9)"`,
	} {
		if got := render(t, format, Options{EveryPlace: true}, run); !strings.Contains(got, want) {
			t.Errorf("%s lacks\n%s\nin\n%s", format, want, got)
		}
	}
	for element, want := range map[string]string{"page 7": "page 7", "page x": "", "page -1": "", "pages 1": "", "a": "", "page 7\x1b": "", "": ""} {
		if got := elementPlace(&result.Reference{Element: element}); got != want {
			t.Errorf("%q: got %q", element, got)
		}
		if got := elementPlace(&result.Reference{Element: element, Line: 1}); got != "" {
			t.Errorf("%q of a line: got %q", element, got)
		}
	}
}
