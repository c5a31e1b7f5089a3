package inspect

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/inspected"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/urinorm"
)

// FuzzPlain checks that a page has the same findings and facts if none of its tokens is read as
// a plain one.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"<!doctype html><p>one<b>two</p></b><li>three</ul><h1>four<h2>five</h1>",
		"<a href=x><code>here</code></a><a href=y>here</a><a href=z><span class=\"a\"> </span></a>",
		"<p>x<a href=x><svg><style>y</style></svg><span>here</span> <kbd>k</kbd><slot></slot><h2>z<p>more</a><b>text</b>",
		"<a href=x><span>a long enough text to be settled</span><span>more</span><input><button>b</a>",
		"<h1>a</h1><h3>b</h3><div hidden><h5>c</h5></div><template><p>x</template><noscript><p>y</noscript>",
		"text<style>a{}</style><p>more</p><script>x</script> end<label>a</label><form><button>b</button></form>",
		"<svg><a><style>x</style></a><p>out</svg><math><mi>x<b>y</b></mi></math><div class=\"z\">w</div>",
		"<p><a class=\"a\" href=\"x\" title=\"t\"></a><a href=\"y\" id=\"i\">here</a><a href=\"z\" title=\" \"></a><a id=\"j\" href=\"&amp;\">more</a> and text",
		"<p hidden><a href=\"x\"></a></p><a href=\"x\"><code>here</code></a><code>a</code><a class=\"b\">here</a><a href=\"x\" href=\"y\">this</a><input id=\"a\"><b>c",
		"<table><tr><td>a<p>b<td>c</table></body>late</html><p>later",
	} {
		f.Add(s)
	}
	for _, page := range pageTexts(f) {
		f.Add(page[:min(len(page), 2000)])
		f.Add(page[len(page)/2:][:min(len(page)/2, 2000)])
	}
	c := newPlainComparison(f)
	f.Fuzz(func(t *testing.T, text string) { c.compare(t, strings.ToValidUTF8(text, "")) })
}

// TestPlain is FuzzPlain for whole pages, and for what is left of them without some tags.
func TestPlain(t *testing.T) {
	c := newPlainComparison(t)
	for _, page := range pageTexts(t) {
		c.compare(t, page)
		c.compare(t, strings.NewReplacer("</p>", "", "<ul", "<p", "&", "").Replace(page))
		c.compare(t, strings.NewReplacer("</a>", "", "</span>", "", "<body", "<noscript").Replace(page))
	}
}

func pageTexts(tb testing.TB) (pages []string) {
	files, err := filepath.Glob("../extract/testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		tb.Fatal("no pages", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, string(text))
	}
	return pages
}

// plainComparison looks at pages with and without plain tokens.
type plainComparison struct {
	page          page.Page
	with, without *reader
}

func newPlainComparison(tb testing.TB) *plainComparison {
	inspector, err := Open(tb.Context(), Config{Groups: all, SyntaxMax: 1000, ImageMax: 1 << 20})
	if err != nil {
		tb.Fatal(err)
	}
	u, _, err := urinorm.ParseWeb("https://example.com/a/")
	if err != nil {
		tb.Fatal(err)
	}
	base, err := urinorm.NewBase(u, "utf-8")
	if err != nil {
		tb.Fatal(err)
	}
	c := &plainComparison{page.Page{URL: u.Printed(), Address: u, Base: base, Format: "html", Charset: "utf-8", OverHTTP: true}, newReader(inspector), newReader(inspector)}
	c.without.noRuns = true
	return c
}

func (c *plainComparison) compare(t *testing.T, text string) {
	look := func(r *reader) (found inspected.Result) {
		p := c.page
		p.Text, p.Body, p.Places = []byte(text), []byte(text), extract.NewPlaces([]byte(text))
		r.page, r.findings, r.styles = &p, nil, r.styles[:0]
		r.readTokens(false)
		r.endHTML(t.Context(), &found)
		found.Inspection.Findings = r.findings
		return found
	}
	if got, want := look(c.with), look(c.without); !reflect.DeepEqual(got, want) {
		t.Errorf("%q:\n%+v\nwithout plain tokens\n%+v", text, got, want)
	}
}
