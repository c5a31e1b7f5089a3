package pagerules

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// pageAt returns a page of an address with a text.
func pageAt(t testing.TB, address, text string) *page.Page {
	u, _, err := urinorm.ParseWeb(address)
	if err != nil {
		t.Fatal(err)
	}
	base, err := urinorm.NewBase(u, "")
	if err != nil {
		t.Fatal(err)
	}
	return &page.Page{URL: address, Seen: address, Address: u, MadeUp: strings.HasSuffix(u.Host(), ".site.invalid"), Base: base, OverHTTP: true, Status: 200, Header: http.Header{},
		ContentType: "text/html", Format: "html", Charset: "utf-8", Text: []byte(text), Places: extract.NewPlaces([]byte(text)), Body: []byte(text)}
}

// look looks at a page.
func look(c *Checker, p *page.Page, groups Groups) {
	var tokens htmltoken.Tokenizer
	var content visible.Content
	c.Reset(p, groups)
	content.Reset(p.Text)
	tokens.Reset(p.Text, false)
	for tokens.Next() {
		content.Token(&tokens.Token)
		c.Token(&tokens)
	}
	c.End(&content)
}

// summary returns the codes of findings with their rules and places: "title-missing",
// "alt-missing@1:7".
func summary(findings []judging.Finding) string {
	var words []string
	for _, f := range findings {
		s := string(f.Code)
		if f.Rule != "" {
			s += ":" + f.Rule
		}
		if f.Line > 0 {
			s += fmt.Sprintf("@%d:%d", f.Line, f.Column)
		}
		words = append(words, s)
	}
	return strings.Join(words, " ")
}

// ruleTest is the body of a page and the findings of one group, other than those in ignored.
type ruleTest struct{ text, want string }

func testRules(t *testing.T, address string, groups Groups, ignored string, tests []ruleTest) {
	t.Helper()
	var c Checker // one for all: nothing of a page may stay
	for _, test := range tests {
		p := pageAt(t, address, test.text)
		look(&c, p, groups)
		findings := slices.DeleteFunc(slices.Clone(c.Findings), func(f judging.Finding) bool { return strings.Contains(" "+ignored+" ", " "+string(f.Code)+" ") })
		if got := summary(findings); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
		}
		for _, f := range c.Findings {
			if f.Message == "" || len([]rune(f.Text)) > judging.ExcerptLength || f.Line > 0 && f.Element == "" || f.Verdict != check.OK {
				t.Errorf("%s\nfinding %+v", test.text, f)
			}
			if _, known := check.Lookup(f.Code); !known {
				t.Errorf("unknown code %s", f.Code)
			}
		}
	}
}

func TestSEO(t *testing.T) {
	const title, description, h1 = "<title>T</title>", `<meta name=description content=D>`, "<h1>H</h1>"
	long := func(n int) string { return strings.Repeat("ä", n) }
	testRules(t, "https://example.com/a/", SEO, "doctype-missing", []ruleTest{
		{title + description + h1, ""},
		{"", "description-missing h1-missing title-missing"},
		{"<title> \n&nbsp;</title>" + description + h1, "title-missing@1:1"},
		{"<svg><title>T</title></svg>" + description + h1, "title-missing"},
		{"<template><title>T</title></template>" + description + h1, "title-missing"},
		{"<title>" + long(60) + "</title>" + description + h1, ""},
		{"\n <title>" + long(61) + "</title>" + description + h1, "title-long@2:2"},
		{"<title>" + strings.Repeat("a  \n", 30) + "</title>" + description + h1, ""}, // 59 characters, collapsed
		{"<title>" + strings.Repeat("&amp;", 60) + "</title>" + description + h1, ""},
		{title + h1 + `<meta name=Description content=" ">`, "description-missing"},
		{title + h1 + `<meta name=description>`, "description-missing"},
		{title + h1 + `<meta name=description content=""><meta name=description content=D>`, ""},
		{title + h1 + `<meta name="description" content="` + long(160) + `">`, ""},
		{title + h1 + `<meta name="description" content="` + long(161) + `">`, "description-long@1:61"},
		{title + description, "h1-missing"},
		{title + description + "<h1> <span></span></h1><h2>x</h2>", "h1-missing"},
		{title + description + "<h1><img src=a alt=Logo></h1>", ""},
		{title + description + "<h1><img src=a alt=''></h1>", "h1-missing"},
		{title + description + "<h1 hidden>x</h1>", "h1-missing"},
		{title + description + h1 + "<h1></h1>", ""},
		{title + description + h1 + "\n<h1>b</h1><h1>c</h1>", "h1-many@2:1"},
		{title + description + h1 + "<div hidden><h1>b</h1></div>", ""},
		{title + description + h1 + "<div hidden><p>x<ul><li>y</ul></div><h1>b</h1>", "h1-many@1:96"},
		{title + description + "<p role=heading aria-level=1>x</p>", ""},
		{title + description + "<p role=heading>x</p>", "h1-missing"},
		{title + description + "<p role=heading aria-level=1>x</p><h1>y</h1>", ""},
		{title + description + "<h1>a<h1>b", "h1-many@1:55"},
		// Pages of frames have no headings of their own.
		{title + description + "<frameset><frame src=a></frameset>", ""},
		// Nobody reads a page that sends its reader on, and search engines do not show others.
		{`<meta http-equiv=refresh content="0; url=b">`, ""},
		{`<meta http-equiv=Refresh content="5;URL='b'">`, ""},
		{`<meta http-equiv=refresh content="60;url=b">`, "description-missing h1-missing title-missing"},
		{`<meta http-equiv=refresh content="0">`, "description-missing h1-missing title-missing"},
		{title + h1 + "<meta name=robots content=noindex>", ""},
		// Scripts write the page.
		{"<style>a{}</style><div id=root></div>\n<script>render()</script><noscript>no</noscript>", ""},
		{"<div id=root></div><noscript>no</noscript>", "description-missing h1-missing title-missing"},
		{"<div>text</div><script>render()</script>", "description-missing h1-missing title-missing"},
	})
	var c Checker
	look(&c, pageAt(t, "https://example.com/", "<!doctype html>"+title+description+"<h1>a</h1><h1>"+long(50)+"</h1>"), SEO)
	if f := c.Findings[0]; f.Element != "h1" || f.Raw != "<h1>" || f.Text != long(40) || f.Message != "the page has 2 headings of the first level (h1)" {
		t.Errorf("%+v", f)
	}
}

func TestCanonical(t *testing.T) {
	canonical := func(href string) string { return `<link rel="canonical" href="` + href + `">` }
	const others = "title-missing description-missing h1-missing doctype-missing"
	testRules(t, "https://example.com/a/", SEO, others, []ruleTest{
		{canonical("/b"), ""},
		{canonical("/b") + canonical("https://example.com/b#x"), ""},
		{canonical("") + canonical("/b"), ""},
		{canonical("/b") + "\n" + canonical("/c"), "canonical-conflict@2:29"},
		{canonical("/b") + canonical("/c") + canonical("/d"), "canonical-conflict@1:61"},
		{"<template>" + canonical("/b") + "</template>" + canonical("/c"), ""},
	})
	var c Checker
	p := pageAt(t, "https://example.com/a/", canonical("/b"))
	p.Header.Set("Link", `<c>; rel="canonical"`)
	look(&c, p, SEO)
	if got := summary(c.Findings); !strings.Contains(got, "canonical-conflict") {
		t.Error(got)
	}
	p.Header.Set("Link", `</b>; rel=canonical, </x>; rel=alternate`)
	look(&c, p, SEO)
	if got := summary(c.Findings); strings.Contains(got, "canonical-conflict") {
		t.Error(got)
	}

	for _, test := range []struct {
		address, url, href string // of the page, as printed, and of its canonical link
		self               bool
	}{
		{"https://example.com/a", "", "a#x", true},
		{"https://example.com/a", "", "https://user:pass@example.com/a", true},
		{"https://example.com/a?x=1", "", "a", false},
		{"https://example.com/a", "", "http://example.com/a", false},
		// The address of a directory is not known.
		{"https://1.site.invalid/library/os.html", "library/os.html", "https://docs.example.org/3/library/os.html", true},
		{"https://1.site.invalid/library/os.html", "library/os.html", "https://docs.example.org/3/library/os", true},
		{"https://1.site.invalid/library/index.html", "library/index.html", "https://docs.example.org/3/library/", true},
		{"https://1.site.invalid/library/os.html", "library/os.html", "https://docs.example.org/3/library/sys.html", false},
		{"https://1.site.invalid/os.html", "os.html", "https://docs.example.org/macos.html", false},
		{"https://1.site.invalid/library/os.html", "library/os.html", "sys.html", false},
		{"https://1.site.invalid/library/os.html", "library/os.html", "../3/library/os.html", false},
		{"https://example.org/library/os.html", "https://example.org/library/os.html", "https://docs.example.org/3/library/os.html", false},
	} {
		p := pageAt(t, test.address, canonical(test.href))
		if test.url != "" {
			p.URL, p.OverHTTP, p.Header, p.Status = test.url, false, nil, 0
		}
		look(&c, p, Duplicates)
		if len(c.Facts.Canonicals) != 1 || c.Facts.Canonicals[0].Self != test.self {
			t.Errorf("%s names %s: %+v", test.address, test.href, c.Facts.Canonicals)
		}
	}
}

func TestImages(t *testing.T) {
	testRules(t, "https://example.com/", Images, "og-image-missing", []ruleTest{
		{`<img src=a alt="" width=1 height=1>`, ""},
		{`<img src=a alt width=1 height=1>`, ""},
		{`<p><img src=a width=1 height=1>`, "alt-missing@1:4"},
		{`<img src=a width=1 height=1 title=x>`, "alt-missing@1:1"},
		{`<img src=a width=1 height=1 aria-label=x><img src=a width=1 height=1 aria-labelledby=x>`, ""},
		{`<img src=a width=1 height=1 role=presentation><img src=a width=1 height=1 role=None><img src=a width=1 height=1 aria-hidden=true>`, ""},
		{`<img src=a aria-hidden=true>`, "image-dimensions-missing@1:1"},
		{`<img src=a width=1 height=1 aria-hidden=false>`, "alt-missing@1:1"},
		{`<div aria-hidden=true><b><img src=a></b></div><img src=a alt=x>`, "image-dimensions-missing@1:26 image-dimensions-missing@1:47"},
		{`<area href=a><area><area href=a alt=x>`, "alt-missing@1:1"},
		{`<input type=image src=a><input type=IMAGE alt=x><input>`, "alt-missing@1:1"},
		{`<img src=a alt=x width=1><img src=a alt=x height=1>`, "image-dimensions-missing@1:1 image-dimensions-missing@1:26"},
		{`<svg><image href=a></svg><noscript><img src=a></noscript><template><img src=a></template><!-- <img src=a> -->`, ""},
		{`<template shadowrootmode=open><img src=a height=1 width=1></template>`, "alt-missing@1:31"},
		{`<img src=a width=1 height=1 alt="  "><img src=a width=1 height=1 alt="&nbsp;">`, "alt-blank@1:1 alt-blank@1:38"},
		{`<area href=a alt=" "><input type=image alt=" ">`, "alt-blank@1:1 alt-blank@1:22"},
		{`<img src=a width=1 height=1 alt=" " aria-label=x><img src=a width=1 height=1 alt=" " role=none><p hidden><img src=a width=1 height=1 alt=" ">`, ""},
	})
	testRules(t, "https://example.com/", Images, "", []ruleTest{
		{``, "og-image-missing"},
		{`<meta property="og:image" content="a.png">`, ""},
		{`<meta property="og:image" content=" ">`, "og-image-missing"},
		{`<meta property="og:image:alt" content="x">`, "og-image-missing"},
		{`<meta http-equiv=refresh content="0;url=b">`, ""},
	})
}

func TestSecurity(t *testing.T) {
	const hash = "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
	testRules(t, "https://example.com/", Security, "header-missing", []ruleTest{
		{`<script src="https://cdn.example.net/a.js"></script>`, "sri-missing@1:14"},
		{`<script src=//cdn.example.net/a.js></script>`, "sri-missing@1:13"},
		{`<script src="http://example.com/a.js"></script>`, "sri-missing@1:14"},
		{`<script src="https://cdn.example.net/a.js" integrity=` + hash + `></script>`, ""},
		{`<script src="https://cdn.example.net/a.js" integrity="md5-x sha1-abc"></script>`, "sri-missing@1:14"},
		{`<script src="https://cdn.example.net/a.js" integrity=""></script>`, "sri-missing@1:14"},
		{`<script src="a.js"></script><script src="https://example.com:443/a.js"></script><script src="data:text/javascript,"></script>`, ""},
		{`<script type=application/json src="https://cdn.example.net/a.json"></script><script type=module src=https://cdn.example.net/a.js></script>`, "sri-missing@1:101"},
		{`<link rel="Preload Stylesheet" href="https://cdn.example.net/a.css"><link rel=preload as=style href="https://cdn.example.net/b.css">`, "sri-missing@1:38"},
		{`<noscript><link rel=stylesheet href="https://cdn.example.net/a.css"></noscript>`, ""},

		{`<form action=/a></form><form></form><form action="https://example.net/">`, ""},
		{`<form action="http://example.com/a"><input type=password></form>`, "form-insecure@1:15"},
		{`<form action=b><button formaction="http://example.com/">x</button><input type=submit formaction=/c></form>`, "form-insecure@1:36"},
		{`<form><input type=password></form>`, ""},
	})
	testRules(t, "http://example.com/", Security, "header-missing", []ruleTest{
		{`<form action=x><input type=password><input type=Password></form>`, "form-insecure@1:1"},
		{`<form><input type=text></form>`, ""},
		{`<form action="http://example.com/a"><input></form>`, ""},
		{`<input type=password>`, ""},
		{`<form id=f></form><input form=f type=password>`, "form-insecure@1:19"},
	})
	for _, loopback := range []string{"http://localhost:8080/", "http://127.0.0.2/", "http://[::1]/", "http://a.localhost/"} {
		testRules(t, loopback, Security, "header-missing", []ruleTest{{`<form><input type=password></form>`, ""}})
	}
	testRules(t, "https://example.com/", Security, "", []ruleTest{
		{"", "header-missing:content-security-policy header-missing:referrer-policy header-missing:strict-transport-security header-missing:x-content-type-options header-missing:x-frame-options"},
		{`<meta http-equiv=Content-Security-Policy content="default-src 'self'"><meta name=referrer content=no-referrer>`,
			"header-missing:strict-transport-security header-missing:x-content-type-options header-missing:x-frame-options"},
	})
	var c Checker
	p := pageAt(t, "http://example.com/", "")
	p.Header.Add("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
	look(&c, p, Security)
	if got := summary(c.Findings); got != "header-missing:referrer-policy header-missing:x-content-type-options" {
		t.Error(got)
	}
	p.OverHTTP, p.Header = false, nil // a document of a directory
	if look(&c, p, Security); len(c.Findings) != 0 {
		t.Error(summary(c.Findings))
	}
}

// A document of a directory is judged by the address at which the directory is published, if
// that is known.
func TestFormsOfDirectories(t *testing.T) {
	for address, want := range map[string]string{"https://example.com/": "form-insecure@1:15", "http://example.com/": "", "https://1.site.invalid/": ""} {
		var c Checker
		p := pageAt(t, address, `<form action="http://example.com/a"><input></form>`)
		p.URL, p.OverHTTP, p.Header = "site/index.html", false, nil
		if look(&c, p, Security); summary(c.Findings) != want {
			t.Errorf("%s: %q, want %q", address, summary(c.Findings), want)
		}
	}
}

func TestIntegrityFacts(t *testing.T) {
	var c Checker
	sha := func(name string, n int) string {
		return name + "-" + strings.Repeat("AAAA", n/3) + []string{"", "AA==", "AAA="}[n%3]
	}
	look(&c, pageAt(t, "https://example.com/a/", `<base href="/b/"><script src="x.js" integrity="`+sha("sha256", 32)+" "+sha("SHA384", 48)+"?x "+sha("sha384", 48)+`"></script>
<link rel=stylesheet href=c.css integrity="`+sha("sha512", 64)+` junk"><script src=y.js integrity="sha512-short `+sha("sha256", 32)+`"></script><script src=z.js integrity="sha256- sha256-a:b md5-x sha1-"></script>`), Security)
	got := c.Facts.Integrities
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	if i := got[0]; !i.Script || i.Algorithm != facts.SHA384 || len(i.Digests) != 96 || i.URL != "https://example.com/a/x.js" || i.Raw != "x.js" || i.Place != (facts.Place{Line: 1, Column: 31}) {
		t.Errorf("%+v", i)
	}
	if i := got[1]; i.Script || i.Algorithm != facts.SHA512 || len(i.Digests) != 64 || i.Line != 2 {
		t.Errorf("%+v", i)
	}
	if i := got[2]; !i.Script || i.Algorithm != facts.SHA512 || i.Digests != "" { // no bytes have such a hash
		t.Errorf("%+v", i)
	}
}

// What browsers load from another origin without CORS, they cannot compare with a hash. With CORS, the
// answer must allow the origin of the page.
func TestIntegrityOfOtherOrigins(t *testing.T) {
	const hash = "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
	const page = "https://example.com/"
	for _, row := range []struct {
		address, tag string
		opaque       bool
		origin       string
	}{
		{page, `<script src="https://cdn.example.net/a.js" integrity=` + hash + `>`, true, ""},
		{page, `<link rel=stylesheet href="//cdn.example.net/a.css" integrity=` + hash + `>`, true, ""},
		{page, `<script src="http://example.com/a.js" integrity=` + hash + `>`, true, ""},
		{page, `<script src="https://cdn.example.net/a.js" crossorigin integrity=` + hash + `>`, false, "https://example.com"},
		{page, `<link rel=stylesheet href="//cdn.example.net/a.css" crossorigin=anonymous integrity=` + hash + `>`, false, "https://example.com"},
		{"https://example.com:8443/", `<script src="https://example.com/a.js" crossorigin integrity=` + hash + `>`, false, "https://example.com:8443"},
		{page, `<script src="https://cdn.example.net/a.js" crossorigin=use-credentials integrity=` + hash + `>`, false, ""},
		{page, `<script type=module src="https://cdn.example.net/a.js" integrity=` + hash + `>`, false, "https://example.com"},
		{page, `<script src="/a.js" integrity=` + hash + `>`, false, ""},
		{page, `<script src="https://example.com:443/a.js" crossorigin integrity=` + hash + `>`, false, ""},
		{"https://docs.site.invalid/", `<script src="https://cdn.example.net/a.js" crossorigin integrity=` + hash + `>`, false, ""},
	} {
		var c Checker
		look(&c, pageAt(t, row.address, row.tag), Security)
		if got := c.Facts.Integrities; len(got) != 1 || got[0].Opaque != row.opaque || got[0].Origin != row.origin {
			t.Errorf("%s on %s: %+v, want opaque %t and origin %q", row.tag, row.address, got, row.opaque, row.origin)
		}
	}
}

func TestI18n(t *testing.T) {
	const html = "<html lang=en>"
	alternate := func(lang, href string) string {
		return `<link rel=alternate hreflang="` + lang + `" href="` + href + `">`
	}
	testRules(t, "https://example.com/a", I18n, "", []ruleTest{
		{html, ""},
		{"<p>", "lang-missing"},
		{"\n<html>", "lang-missing@2:1"},
		{"<html lang=''>", "lang-missing@1:1"},
		{"<html xml:lang=en>", "lang-missing@1:1"},
		{`<html lang="en_US">`, "lang-invalid@1:13"},
		{`<html lang="english">`, "lang-invalid@1:13"},
		{`<html lang="zz-DE">`, "lang-invalid@1:13"},
		{`<html lang="en-UK">`, ""}, // only the language must be registered
		{`<html lang="x-klingon">`, ""},
		{`<html lang=de-1996><p lang=zz>`, ""},
		{`<meta http-equiv=refresh content="0;url=b">`, ""},

		{html + alternate("x-default", "") + alternate("x-default", "a"), ""},
		{html + alternate("en", "a") + alternate("de-AT", "b") + alternate("zh-Hant-HK", "c") + alternate("X-Default", "d") + alternate("es-419", "e"), ""},
		{html + alternate("en", "a") + alternate("en-UK", "b") + alternate("de_DE", "b") + alternate("jp", "b") + alternate("en-Abcd", "c") + alternate("", "d") + alternate("x-foo", "e"),
			"hreflang-invalid@1:88 hreflang-invalid@1:134 hreflang-invalid@1:180 hreflang-invalid@1:223 hreflang-invalid@1:271 hreflang-invalid@1:312"},
		{html + alternate("de", "b") + alternate("fr", "c"), "hreflang-self-missing@1:55"},
		{html + alternate("de", "b") + alternate("en", "https://example.com/a#x"), ""},
		{html + alternate("de", "b") + `<link rel=canonical href=c>`, ""},
		{html + `<a hreflang=zz href=b>b</a><link rel=stylesheet hreflang=zz href=c>`, ""},
	})
	var c Checker
	p := pageAt(t, "https://example.com/a", html)
	p.Header.Set("Link", `<a>; rel=alternate; hreflang=en, <b>; rel=alternate; hreflang=en-uk`)
	if look(&c, p, I18n); summary(c.Findings) != "hreflang-invalid" || c.Findings[0].Raw != "en-uk" || len(c.Facts.Alternates) != 2 || c.Facts.Alternates[1].URL != "https://example.com/b" {
		t.Errorf("%+v, %+v", c.Findings, c.Facts.Alternates)
	}
	p = pageAt(t, "https://example.com/a", html+alternate("de", "b"))
	p.Header.Set("Link", `<a>; rel=alternate; hreflang=en`)
	if look(&c, p, I18n); len(c.Findings) != 0 {
		t.Error(summary(c.Findings))
	}
	// The address of a directory is not known, nor whether it is among these.
	p = pageAt(t, "https://1.site.invalid/a.html", html+alternate("de", "https://example.org/de/a.html"))
	p.URL, p.OverHTTP, p.Header = "a.html", false, nil
	if look(&c, p, I18n); len(c.Findings) != 0 {
		t.Error(summary(c.Findings))
	}
	p.Text = []byte(html + alternate("de", "de/a.html"))
	p.Places = extract.NewPlaces(p.Text)
	if look(&c, p, I18n); summary(c.Findings) != "hreflang-self-missing@1:55" {
		t.Error(summary(c.Findings))
	}
	p = pageAt(t, "https://example.com/a", `<html xml:lang="de">`)
	p.Format = "xhtml"
	if look(&c, p, I18n); len(c.Findings) != 0 {
		t.Error(summary(c.Findings))
	}
}

func TestAccessibility(t *testing.T) {
	testRules(t, "https://example.com/", Accessibility, "", []ruleTest{
		{`<input><select><option>x</select><textarea></textarea>`, "label-missing@1:1 label-missing@1:8 label-missing@1:34"},
		{`<input type=hidden><input type=Submit><input type=button><input type=reset><input type=image>`, ""},
		{`<label for=a>A</label><input id=a><select id=b></select><label for=b>B</label>`, ""},
		{`<label for=b>A</label><input id=a>`, "label-missing@1:23"},
		{`<label>A <input></label><input>`, "label-missing@1:25"},
		{`<input aria-label=x><input aria-labelledby=x><input title=x><input title=" "><input placeholder=x>`, "label-missing@1:61 label-missing@1:78"},
		{`<div hidden><input></div><input aria-hidden=true><p style="display: none"><input></p>`, ""},
		{`<button></button>`, ""},

		{`<a href=x>text</a><a name=x></a><a></a>`, ""},
		{`<a href=x></a>`, "link-text-empty@1:1"},
		{`<a href=x> &nbsp;<i class=icon></i></a>`, "link-text-empty@1:1"},
		{`<a href=x><img src=a></a>`, "link-text-empty@1:1"},
		{`<a href=x><img src=a alt=""></a>`, "link-text-empty@1:1"},
		{`<a href=x><img src=a alt="  "></a>`, "link-text-empty@1:1"},
		{`<a href=x><img src=a alt="Home"></a>`, ""},
		{`<a href=x><svg><title>Home</title><path/></svg></a>`, ""},
		{`<a href=x><svg><text>Home</text></svg></a>`, ""},
		{`<a href=x><svg><style>a{}</style><path/></svg></a>`, "link-text-empty@1:1"},
		{`<a href=x aria-label=Home></a><a href=x aria-labelledby=y></a><a href=x title=Home></a>`, ""},
		{`<a href=x><span aria-label=Home></span></a><a href=x><span role=img aria-label=Home></span></a>`, ""},
		{`<a href=x aria-label=" "></a>`, "link-text-empty@1:1"},
		{`<a href=x aria-hidden=true></a><div hidden><a href=x></a></div>`, ""},
		{`<a href=x><my-icon></my-icon></a>`, ""},
		{`<a href=x>one<a href=y></a>`, "link-text-empty@1:14"},
		{`<a href=x>`, ""},
		{`<noscript><a href=x></a></noscript><template><a href=x></a></template>`, ""},

		{`<a href=x>here</a>`, "link-text-vague@1:1"},
		{`<a href=x> Click
			HERE</a><a href=x>Read more …</a><a href=x>More »</a><a href=x>link</a><a href=x>this</a><a href=x><b>more</b></a>`,
			"link-text-vague@1:1 link-text-vague@2:12 link-text-vague@2:37 link-text-vague@2:57 link-text-vague@2:75 link-text-vague@2:93"},
		{`<a href=x>here you are</a><a href=x>heredity</a><a href=x>more about it</a><a href=x>thistle</a>`, ""},
		{`<a href=x aria-label="The manual">here</a>`, ""},
		{`<a href=x aria-label="here">The manual</a>`, "link-text-vague@1:1"},
		{`<a href=x><img alt=here src=a></a>`, "link-text-vague@1:1"},
		{`<a href=x><code>more</code></a>`, ""}, // the name of a command

		{`<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2><h1>e</h1>`, ""},
		{`<h3>a</h3><h4>b</h4><h1>c</h1>`, ""},
		{`<h1>a</h1><h3>b</h3>`, "heading-skipped@1:11"},
		{`<h2>a</h2><h5>b</h5><h6>c</h6><h2>d</h2><h4>e</h4>`, "heading-skipped@1:11 heading-skipped@1:41"},
		{`<h1>a</h1><p role=heading>b</p><h3>c</h3><p role=Heading aria-level="5">d</p><h6>e</h6><h6 role=heading>f</h6>`, ""},
		{`<h1>a</h1><h2 hidden>x</h2><h3>b</h3>`, "heading-skipped@1:28"},
		{`<h1>a</h1><div aria-hidden=true><h4>x</h4></div><h2>b</h2>`, ""},

		{`<iframe src=a></iframe>`, "frame-title-missing@1:1"},
		{`<frameset><frame src=a><frame src=b title=B></frameset>`, "frame-title-missing@1:11"},
		{`<iframe title=" "></iframe>`, "frame-title-missing@1:1"},
		{`<iframe title=a></iframe><iframe aria-label=a></iframe><iframe hidden></iframe><iframe aria-hidden=true></iframe>`, ""},

		{`<p tabindex=0><p tabindex=-1><p tabindex=x><p tabindex>`, ""},
		{`<p tabindex="1"><a href=x tabindex=+07>x</a>`, "tabindex-positive@1:14 tabindex-positive@1:36"},
		{`<div hidden><p tabindex=1></div>`, ""},
	})
	var c Checker
	look(&c, pageAt(t, "https://example.com/", "<h1>a</h1><h3>The <b>third</b></h3>"), Accessibility)
	if f := c.Findings[0]; f.Element != "h3" || f.Raw != "<h3>" || f.Text != "The third" || f.Message != "h3 follows h1: a level of headings is skipped" {
		t.Errorf("%+v", f)
	}
}

// TestHidden tells where a hidden element ends.
func TestHidden(t *testing.T) {
	for _, test := range []struct {
		before string
		hidden bool // what follows is hidden
	}{
		{"<div hidden>", true}, {"<div hidden></div>", false}, {"<div hidden><div></div>", true}, {"<div hidden><p>a<p>b</div>", false},
		{"<div hidden><br><img alt width=1 height=1 src=a><input></div>", false},
		{"<p hidden>a<p>", false}, {"<p hidden>a<div>", false}, {"<p hidden>a<b>", true}, {"<p hidden>a</p>", false}, {"<div><p hidden>a</div>", false},
		{"<ul><li hidden>a<li>", false}, {"<ul><li hidden>a<ul><li>b</ul>", true}, {"<ul><li hidden>a</li>", false}, {"<ul><li hidden>a</ul>", false},
		{"<table><tr><td hidden>a<td>", false}, {"<table><tr hidden><td>", true}, {"<table><tr hidden><td>a</td></tr>", false}, {"<table><tr><td hidden>a</tr>", false}, {"<ul><li hidden><p>a</p>", true}, {"<dl><dt hidden>a<dd>", false}, {"<p hidden>a<li>", false},
		{"<hr hidden>", false}, {"<svg aria-hidden=true><path/><g></g></svg>", false}, {"<svg aria-hidden=true><path/>", true}, {"<svg><path aria-hidden=true /></svg>", false},
		{"<span aria-hidden=TRUE>", true}, {"<span aria-hidden=false>", false}, {"<span aria-hidden>", false}, {"<span style='color:red;display : none'>", true}, {"<span style='display:block'>", false},
	} {
		var c Checker
		look(&c, pageAt(t, "https://example.com/", test.before+"<a href=x></a>"), Accessibility)
		found := slices.ContainsFunc(c.Findings, func(f judging.Finding) bool { return f.Code == judging.CodeLinkTextEmpty })
		if found == test.hidden {
			t.Errorf("%s: hidden is %t, want %t", test.before, !found, test.hidden)
		}
	}
}

// TestXML tells that an element of XHTML may have no content.
func TestXML(t *testing.T) {
	var c Checker
	var tokens htmltoken.Tokenizer
	p := pageAt(t, "https://example.com/", `<html><title/><script src="a.js"/><template/><div hidden=""/><a href="x"/><h1>`+strings.Repeat("long ", 20)+`</h1></html>`)
	p.Format = "xhtml"
	c.Reset(p, SEO|Accessibility)
	tokens.Reset(p.Text, false)
	tokens.XML = true
	for tokens.Next() {
		c.Token(&tokens)
	}
	c.End(nil)
	if got := summary(c.Findings); got != "description-missing title-missing@1:7 link-text-empty@1:62" {
		t.Error(got)
	}
}

// TestFacts tells what is kept of a page, and that nothing is kept that was not asked for.
func TestFacts(t *testing.T) {
	const text = `<html lang=en><title>The  guide</title><link rel="shortcut icon" href=f.ico><link rel=canonical href="#x">
<meta name=description content=" All of it "><meta name=robots content="Follow, NoIndex"><link rel=alternate hreflang=de href="/de#x">
<img src=a.png width=300 height="200"><img src="/b.png#x" width=50% height=20><img src=a.png width=300 height=200><img src="data:image/png,x">
<img src=c.png srcset="d.png 2x"><picture><source srcset=e.webp><img src=e.png></picture><img><p>one two three four`
	var c Checker
	p := pageAt(t, "https://example.com/guide/", text)
	look(&c, p, SEO|Images|I18n|Duplicates)
	got := c.Facts
	link := func(line, column int, url, raw string) facts.Link {
		return facts.Link{Place: facts.Place{Line: line, Column: column}, URL: url, Raw: raw}
	}
	want := facts.Page{
		URL: "https://example.com/guide/", HasIcon: true, NoIndex: true, NoIndexPlace: facts.Place{Line: 2, Column: 46}, NoIndexRaw: `<meta name=robots content="Follow, NoIndex">`,
		Title:       facts.Text{Place: facts.Place{Line: 1, Column: 15}, Hash: facts.Hash([]byte("The guide")), Excerpt: "The guide", Raw: "The guide"},
		Description: facts.Text{Place: facts.Place{Line: 2, Column: 33}, Hash: facts.Hash([]byte("All of it")), Excerpt: "All of it", Raw: " All of it "},
		Body:        facts.FingerprintOf([]byte("one two three four")),
		Canonicals:  []facts.Canonical{{Link: link(1, 103, "https://example.com/guide/", "#x"), Self: true}},
		Alternates:  []facts.Alternate{{Link: link(2, 128, "https://example.com/de", "/de#x"), Language: "de"}},
		Images: []facts.Image{{Link: link(3, 10, "https://example.com/guide/a.png", "a.png"), Width: 300, Height: 200},
			{Link: link(3, 49, "https://example.com/b.png", "/b.png#x")}},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	look(&c, p, Accessibility)
	if got := c.Facts; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", facts.Page{URL: "https://example.com/guide/", Canonicals: []facts.Canonical{}, Alternates: []facts.Alternate{}, Images: []facts.Image{}, Integrities: []facts.Integrity{}}) {
		t.Errorf("%+v", got)
	}
	p = pageAt(t, "https://example.com/guide/", "")
	p.Header.Set("X-Robots-Tag", "none")
	if look(&c, p, Duplicates); !c.Facts.NoIndex || c.Facts.NoIndexPlace != (facts.Place{}) {
		t.Errorf("%+v", c.Facts)
	}
	p.Header.Set("X-Robots-Tag", "otherbot: noindex")
	if look(&c, p, Duplicates); c.Facts.NoIndex {
		t.Error("the rule is for another agent")
	}
	// A page that sends its reader on is not compared with others.
	look(&c, pageAt(t, "https://example.com/", `<title>Moved</title><meta http-equiv=refresh content="0;url=b"><p>x`), SEO|Duplicates)
	if c.Facts.Title.Hash != 0 || c.Facts.Body.Hash != 0 {
		t.Errorf("%+v", c.Facts)
	}
}

func TestFindingsAreLimited(t *testing.T) {
	var c Checker
	look(&c, pageAt(t, "https://example.com/", strings.Repeat("<a href=x></a>\n", 3*judging.MaxFindings)), Accessibility)
	if len(c.Findings) != judging.MaxFindings {
		t.Errorf("%d findings", len(c.Findings))
	}
}

// goodPage is a page without findings.
var goodPage = `<!DOCTYPE html><html lang="en"><title>A guide</title><meta name="description" content="All of it"><meta property="og:image" content="a.png">
<body><h1>A guide</h1>` + strings.Repeat(`<h2 id="x">Part</h2><p>Some text with a <a class="x" href="b.html">link to b</a>, <code class="y">code</code> &amp; more.</p>
<form action="/search"><label for="q">Search</label><input id="q" name="q"></form><div class="z"><iframe title="Map" src="map.html"></iframe></div>
`, 100)

func TestGoodPagesAllocateNothing(t *testing.T) {
	const all = SEO | Images | Security | I18n | Duplicates | Accessibility
	var c Checker
	var tokens htmltoken.Tokenizer
	var content visible.Content
	p := pageAt(t, "https://example.com/", goodPage)
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options", "Strict-Transport-Security"} {
		p.Header.Set(name, "x")
	}
	p.Seen = ""
	n := testing.AllocsPerRun(10, func() {
		c.Reset(p, all)
		content.Reset(p.Text)
		tokens.Reset(p.Text, false)
		for tokens.Next() {
			content.Token(&tokens.Token)
			c.Token(&tokens)
		}
		c.End(&content)
	})
	if len(c.Findings) != 0 {
		t.Error(summary(c.Findings))
	}
	if n > 8 { // the strings of the facts, and one for each page
		t.Errorf("%g allocations", n)
	}
}

func FuzzChecker(f *testing.F) {
	f.Add(goodPage[:1000])
	f.Add("<a href=x><svg><title></a><template><p hidden><h1><li><select><label for=a><input id=a>")
	f.Add(`<script src=//x integrity=sha256-><link rel=canonical href=//><meta http-equiv=refresh content="9999999999999;x"><img width=99999999999999 height=1 src=a>`)
	var c Checker
	f.Fuzz(func(t *testing.T, text string) {
		p := pageAt(t, "https://example.com/", strings.ToValidUTF8(text, "?"))
		look(&c, p, 0xFF)
		first := summary(c.Findings)
		data := facts.AppendPage(nil, &c.Facts)
		var decoded facts.Page
		if err := decoded.Decode(data); err != nil {
			t.Errorf("facts: %v", err)
		}
		if look(&c, p, 0xFF); summary(c.Findings) != first {
			t.Errorf("%s, then %s", first, summary(c.Findings))
		}
	})
}

func BenchmarkChecker(b *testing.B) {
	const all = SEO | Images | Security | I18n | Duplicates | Accessibility
	var tokens htmltoken.Tokenizer
	var content visible.Content
	var c Checker
	for _, bench := range []struct {
		name    string
		visible bool
		groups  Groups
	}{{"tokens", false, 0}, {"tokens and text", true, 0}, {"all", true, all}, {"all but duplicates", false, all &^ Duplicates}} {
		b.Run(bench.name, func(b *testing.B) {
			p := pageAt(b, "https://example.com/", goodPage)
			b.SetBytes(int64(len(goodPage)))
			for b.Loop() {
				tokens.Reset(p.Text, false)
				content.Reset(p.Text)
				c.Reset(p, bench.groups)
				for tokens.Next() {
					if bench.visible {
						content.Token(&tokens.Token)
					}
					if bench.groups != 0 {
						c.Token(&tokens)
					}
				}
				c.End(&content)
			}
		})
	}
}
