package inspect

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/inspect/page"
	"github.com/orbweaver/orbweaver/urinorm"
)

// FuzzPlain checks that a page has the same findings and facts if none of its tokens is read as
// a plain one.
func FuzzPlain(f *testing.F) {
	files, err := filepath.Glob("../extract/testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		f.Fatal("no pages", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(strings.NewReplacer("</p>", "", "<ul", "<p", "&", "").Replace(string(text)))
		f.Add(strings.NewReplacer("</a>", "", "</span>", "", "<body", "<noscript").Replace(string(text)))
	}
	for _, s := range []string{
		"<!doctype html><p>one<b>two</p></b><li>three</ul><h1>four<h2>five</h1>",
		"<a href=x><code>here</code></a><a href=y>here</a><a href=z><span class=\"a\"> </span></a>",
		"<h1>a</h1><h3>b</h3><div hidden><h5>c</h5></div><template><p>x</template><noscript><p>y</noscript>",
		"text<style>a{}</style><p>more</p><script>x</script> end<label>a</label><form><button>b</button></form>",
		"<svg><a><style>x</style></a><p>out</svg><math><mi>x<b>y</b></mi></math><div class=\"z\">w</div>",
		"<table><tr><td>a<p>b<td>c</table></body>late</html><p>later",
	} {
		f.Add(s)
	}
	inspector, err := Open(f.Context(), Config{Groups: All, SyntaxMax: 1000, ImageMax: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	u, _, err := urinorm.ParseWeb("https://example.com/a/")
	if err != nil {
		f.Fatal(err)
	}
	base, err := urinorm.NewBase(u, "utf-8")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		with, without := newReader(inspector), newReader(inspector)
		without.plain = nil
		look := func(r *reader) (found Result) {
			r.page = &page.Page{URL: u.Printed(), Address: u, Base: base, Format: "html", Charset: "utf-8", Text: []byte(text), Body: []byte(text), OverHTTP: true}
			r.readHTML(t.Context(), &found)
			found.Inspection.Findings = r.findings
			return found
		}
		if got, want := look(with), look(without); !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%+v\nwithout plain tokens\n%+v", text, got, want)
		}
	})
}
