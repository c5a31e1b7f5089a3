package extract

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// commonmarkDifferences lists the examples of the standard that are deliberately read
// differently.
var commonmarkDifferences = map[int]string{
	533: "a definition that is used twice is one link",
	602: "GitHub finds bare URLs", 606: "GitHub finds bare addresses", 608: "GitHub finds bare URLs",
	611: "GitHub finds bare URLs", 612: "GitHub finds bare addresses",
}

// TestCommonMark checks that each example has the links of the HTML that the standard
// gives for it.
func TestCommonMark(t *testing.T) {
	data, err := os.ReadFile("../../testdata/standards/commonmark.json")
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Examples []struct {
			Example                 int
			Section, Markdown, HTML string
		}
	}
	if err := json.Unmarshal(data, &suite); err != nil || len(suite.Examples) < 600 {
		t.Fatal(len(suite.Examples), err)
	}
	for _, e := range suite.Examples {
		want := targets(Extract(Input{Body: []byte(e.HTML), ContentType: "text/html"}))
		doc := Extract(Input{Body: []byte(e.Markdown), ContentType: "text/markdown"})
		checkPlaces(t, []byte(e.Markdown), doc)
		_, different := commonmarkDifferences[e.Example]
		if got := targets(doc); slices.Equal(got, want) == different {
			t.Errorf("example %d, %s: %q: got %q, the standard has %q", e.Example, e.Section, e.Markdown, got, want)
		}
	}
}

// targets returns the elements and references of a document, percent-decoded and sorted.
func targets(doc *Document) []string {
	var all []string
	for _, l := range doc.Links {
		ref, err := url.PathUnescape(l.Ref)
		if err != nil {
			ref = l.Ref
		}
		all = append(all, l.Element+" "+ref)
	}
	slices.Sort(all)
	return all
}

// growingMarkdown makes documents of hostile shapes, about n bytes long.
var growingMarkdown = map[string]func(n int) string{
	"brackets":             func(n int) string { return strings.Repeat("[", n) },
	"asterisks":            func(n int) string { return strings.Repeat("*", n) },
	"emphasis":             func(n int) string { return strings.Repeat("*a __b ", n/7) },
	"nested brackets":      func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"shortcuts":            func(n int) string { return strings.Repeat("[x]\n", n/4) + "\n[y]: z" },
	"one label":            func(n int) string { return strings.Repeat("[x][y] ", n/7) + "\n\n[y]: z" },
	"nested links":         func(n int) string { return strings.Repeat("[", n/5) + strings.Repeat("](a)", n/5) },
	"nested images":        func(n int) string { return strings.Repeat("![", n/6) + strings.Repeat("](a)", n/6) },
	"links in open links":  func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("[a](b)", n/12) },
	"open destinations":    func(n int) string { return strings.Repeat("[a](", n/4) },
	"open bracketed":       func(n int) string { return strings.Repeat("[a](<b", n/6) },
	"open titles":          func(n int) string { return strings.Repeat("[a](b \"", n/7) },
	"open title brackets":  func(n int) string { return strings.Repeat("[a](b (", n/7) },
	"parentheses":          func(n int) string { return "[a](" + strings.Repeat("(", n) },
	"definitions":          func(n int) string { return strings.Repeat("[a]: b\n", n/7) },
	"definitions in use":   definitionsInUse,
	"definitions untitled": func(n int) string { return strings.Repeat("[a]: b \"\n", n/9) },
	"open labels":          func(n int) string { return strings.Repeat("[a\n", n/3) },
	"quotations":           func(n int) string { return strings.Repeat(">", n) },
	"quoted lines":         func(n int) string { return strings.Repeat(strings.Repeat(">", 60)+"a\n", n/62) },
	"lists":                func(n int) string { return strings.Repeat("- ", n/2) },
	"blank lines in lists": func(n int) string { return strings.Repeat("- ", 50) + "a" + strings.Repeat("\n", n) },
	"backticks":            growingBackticks,
	"single backticks":     func(n int) string { return strings.Repeat("` ", n/2) },
	"less-than signs":      func(n int) string { return strings.Repeat("<", n) },
	"open tags":            func(n int) string { return strings.Repeat("<a ", n/3) },
	"open attributes":      func(n int) string { return strings.Repeat("<a b=\"", n/6) },
	"crossed quotes":       func(n int) string { return strings.Repeat("<a b='\" c=\"", n/11) },
	"comments":             func(n int) string { return strings.Repeat("a <!--", n/6) },
	"instructions":         func(n int) string { return strings.Repeat("a <?", n/4) },
	"schemes":              func(n int) string { return strings.Repeat("<ab:", n/4) },
	"script":               func(n int) string { return strings.Repeat("a <script> ", n/11) },
	"bare":                 func(n int) string { return strings.Repeat("http://a.b/c ", n/13) },
	"bare in lines":        func(n int) string { return strings.Repeat("http://a.b/é\n", n/13) },
	"links":                func(n int) string { return strings.Repeat("[a](b)", n/6) },
	"image links":          func(n int) string { return strings.Repeat("[![a](b)\n](c) ", n/14) },
	"quoted links":         func(n int) string { return strings.Repeat("> [a](b)\n", n/9) },
	"headings":             func(n int) string { return strings.Repeat("# a b\n", n/6) },
	"long heading":         func(n int) string { return "# " + strings.Repeat("[a](b) ", n/7) },
	"long table":           func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|[a](b)|\n", n/9) },
	"wide table": func(n int) string {
		return strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + "\n" + strings.Repeat("|\n", n/4)
	},
	"footnotes":        func(n int) string { return strings.Repeat("[^1]: a\n", n/8) },
	"nested footnotes": func(n int) string { return strings.Repeat("[^1]:", n/5) },
	"line marks":       func(n int) string { return strings.Repeat("<!-- orbweaver-ignore-next-line -->\n[a](b)\n", n/43) },
	"marks of a line":  func(n int) string { return strings.Repeat("[a](b) <!-- markdown-link-check-disable-line -->", n/48) },
	"marks of parts": func(n int) string {
		return strings.Repeat("<!-- markdown-link-check-disable -->\n[a](b)\n<!-- markdown-link-check-enable -->\n\n", n/82)
	},
	"element marks": func(n int) string { return strings.Repeat("<b data-orbweaver-ignore>[a](b)</b>\n", n/36) },
	"HTML":          func(n int) string { return strings.Repeat("<div>\n<a href=x>\n", n/17) },
	"braces":        func(n int) string { return strings.Repeat("{#", n/2) },
	"backslashes":   func(n int) string { return strings.Repeat("\\", n) },
	"lone CR":       func(n int) string { return strings.Repeat("[a](b)\r", n/7) },
	"front matter":  func(n int) string { return "---\n" + strings.Repeat("title: a\n", n/9) },
}

func definitionsInUse(n int) string {
	var b strings.Builder
	for i := range n / 30 {
		label := strings.Repeat("a", i%7+1) + strings.Repeat("b", i%11+1) + string(rune('a'+i%26)) + string(rune('0'+i/26%10))
		b.WriteString("[" + label + "]\n\n[" + label + "]: c\n\n")
	}
	return b.String()
}

func growingBackticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()
}

func TestMarkdownLineLimit(t *testing.T) {
	doc := Extract(Input{Body: []byte("[a](b)\n" + strings.Repeat("x\n\n", maxMarkdownLines/2) + "[no](no)\n"), Name: "a.md"})
	if len(doc.Links) != 1 || len(doc.Faults) != 1 {
		t.Errorf("%d links, %q", len(doc.Links), doc.Faults)
	}
}

func TestMarkdownAnchorsOnly(t *testing.T) {
	doc := Extract(Input{Body: []byte("# H\n[a](b) <a id=x href=y>\n"), Name: "a.md", AnchorsOnly: true})
	if len(doc.Links) != 0 || !slices.Equal(doc.Anchors, []string{"h", "x"}) || !doc.Static {
		t.Errorf("%+v", doc)
	}
}

func TestMarkdownStatic(t *testing.T) {
	for text, want := range map[string]bool{"# H": true, "<b>x</b>": true, "<script>f()</script>\n\n[a](b)": false} {
		if doc := Extract(Input{Body: []byte(text), Name: "a.md"}); doc.Static != want {
			t.Errorf("%q: static is %v", text, doc.Static)
		}
	}
}

// TestAnchorRule reads a document whose anchors are those of one program, or whose publisher is known.
func TestAnchorRule(t *testing.T) {
	const body = "## Über *uns* 📦\n## B {#c}\n## Über uns 📦\n"
	for _, c := range []struct {
		rule, publisher string
		named           string // the anchors
		count           int    // of their hashes
	}{
		{"auto", "auto", "über-uns- Über-uns- über-uns ber-uns- uber-uns uber-uns-📦 c über-uns--1 Über-uns--1 über-uns-1 ber-uns--1 uber-uns_1 über-uns_1 uber-uns-📦-1", 0},
		{"auto", "github", "über-uns- c über-uns--1", 0},
		{"auto", "mkdocs", "uber-uns c uber-uns_1", 0},
		{"github", "mkdocs", "über-uns- b-c über-uns--1", 3},
		{"mkdocs", "github", "uber-uns c uber-uns_1", 3},
		{"kramdown", "auto", "ber-uns- c ber-uns--1", 3},
	} {
		rule, err := ParseAnchorRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		publisher, err := ParseAnchorRule(c.publisher)
		if err != nil {
			t.Fatal(err)
		}
		doc := Extract(Input{Name: "a.md", Path: "/a.md", Body: []byte(body), Options: Options{Anchors: rule}, Publisher: func(string) AnchorRule { return publisher }})
		if got := strings.Join(doc.Anchors, " "); got != c.named {
			t.Errorf("anchors with the rule %s, published by %s: got %s, want %s", c.rule, c.publisher, got, c.named)
		}
		if got := len(doc.AnchorHashes); c.count != 0 && got != c.count {
			t.Errorf("hashes of anchors with the rule %s, published by %s: got %d, want %d", c.rule, c.publisher, got, c.count)
		}
		if c.rule == "auto" {
			if all := Extract(Input{Name: "a.md", Body: []byte(body)}); !slices.Equal(all.AnchorHashes, doc.AnchorHashes) {
				t.Errorf("anchors published by %s: not the hashes of all programs", c.publisher)
			}
		}
	}
	if _, err := ParseAnchorRule("githab"); err == nil {
		t.Error("ParseAnchorRule(githab): no error")
	}
}

func TestSlugs(t *testing.T) {
	for _, c := range []struct{ heading, want string }{
		{"Getting started", "getting-started"},
		{"What's New?", "whats-new what-s-new"},
		{"A  b", "a--b a-b"},
		{"1.2.3", "123 anchor-123 section _1-2-3"},
		{"12) Über-Öl", "12-über-öl 12-Über-Öl über-öl ber-l 12-uber-ol _12-uber-ol"},
		{"!", "section"},
	} {
		var got []string
		new(slugger).eachAnchor(c.heading, func(s string, _ bool) { got = append(got, s) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.heading, got, c.want)
		}
	}
	var s slugger
	var got []string
	for range 3 {
		s.eachAnchor("a b", func(slug string, _ bool) { got = append(got, slug) })
	}
	if want := "a-b a-b-1 a-b_1 a-b-2 a-b_2"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzMarkdown(f *testing.F) {
	addTextSeeds(f, "markdown.txtar")
	for _, make := range growingMarkdown {
		f.Add([]byte(make(120)))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkTextFormat(t, body, "text/markdown") })
}

// FuzzMDX checks the places of what components link to.
func FuzzMDX(f *testing.F) {
	addTextSeeds(f, "mdx.txtar")
	f.Fuzz(func(t *testing.T, body []byte) {
		doc := Extract(Input{Body: body, Name: "a.mdx", ContentType: "text/markdown"})
		text, _ := decode(body, "text/markdown", textCharset)
		checkPlaces(t, text, doc)
	})
}

// addTextSeeds adds the documents of a golden archive to the fuzzing corpus.
func addTextSeeds(f *testing.F, archive string) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "text", archive))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		if file.Name != "want" {
			f.Add(file.Data)
		}
	}
}

// checkTextFormat reads arbitrary bytes and checks the properties that every result must
// have.
func checkTextFormat(t *testing.T, body []byte, contentType string) {
	before := string(body)
	doc := Extract(Input{Body: body, ContentType: contentType})
	if string(body) != before {
		t.Fatal("the body was changed")
	}
	text, _ := decode(body, contentType, formatOf(contentType, "", body).charset)
	checkPlaces(t, text, doc)
	for _, l := range doc.Links {
		if len(l.Text) > maxText {
			t.Errorf("%+v: its text is %d bytes long", l, len(l.Text))
		}
	}
}
