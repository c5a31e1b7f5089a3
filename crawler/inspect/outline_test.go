package inspect

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// FuzzOutline checks that the links and anchors of a document are the same if the offsets of the
// markup that may matter to them are known.
func FuzzOutline(f *testing.F) {
	for _, s := range []string{
		"<body><p>x<a href=\"a\">b</a><span id=\"i\">c</span><img src=\"d\">e &lt; f<form action=\"g\"><input name=\"h\"></form>",
		"<body><p><svg><a href=\"a\"><title><b id=\"x\"></b></title></a></svg><p id=\"y\"><a href=\"b\">",
		"<body><p><svg><style></svg><a href=\"a\"></style><a href=\"b\"></svg><p><svg><desc><p><style><b></svg></style><a href=\"c\"></desc></svg><a href=\"d\">",
		"<body><p><svg><![CDATA[<p><a href=\"a\">]]><p><style><a href=\"b\"></style></svg><math><mi><svg></mi><a href=\"c\"></math><a href=\"d\">",
		"<body><p><!-- a --!><a href=\"x\">y</a><!--> <a href=\"z\">--><a href=\"w\">",
		"<body><p><script><!--<script></script><a href=\"a\">--></script><a href=\"b\"></a><textarea><a href=\"c\"></textarea>",
		"<body><p><noscript><a href=\"a\"></a></noscript><template><a href=\"b\" id=\"t\"></a></template></ x><a href=\"c\"></><a href='d'>",
		"<body><p>a < b <a href=\"a\"><a href=\"a\">a</a><![CDATA[<a href=\"b\">]]><?x <a href=\"c\">?><a href=\"a\" title=\"t\"",
		"<body><h1 id=\"a\">x</h1><table background=\"b\"><td background=\"c\"><del cite=\"d\"><a name=\"n\" href=\"#a\"></a><xmp><a href=e></xmp><math><a href=\"f\">",
	} {
		f.Add(s)
	}
	for _, page := range pageTexts(f) {
		f.Add(page[:min(len(page), 2000)])
	}
	c := newOutlineComparison(f)
	f.Fuzz(func(t *testing.T, text string) { c.compare(t, strings.ToValidUTF8(text, "")) })
}

// TestOutline is FuzzOutline for whole pages, and for those below the directories that are named
// in ORBWEAVER_DOCUMENTATION.
func TestOutline(t *testing.T) {
	c := newOutlineComparison(t)
	for _, page := range pageTexts(t) {
		c.compare(t, page)
	}
	for _, root := range filepath.SplitList(os.Getenv("ORBWEAVER_DOCUMENTATION")) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".html") || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			c.compare(t, strings.ToValidUTF8(string(text), ""))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d documents", c.compared)
}

// TestMarksOfOthers checks that no document has the marks of another.
func TestMarksOfOthers(t *testing.T) {
	c := newOutlineComparison(t)
	c.compare(t, "<body><p><a href=\"a\"></a>")
	plugins := &Inspector{}
	r := newReader(plugins)
	plugins.readers.New = func() any { return r }
	r.tokens.Marks.List = []int32{9}
	if marks := plugins.Begin(&page.Page{Text: []byte("<p>"), Format: "html"}, true).Marks(); marks != nil {
		t.Errorf("marks %v without any check", marks)
	}
}

// outlineComparison reads the links of documents with and without an outline.
type outlineComparison struct {
	inspector *Inspector
	compared  int
}

func newOutlineComparison(tb testing.TB) *outlineComparison {
	inspector, err := Open(tb.Context(), Config{Groups: HTML, SyntaxMax: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return &outlineComparison{inspector: inspector}
}

func (c *outlineComparison) compare(t *testing.T, text string) {
	c.compared++
	for _, bare := range []bool{false, true} {
		in := extract.Input{Body: []byte(text), ContentType: "text/html; charset=utf-8", Bare: bare}
		want := extract.Extract(in)
		in.Outline = func(text []byte, charset string) []int32 {
			begun := c.inspector.Begin(&page.Page{Text: text, Body: in.Body, Charset: charset, Format: "html"}, true)
			defer begun.Drop()
			return append([]int32{}, begun.Marks()...)
		}
		if got := extract.Extract(in); !reflect.DeepEqual(got, want) {
			t.Errorf("%q (bare %t):\n%+v\nwithout an outline\n%+v", text[:min(len(text), 4000)], bare, got, want)
		}
	}
}
