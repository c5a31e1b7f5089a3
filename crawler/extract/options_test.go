package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// optionLinks returns "line:column element attribute ref" for each link, with its text if it
// has one.
func optionLinks(name, body string, options Options) []string {
	doc := Extract(Input{Body: []byte(body), Name: name, Options: options})
	var got []string
	for _, l := range doc.Links {
		at := strings.Join(strings.Fields(fmt.Sprintf("%d:%d %s %s %s %s", l.Line, l.Column, l.Element, l.Attribute, l.Ref, l.Text)), " ")
		if l.Ignored {
			at += " ignored"
		}
		got = append(got, at)
	}
	return got
}

func TestOptions(t *testing.T) {
	attributes := func(names ...string) Options {
		var o Options
		for _, name := range names {
			a, err := ParseAttribute(name)
			if err != nil {
				t.Fatal(err)
			}
			o.Attributes = append(o.Attributes, a)
		}
		return o
	}
	for _, c := range []struct {
		name, body string
		options    Options
		want       string
	}{
		{"a.html", `<!doctype html><a href="a">x</a><img src=i data-src="b&amp;c"><my-card link='d e'></my-card><p link=no>`, attributes("data-src", "my-card:link"),
			"1:25 a href a x\n1:42 img src i\n1:54 img data-src b&c\n1:78 my-card link d e"},
		{"a.html", `<!doctype html><a HREF="a" Data-Src="b">x</a>`, attributes("href", "data-src"), "1:25 a href a x\n1:38 a data-src b"},
		{"a.html", `<!doctype html><img data-srcset="a 1x, b 2x" data-src = c>`, attributes("data-srcset", "data-src"),
			"1:34 img data-srcset a\n1:40 img data-srcset b\n1:57 img data-src c"},
		{"a.html", "<!doctype html>\n<!-- orbweaver-ignore-next-line -->\n<img data-src=a>\n<div data-orbweaver-ignore><img data-src=b></div><img data-src>", attributes("data-src"),
			"3:15 img data-src a ignored\n4:42 img data-src b ignored"},
		{"a.html", `<!doctype html><script>"<img data-src=a>"</script><!-- <img data-src=b> -->`, attributes("data-src"), ""},
		{"a.html", `<!doctype html><pre>see https://a.test/x, <b>http://b.test</b></pre> https://c.test <code>d</code> <a href=e><code>https://f.test</code></a>`, Options{Verbatim: true},
			"1:25 pre https://a.test/x\n1:46 pre http://b.test\n1:108 a href e https://f.test"},
		{"a.html", `<!doctype html><code>https://a.test/?b=1&amp;c=2</code><template><code>https://x.test</code></template>`, Options{Verbatim: true}, "1:22 code https://a.test/?b=1&c=2"},
		{"a.html", `<!doctype html><pre>https://a.test</pre>`, Options{}, ""},
		{"a.md", "`https://a.test` x\n\n    https://b.test\n\n```sh\ncurl https://c.test/d\n```\n", Options{Verbatim: true}, "1:2 code https://a.test\n3:5 code https://b.test\n6:6 code https://c.test/d"},
		{"a.md", "`https://a.test`\n\n    https://b.test\n", Options{}, ""},
		{"a.txt", "write to me@a.test or https://b.test", Options{TextMail: true}, "1:10 text mailto:me@a.test\n1:23 text https://b.test"},
		{"a.txt", "write to me@a.test", Options{}, ""},
		{"a.md", "[[Page]] [[Page#Two Words|text]] [[#Own part]] ![[pic 1.png]] ![[Page]] [[Über uns]] [[a#^block]]", Options{WikiLinks: true},
			"1:3 a href Page Page\n1:12 a href Page#two-words text\n1:36 a href #own-part #Own part\n1:51 img src pic%201.png pic 1.png\n" +
				"1:66 img src Page Page\n1:75 a href %C3%9Cber%20uns Über uns\n1:88 a href a#%5Eblock a#^block"},
		{"a.md", "| a |\n|---|\n| [[Page\\|text]] |\n\n`[[code]]` \\[[no]] [[two\nlines]] [[]] [[_TOC_]] [[|x]] [[a[b]]\n", Options{WikiLinks: true}, "3:5 a href Page text"},
		{"a.md", "[[Page]]", Options{}, ""},
		{"a.md", "[[https://example.com/a b|text]] [[ftp://example.com]]", Options{WikiLinks: true}, "1:3 a href https://example.com/a b text\n1:36 a href ftp://example.com ftp://example.com"},
		{"a.md", "$$\n[x](y) [[z]]\n$$\n[a](b)\n\n$$[x](y)$$\n\n5 $$ [c](d) $$\n\n$$ [e](f)\n\n[g](h) $$", Options{WikiLinks: true}, "4:5 a href b a\n8:10 a href d c\n10:8 a href f e\n12:5 a href h g"},
		{"a.md", "[a [[Page]] b](c)", Options{WikiLinks: true}, "1:6 a href Page Page\n1:16 a href c a Page b"},
	} {
		if got := strings.Join(optionLinks(c.name, c.body, c.options), "\n"); got != c.want {
			t.Errorf("%s with %+v:\n%s\nwant\n%s", c.body, c.options, got, c.want)
		}
	}
	for _, wrong := range []string{"", ":a", "a:", "a b", "a=b", "<a", "a/b"} {
		if a, err := ParseAttribute(wrong); err == nil {
			t.Errorf("ParseAttribute(%q) = %v", wrong, a)
		}
	}
}

// The url() of a page's own style sheets that is only a fragment is a link to the page.
func TestFragmentsInStyles(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a.html", `<!doctype html><base href=/b/><style>p{fill:url(#a);behavior:url(#default#VML)}</style><p style="mask: url('#b')">`,
			"1:49 style url #a\n1:109 p style #b"},
		{"a.html", `<!doctype html><style>@import url(#a);@font-face{src:url(#b)}</style>`, ""},
		{"a.html", `<!doctype html><iframe srcdoc="<style>p{fill:url(#a)}</style>"></iframe>`, ""},
		{"a.css", `p{fill:url(#a)} q{fill:url(b#c)}`, "1:28 style url b#c"},
	} {
		doc := Extract(Input{Body: []byte(c.body), Name: c.name})
		var got []string
		for _, l := range doc.Links {
			if strings.HasPrefix(l.Ref, "#") != l.SameDocument {
				t.Errorf("%s: %s: SameDocument is %v", c.body, l.Ref, l.SameDocument)
			}
			got = append(got, fmt.Sprintf("%d:%d %s %s %s", l.Line, l.Column, l.Element, l.Attribute, l.Ref))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.body, strings.Join(got, "\n"), c.want)
		}
	}
}

// Options only add links: those that are read anyway are the same.
func FuzzOptions(f *testing.F) {
	all := Options{WikiLinks: true, Verbatim: true, TextMail: true, Attributes: []Attribute{{"", "data-src"}, {"", "data-srcset"}, {"b", "x"}}}
	for _, seed := range []string{
		"<!doctype html><pre data-src='a'>https://a.test &amp; <b x=y data-srcset='a 1x, b 2x'", "a [[b#c|d]] ![[e]] `https://f.test`\n\n    https://g.test\n",
		"<pre><a><template></pre></a>http://a.test", "<a =b data-src=\"", "[[[[a]]]] [[a]", "<textarea>http://a.test</textarea><plaintext>http://b.test",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, markdown bool) {
		name := "a.html"
		if markdown {
			name = "a.md"
		}
		place := func(l Link) string {
			return fmt.Sprint(l.Line, ":", l.Column, " ", l.Element, " ", l.Attribute, " ", l.Raw)
		}
		doc := Extract(Input{Body: body, Name: name, Options: all})
		text, _, _ := Decode(Input{Body: body, Name: name})
		checkPlaces(t, text, doc)
		if markdown {
			return // [[a]](b) is another link with wiki links
		}
		var more []string
		for _, l := range doc.Links {
			more = append(more, place(l))
		}
		for _, l := range Extract(Input{Body: body, Name: name}).Links {
			if !slices.Contains(more, place(l)) {
				t.Errorf("%q: %s is missing among %q", body, place(l), more)
			}
		}
	})
}
