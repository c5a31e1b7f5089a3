package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// edited changes every link of a document whose source text is raw.
func edited(t *testing.T, in extract.Input, raw, ref string) (body []byte, changed []editResult) {
	t.Helper()
	e, err := newEditor(in)
	if err != nil {
		t.Fatalf("%s: %v", in.Name, err)
	}
	found := false
	for _, l := range e.doc.Links {
		if l.Raw != raw {
			continue
		}
		found = true
		p := place{l.Line, l.Column}
		if _, ok := e.At(p, raw); !ok {
			t.Fatalf("%s: no link found at %v", in.Name, p)
		}
		if err := e.Change(p, ref); err != nil {
			t.Fatalf("%s: %v", in.Name, err)
		}
	}
	if !found {
		t.Fatalf("%s: no link %q in %q: %+v", in.Name, raw, in.Body, e.doc.Links)
	}
	return e.Apply()
}

func TestEdit(t *testing.T) {
	const page = "<!doctype html>"
	tests := []struct{ name, file, body, raw, ref, want string }{
		{"quoted", "a.html", page + `<a href="old">x</a>`, "old", "new", page + `<a href="new">x</a>`},
		{"in single quotes", "a.html", page + `<a href='old'>x</a>`, "old", "it's", page + `<a href='it&#39;s'>x</a>`},
		{"without quotes", "a.html", page + `<a href=old>x</a>`, "old", "new?a=1", page + `<a href=new?a=1>x</a>`},
		{"an entity stays one", "a.html", page + `<a href="/?a=1&amp;b=2">x</a>`, "/?a=1&amp;b=2", "/n?a=1&b=2", page + `<a href="/n?a=1&amp;b=2">x</a>`},
		{"a bare ampersand stays one", "a.html", page + `<a href="/?a=1&b=2">x</a>`, "/?a=1&b=2", "/n?a=1&b=2", page + `<a href="/n?a=1&b=2">x</a>`},
		{"a bare ampersand that would be an entity", "a.html", page + `<a href="/?a=1&b=2">x</a>`, "/?a=1&b=2", "/n?a=1&copy;=2", page + `<a href="/n?a=1&amp;copy;=2">x</a>`},
		{"several in one line", "a.html", page + `<a href=old>x</a> <a href="old">y</a><img src=old>`, "old", "other", page + `<a href=other>x</a> <a href="other">y</a><img src=other>`},
		{"srcset", "a.html", page + `<img srcset="a.png 1x, b.png 2x">`, "a.png", "c/a.png", page + `<img srcset="c/a.png 1x, b.png 2x">`},
		{"refresh", "a.html", page + `<meta http-equiv=refresh content="5; url=old">`, "old", "new", page + `<meta http-equiv=refresh content="5; url=new">`},
		{"style attribute", "a.html", page + `<p style="background: url(old)">`, "old", "new(1)", page + `<p style="background: url(new\(1\))">`},
		{"style element", "a.html", page + `<style>p{background:url(old)}</style>`, "old", "n?a&b", page + `<style>p{background:url(n?a&b)}</style>`},
		{"json-ld", "a.html", page + `<script type="application/ld+json">{"url": "https://e.test/old"}</script>`, "https://e.test/old", "https://e.test/?a&b", page + `<script type="application/ld+json">{"url": "https://e.test/?a&b"}</script>`},
		{"json-ld with escaped slashes", "a.html", page + `<script type="application/ld+json">{"url": "https:\/\/e.test\/old"}</script>`, `https:\/\/e.test\/old`, "https://e.test/new", page + `<script type="application/ld+json">{"url": "https:\/\/e.test\/new"}</script>`},
		{"srcdoc", "a.html", page + `<iframe srcdoc="&lt;a href='old'>x&lt;/a>"></iframe>`, "old", "n?a&b", page + `<iframe srcdoc="&lt;a href='n?a&amp;b'>x&lt;/a>"></iframe>`},
		{"a line end in it", "a.html", page + "<a href=\"ol\nd\">x</a>\n", "ol\nd", "new", page + "<a href=\"new\">x</a>\n"},
		{"CRLF and a byte order mark", "a.html", "\uFEFF" + page + "\r\n<p>ä<a href=\"old\">x</a>\r\n", "old", "new", "\uFEFF" + page + "\r\n<p>ä<a href=\"new\">x</a>\r\n"},
		{"lone CR", "a.html", page + "\r<a href=old>x</a>\r\n<a href=b>", "old", "new", page + "\r<a href=new>x</a>\r\n<a href=b>"},
		{"invalid UTF-8", "a.html", page + "<meta charset=utf-8>\xff\xfe<a href=old>\xffx</a>", "old", "new", page + "<meta charset=utf-8>\xff\xfe<a href=new>\xffx</a>"},

		{"entities beside what changes", "a.html", page + `<a href="/old?a=1&#38;b=2&c=3">x</a>`, "/old?a=1&#38;b=2&c=3", "/new?a=1&b=2&c=3", page + `<a href="/new?a=1&#38;b=2&c=3">x</a>`},
		{"entities on both sides of it", "a.html", page + `<a href="&#47;old?a=1&#38;b=2">x</a>`, "&#47;old?a=1&#38;b=2", "/new?a=1&b=2", page + `<a href="&#47;new?a=1&#38;b=2">x</a>`},
		{"an entity that is what changes", "a.html", page + `<a href="/a&#98;c">x</a>`, "/a&#98;c", "/adc", page + `<a href="/adc">x</a>`},
		{"an entity that begins as it ends", "a.html", page + `<a href="/a&amp;b">x</a>`, "/a&amp;b", "/a;b", page + `<a href="/a;b">x</a>`},
		{"entities within entities", "a.html", page + `<iframe srcdoc="&lt;a href=&quot;/old?a&amp;amp;b&quot;>x&lt;/a>"></iframe>`, "/old?a&amp;amp;b", "/new?a&b", page + `<iframe srcdoc="&lt;a href=&quot;/new?a&amp;amp;b&quot;>x&lt;/a>"></iframe>`},
		{"an escape in a style", "a.css", `p{background:url("old/b\67.png")}`, `old/b\67.png`, "new/bg.png", `p{background:url("new/b\67.png")}`},
		{"an escape in JSON", "a.html", page + `<script type="application/ld+json">{"url": "https://e.test\/old\u0041"}</script>`, `https://e.test\/old\u0041`, "https://e.test/newA", page + `<script type="application/ld+json">{"url": "https://e.test\/new\u0041"}</script>`},
		{"letters of several bytes", "a.html", page + `<a href="/é&amp;é">x</a>`, "/é&amp;é", "/è&é", page + `<a href="/è&amp;é">x</a>`},

		{"markdown", "a.md", "[x](old)\n", "old", "new", "[x](new)\n"},
		{"balanced parentheses", "a.md", "[x](old)\n", "old", "new_(1)", "[x](new_(1))\n"},
		{"a parenthesis alone", "a.md", "[x](old)\n", "old", "new)1", "[x](new\\)1)\n"},
		{"in angle brackets", "a.md", "[x](<o l d>)\n", "o l d", "new)1", "[x](<new)1>)\n"},
		{"a title stays", "a.md", `[x](old "Title") and ![y](old)` + "\n", "old", "new", `[x](new "Title") and ![y](new)` + "\n"},
		{"definition", "a.md", "[x] and [y][x]\n\n[x]: old\n", "old", "new", "[x] and [y][x]\n\n[x]: new\n"},
		{"definition of a link and an image", "a.md", "[x] and ![y][x]\n\n[x]: old\n", "old", "new", "[x] and ![y][x]\n\n[x]: new\n"},
		{"autolink", "a.md", "see <http://e.test/a>\n", "http://e.test/a", "https://e.test/a", "see <https://e.test/a>\n"},
		{"bare", "a.md", "see http://e.test/a.\n", "http://e.test/a", "https://e.test/a", "see https://e.test/a.\n"},
		{"something that would be an entity", "a.md", "[x](old)\n", "old", "n?a&copy;b", "[x](n?a&amp;copy;b)\n"},
		{"escaped", "a.md", `[x](old\))` + "\n", `old\)`, "new)", `[x](new\))` + "\n"},
		{"escapes and entities beside what changes", "a.md", `[x](old_\(1\)?a&amp;b)` + "\n", `old_\(1\)?a&amp;b`, "new_(1)?a&b", `[x](new_\(1\)?a&amp;b)` + "\n"},
		{"in a table", "a.md", "| a | b |\n|---|---|\n| [x](old) | y |\n", "old", "new", "| a | b |\n|---|---|\n| [x](new) | y |\n"},
		{"in a quotation", "a.md", "> a\n> [x](old)\n", "old", "new", "> a\n> [x](new)\n"},
		{"raw HTML", "a.md", "a <a href=\"old\">x</a>\n", "old", "n?a=1&b", "a <a href=\"n?a=1&b\">x</a>\n"},

		{"css", "a.css", "p{background:url(old)}", "old", "n(1)", `p{background:url(n\(1\))}`},
		{"css import", "a.css", `@import "old";`, "old", "new", `@import "new";`},
		{"xml", "a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><a href="old"/></svg>`, "old", "n?a&b", `<svg xmlns="http://www.w3.org/2000/svg"><a href="n?a&amp;b"/></svg>`},
		{"sitemap", "sitemap.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.test/old</loc></url></urlset>`, "https://e.test/old", "https://e.test/?a&b", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://e.test/?a&amp;b</loc></url></urlset>`},
		{"an item that is the base of whole addresses", "rss.xml", `<rss><channel><item><link>https://e.test/old</link><description>&lt;a href="https://e.test/b"&gt;</description></item></channel></rss>`, "https://e.test/old", "https://e.test/new", `<rss><channel><item><link>https://e.test/new</link><description>&lt;a href="https://e.test/b"&gt;</description></item></channel></rss>`},
		{"opml", "a.opml", `<opml><body><outline type="rss" xmlUrl="http://e.test/f"/></body></opml>`, "http://e.test/f", "https://e.test/f?a&b", `<opml><body><outline type="rss" xmlUrl="https://e.test/f?a&amp;b"/></body></opml>`},
		{"rst", "a.rst", "`x <http://e.test/old>`_ and http://e.test/b\n", "http://e.test/old", "https://e.test/new", "`x <https://e.test/new>`_ and http://e.test/b\n"},
		{"rst, an underscore at the end", "a.rst", "`x <http://e.test/old>`_\n", "http://e.test/old", "http://e.test/new_", "`x <http://e.test/new\\_>`_\n"},
		{"asciidoc", "a.adoc", "https://e.test/old[text] and link:old.html[x]\n", "https://e.test/old", "https://e.test/new", "https://e.test/new[text] and link:old.html[x]\n"},
		{"asciidoc, dots that are to stay dots", "a.adoc", `https://e.test/old/v1\...v2\--x[text]` + "\n", `https://e.test/old/v1\...v2\--x`, "https://e.test/new/v1...v2--x", `https://e.test/new/v1\...v2\--x[text]` + "\n"},
		{"asciidoc, dots that are to stay dots in a macro", "a.adoc", `link:old/v1\...v2[text]` + "\n", `old/v1\...v2`, "new/v1...v2", `link:new/v1\...v2[text]` + "\n"},
		{"asciidoc, a backslash that is passed through", "a.adoc", `link:++old/v1\...v2++[text]` + "\n", `old/v1\...v2`, "new/v1", "link:++new/v1++[text]\n"},
		{"org", "a.org", "[[https://e.test/old][text]]\n", "https://e.test/old", "https://e.test/new", "[[https://e.test/new][text]]\n"},
		{"gemini", "a.gmi", "=> gemini://e.test/old text\n", "gemini://e.test/old", "gemini://e.test/new", "=> gemini://e.test/new text\n"},
		{"plain text", "a.txt", "see http://e.test/old, and\n", "http://e.test/old", "https://e.test/old", "see https://e.test/old, and\n"},
		{"csv", "a.csv", "a,http://e.test/old,b\n", "http://e.test/old", "https://e.test/old", "a,https://e.test/old,b\n"},
		{"csv, a comma in quotes", "a.csv", "a,\"http://e.test/old\",b\n", "http://e.test/old", "https://e.test/a,b", "a,\"https://e.test/a,b\",b\n"},
		{"notebook", "a.ipynb", `{"cells": [{"cell_type": "markdown", "source": ["a \"[x](old)\"\n", "[y](b)"]}]}`, "old", "n)1", `{"cells": [{"cell_type": "markdown", "source": ["a \"[x](n\\)1)\"\n", "[y](b)"]}]}`},
		{"manifest", "a.webmanifest", `{"start_url": "old", "icons": [{"src": "i.png"}]}`, "old", "new", `{"start_url": "new", "icons": [{"src": "i.png"}]}`},
		{"no line end", "a.txt", "http://e.test/old", "http://e.test/old", "http://e.test/newer", "http://e.test/newer"},
		{"bookmarks", "bookmarks.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"http://e.test/?a&amp;b\" ADD_DATE=\"1\">x</A>\n</DL><p>\n", "http://e.test/?a&amp;b", "https://e.test/?a&b", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"https://e.test/?a&amp;b\" ADD_DATE=\"1\">x</A>\n</DL><p>\n"},
	}
	for _, test := range tests {
		body, changed := edited(t, extract.Input{Body: []byte(test.body), Name: test.file}, test.raw, test.ref)
		if string(body) != test.want {
			t.Errorf("%s: %q\nwant %q\n%+v", test.name, body, test.want, changed)
		}
		for _, c := range changed {
			if c.Err != nil || c.Before != test.raw || c.After == "" {
				t.Errorf("%s: %+v", test.name, c)
			}
		}
	}
}

// TestEditRefuses checks that changes that cannot be read back are refused.
func TestEditRefuses(t *testing.T) {
	tests := []struct{ name, file, body, raw, ref string }{
		{"a space without quotes", "a.html", `<!doctype html><a href=old>x</a>`, "old", "a b"},
		{"a space in plain text", "a.txt", "http://e.test/a", "http://e.test/a", "http://e.test/a b"},
		{"a comma without quotes", "a.csv", "x,http://e.test/a,y\n", "http://e.test/a", "http://e.test/a,b"},
		{"a comma that ends a source", "a.html", `<!doctype html><img srcset="a.png 1x">`, "a.png", "a,"},
		{"text that would not be a link", "a.md", "see http://e.test/a\n", "http://e.test/a", "foo"},
	}
	for _, test := range tests {
		body, changed := edited(t, extract.Input{Body: []byte(test.body), Name: test.file}, test.raw, test.ref)
		if body != nil || len(changed) != 1 || changed[0].Err == nil {
			t.Errorf("%s: %q, %+v", test.name, body, changed)
		}
	}
}

// TestEditAppliesOtherChanges checks that a refused change does not prevent the others.
func TestEditAppliesOtherChanges(t *testing.T) {
	in := extract.Input{Name: "a.html", Body: []byte(`<!doctype html><a href=one>1</a><a href=two>2</a><a href=three>3</a>`)}
	e, err := newEditor(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, ref := range []string{"uno", "d u e", "tre"} {
		l := e.doc.Links[i]
		if err := e.Change(place{l.Line, l.Column}, ref); err != nil {
			t.Fatal(err)
		}
	}
	body, changed := e.Apply()
	if want := `<!doctype html><a href=uno>1</a><a href=two>2</a><a href=tre>3</a>`; string(body) != want {
		t.Errorf("%q, want %q", body, want)
	}
	if len(changed) != 3 || changed[0].Err != nil || changed[1].Err == nil || changed[2].Err != nil {
		t.Errorf("%+v", changed)
	}
}

// TestEditAddsNoLinks checks that a change that would add links is refused and does not
// prevent the others.
func TestEditAddsNoLinks(t *testing.T) {
	e, err := newEditor(extract.Input{Name: "a.csv", Body: []byte("x,http://e.test/a,y\n\"http://e.test/b\",http://e.test/c\n")})
	if err != nil {
		t.Fatal(err)
	}
	for i, ref := range []string{"https://e.test/1", "https://e.test/2,3", "https://e.test/4,http://e.test/5"} {
		l := e.doc.Links[i]
		if err := e.Change(place{l.Line, l.Column}, ref); err != nil {
			t.Fatal(err)
		}
	}
	body, changed := e.Apply()
	if want := "x,https://e.test/1,y\n\"https://e.test/2,3\",http://e.test/c\n"; string(body) != want {
		t.Errorf("%q, want %q", body, want)
	}
	if len(changed) != 3 || changed[0].Err != nil || changed[1].Err != nil || changed[2].Err == nil {
		t.Errorf("%+v", changed)
	}
}

// TestEditChecksPlaces checks that only existing links can be changed.
func TestEditChecksPlaces(t *testing.T) {
	e, err := newEditor(extract.Input{Name: "a.html", Body: []byte(`<!doctype html><a href="old">x</a>`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []place{{1, 24}, {1, 26}, {2, 1}, {0, 0}} {
		if _, ok := e.At(p, "old"); ok {
			t.Errorf("At finds a link at %v", p)
		}
		if e.Change(p, "new") == nil {
			t.Errorf("Change accepts %v", p)
		}
	}
	if _, ok := e.At(place{1, 25}, "older"); ok {
		t.Error("At finds a link with a different source text")
	}
	if e.Change(place{1, 25}, "") == nil {
		t.Error("Change accepts an empty reference")
	}
	if err := e.Change(place{1, 25}, "new"); err != nil {
		t.Error(err)
	}
	if err := e.Change(place{1, 25}, "new"); err != nil {
		t.Error(err)
	}
	if e.Change(place{1, 25}, "newer") == nil {
		t.Error("Change accepts two different references for one place")
	}
}

// TestEditKeepsEncodings checks that the unchanged parts of a document keep their bytes.
func TestEditKeepsEncodings(t *testing.T) {
	const text = "<!doctype html><meta charset=%s><p>ü<a href=\"old\">ä</a>é\n"
	encoders := map[string]func(string) ([]byte, error){
		"windows-1252": func(s string) ([]byte, error) { return charmap.Windows1252.NewEncoder().Bytes([]byte(s)) },
		"iso-8859-15":  func(s string) ([]byte, error) { return charmap.ISO8859_15.NewEncoder().Bytes([]byte(s)) },
	}
	for name, encode := range encoders {
		before, err := encode(strings.Replace(text, "%s", name, 1))
		if err != nil {
			t.Fatal(err)
		}
		body, changed := edited(t, extract.Input{Name: "a.html", Body: before}, "old", "new")
		if want := strings.Replace(string(before), "old", "new", 1); string(body) != want {
			t.Errorf("%s: %q, want %q, %+v", name, body, want, changed)
		}
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	before, _ := utf16.NewEncoder().Bytes([]byte("<!doctype html><p>ü<a href=\"old\">ä</a>\n"))
	want, _ := utf16.NewEncoder().Bytes([]byte("<!doctype html><p>ü<a href=\"new\">ä</a>\n"))
	if body, changed := edited(t, extract.Input{Name: "a.html", Body: before}, "old", "new"); string(body) != string(want) {
		t.Errorf("UTF-16: %q, want %q, %+v", body, want, changed)
	}
	// A stateful encoding must be handled correctly or refused.
	before, _ = japanese.ISO2022JP.NewEncoder().Bytes([]byte("<!doctype html><meta charset=iso-2022-jp><p>日本<a href=\"old\">語</a>語\n"))
	e, err := newEditor(extract.Input{Name: "a.html", Body: before})
	if err != nil {
		return
	}
	l := e.doc.Links[0]
	if err := e.Change(place{l.Line, l.Column}, "new"); err != nil {
		t.Fatal(err)
	}
	if body, changed := e.Apply(); body == nil && changed[0].Err == nil || body != nil && string(body) != strings.Replace(string(before), "old", "new", 1) {
		t.Errorf("ISO-2022-JP: %q, %+v", body, changed)
	}
}

// TestUneditedDocuments checks that real documents are refused, with a reason, if their
// format is not text or a program maintains them.
func TestUneditedDocuments(t *testing.T) {
	refused := []string{
		"Bookmarks", "Bookmarks.plist", "bookmarks.adr", "chromium.pdf", "firefox.json", "firefox.jsonlz4", "libreoffice.docx",
		"libreoffice.odt", "minimal.xlsx", "pandoc.epub", "pandoc.pptx", "safari.xml.plist", "sitemap.xml.gz",
	}
	for _, name := range refused {
		body, err := os.ReadFile(filepath.Join("../../../../testdata/documents", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newEditor(extract.Input{Body: body, Name: name}); err == nil || strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"atom.xml", "chrome.html", "docbook.xml", "drawing.svg", "feed.json", "feeds.opml", "firefox.html", "pinboard.html", "rss2.xml", "safari.html", "site.webmanifest", "sitemap.xml"} {
		body, err := os.ReadFile(filepath.Join("../../../../testdata/documents", name))
		if err != nil {
			t.Fatal(err)
		}
		checkEveryLink(t, extract.Input{Body: body, Name: name}, true)
	}
}

// checkEveryLink changes all links of a document at once. If must is true, every change
// has to work.
func checkEveryLink(t *testing.T, in extract.Input, must bool) {
	t.Helper()
	e, err := newEditor(in)
	if err != nil {
		if must {
			t.Errorf("%s: %v", in.Name, err)
		}
		return
	}
	asked := 0
	for _, l := range e.doc.Links {
		if ref := newReference(l.Ref); ref != l.Ref && e.Change(place{l.Line, l.Column}, ref) == nil {
			asked++
		}
	}
	body, changed := e.Apply()
	if body == nil {
		if must && asked > 0 {
			t.Errorf("%s: no change was applied: %+v", in.Name, changed)
		}
		return
	}
	want := map[place]string{}
	for _, c := range changed {
		if c.Err == nil {
			want[c.place] = newReference("")
		} else if must && (in.Name != "rss2.xml" || c.place != place{13, 7}) { // its URL is the base of the links in its text
			t.Errorf("%s: %+v", in.Name, c)
		}
	}
	after := e.in // as the editor has read it
	after.Body = body
	was, is := e.doc.Links, extract.Extract(after).Links
	if len(was) != len(is) {
		t.Fatalf("%s: %d links became %d in %q", in.Name, len(was), len(is), body)
	}
	for i := range was {
		ref := was[i].Ref
		if _, ok := want[place{was[i].Line, was[i].Column}]; ok {
			ref = newReference(ref)
		}
		if is[i].Ref != ref {
			t.Fatalf("%s: link %d was %q and is %q, want %q", in.Name, i, was[i].Ref, is[i].Ref, ref)
		}
	}
}

// newReference returns a reference that needs escaping in many formats.
func newReference(string) string { return "https://example.org/new_(1)?a=1&b='2'" }

// FuzzEdit checks that, for any document, the changed document is read as intended.
func FuzzEdit(f *testing.F) {
	for _, seed := range []struct{ name, body string }{
		{"a.html", `<!doctype html><a href="old">x</a><p style="background:url('x')"><img srcset="a 1x, b 2x">`},
		{"a.md", "[x](old) ![y](<o> 'z') [z]\n\n[z]: w\n<a href='x'>\nhttp://e.test/"},
		{"a.rst", "`x <http://e.test/>`_ |y|\n\n.. |y| image:: z\n"},
		{"a.adoc", "link:a[b] http://e.test[c] image::d[]\n"},
		{"a.org", "[[a][b]] http://e.test\n"},
		{"a.css", `@import "a"; p{background:url(b) url('c')}`},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><a href="a&amp;b"/></svg>`},
		{"a.ipynb", `{"cells":[{"cell_type":"markdown","source":["[x](a)"]}]}`},
		{"a.csv", "a,http://e.test/,\"http://f.test/\"\n"},
		{"a.html", "\xFF\xFE<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00a\x00>\x00"},
	} {
		f.Add(seed.name, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		if len(body) > 1<<16 {
			return
		}
		checkEveryLink(t, extract.Input{Body: body, Name: name}, false)
	})
}
