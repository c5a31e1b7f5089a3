package content

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

func compile(t testing.TB, rules ...Rule) *Set {
	t.Helper()
	s, err := Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkHTML applies rules to an HTML page.
func checkHTML(c *Checker, source string, header http.Header) []judging.Finding {
	p := &page.Page{URL: "https://example.com/", ContentType: "text/html", Format: "html", Text: []byte(source), Places: extract.NewPlaces([]byte(source)), Header: header}
	var content visible.Content
	var tokens htmltoken.Tokenizer
	content.Reset(p.Text)
	tokens.Reset(p.Text, false)
	for tokens.Next() {
		content.Token(&tokens.Token)
	}
	return c.Check(p, &content, nil)
}

// written writes findings as "line:column raw [text] <element> message" each.
func written(found []judging.Finding) string {
	var lines []string
	for _, f := range found {
		line := fmt.Sprintf("%d:%d %q [%s]", f.Line, f.Column, f.Raw, f.Text)
		if f.Element != "" {
			line += " <" + f.Element + ">"
		}
		lines = append(lines, line+" "+f.Message)
	}
	return strings.Join(lines, "\n")
}

func TestCheck(t *testing.T) {
	header := http.Header{"X-Robots-Tag": {"noindex", "nofollow"}, "Set-Cookie": {"a=secret"}, "X-Bad": {"a\xffb"}}
	for _, c := range []struct {
		name   string
		rule   Rule
		source string
		want   string
	}{
		{"a plain string, in any case, over white space", Rule{Not: []string{"Lorem ipsum"}}, "<p>A\n <b>LOREM</b>\n\tipsum x",
			"2:5 \"LOREM</b>\\n\\tipsum\" [A LOREM ipsum x] the text contains \"Lorem ipsum\""},
		{"white space in the rule", Rule{Not: []string{"a \n b"}}, "<p>a\tb", "1:4 \"a\\tb\" [a b] the text contains \"a b\""},
		{"not over paragraphs' border without a blank", Rule{Not: []string{"ab"}}, "<p>a<p>b", ""},
		{"beyond ASCII", Rule{Not: []string{"ÜBER жук"}}, "<p>über ЖУК", "1:4 \"über ЖУК\" [über ЖУК] the text contains \"ÜBER жук\""},
		{"characters of another length", Rule{Not: []string{"kiss"}}, "<p>\u212Aiſſ!", "1:4 \"\u212Aiſſ\" [\u212Aiſſ!] the text contains \"kiss\""},
		{"what a reader does not see", Rule{Not: []string{"x"}}, "<!-- x --><script>x</script><style>x</style><template>x</template><noscript>x</noscript><title>x</title><p title=x>y", ""},
		{"a character reference", Rule{Not: []string{"a & b"}}, "<p>a &amp; b", "1:4 \"a &amp; b\" [a & b] the text contains \"a & b\""},
		{"a pattern as written", Rule{Not: []string{"re:TODO|FIXME"}}, "<p>todo TODO\nFIXME", "1:9 \"TODO\" [todo TODO FIXME] the text matches \"re:TODO|FIXME\"\n2:1 \"FIXME\" [todo TODO FIXME] the text matches \"re:TODO|FIXME\""},
		{"a pattern over white space", Rule{Not: []string{"re:a b"}}, "<p>a\n  b", "1:4 \"a\\n  b\" [a b] the text matches \"re:a b\""},
		{"must, met", Rule{Must: []string{"copyright", `re:20\d\d`}}, "<p>Copyright 2026", ""},
		{"must wants all", Rule{Must: []string{"copyright", `re:20\d\d`, "acme"}}, "<p>Copyright ACM E",
			"0:0 \"\" [] the text does not match \"re:20\\d\\d\"\n0:0 \"\" [] the text does not contain \"acme\""},
		{"must and not", Rule{Must: []string{"a"}, Not: []string{"b"}}, "<p>b", "0:0 \"\" [] the text does not contain \"a\"\n1:4 \"b\" [b] the text contains \"b\""},
		{"one finding for a place", Rule{Not: []string{"draft", "drafts", "re:[dD]raft"}}, "<p>Drafts", "1:4 \"Draft\" [Drafts] the text contains \"draft\""},
		{"places do not overlap", Rule{Not: []string{"aa"}}, "<p>aaaaa", "1:4 \"aa\" [aaaaa] the text contains \"aa\"\n1:6 \"aa\" [aaaaa] the text contains \"aa\""},
		{"the source", Rule{Not: []string{"<FONT"}, In: "source"}, "<p>a\r\n é<font x>", "2:3 \"<font\" [<p>a é<font x>] the source contains \"<FONT\""},
		{"the source keeps white space", Rule{Not: []string{"a b"}, In: "source"}, "a  b", ""},
		{"the source has comments", Rule{Must: []string{"<!-- build"}, In: "source"}, "<!-- BUILD 7 -->", ""},
		{"a pattern in the source", Rule{Not: []string{"re:(?i)<!-- *todo"}, In: "source"}, "<!--  TODO -->", "1:1 \"<!--  TODO\" [<!-- TODO -->] the source matches \"re:(?i)<!-- *todo\""},
		{"the title", Rule{Not: []string{"untitled page"}, In: "title"}, "<head>\n<title>An Untitled\n page</title>", "2:1 \"\" [An Untitled page] <title> the title contains \"untitled page\""},
		{"the title must", Rule{Must: []string{"Acme"}, In: "title"}, "<title>x</title>Acme", "0:0 \"\" [] the title does not contain \"Acme\""},
		{"without title", Rule{Must: []string{"Acme"}, Not: []string{"re:^$"}, In: "title"}, "Acme", "0:0 \"\" [] the title does not contain \"Acme\""},
		{"an empty title", Rule{Not: []string{"re:^$"}, In: "title"}, "<title></title>", "1:1 \"\" [] <title> the title matches \"re:^$\""},
		{"a header", Rule{Not: []string{"NoIndex"}, In: "header:X-robots-tag"}, "", "0:0 \"\" [noindex, nofollow] the header x-robots-tag contains \"NoIndex\""},
		{"all values of a header", Rule{Must: []string{"re:^noindex, nofollow$"}, In: "header:x-robots-tag"}, "", ""},
		{"an absent header", Rule{Must: []string{"a"}, Not: []string{"re:^"}, In: "header:x-absent"}, "", "0:0 \"\" [] the header x-absent does not contain \"a\""},
		{"a header that is not UTF-8", Rule{Not: []string{"b"}, In: "header:x-bad"}, "", "0:0 \"\" [a\uFFFDb] the header x-bad contains \"b\""},
		{"a secret in a header", Rule{Not: []string{"a="}, In: "header:set-cookie"}, "", "0:0 \"\" [] the header set-cookie contains \"a=\""},
		{"elements", Rule{Not: []string{"draft"}, In: "css:main p"}, "<p>draft<main>draft<p>a <b>draft</b> x</p>draft<p>no</main>",
			"1:28 \"draft\" [draft draft a draft x draft no] <p> element \"main p\" contains \"draft\""},
		{"one element that satisfies is enough", Rule{Must: []string{"b", "a"}, In: "css:p"}, "<p>x<p>a<p>B", ""},
		{"no element that satisfies", Rule{Must: []string{"b"}, In: "css:p"}, "<p>x</p>b", "0:0 \"\" [] no element \"p\" contains \"b\""},
		{"no element", Rule{Must: []string{"b"}, Not: []string{"b"}, In: "css:p"}, "b", "0:0 \"\" [] no element \"p\" contains \"b\""},
		{"elements within elements", Rule{Not: []string{"x"}, In: "css:div"}, "<div><div>x</div></div>", "1:11 \"x\" [x] <div> element \"div\" contains \"x\""},
		{"a pattern for a whole element", Rule{Not: []string{"re:^Chapter$"}, In: "css:h1,h2"}, "<h1>Chapter 1</h1><h2>\nChapter</h2>", "2:1 \"Chapter\" [Chapter 1 Chapter] <h2> element \"h1,h2\" matches \"re:^Chapter$\""},
		{"an empty element", Rule{Not: []string{"re:^$"}, In: "css:h1"}, "<h1>a</h1>\n<h1> <img></h1>", "2:1 \"\" [] <h1> element \"h1\" matches \"re:^$\""},
		{"formatting that a paragraph ends", Rule{Not: []string{"two"}, In: "css:b"}, "<p><b>one<p>two", "1:13 \"two\" [one two] <b> element \"b\" contains \"two\""},
		{"a script, named", Rule{Must: []string{"datePublished"}, In: "css:script[type='application/ld+json']"}, `<script>no</script><script type="application/ld+json">{"datePublished": 1}</script>`, ""},
		{"a script, not named", Rule{Not: []string{"secret"}, In: "css:body"}, "<body><script>secret</script>", ""},
		{"an attribute", Rule{Not: []string{"x"}, In: "css:[data-a]"}, "<p data-a>x<p>x", "1:11 \"x\" [x x] <p> element \"[data-a]\" contains \"x\""},
		{"a textarea", Rule{Not: []string{"x"}, In: "css:textarea"}, "<p>x<TEXTAREA\nrows=1>&lt;x</textarea>x", "2:12 \"x\" [x <x x] <textarea> element \"textarea\" contains \"x\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule.Name = "n"
			if got := written(checkHTML(compile(t, c.rule).NewChecker(), c.source, header)); got != c.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.source, got, c.want)
			}
		})
	}
}

func TestXHTML(t *testing.T) {
	source := `<html><head><title>A</title><script src="a"/></head><body><a id="x"/>one<p><![CDATA[a > draft]]> b</p><textarea/><em>two</em></body></html>`
	p := &page.Page{URL: "/", ContentType: "application/xhtml+xml", Format: "html", Text: []byte(source), Places: extract.NewPlaces([]byte(source))}
	var content visible.Content
	var tokens htmltoken.Tokenizer
	content.Reset(p.Text)
	tokens.Reset(p.Text, false)
	content.XML, tokens.XML = true, true
	for tokens.Next() {
		content.Token(&tokens.Token)
	}
	checker := compile(t,
		Rule{Name: "p", Must: []string{"re:^a > draft b$"}, Not: []string{"draft"}, In: "css:p"},
		Rule{Name: "a", Not: []string{"one"}, In: "css:a"},
		Rule{Name: "em", Not: []string{"two"}, In: "css:em"},
	).NewChecker()
	want := `1:89 "draft" [one a > draft b two] <p> element "p" contains "draft"` + "\n" + `1:118 "two" [one a > draft b two] <em> element "em" contains "two"`
	if got := written(checker.Check(p, &content, nil)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestCodesAndLevels(t *testing.T) {
	for level, want := range map[string]check.Verdict{"": check.VerdictWarning, "warning": check.VerdictWarning, "broken": check.Broken, "unverified": check.Unverified, "info": check.VerdictInfo} {
		found := checkHTML(compile(t, Rule{Name: "a-1", Must: []string{"x"}, Level: level}).NewChecker(), "", nil)
		if len(found) != 1 || found[0].Code != "content-a-1" || found[0].Verdict != want {
			t.Errorf("level %q: %+v", level, found)
		}
	}
	off := compile(t, Rule{Name: "off", Must: []string{"x"}, Level: "off"}, Rule{Name: "on", Must: []string{"y"}})
	if found := checkHTML(off.NewChecker(), "", nil); len(found) != 1 || found[0].Code != "content-on" {
		t.Errorf("%+v", found)
	}
}

func TestFirstPlacesOfARule(t *testing.T) {
	source := strings.Repeat("b a\n", 30)
	checker := compile(t, Rule{Name: "n", Not: []string{"a", "re:b"}}, Rule{Name: "m", Not: []string{"a"}}).NewChecker()
	for range 2 { // the second time with used buffers
		found := checkHTML(checker, source, nil)
		if len(found) != 2*MaxPlaces {
			t.Fatalf("%d findings", len(found))
		}
		for i, f := range found[:MaxPlaces] {
			if f.Code != "content-n" || f.Line != i/2+1 || f.Column != i%2*2+1 {
				t.Errorf("finding %d: %+v", i, f)
			}
		}
		if last := found[2*MaxPlaces-1]; last.Code != "content-m" || last.Line != MaxPlaces {
			t.Errorf("%+v", last)
		}
	}
}

func TestPagesOfARule(t *testing.T) {
	set := compile(t,
		Rule{Name: "default", Must: []string{"no"}},
		Rule{Name: "plain", Types: []string{"text/plain"}, Must: []string{"a <b>"}, Not: []string{"c\nd"}},
		Rule{Name: "docs", Match: "**/docs/**", Must: []string{"no"}, In: "source"},
		Rule{Name: "binary", Types: []string{"image/png"}, Must: []string{"a"}, Not: []string{"a"}, In: "source"},
	)
	checker := set.NewChecker()
	for _, c := range []struct {
		page  page.Page
		needs bool
		want  string
	}{
		{page.Page{URL: "/", ContentType: "text/html"}, true, "content-default"},
		{page.Page{URL: "/", ContentType: "application/xhtml+xml"}, true, "content-default"},
		{page.Page{URL: "/docs/a", ContentType: "text/html"}, true, "content-default content-docs"},
		{page.Page{URL: "/", ContentType: "text/plain", Text: []byte("A\n<b> c\n\nd")}, true, "content-plain"},
		{page.Page{URL: "/", ContentType: "text/css", Text: []byte("no")}, false, ""},
		{page.Page{URL: "/", ContentType: "image/png", Body: []byte("a")}, false, "content-binary"},
	} {
		if got := set.Needs(&c.page); got != c.needs {
			t.Errorf("%s %s: needs %v", c.page.URL, c.page.ContentType, got)
		}
		c.page.Places = extract.NewPlaces(c.page.Text)
		var codes []string
		for _, f := range checker.Check(&c.page, nil, nil) {
			codes = append(codes, string(f.Code))
			if f.Code == "content-plain" && (f.Line != 2 || f.Column != 5 || f.Raw != "c\n\nd") {
				t.Errorf("%+v", f)
			}
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.page.URL, c.page.ContentType, got, c.want)
		}
	}
}

// TestPlaces compares places with those of a slow reference, on pages whose needles are whole
// in the source.
func TestPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"<p>", "</p>", " ", "\n", "\r\n", "é", "漢", "&amp;", "&nbsp;", "<b class='needle'>", "</b>", "<!-- needle -->", "word ", "<script>needle</script>", "<br>", "\u00ad", "needle", "NeeDle"}
	for range 300 {
		var source strings.Builder
		var want []string
		text, needles := "", 0
		for range 60 {
			piece := pieces[random.IntN(len(pieces))]
			if strings.EqualFold(piece, "needle") && needles < MaxPlaces {
				before := source.String()
				line := strings.Count(before, "\n") + 1
				column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
				want = append(want, fmt.Sprintf("%d:%d %s", line, column, piece))
				needles++
			} else if strings.EqualFold(piece, "needle") {
				continue
			}
			source.WriteString(piece)
			text += piece
		}
		for _, in := range []string{"text", "css:html"} {
			var got []string
			for _, f := range checkHTML(compile(t, Rule{Name: "n", Not: []string{"NEEDLE"}, In: in}).NewChecker(), source.String(), nil) {
				got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Raw))
				if utf8.RuneCountInString(f.Text) > judging.ExcerptLength || !strings.Contains(strings.ToLower(f.Text), "needle") {
					t.Errorf("excerpt %q", f.Text)
				}
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%s in %q:\ngot  %q\nwant %q", in, text, got, want)
			}
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for _, c := range []struct {
		text       string
		begin, end int
		want       string
	}{
		{"abc", 1, 2, "abc"},
		{long, 50, 52, long[31:71]},
		{long, 0, 2, long[:40]},
		{long, 98, 100, long[60:]},
		{long, 10, 90, long[10:50]},
		{long, 50, 50, long[30:70]},
		{"a\n  b", 0, 1, "a b"},
		{strings.Repeat("é", 100), 100, 102, strings.Repeat("é", 40)},
	} {
		if got := excerpt([]byte(c.text), c.begin, c.end); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.begin, c.end, got, c.want)
		}
	}
}

// TestDeepPage says that elements are not read rather than that nothing was found.
func TestDeepPage(t *testing.T) {
	found := checkHTML(compile(t, Rule{Name: "n", Not: []string{"x"}, In: "css:p"}).NewChecker(), strings.Repeat("<div>", 1000), nil)
	if len(found) != 1 || !strings.Contains(found[0].Message, "the elements of the page cannot be read") {
		t.Errorf("%+v", found)
	}
}

// FuzzElements looks for faults on pages of any form.
func FuzzElements(f *testing.F) {
	for _, s := range []string{
		"<p>a<b>b<p>c", "<table>a<tr>b<td>c", "<svg><title>a</title><p>b", "<select>a<option>b<p>c", "<textarea>a</p>b", "<frameset>a<frame>",
		"<p\x00q>a", "<plaintext>a", "<template>a<p>b", "</html>a<!--", "<math><![CDATA[a]]>b", "<script>a<!--<script>b</script>c", "<P/a>x<iframe>a",
	} {
		f.Add(s)
	}
	checker := compile(f, Rule{Name: "n", Not: []string{"a", "re:b|^$"}, In: "css:*"}, Rule{Name: "m", Must: []string{"c"}, In: "css:p"}).NewChecker()
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "")
		p := &page.Page{ContentType: "text/html", Text: []byte(source), Places: extract.NewPlaces([]byte(source))}
		checker.Check(p, &visible.Content{XML: true}, nil)
		for _, f := range checkHTML(checker, source, nil) {
			if f.Line < 0 || f.Line > strings.Count(source, "\n")+strings.Count(source, "\r")+1 {
				t.Fatalf("%q: %+v", source, f)
			}
			if strings.Contains(f.Raw, checker.selection.mark) || strings.Contains(f.Text, checker.selection.mark) {
				t.Fatalf("%q: %+v", source, f)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	source := bytes.Repeat([]byte(`<li class="item"><a href="/page/one.html">A title of a <em>page</em></a> &amp; some words
      on another line, quite a few of them, as pages have</li>
`), 480)
	p := &page.Page{URL: "/", ContentType: "text/html", Format: "html", Text: source, Places: extract.NewPlaces(source)}
	var content visible.Content
	var tokens htmltoken.Tokenizer
	content.Reset(source)
	tokens.Reset(source, false)
	for tokens.Next() {
		content.Token(&tokens.Token)
	}
	words := func(n int) (all []string) {
		random := rand.New(rand.NewPCG(1, 1))
		for range n {
			w := make([]byte, 8+random.IntN(12))
			for i := range w {
				w[i] = "etaoinshrdlucmfwypvbgkqjxz  "[random.IntN(28)]
			}
			all = append(all, "q"+string(w))
		}
		return all
	}
	common := func(n int) []string {
		all := words(n)
		for i := range all {
			all[i] = all[i][1:]
		}
		return all
	}
	for _, c := range []struct {
		name, in string
		not      []string
	}{
		{"1", "source", words(1)}, {"100", "source", words(100)}, {"1000", "source", common(1000)}, {"10000", "source", common(10000)},
		{"1", "text", words(1)}, {"1000", "text", common(1000)},
		{"re-literal", "source", []string{"re:TODO: .*"}},
		{"re-alternatives", "source", []string{"re:(?i)todo|fixme|lorem|draft"}},
		{"1", "css:li em", words(1)},
	} {
		b.Run(c.in+"/"+c.name, func(b *testing.B) {
			checker := compile(b, Rule{Name: "n", Not: c.not, In: c.in}).NewChecker()
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				if found := checker.Check(p, &content, nil); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}
