package extract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// cssCases are style sheets in which ‸ precedes every URL.
var cssCases = []struct {
	css  string
	want []string
}{
	{`a { background: url(‸x.png) }`, []string{"x.png"}},
	{`a{background:url( "‸x.png" )}b{background:URL( '‸y.png')}`, []string{"x.png", "y.png"}},
	{"a{background:url(\n\t‸x.png\n)}", []string{"x.png"}},
	{`@import "‸a.css"; @import '‸b.css' screen; @import url(‸c.css) layer(x); @import url("‸d.css") supports(display: grid);`, []string{"@import a.css", "@import b.css", "@import c.css", "@import d.css"}},
	{`@IMPORT "‸a.css";`, []string{"@import a.css"}},
	{`@import "‸a.css" layer("no"); b{c:url(‸d)}`, []string{"@import a.css", "d"}},
	{`/* url(no) @import "no" */ a{b:url(‸x)/* url(no) */}`, []string{"x"}},
	{`a{b:"url(no)";c:'url(no)';d:url(‸x)}`, []string{"x"}},
	{`@charset "no"; @namespace url(no); @namespace svg "no"; a{b:url(‸x)}`, []string{"x"}},
	{`@-moz-document url(http://no/), url-prefix("no") { a{b:url(‸x)} } @document url("no") { }`, []string{"x"}},
	{`@font-face { src: local("no"), url(‸a.woff2) format("woff2"), url("‸b.ttf") tech("no") }`, []string{"a.woff2", "b.ttf"}},
	{`a{b:image-set("‸x.png" 1x, url(‸y.png) 2x, "‸z.avif" type("image/avif"))}`, []string{"x.png", "y.png", "z.avif"}},
	{`a{b:-webkit-image-set(url(‸x.png) 1x, "‸y.png" 2x)} c{d:"no"}`, []string{"x.png", "y.png"}},
	{`a{b:src("‸x")} c{d:src( /**/ '‸y' )} e{f:src(var(--no))}`, []string{"x", "y"}},
	{`a{b:url("‸x" crossorigin(anonymous))}c{d:url(‸y)}`, []string{"x", "y"}},
	{`a{b:cross-fade(url(‸x), url(‸y), 50%)}`, []string{"x", "y"}},
	{`a{--x:url(‸x);b:var(--x)}`, []string{"x"}},

	// Escapes, in the name and in the URL.
	{`a{b:\75 rl(‸x)} c{d:u\72l(‸y)} e{f:\url(‸z)}`, []string{"x", "y", "z"}},
	{`a{b:url(‸a\ b\)c)} d{e:url("‸a\"b\26 c\000041d")}`, []string{"a b)c", `a"b&cAd`}},
	{"a{b:url('‸a\\\nb')} c{d:url('‸a\\\r\nb')}", []string{"ab", "ab"}},
	{`a{b:url("‸\2Fx\3fy\00e9z")}`, []string{"/x?yéz"}},
	{`@\69mport "‸x";`, []string{"@import x"}},
	{`a{b:url(‸\110000\0x)}`, []string{"��x"}},

	// A white space character ends a hexadecimal escape and is part of it (CSS Syntax 4.3.7).
	// The expected values are those of Chromium as well.
	{`a{b:url(‸a\20 b.png)} c{d:url(‸y)}`, []string{"a b.png", "y"}},
	{"a{b:url(‸a\\20\tb)} c{d:url(‸a\\20\nb)} e{f:url(‸a\\20\r\nb)} g{h:url(‸a\\20\fb)}", []string{"a b", "a b", "a b", "a b"}},
	{"a{b:url('‸a\\20\nb')} c{d:url('‸a\\20\r\nb')}", []string{"a b", "a b"}},
	{`a{b:url(‸\41 )} c{d:url(‸\0000411)} e{f:url(‸\29 x)} g{h:url(‸\2f\2f h/x)}`, []string{"A", "A1", ")x", "//h/x"}},
	{`a{b:url(no\20  x)} c{d:url(no\20 x y)} e{f:url(no\20 "x)} g{h:url(‸y)}`, []string{"y"}},
	{"a{b:url(‸\\\x00x)} c{d:url('‸\\\x00x')}", []string{"\uFFFDx", "\uFFFDx"}},
	{"a{b:\\55\nRL(‸x)}", []string{"x"}},
	{`a{b:url(‸a\)b)} c{d:url(‸a\\ )} e{f:url(‸a\g0 )} g{h:url(‸\éx)}`, []string{"a)b", `a\`, "ag0", "éx"}},

	// No URLs.
	{`a{b:url(no"x)} c{d:url(no x)} e{f:url(no(x)} g{h:url(‸y)}`, []string{"y"}},
	{"a{b:url(no\\\n)} c{d:url(‸y)}", []string{"y"}},
	{"a{b:url(\"no\n)} c{d:url(‸y)}", []string{"y"}},
	{`a{b:url()} c{d:url("")} e{f:url(#g)} h{i:url("#j")} k{l:url(  )}`, nil},
	{`a{b:#url(no)} c{d:2url(no)} e{f:-1.5e3url(no)} g{h:my-url(no)} i{j:urlx(no)} k{l:url (no)}`, nil},
	{`@media (min-width: 1px) { @import "‸nested"; }`, []string{"@import nested"}},

	// Truncated.
	{`a{b:url(‸x`, []string{"x"}},
	{`a{b:url("‸x`, []string{"x"}},
	{`@import '‸x`, []string{"@import x"}},
	{`a{b:url(`, nil},
	{`a{b:url(\`, []string{"\uFFFD"}},
	{`a{b:url(‸a\`, []string{"a\uFFFD"}},
	{`a{b:url("‸a\`, []string{"a"}},
	{`a{b:"\`, nil},
	{`/*`, nil},
	{`@`, nil},
	{`@import`, nil},
	{"<!-- a{b:url(‸x)} --><!--url(‸y)-->", []string{"x", "y"}},
	{"a{b:url(‸é\x00)}", []string{"é�"}},
	{`a{b:url(data:image/png;base64,AA==)}`, []string{"data:image/png;base64,AA=="}},
}

func TestCSS(t *testing.T) {
	for _, c := range cssCases {
		source, places := unmark(c.css)
		doc := Extract(Input{Body: []byte(source), Name: "a.css"})
		if doc.Format != "css" || doc.Charset != "utf-8" || !doc.Static {
			t.Errorf("%s: read as %q in %q, static %v", source, doc.Format, doc.Charset, doc.Static)
		}
		var got []string
		for i, l := range doc.Links {
			want := describeLink(Link{Element: "style", Attribute: "url", Kind: Resource, Ref: l.Ref})
			if got, want := l.AnyFragment, strings.Contains(source, "font-face"); got != want {
				t.Errorf("%s: any fragment of %s: %t, want %t", source, l.Ref, got, want)
			}
			ref := l.Ref
			if l.Attribute == "@import" {
				want = describeLink(Link{Element: "style", Attribute: "@import", Kind: Stylesheet, Expect: ExpectStyle, Ref: l.Ref})
				ref = "@import " + ref
			}
			if describeLink(l) != want {
				t.Errorf("%s: %s, want %s", source, describeLink(l), want)
			}
			got = append(got, ref)
			if i < len(places) && places[i] != [2]int{l.Line, l.Column} {
				t.Errorf("%s: %s at %d:%d, want %v", source, ref, l.Line, l.Column, places[i])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gave %q, want %q", source, got, c.want)
		}
	}
}

// TestCSSInHTML reads the same style sheets in a style element and, where possible, in a
// style attribute with every quote and ampersand written as a character reference.
func TestCSSInHTML(t *testing.T) {
	escape := strings.NewReplacer(`"`, "&quot;", "'", "&#x27;", "&", "&amp;", "\x00", "\uFFFD")
	for _, c := range cssCases {
		for _, wrap := range []string{"<style>%s</style>", `<p style="%s">`} {
			if strings.Contains(c.css, "<!--") || strings.ContainsAny(c.css, "\x00\r") {
				continue
			}
			marked := fmt.Sprintf(wrap, c.css)
			if strings.HasPrefix(wrap, "<p") {
				marked = fmt.Sprintf(wrap, escape.Replace(c.css))
			}
			source, places := unmark(marked)
			doc := Extract(Input{Body: []byte(source), ContentType: "text/html;charset=utf-8"})
			var got []string
			for i, l := range doc.Links {
				ref := l.Ref
				if l.Attribute == "@import" {
					ref = "@import " + ref
				}
				got = append(got, ref)
				if i < len(places) && places[i] != [2]int{l.Line, l.Column} {
					t.Errorf("%s: %s at %d:%d, want %v", source, ref, l.Line, l.Column, places[i])
				}
			}
			elsewhere := slices.DeleteFunc(slices.Clone(got), func(ref string) bool { return strings.HasPrefix(ref, "#") }) // those are on the page
			if !slices.Equal(elsewhere, c.want) {
				t.Errorf("%s gave %q, want %q", source, got, c.want)
			}
		}
	}
}

func TestCSSCharset(t *testing.T) {
	for _, c := range []struct{ body, contentType, charset, ref string }{
		{"a{b:url(\xE9)}", "text/css", "utf-8", "�"},
		{"a{b:url(\xE9)}", "text/css; charset=iso-8859-1", "windows-1252", "é"},
		{"@charset \"latin1\"; a{b:url(\xE9)}", "text/css", "windows-1252", "é"},
		{"@charset \"utf-16\"; a{b:url(\xC3\xA9)}", "text/css", "utf-8", "é"},
		{"@charset 'latin1'; a{b:url(\xC3\xA9)}", "text/css", "utf-8", "é"},
		{"\xEF\xBB\xBF@charset \"latin1\"; a{b:url(\xC3\xA9)}", "text/css; charset=koi8-r", "utf-8", "é"},
		{"\xFE\xFF\x00a\x00{\x00b\x00:\x00u\x00r\x00l\x00(\x00\xE9\x00)", "text/css", "utf-16be", "é"},
	} {
		doc := Extract(Input{Body: []byte(c.body), ContentType: c.contentType})
		if doc.Charset != c.charset || len(doc.Links) != 1 || doc.Links[0].Ref != c.ref {
			t.Errorf("%q as %q: %s %+v", c.body, c.contentType, doc.Charset, doc.Links)
		}
	}
}

// checkMayHoldURL checks that mayHoldURL is true for every style sheet that contains a URL.
func checkMayHoldURL(t *testing.T, css []byte) {
	t.Helper()
	var s cssScanner
	s.reset(css)
	if u, ok := s.next(); ok && !mayHoldURL(css) {
		t.Fatalf("%q: mayHoldURL misses %q", css, u.text)
	}
}

func TestMayHoldURL(t *testing.T) {
	for css, want := range map[string]bool{
		"": false, "a{b:c}": false, "p{color:rgb(1,2,3)}@media print{}": false, "url": false, "@imports": true, "@impor": false, "@import ": true, "(": false, "rl(": false,
		"URL(": true, "a{b:uRl(x)}": true, "src(": true, "-webkit-image-SET(": true, `\75rl(x)`: true,
	} {
		if got := mayHoldURL([]byte(css)); got != want {
			t.Errorf("%q: %v", css, got)
		}
	}
	pieces := []string{"url", "(", "(", "URL(", "src(", "image-set(", "@", "import", "@IMPORT", " ", ";", "{", "}", ")", `"x"`, "'y'", "x", "/*", "*/", `\75`, `\`, "\n", "-", "\x00", "@namespace"}
	random := rand.New(rand.NewPCG(17, 19))
	for range 50_000 {
		var css []byte
		for range random.IntN(8) {
			css = append(css, pieces[random.IntN(len(pieces))]...)
		}
		checkMayHoldURL(t, css)
	}
}

func FuzzCSS(f *testing.F) {
	for _, c := range cssCases {
		source, _ := unmark(c.css)
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, css []byte) {
		text := validUTF8(css)
		checkMayHoldURL(t, text)
		doc := Extract(Input{Body: text, ContentType: "text/css; charset=utf-8"})
		checkPlaces(t, text, doc)
		for _, l := range doc.Links {
			if l.Ref == "" || l.Raw == "" || !utf8.ValidString(l.Ref) {
				t.Fatalf("%q: %+v", text, l)
			}
			if !strings.ContainsAny(l.Raw, "\\\x00") && l.Raw != l.Ref {
				t.Fatalf("%q: %q was read as %q", text, l.Raw, l.Ref)
			}
		}
	})
}

// Only the sources of a font may have any fragment, not what follows the rule.
func TestFontSources(t *testing.T) {
	const sheet = `a{b:url(1)} @font-face{font-family:x;src:url('y1#f');src:url(y2?#iefix) format("x"),src("y3#f")} c{d:url(2#f)}
		@media print{@font-face{src:url(y4)}e{f:url(3#g)}} @FONT-FACE{src:url(y5)} @font-feature-values x{} g{h:url(4)}`
	for _, l := range Extract(Input{Body: []byte(sheet), Name: "a.css"}).Links {
		if want := l.Ref[0] == 'y'; l.AnyFragment != want {
			t.Errorf("any fragment of %s: %t, want %t", l.Ref, l.AnyFragment, want)
		}
	}
}
