package extract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// page extracts a piece of HTML in UTF-8.
func page(html string) *Document {
	return Extract(Input{Body: []byte(html), ContentType: "text/html; charset=utf-8"})
}

func TestTitle(t *testing.T) {
	for html, want := range map[string]string{
		"<title> A\n\tpage &amp;\u00A0more </title><title>no</title>":              "A page & more",
		"<title></title><title>second</title>":                                     "second",
		"<p><template shadowrootmode=open><title>no</title></template><title>page": "page",
		"<svg><title>no</title></svg><title>page</title>":                          "page",
		"<template><title>no</title></template>":                                   "",
		"<title>a <b>x</b></title>":                                                "a <b>x</b>",
		"<title>unclosed":                                                          "unclosed",
		"<title>" + strings.Repeat("é", 150) + "</title>":                          strings.Repeat("é", 100),
		"<title>x" + strings.Repeat("é", 150) + "</title>":                         "x" + strings.Repeat("é", 99),
		"<iframe srcdoc='<title>no</title>'></iframe><title>y":                     "y",
	} {
		if got := page(html).Title; got != want {
			t.Errorf("%s: title %q, want %q", html, got, want)
		}
	}
}

func TestBase(t *testing.T) {
	for html, want := range map[string]string{
		"<a href=x></a><base target=_top><base href='/late?a&amp;b'><base href=no>":       "/late?a&b",
		"<!-- <base href=no> --><template><base href=no></template><base href=yes>":       "yes",
		"<svg><base href=no></svg><base href=yes>":                                        "yes",
		"<iframe srcdoc='<base href=no>'></iframe>":                                       "",
		"<base href=''><base href=no>":                                                    "",
		"<p><template shadowrootmode=open><base href=no></template><base href=yes>":       "yes",
		"<noscript><base href=yes></noscript>":                                            "yes",
		"<script>'<base href=no>'</script><title><base href=no></title><base href=' x '>": " x ",
	} {
		if got := page(html).Base; got != want {
			t.Errorf("%s: base %q, want %q", html, got, want)
		}
	}
}

// TestBaseOfSrcdoc checks that the base of a document in a srcdoc applies only to its own
// links.
func TestBaseOfSrcdoc(t *testing.T) {
	doc := page(`<base href=/out/><iframe srcdoc="<a href=1></a><base href=/in/><object codebase=c classid=2>"></iframe><a href=3>`)
	var got []string
	for _, l := range doc.Links {
		got = append(got, l.Ref+" "+l.Base)
	}
	if want := []string{"1 /in/", "c /in/", "2 c", "3 "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinkText(t *testing.T) {
	for html, want := range map[string]string{
		"<a href=x> Down\n <b>load</b> <i> now</i>! </a> no":                  "Down load now!",
		"<a href=x>a<img alt='b &amp; c'>d</a>":                               "ab & cd",
		"<a href=x><img src=i alt='only image'></a>":                          "only image",
		"<a href=x><img src=i></a>":                                           "",
		"<a href=x title='the title'><img src=i></a>":                         "the title",
		"<a href=x aria-label=Home title=''>\n</a>":                           "Home",
		"<a href=x title=no>text</a>":                                         "text",
		"<a href=x>one<a href=y>two</a>":                                      "one",
		"<a href=x>unclosed <p>to the end":                                    "unclosed to the end",
		"<a href=x>a<!-- no -->b<script>no</script>c<style>no{}</style>d</a>": "abcd",
		"<a href=x>a<template>no</template>b<textarea>no</textarea></a>":      "ab",
		"<a href=x>&lt;b&gt; &eacute;&nbsp;\u2028z</a>":                       "<b> é z",
		"<a href=x><svg><title>Icon</title><![CDATA[<cd>]]></svg></a>":        "Icon<cd>",
		"<a href=x>" + strings.Repeat("word ", 60) + "</a>":                   strings.TrimSpace(strings.Repeat("word ", 40)),
		"<a href=x>" + strings.Repeat("日", 100) + "</a>":                      strings.Repeat("日", 66),
		"<a href=x>a<svg><use href=u /><path/></svg>b</a>":                    "ab",
		"<a href=x><noscript>shown</noscript></a>":                            "shown",
	} {
		links := page(html).Links
		if len(links) == 0 || links[0].Ref != "x" || links[0].Text != want {
			t.Errorf("%s: %+v, want text %q", html, links, want)
		}
		for _, l := range links {
			if len(l.Text) > maxText {
				t.Errorf("%s: text of %d bytes", html, len(l.Text))
			}
		}
	}
}

func TestAnchors(t *testing.T) {
	for html, want := range map[string][]string{
		"<p id=a><a name=b><a id=c name=c><a id=d name=e><a id=a>":                             {"a", "b", "c", "d", "e", "a"},
		"<p id=''><p id><p id=top><p id=TOP><p id=' x '><p id='a&amp;b'>":                      {" x ", "a&b"},
		"<p name=no><img name=no><map name=no><map id=m><input name=no>":                       {"m"},
		"<template id=t><p id=no><template><p id=no></template><p id=no></template><p id=yes>": {"yes"},
		"<div><template shadowrootmode=open><p id=no></template></div><p id=yes>":              {"yes"},
		"<svg id=s><g id=g><a name=n></svg>":                                                   {"s", "g", "n"},
		"<math id=m><mi id=n>":                                                                 {"m", "n"},
		"<!-- <p id=no> --><script>'<p id=no>'</script><noscript id=n><p id=y>":                {"n", "y"},
		"<iframe id=f srcdoc='<p id=no>'><p id=no></iframe>":                                   {"f"},
		"<p ID=é><p id=a\x00b>":                                                                {"é", "a�b"},
		"<p id=x id=y>":                                                                        {"x"},
		"<form id=x><form id=no></form><form id=y></form><frame id=no>":                        {"x", "y"},
	} {
		for _, only := range []bool{false, true} {
			doc := Extract(Input{Body: []byte(html), ContentType: "text/html; charset=utf-8", AnchorsOnly: only})
			if !slices.Equal(doc.Anchors, want) {
				t.Errorf("%s: %q, want %q", html, doc.Anchors, want)
			}
		}
	}
}

func TestAnchorsOnly(t *testing.T) {
	doc := Extract(Input{ContentType: "text/html", AnchorsOnly: true, Body: []byte(
		`<title>t</title><a href=x id=i style="background:url(x)"><style>a{b:url(x)}</style><script type=application/ld+json>{"url":"http://x/"}</script>
		<iframe srcdoc="<a href=x>"></iframe><input type=password><meta name=robots content=none><script></script>`)})
	if len(doc.Links) > 0 || doc.Title != "t" || doc.Static || !doc.LoginForm || !doc.NoFollow || len(doc.Anchors) != 1 {
		t.Errorf("%+v", doc)
	}
}

func TestDuplicates(t *testing.T) {
	html := "<p id=a><p id=b>\n é<p id=a>\n<p id=a><p id='b'><a name=c><a name=c><p id=c><noscript><p id=c></noscript><p id=TOP><p id=TOP>"
	want := []AnchorPlace{{Name: "a", Line: 2, Column: 9}, {Name: "b", Line: 3, Column: 16}}
	if got := page(html).Duplicates; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestStatic(t *testing.T) {
	for html, want := range map[string]bool{
		"<p>text":                                                 true,
		"<script>x()</script>":                                    false,
		"<script src=x></script>":                                 false,
		"<script type=module></script>":                           false,
		"<script type=''></script>":                               false,
		"<SCRIPT TYPE=' Text/JavaScript '>":                       false,
		"<script type='text/javascript; charset=utf-8'></script>": false,
		"<script language=JavaScript1.2></script>":                false,
		"<script language=vbscript></script>":                     true,
		"<script type=text/vbscript></script>":                    true,
		"<script type=application/ld+json>{}</script><script type=importmap>{}</script><script type=text/template><b></b></script><script type=speculationrules></script>": true,
		"<template><script></script></template><noscript><script></script></noscript>":                                                                                     true,
		"<svg><script href=x /></svg>":                                      false,
		"<!-- <script></script> --><style><script></script></style>":        true,
		"<iframe srcdoc='<script></script>'></iframe>":                      true,
		"<!doctype html><title>x</title><body class=y onload='x()'><p>text": false,
		"<p>text<img src=a onload=x()>":                                     false,
		"<p>text<svg onload=x()></svg>":                                     false,
		"<template><img src=a onload=x()></template>":                       true,
		"<p title='onload=x()'>onload=x()":                                  true,
	} {
		if got := page(html).Static; got != want {
			t.Errorf("%s: static %v", html, got)
		}
	}
}

func TestRobotsAndLogin(t *testing.T) {
	for html, want := range map[string][2]bool{
		"<meta name=robots content='noindex, NOFOLLOW'>":                                  {true, false},
		"<meta name=' Robots ' content=none>":                                             {true, false},
		"<meta name=robots content='index,follow'>":                                       {false, false},
		"<meta name=description content=nofollow>":                                        {false, false},
		"<form><input type=PassWord></form>":                                              {false, true},
		"<template><input type=password><meta name=robots content=none></template>":       {false, false},
		"<iframe srcdoc='<input type=password><meta name=robots content=none>'></iframe>": {false, false},
	} {
		doc := page(html)
		if got := [2]bool{doc.NoFollow, doc.LoginForm}; got != want {
			t.Errorf("%s: %v, want %v", html, got, want)
		}
	}
}

func TestNoIndexAndCanonical(t *testing.T) {
	for html, want := range map[string]string{
		"<meta name=robots content='noindex, NOFOLLOW'>":                                 "noindex",
		"<meta name=robots content=none>":                                                "noindex",
		"<meta name=robots content=nofollow>":                                            "",
		"<meta name=robots content=noindex><meta name=robots content=index>":             "noindex",
		"<link rel='x CANONICAL' href=' /a?b&amp;c '><link rel=canonical href=no>":       "/a?b&c",
		"<link rel=canonical><link rel=canonical href=/b>":                               "/b",
		"<iframe srcdoc='<link rel=canonical href=no><meta name=robots content=none>'>":  "",
		"<a rel=canonical href=no></a><template><link rel=canonical href=no></template>": "",
	} {
		doc := page(html)
		got := doc.Canonical
		if doc.NoIndex {
			got += "noindex"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", html, got, want)
		}
	}
}

// TestRawAndRef checks that Raw is the source text and Ref the decoded reference.
func TestRawAndRef(t *testing.T) {
	for _, c := range []struct{ html, raw, ref string }{
		{`<a href="?a=1&amp;b=2">`, `?a=1&amp;b=2`, `?a=1&b=2`},
		{`<a href="?a=1&copy=2">`, `?a=1&copy=2`, `?a=1&copy=2`},
		{"<a href=' \n x '>", " \n x ", " \n x "},
		{"<a href='a\r\nb\rc'>", "a\r\nb\rc", "a\nb\nc"},
		{"<a href='a\x00b'>", "a\x00b", "a�b"},
		{"<img srcset='&#x20;a&amp;b.png 1x'>", "a&amp;b.png", "a&b.png"},
		{"<meta http-equiv=refresh content='0;&#117;rl=&quot;x&amp;y&quot;'>", "x&amp;y", "x&y"},
		{`<p style="b:url(&#39;x&amp;y\26 z&#39;)">`, `x&amp;y\26 z`, "x&y&z"},
		{`<iframe srcdoc="&lt;p style=&quot;b:url(&amp;quot;x&amp;amp;y&amp;quot;)&quot;&gt;">`, `x&amp;amp;y`, "x&y"},
		{"<svg><style>a{b:url(&quot;x&amp;y&quot;)}</style></svg>", "x&amp;y", "x&y"},
		{"<style>a{b:url(x&amp;y)}</style>", "x&amp;y", "x&amp;y"},
		{"<svg><style><![CDATA[a{b:url(x&amp;y)}]]></style></svg>", "x&amp;y", "x&amp;y"},
	} {
		links := page(c.html).Links
		if len(links) != 1 || links[0].Raw != c.raw || links[0].Ref != c.ref {
			t.Errorf("%q: %+v", c.html, links)
		}
	}
}

// TestForeignContent checks that a CDATA section outside of SVG is a comment, and that HTML
// that breaks out of SVG counts.
func TestForeignContent(t *testing.T) {
	for html, want := range map[string]string{
		"<![CDATA[<a href=1>]]><a href=2>":                                                                     "2",
		"<svg><![CDATA[<a href=1>]]><a href=2></svg><![CDATA[<a href=3>]]>":                                    "2",
		"<svg><desc><![CDATA[<a href=1>]]></desc><![CDATA[<a href=2>]]></svg>":                                 "",
		"<svg><title/><a href=1></svg><title/><a href=2></title><a href=3>":                                    "1 3",
		"<svg/><title><a href=1></title><a href=2>":                                                            "2",
		"<div><svg><g></div><script>'<a href=1>'</script><a href=2>":                                           "2",
		"<svg><g></div><script>'<a href=1>'</script><a href=2>":                                                "1 2",
		"<svg><p><title><a href=1></title><a href=2>":                                                          "2",
		"<math><mtext><a href=1></mtext><area href=2></math><a href=3>":                                        "1 3",
		"<math><annotation-xml encoding=text/HTML><a href=1></annotation-xml><annotation-xml><area href=2>":    "1",
		"<math><annotation-xml><svg><a href=1></svg><area href=2></annotation-xml></math><a href=3>":           "1 3",
		"<svg><foreignObject><svg><a href=1></svg><a href=2></foreignObject><a href=3></svg><a href=4>":        "1 2 3 4",
		"<svg><template><a href=1></template></svg><template><svg></template><![CDATA[<a href=2>]]><a href=3>": "1 3",
	} {
		var got []string
		for _, l := range page(html).Links {
			got = append(got, l.Ref)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", html, got, want)
		}
	}
}

func TestXHTML(t *testing.T) {
	html := `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="s.js"/><style/></head>` +
		`<body><a id="i"/><a href="x" /><textarea/><iframe src="f"/><template/><noscript/>text<a href="y">t</a></body></html>`
	for _, in := range []Input{
		{ContentType: "application/xhtml+xml"}, {Name: "page.xhtml"}, {},
	} {
		in.Body = []byte(html)
		doc := Extract(in)
		var got []string
		for _, l := range doc.Links {
			got = append(got, l.Element+" "+l.Ref+" "+l.Text)
		}
		if want := []string{"script s.js ", "a x ", "iframe f ", "a y t"}; !slices.Equal(got, want) || doc.Charset != "utf-8" || doc.Format != "html" {
			t.Errorf("%+v: %s in %s: %q, want %q", in, doc.Format, doc.Charset, got, want)
		}
	}
}

// TestXHTMLNames checks that the names of XHTML are case-sensitive, and that its elements are
// in a namespace.
func TestXHTMLNames(t *testing.T) {
	const open, closed = `<html xmlns="http://www.w3.org/1999/xhtml"><body>`, `<a href="last">t</a></body></html>`
	for _, c := range []struct{ body, links, anchors, fault string }{
		{open + `<A HREF="no">t</A><A href="no">t</A><a HREF="no">t</a><a Href="no">t</a>` + closed, "last", "", ""},
		{open + `<a HREF="no" href="x">t</a><IMG src="no"/><img SRC="no" src="y"/>` + closed, "x y last", "", ""},
		{open + `<p ID="no">t</p><p Id="no" class="c">t</p><p id="i">t</p><P id="j">t</P><p ID="no" id="k">t</p>` + closed, "last", "i j k", ""},
		{open + `<TEXTAREA><a href="x">t</a></TEXTAREA><STYLE>a{b:url(no)}</STYLE><SCRIPT src="no"/><TITLE>no</TITLE>` + closed, "x last", "", ""},
		{open + `<svg xmlns="http://www.w3.org/2000/svg"><A href="no"/><Image href="no"/><feImage href="x"/><image HREF="no"/></svg>` + closed, "x last", "", ""},
		{`<html xmlns='http://www.w3.org/1999/xhtml'><body>` + closed, "last", "", ""},
		{`<!DOCTYPE html><!-- c --><html lang="en" xmlns="http://www.w3.org/1999/xhtml"><body>` + closed, "last", "", ""},
		{`<html><body id="i">` + closed, "", "i", "not in the namespace"},
		{`<html xmlns="http://www.w3.org/1999/XHTML"><body>` + closed, "", "", "not in the namespace"},
		{`<div id="i">` + closed, "last", "i", ""},
	} {
		for _, slow := range []bool{false, true} {
			doc := Extract(Input{ContentType: "application/xhtml+xml", Body: []byte(c.body), slowPath: slow})
			var links []string
			for _, l := range doc.Links {
				links = append(links, l.Ref)
			}
			if strings.Join(links, " ") != c.links || strings.Join(doc.Anchors, " ") != c.anchors || doc.Title != "" {
				t.Errorf("%s: %q, %q, %q", c.body, links, doc.Anchors, doc.Title)
			}
			if got := strings.Join(doc.Faults, " "); (c.fault == "") != (got == "") || !strings.Contains(got, c.fault) {
				t.Errorf("%s: fault %q", c.body, got)
			}
			if xml := Extract(Input{ContentType: "text/xml", Body: []byte(c.body)}); c.fault != "" && len(xml.Links) > 0 {
				t.Errorf("%s as XML: %v", c.body, xml.Links)
			}
		}
	}
}

// TestDocumentIsItsOwn checks that a Document depends neither on the body nor on later
// documents.
func TestDocumentIsItsOwn(t *testing.T) {
	body := []byte("<title>t</title><base href=b><a href='x&amp;y' id=i>text</a><p id=i style='a:url(\\26 q)'>")
	in := Input{Body: body, ContentType: "text/html; charset=utf-8"}
	doc := Extract(in)
	before := fmt.Sprintf("%+v", *doc)
	for i := range body {
		body[i] = '#'
	}
	for range 3 {
		page("<a href=another>other</a><p id=z id=z>")
	}
	if after := fmt.Sprintf("%+v", *doc); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestSrcdocKeepsItsOwn(t *testing.T) {
	doc := page(`<iframe title=frame srcdoc="<a href=1 rel=nofollow></a><a href=2>two</a><img src=3>" src=4></iframe>`)
	var got []string
	for _, l := range doc.Links {
		got = append(got, fmt.Sprint(l.Ref, l.Text, l.NoFollow))
	}
	if want := []string{"1true", "2twofalse", "3false", "4framefalse"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestExtractTwice(t *testing.T) {
	for _, c := range elementCases {
		source, _ := unmark(c.html)
		if a, b := page(source), page(source); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v and %+v", source, a, b)
		}
	}
}
