package htmlsyntax

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// findings checks a document.
func findings(text string, xml bool, max int) []judging.Finding {
	var c Checker
	var z htmltoken.Tokenizer
	p := &page.Page{Text: []byte(text), Places: extract.NewPlaces([]byte(text)), Body: []byte(text), Charset: "utf-8"}
	return checkPage(&c, &z, p, xml, max)
}

func checkPage(c *Checker, z *htmltoken.Tokenizer, p *page.Page, xml bool, max int) []judging.Finding {
	z.Reset(p.Text, true)
	z.XML = xml
	c.Reset(p, z, max)
	for z.Next() {
		c.Token(&z.Token)
	}
	return c.End(nil)
}

// places lists findings as "LINE:COLUMN RULE".
func places(findings []judging.Finding) string {
	var b strings.Builder
	for i, f := range findings {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d:%d %s", f.Line, f.Column, f.Rule)
	}
	return b.String()
}

const doctype = "<!DOCTYPE html>\n"

// documents are the contents of documents behind the doctype, in line 2, with their findings.
var documents = []struct{ content, want string }{
	// Correct documents.
	{``, ``},
	{`<html><head><title>a</title></head><body>b</body></html>` + "\n", ``},
	{`<title>a</title><p>b<p>c<ul><li>d<li>e<ul><li>f</ul></ul><dl><dt>g<dd>h<dt>i</dl>`, ``},
	{`<title>a</title></head><body><p>b</body>`, ``},
	{`<html><head><title>a</title><body>b`, ``},
	{`<table><caption>a<colgroup><col><col><thead><tr><th>b<th>c<tbody><tr><td>d<td>e<tr><td>f<tfoot><tr><td>g</table>`, ``},
	{`<table><tr><td>a</td></tr></table><table><col><tr><td><table><tr><td>b</table></table>`, ``},
	{`<select><option>a<option>b<optgroup label=c><option>d<hr><option>e</select>`, ``},
	{`<optgroup><optgroup><option>a</optgroup></optgroup><optgroup><option>b<option>c</optgroup>`, ``},
	{`<p>a<br>b<br/><img src=c alt><input><wbr></p><hr/>`, ``},
	{`<ruby>a<rp>(<rt>b<rp>)</ruby><ruby>a<rb>b<rtc><rt>c<rt>d</ruby>`, ``},
	{`<p>a<div>b</div><p>c<h1>d</h1><p>e<table></table><p>f<section></section><p>g</p>`, ``},
	{`<p><button><p>a</p></button></p>`, ``},
	{`<svg><g><path d=a /><circle/></g><title>b</title><style>c<d/></style><![CDATA[</svg>]]></svg>`, ``},
	{`<svg viewBox="0"><linearGradient/><foreignObject><div><p>a<p>b</div></foreignObject></svg>`, ``},
	{`<p><math><mi>a</mi><mo>&lt;</mo><annotation-xml encoding="text/html"><p>b</p></annotation-xml></math></p>`, ``},
	{`<template><tr><td>a<td>b</template><template><li>c</template><table><template><p>d</template><tr><td></table>`, ``},
	{`<script>if (a < b) document.write("<p></div>")</script><style>a{}</style><textarea><b></textarea><title>a<b></title>`, ``},
	{`<head><noscript><link rel=a><style></style></noscript></head><body><noscript><img alt></noscript></body>`, ``},
	{`<my-widget><span><x-y>a</x-y></span></my-widget><MY-Widget></my-widget>`, ``},
	{`<A HREF=a>b</A><P>c</P><Div></dIV>`, ``},
	{`<b><i>a</i></b><a href=a><div><p>b</p></div></a>`, ``},
	{`<table><tr><td><b>a</b><td><form><p>b</form></table>`, ``},
	{`<object><p>a</object><object><param name=a></object><video><source src=a><track src=b></video>`, ``},
	{`<ul><li><div><p>a</div><li><p>b</ul>`, ``},
	{`<frameset cols=a><frame src=b><noframes><p></noframes></frameset>`, ``},
	{`<details><summary>a</summary><p>b</details><dialog><p>c</dialog><fieldset><legend>d</legend></fieldset>`, ``},
	{`<p>a &amp; b & c &copy; AT&T &notin; ?a=b&c=d</p><a href="?a=b&c=d&copy=e">f</a>`, ``},
	{`<iframe><p></iframe><xmp><p></xmp>`, ``},
	{"<p>\uFEFF\u00A0𝄞</p>\r\n<pre>\n\ta</pre>", ``},
	{`<meta charset=utf-8><meta http-equiv=Content-Type content="text/html; charset=utf-8">`, ``},
	{`</body></html><!-- a -->`, ``},
	{`<p><a>b</a></p></body></html>`, ``},

	// Elements that are not closed.
	{`<div>a`, `2:1 unclosed-element`},
	{`<div><span>a</div>`, `2:6 unclosed-element`},
	{`<p><b>a<p>b`, `2:4 unclosed-element`},
	{`<p><b>a</p><p>b</b></p>`, `2:16 misnested-element`},
	{`<ul><li><em>a<li>b</ul>`, `2:9 unclosed-element`},
	{`<ul><li>a`, `2:1 unclosed-element`},
	{`<body><div><p>a</body>`, `2:7 unclosed-element`},
	{`<body><div>a</body></div>`, `2:20 misnested-element`},
	{`<table><tr><td><div>a<td>b</table>`, `2:16 unclosed-element`},
	{`<table><tr><td>a`, `2:1 unclosed-element`},
	{`<h1>a<h2>b</h2>`, `2:1 unclosed-element`},
	{`<a href=a>b<a href=c>d</a>`, `2:1 unclosed-element`},
	{`<button>a<button>b</button>`, `2:1 unclosed-element`},
	{`<svg><g></svg>`, `2:6 unclosed-element`},
	{`<svg><p>a</p>`, `2:1 unclosed-element`},
	{`<title>a`, `2:1 unclosed-element`},
	{`<div><script>a`, `2:6 unclosed-element`},
	{`<div/>a`, `2:1 non-void-html-element-start-tag-with-trailing-solidus`},
	{`<foo-bar>a`, `2:1 unclosed-element`},
	{`<template><div></template>`, `2:11 unclosed-element`},
	{`<select><option>a`, `2:1 unclosed-element`},
	{`<div><table><tr><td></div></table></div>`, `2:21 misnested-element`},

	// Elements that are not nested.
	{`<b><i>a</b></i>`, `2:8 misnested-element`},
	{`<b><p>a</b>b</p>`, `2:8 misnested-element`},
	{`<div><span>a</div></span>`, `2:19 misnested-element`},
	{`<span><div>a</span></div>`, `2:13 misnested-element`},
	{`<p><span><div>a</div></span></p>`, `2:22 misnested-element, 2:29 stray-end-tag`},
	{`<h1>a</h2>`, `2:6 misnested-element`},
	{`<form><div></form></div>`, `2:12 misnested-element`},
	{`<a href=a>b<a href=c>d</a></a>`, `2:27 misnested-element`},
	{`<a><span>b</a></span>`, `2:11 misnested-element`},
	{`<b><table><tr><td></b></table></b>`, `2:19 misnested-element`},
	{`<ul><li><b>a</li><li>c</b></li></ul>`, `2:23 misnested-element`},

	// End tags that close nothing.
	{`</div>`, `2:1 stray-end-tag`},
	{`<div></div></div>`, `2:12 stray-end-tag`},
	{`<p>a<ul></ul></p>`, `2:14 stray-end-tag`},
	{`<p>a<table></table></p>`, `2:20 stray-end-tag`},
	{`<br></br><img></img>`, `2:5 stray-end-tag, 2:15 stray-end-tag`},
	{`<table></td></table>`, `2:8 stray-end-tag`},
	{`<form><form></form></form>`, `2:20 stray-end-tag`},
	{`<div><b>a</b></b></div>`, `2:14 stray-end-tag`},
	{`<p>a</head>`, `2:5 stray-end-tag`},
	{`</svg>`, `2:1 stray-end-tag`},
	{`<x-y></x-z></x-y>`, `2:6 stray-end-tag`},
	{`<body></body></body>`, `2:14 stray-end-tag`},

	// Errors of the tokenizer; they leave nothing unclosed.
	{`<div><p><!-- a`, `2:15 eof-in-comment`},
	{`<div><p a="b`, `2:13 eof-in-tag`},
	{`<p a=b a=c>`, `2:9 duplicate-attribute`},
	{`<p>&foo; &copy</p>`, `2:8 unknown-named-character-reference, 2:15 missing-semicolon-after-character-reference`},
	{`<p a="b"c>`, `2:9 missing-whitespace-between-attributes`},
	{"<p>a\x01</p>", `2:5 control-character-in-input-stream`},
	{`<?xml version="1.0"?><p>`, `2:2 unexpected-question-mark-instead-of-tag-name`},
	{"<x\x00></x\x00>", `2:3 unexpected-null-character, 2:8 unexpected-null-character`},
	{"</x\x00\x00\x00", `2:4 unexpected-null-character, 2:5 unexpected-null-character, 2:6 unexpected-null-character, 2:7 eof-in-tag`},
	{`<![CDATA[a]]>`, `2:9 cdata-in-html-content`},
}

func TestDocuments(t *testing.T) {
	for _, d := range documents {
		found := findings(doctype+d.content, false, 0)
		if got := places(found); got != d.want {
			t.Errorf("%s\n%s\nwant\n%s", d.content, got, d.want)
		}
		for _, f := range found {
			if f.Code != judging.CodeHTMLSyntax || f.Message == "" || strings.HasSuffix(f.Message, " ") || utf8.RuneCountInString(f.Text) > judging.ExcerptLength {
				t.Errorf("%s: %+v", d.content, f)
			}
		}
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ content, element, attribute, raw, text, message string }{
		{"<div class=a><span>b</div>", "span", "", "<span>", "<div class=a><span>b</div>", "<span> is not closed before </div> in line 2"},
		{"<DIV title='>'>b", "div", "", "<DIV title='>'>", "<DIV title='>'>b", "<div> is not closed"},
		{"<b>\n<i>a\n</b></i>", "b", "", "</b>", "</b></i>", "</b> closes <b> in line 2 while <i> in line 3 is open"},
		{"<div><span>a</div></span>", "span", "", "</span>", "<div><span>a</div></span>", "</span> is too late for <span> in line 2, which </div> in line 2 has closed"},
		{"<span><div>a</span></div>", "span", "", "</span>", "<span><div>a</span></div>", "</span> cannot close <span> in line 2 while <div> in line 2 is open"},
		{"<h1>a</h2>", "h2", "", "</h2>", "<h1>a</h2>", "</h2> closes <h1> in line 2"},
		{"</ul>", "ul", "", "</ul>", "</ul>", "</ul> closes nothing"},
		{"<p>a<ul></ul>\n</p>", "p", "", "</p>", "</p>", "</p> closes nothing: <ul> in line 2 has closed <p> in line 2"},
		{"<div/>", "div", "", "<div/>", "<div/>", "\"/>\" does not close <div>"},
		{"<p CLASS=a Class=b>", "p", "class", "Class", "<p CLASS=a Class=b>", "the tag has two attributes class"},
		{"<p>&foo;", "", "", "&foo;", "<p>&foo;", "there is no character reference &foo;"},
		{"<p>&#x0;", "", "", "&#x0;", "<p>&#x0;", "character reference to U+0000: &#x0;"},
		{"<p a=\"b\"c>", "p", "", "c", "<p a=\"b\"c>", "no space between attributes"},
	} {
		found := findings(doctype+c.content, false, 0)
		if len(found) != 1 {
			t.Errorf("%s: %s", c.content, places(found))
			continue
		}
		f := found[0]
		if f.Element != c.element || f.Attribute != c.attribute || f.Raw != c.raw || f.Text != c.text || f.Message != c.message {
			t.Errorf("%s: %+v", c.content, f)
		}
	}
}

func TestDoctype(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"\n":                      "",
		"<!-- a -->\n" + doctype:  "",
		"a":                       "1:1 missing-doctype",
		"<p>a<table></table></p>": "1:1 missing-doctype", // a table does not end a paragraph in quirks mode
		"<!-- a --></p>":          "1:1 missing-doctype, 1:11 stray-end-tag",
		"a<!DOCTYPE html>":        "1:1 missing-doctype",
		`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><p>a<table></table></p>`:                                        "",
		`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"><p>a<table></table></p>`: "1:122 stray-end-tag",
		`<!DOCTYPE html SYSTEM "about:legacy-compat"><p>a`:                                                                              "",
	} {
		if got := places(findings(text, false, 0)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestCharset(t *testing.T) {
	blank := strings.Repeat(" ", 1024-len(doctype)-len("<meta charset=utf-8>"))
	for _, c := range []struct{ text, want string }{
		{doctype + blank + "<meta charset=utf-8>", ""},
		{doctype + blank + " <meta charset=utf-8>", "2:990 late-charset"},
		{doctype + blank + "<meta http-equiv=content-type content=a>", "2:989 late-charset"},
		{doctype + "<meta charset=utf-8>" + blank + "<meta charset=utf-8>", ""},
		{doctype + blank + "<meta name=a>", ""},
	} {
		if got := places(findings(c.text, false, 0)); got != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
	// Offsets of the body count, not of its text: an encoding with one byte a letter is shorter.
	body := doctype + "<!--" + strings.Repeat("\xE4", 900) + "--><meta charset=latin1>"
	text := strings.ReplaceAll(body, "\xE4", "ä")
	var c Checker
	var z htmltoken.Tokenizer
	p := &page.Page{Text: []byte(text), Places: extract.NewPlaces([]byte(text)), Body: []byte(body), Charset: "windows-1252"}
	if got := places(checkPage(&c, &z, p, false, 0)); got != "" {
		t.Error(got)
	}
	p.Body = []byte("\xEF\xBB\xBF" + doctype + blank + "<meta charset=utf-8>")
	p.Text, p.Places, p.Charset = p.Body[3:], extract.NewPlaces(p.Body[3:]), "utf-8"
	if got := places(checkPage(&c, &z, p, false, 0)); got != "2:989 late-charset" {
		t.Error(got)
	}
}

func TestXML(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0"?><html><head><title/><script/></head><body><p><br/><![CDATA[<]]>&foo;</p></body></html>`: "",
		`<html><body><p></body></html>`:                "1:13 unclosed-element",
		`<html><body><br></body></html>`:               "1:13 unclosed-element",
		`<html><body></p><i a="" a=""/></body></html>`: "1:13 stray-end-tag, 1:26 duplicate-attribute",
		`<html><p><b></p></b></html>`:                  "1:17 misnested-element",
		`<html><script>a < b</script></html>`:          "1:18 invalid-first-character-of-tag-name",
	} {
		if got := places(findings(text, true, 0)); got != want {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestMore(t *testing.T) {
	text := doctype + strings.Repeat("</p>&foo;", 2000)
	found := findings(text, false, 3)
	if got, want := places(found), "2:1 stray-end-tag, 2:9 unknown-named-character-reference, 2:10 stray-end-tag, 0:0 more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := found[3].Message, "3997 more errors of syntax"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := len(findings(text, false, 0)); got != DefaultMax+1 {
		t.Errorf("%d findings", got)
	}
}

// TestDeep checks that a document deeper than maxDepth is not judged beyond that.
func TestDeep(t *testing.T) {
	text := doctype + strings.Repeat("<div>", 1000) + strings.Repeat("</div>", 1000)
	if got := places(findings(text, false, 0)); got != "" {
		t.Error(got)
	}
	text = doctype + "</p>" + strings.Repeat("<div>", 1000)
	if got := places(findings(text, false, 0)); got != "2:1 stray-end-tag" {
		t.Error(got)
	}
}

// TestLongMarkup checks that the time for many unclosed or stray tags is linear.
func TestLongMarkup(t *testing.T) {
	for _, part := range []string{"<b>", "</b>", "<b><p>", "<p><b>", "<table>", "<table><tr><td></b>", "<svg><g></x>", "<x-y></x-z>", "<a>", "<div><b></div></b>", "<li></p>", "<select><option>", "<form></form></form>"} {
		findings(doctype+strings.Repeat(part, 1<<18/len(part)), false, 0)
	}
}

func realPages(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("../../../extract/testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		tb.Fatal("no pages", err)
	}
	pages := map[string][]byte{}
	for _, file := range append(files, "../../../extract/testdata/bench.html") {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		pages[filepath.Base(file)] = text
	}
	return pages
}

// FuzzChecker checks that findings are in order and within the document.
func FuzzChecker(f *testing.F) {
	for _, d := range documents {
		f.Add(doctype + d.content)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		for _, xml := range []bool{false, true} {
			line, column := 0, 0
			for _, f := range findings(text, xml, 1e6) {
				if f.Rule == "more" { // has no place
					continue
				}
				if f.Line < line || f.Line == line && f.Column < column || f.Rule == "" || f.Message == "" || f.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
					t.Fatalf("%q: %+v", text, f)
				}
				line, column = f.Line, f.Column
			}
		}
	})
}

// BenchmarkChecker checks pages: splits them into tokens and follows these.
func BenchmarkChecker(b *testing.B) {
	for name, text := range realPages(b) {
		b.Run(name, func(b *testing.B) {
			var c Checker
			var z htmltoken.Tokenizer
			p := &page.Page{Text: text, Places: extract.NewPlaces(text), Body: text, Charset: "utf-8"}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				checkPage(&c, &z, p, false, 0)
			}
		})
	}
}

// TestRealPages checks that pages made by generators have no findings but their own errors.
func TestRealPages(t *testing.T) {
	want := map[string]string{
		"bench.html":    "833:392 misnested-element, 1051:363 misnested-element",
		"docbook.html":  "1:2 unexpected-question-mark-instead-of-tag-name",
		"handmade.html": "118:1 unclosed-element, 563:230 misnested-element",
	}
	var c Checker
	var z htmltoken.Tokenizer
	for name, text := range realPages(t) {
		p := &page.Page{Text: text, Places: extract.NewPlaces(text), Body: text, Charset: "utf-8"}
		if got := places(checkPage(&c, &z, p, false, 0)); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}
