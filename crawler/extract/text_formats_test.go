package extract

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var renew = flag.Bool("renew", false, "write the results to the archives in testdata/text")

// TestTextFormats reads the archives in testdata/text. Each contains documents, each
// followed by its expected results: a line for each link, "line:column element attribute
// raw -> ref "text"", and for each anchor. In a document, ␍ at the end of a line stands
// for a carriage return, and ␀ at the very end means that no line break follows.
func TestTextFormats(t *testing.T) {
	archives, err := filepath.Glob("testdata/text/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			document, want := archive.Files[i], &archive.Files[i+1]
			if want.Name != "want" {
				t.Fatalf("%s: %s follows %s", path, want.Name, document.Name)
			}
			body := strings.NewReplacer("␍\n", "\r\n", "␀\n", "").Replace(string(document.Data))
			doc := Extract(Input{Body: []byte(body), Name: filepath.Base(document.Name)})
			got := listingOf(doc)
			if text, _ := decode([]byte(body), "", textCharset); !strings.Contains(document.Name, "base64") {
				checkPlaces(t, text, doc)
			}
			if *renew {
				want.Data = []byte(got)
			} else if got != string(want.Data) {
				t.Errorf("%s, %s:\n%s\nwant:\n%s", path, document.Name, got, want.Data)
			}
		}
		if *renew {
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func listingOf(doc *Document) string {
	var b strings.Builder
	if doc.Title != "" {
		fmt.Fprintf(&b, "title %s\n", doc.Title)
	}
	for _, l := range doc.Links {
		fmt.Fprintf(&b, "%d:%d %s %s %s -> %s %q", l.Line, l.Column, l.Element, l.Attribute, strings.ReplaceAll(l.Raw, "\n", "␊"), l.Ref, l.Text)
		if l.Kind != Navigation {
			fmt.Fprintf(&b, " %s", l.Kind)
		}
		if l.Ignored {
			b.WriteString(" ignored")
		}
		if l.Placeholder {
			b.WriteString(" placeholder")
		}
		b.WriteByte('\n')
	}
	for _, a := range doc.Anchors {
		fmt.Fprintf(&b, "#%s\n", a)
	}
	for _, f := range doc.Faults {
		fmt.Fprintf(&b, "fault %s\n", f)
	}
	return b.String()
}

func TestInDirectory(t *testing.T) {
	for name, want := range map[string]bool{
		"a.md": true, "a.markdown": true, "a.mdown": true, "a.mkd": true, "a.mdx": true, "a.rst": true, "a.adoc": true, "a.asciidoc": true,
		"a.org": true, "a.ipynb": true, "a.gmi": true, "a.html": true,
		"a.txt": false, "a.log": false, "a.csv": false, "a.tsv": false, "a.eml": false, "_redirects": false,
	} {
		format, ok := Readable("", name, nil)
		if !ok || InDirectory(format) != want {
			t.Errorf("%s: %q, %v, in a directory %v", name, format, ok, InDirectory(format))
		}
	}
	if InDirectory("no such format") {
		t.Error("InDirectory reports true for an unknown format")
	}
}

// TestTextMediaTypes checks the media types that servers and the directory reader give
// to these files.
func TestTextMediaTypes(t *testing.T) {
	for media, want := range map[string]string{
		"text/markdown; charset=utf-8": "markdown", "text/plain": "text", "text/csv": "csv", "text/tab-separated-values": "tsv",
		"text/x-rst": "restructuredtext", "text/asciidoc": "asciidoc", "text/org": "org", "text/gemini": "gemini",
		"message/rfc822": "mail", "application/x-ipynb+json": "notebook",
	} {
		if format, _ := Readable(media, "", nil); format != want {
			t.Errorf("%s: %q, want %q", media, format, want)
		}
	}
}

// TestSourcesThatInclude checks that a source that includes another one is not static,
// because it may have more anchors than its text shows. Including code literally, or
// merely mentioning an include, does not count.
func TestSourcesThatInclude(t *testing.T) {
	for _, c := range []struct {
		name, body string
		static     bool
	}{
		{"a.adoc", "== One\n\ninclude::two.adoc[]\n", false},
		{"a.adoc", "include::partial$two.adoc[leveloffset=+1]", false},
		{"a.adoc", "include::{dir}/two.adoc[]", false},
		{"a.adoc", "----\ninclude::two.rb[]\n----\n", true},
		{"a.adoc", "Say `include::two.adoc[]`.", true},
		{"a.rst", ".. include:: two.rst\n", false},
		{"a.rst", ".. include:: <isonum.txt>\n", false},
		{"a.rst", ".. literalinclude:: two.py\n", true},
		{"a.org", "#+INCLUDE: \"two.org\"\n", false},
		{"a.org", "#+SETUPFILE: two.org\n", true},
	} {
		if doc := Extract(Input{Name: c.name, Body: []byte(c.body)}); doc.Static != c.static {
			t.Errorf("%s, %q: static is %v, want %v", c.name, c.body, doc.Static, c.static)
		}
	}
}

// TestImageOfAnyFormat checks that an image whose format Sphinx chooses is not a link,
// because its file name is unknown.
func TestImageOfAnyFormat(t *testing.T) {
	doc := Extract(Input{Name: "a.rst", Body: []byte(".. image:: a.*\n\n.. figure:: /b.*\n   :target: c.*\n\n.. image:: d.png\n")})
	var got []string
	for _, l := range doc.Links {
		got = append(got, l.Ref)
	}
	if want := []string{"c.*", "d.png"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextCharset(t *testing.T) {
	for body, want := range map[string]string{
		"https://example.com/\xE9 ":                        "https://example.com/é",
		"https://example.com/\xC3\xA9":                     "https://example.com/é",
		"\xFF\xFEh\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00": "http://a",
	} {
		doc := Extract(Input{Body: []byte(body), Name: "a.txt"})
		if len(doc.Links) != 1 || doc.Links[0].Ref != want || doc.Links[0].Column != 1 {
			t.Errorf("%q: %+v", body, doc.Links)
		}
	}
}

// growingText makes documents of hostile shapes, about n bytes long, by media type.
var growingText = map[string]map[string]func(n int) string{
	"text/plain": {
		"URLs":     func(n int) string { return strings.Repeat("http://a.b/c ", n/13) },
		"one URL":  func(n int) string { return "http://a.b/" + strings.Repeat("c", n) },
		"schemes":  func(n int) string { return strings.Repeat("http:", n/5) },
		"brackets": func(n int) string { return strings.Repeat("<http://a(", n/10) },
	},
	"text/csv": {
		"separators": func(n int) string { return strings.Repeat(",", n) },
		"quotes":     func(n int) string { return strings.Repeat("\"", n) },
		"open quote": func(n int) string { return strings.Repeat("\"a,", n/3) },
		"rows":       func(n int) string { return strings.Repeat("http://a.b/,\"x\"\"\"\n", n/19) },
	},
	"text/gemini": {
		"links": func(n int) string { return strings.Repeat("=> a b\n", n/7) },
		"fence": func(n int) string { return strings.Repeat("```\n", n/4) },
	},
	"text/x-rst": {
		"backticks":   func(n int) string { return strings.Repeat("`", n) },
		"open links":  func(n int) string { return strings.Repeat("`a <b ", n/6) },
		"links":       func(n int) string { return strings.Repeat("`a <b>`_ ", n/9) },
		"open text":   func(n int) string { return strings.Repeat("a `b\n", n/5) },
		"targets":     func(n int) string { return strings.Repeat(".. _a: b\n", n/10) },
		"sections":    func(n int) string { return strings.Repeat("ab\n--\n\n", n/7) },
		"comments":    func(n int) string { return strings.Repeat("..\n", n/3) },
		"raw":         func(n int) string { return ".. raw:: html\n\n" + strings.Repeat(" <a href=b>\n", n/12) },
		"raw repeats": func(n int) string { return strings.Repeat(".. raw:: html\n\n <a href=b>\n\n", n/28) },
		"options":     func(n int) string { return strings.Repeat("`a <b>`_\n:file: x\n:target: y\n", n/29) },
		"roles":       func(n int) string { return strings.Repeat(":download:`a` ", n/14) },
	},
	"text/asciidoc": {
		"brackets":    func(n int) string { return strings.Repeat("[", n) },
		"open xref":   func(n int) string { return strings.Repeat("<<a", n/3) },
		"anchors":     func(n int) string { return strings.Repeat("[[a]]", n/5) },
		"open macros": func(n int) string { return strings.Repeat("link:", n/5) },
		"macros":      func(n int) string { return strings.Repeat("link:a[b]", n/9) },
		"open text":   func(n int) string { return strings.Repeat("link:a[", n/7) },
		"colons":      func(n int) string { return strings.Repeat("http:", n/5) },
		"backticks":   func(n int) string { return strings.Repeat("a` ", n/3) },
		"sections":    func(n int) string { return strings.Repeat("== a b\n\n", n/8) },
		"fences":      func(n int) string { return strings.Repeat("----\n", n/5) },
		"passed":      func(n int) string { return strings.Repeat("+++ a\n", n/6) },
	},
	"text/org": {
		"brackets":  func(n int) string { return strings.Repeat("[[", n/2) },
		"links":     func(n int) string { return strings.Repeat("[[a:b][c]] ", n/11) },
		"open code": func(n int) string { return strings.Repeat(" ~a =b", n/6) },
		"targets":   func(n int) string { return strings.Repeat("<<a", n/3) },
		"headlines": func(n int) string { return strings.Repeat("* a b\n", n/6) },
		"stars":     func(n int) string { return strings.Repeat("*", n) },
		"blocks":    func(n int) string { return strings.Repeat("#+begin_src\n", n/12) },
		"heading":   func(n int) string { return "* " + strings.Repeat("[[a", n/3) },
	},
	"application/x-ipynb+json": {
		"cells": func(n int) string {
			return `{"cells":[` + strings.Repeat(`{"cell_type":"markdown","source":["[a](b)"]},`, n/46) + "]}"
		},
		"lines": func(n int) string {
			return `{"cells":[{"cell_type":"markdown","source":[` + strings.Repeat(`"[a](b)\n",`, n/11) + "]}]}"
		},
		"escapes": func(n int) string {
			return `{"cells":[{"cell_type":"markdown","source":"` + strings.Repeat(`\u005b`, n/6) + `"}]}`
		},
		"brackets": func(n int) string { return `{"cells":` + strings.Repeat("[", n) },
		"objects":  func(n int) string { return strings.Repeat(`{"cells":[`, n/10) },
		"outputs": func(n int) string {
			return `{"cells":[{"outputs":[` + strings.Repeat(`{"data":{"text/html":"<a href=b>"}},`, n/37) + "]}]}"
		},
	},
	"message/rfc822": {
		"fields": func(n int) string { return strings.Repeat("a: b\n", n/5) },
		"folded": func(n int) string { return "a: b\n" + strings.Repeat(" c\n", n/3) },
		"parts": func(n int) string {
			return "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\na\n", n/7)
		},
		"nested":    func(n int) string { return strings.Repeat("Content-Type: message/rfc822\n\n", n/30) },
		"multipart": func(n int) string { return strings.Repeat("Content-Type: multipart/mixed; boundary=b\n\n--b\n", n/46) },
		"quoted": func(n int) string {
			return "Content-Transfer-Encoding: quoted-printable\n\n" + strings.Repeat("http://a/=3D=\n", n/14)
		},
	},
}

func FuzzPlainText(f *testing.F)        { fuzzText(f, "plain.txtar", "text/plain") }
func FuzzCSV(f *testing.F)              { fuzzText(f, "plain.txtar", "text/csv") }
func FuzzGemtext(f *testing.F)          { fuzzText(f, "plain.txtar", "text/gemini") }
func FuzzReStructuredText(f *testing.F) { fuzzText(f, "rst.txtar", "text/x-rst") }
func FuzzAsciiDoc(f *testing.F)         { fuzzText(f, "asciidoc.txtar", "text/asciidoc") }
func FuzzOrg(f *testing.F)              { fuzzText(f, "org.txtar", "text/org") }
func FuzzNotebook(f *testing.F)         { fuzzText(f, "notebook.txtar", "application/x-ipynb+json") }

func fuzzText(f *testing.F, archive, contentType string) {
	addTextSeeds(f, archive)
	for _, make := range growingText[contentType] {
		f.Add([]byte(make(120)))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkTextFormat(t, body, contentType) })
}

// FuzzMail only checks that positions are plausible: those of links in a base64 part are
// the start of the part.
func FuzzMail(f *testing.F) {
	addTextSeeds(f, "mail.txtar")
	for _, make := range growingText["message/rfc822"] {
		f.Add([]byte(make(120)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		lines := 1 + bytes.Count(body, []byte("\n")) + bytes.Count(body, []byte("\r"))
		for _, l := range Extract(Input{Body: body, ContentType: "message/rfc822"}).Links {
			if l.Line < 1 || l.Column < 1 || l.Line > lines || l.Ref == "" && l.Element == "text" {
				t.Errorf("%+v", l)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	for _, archive := range []string{"markdown", "rst", "asciidoc", "org", "notebook", "mail", "plain"} {
		a, err := txtar.ParseFile(filepath.Join("testdata", "text", archive+".txtar"))
		if err != nil {
			b.Fatal(err)
		}
		body, name := a.Files[0].Data, a.Files[0].Name
		for _, cut := range []string{"----\nhttps://no.example/unclosed", "#+BEGIN_EXAMPLE\nhttps://no.example/unclosed"} {
			body = bytes.TrimSuffix(body, []byte(cut+"\n"))
		}
		if archive != "notebook" && archive != "mail" {
			body = bytes.Repeat(append(body, '\n'), 1+1<<20/len(body))
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Extract(Input{Body: body, Name: name})
			}
		})
	}
}
