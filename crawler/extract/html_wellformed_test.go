package extract

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestMalformedXHTML checks that XHTML is read as HTML from the first error of its XML on, that
// the error is reported once, and that what browsers accept is none.
func TestMalformedXHTML(t *testing.T) {
	const open, closed = `<html xmlns="http://www.w3.org/1999/xhtml"><body>`, `<A HREF="x">t</A></body></html>`
	const doctype = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"`
	for _, c := range []struct{ body, links string }{
		{open + closed, ""},
		{open + `<A HREF="before"/><p>a<br>b</p><A HREF="after"/>` + closed, "element <br> closed by </p> at </p>; after; x"},
		{open + `<a href="?a=1&b=2">t</a>` + closed, `invalid character entity &b (no semicolon) at <a href="?a=1&b=2">; ?a=1&b=2; x`},
		{open + "<p>one&nbsp;two</p>\n" + closed, "invalid character entity &nbsp; at &nbsp;; x"},
		{doctype + `>` + open + `<p>one&nbsp;two</p>` + closed, ""},
		{doctype + ` [<!ENTITY own "x"> <!ENTITY two "y">]>` + open + `<p>&own;&two;&nbsp;</p>` + closed, ""},
		{`<!DOCTYPE html [<!ENTITY own "x">]>` + open + `<p>&own;</p>` + closed, ""},
		{open + `<a href=x>t</a>` + closed, "unquoted or missing attribute value in element at <a href=x>; x; x"},
		{open + `<a href="1" href="2">t</a>` + closed, `the attribute href is repeated at <a href="1" href="2">; 1; x`},
		{open + `<svg xmlns:xlink="l"><use href="#1" xlink:href="#2"/></svg>` + closed, "#1"},
		{open + `</body></html><html><A HREF="x"/></html>`, "a second root element at <html>; x"},
		{open + `</body></html> <!-- c --> late <A HREF="x"/>`, "text after the root element at  ; x"},
		{open + `<p>` + strings.Repeat("€", 40) + `<b></p>` + closed, "element <b> closed by </p> at </p>; x"},
		{open + `<? a ?>` + closed, "expected target name after <? at <? a ?>; x"},
		{open + `<!-- a -- b -->` + closed, "invalid sequence \"--\" not allowed in comments at <!-- a -- b -->; x"},
		{`<?xml version="1.1" encoding="iso-8859-1"?>` + open + closed, ""},
		{`<p>a<br><A HREF="x">a piece of a page</A>`, ""},
	} {
		for _, in := range []Input{{ContentType: "application/xhtml+xml"}, {ContentType: "text/xml"}} {
			in.Body = []byte(c.body)
			doc := Extract(in)
			if doc.Format != "html" {
				continue
			}
			var links []string
			for _, l := range doc.Links {
				if l.has(flawMalformed) {
					l.Ref = l.Flaw.Cause + " at " + l.Raw
				}
				links = append(links, l.Ref)
			}
			if got := strings.Join(links, "; "); got != c.links || len(doc.Faults) > 0 {
				t.Errorf("%s as %s: links %q, want %q, faults %q", c.body, in.ContentType, got, c.links, doc.Faults)
			}
		}
	}
}

// TestMalformedElsewhere checks that errors of XML are reported where a browser shows them: not in
// HTML, not in SVG, which is read the same with them, and not if only anchors are asked for.
func TestMalformedElsewhere(t *testing.T) {
	const page = `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a<br>b</p><A ID="i">t</A></body></html>`
	for _, c := range []struct {
		in      Input
		anchors string
	}{
		{Input{ContentType: "text/html", Body: []byte(page)}, "i"},
		{Input{ContentType: "application/xhtml+xml", Body: []byte(page), AnchorsOnly: true}, "i"},
		{Input{ContentType: "image/svg+xml", Body: []byte(`<svg xmlns="http://www.w3.org/2000/svg"><g><path></g><G ID="no"/></svg>`)}, ""},
	} {
		doc := Extract(c.in)
		if got := strings.Join(doc.Anchors, " "); len(doc.Links)+len(doc.Faults) > 0 || got != c.anchors {
			t.Errorf("%s as %s: links %v, faults %q, anchors %q, want %q", c.in.Body, c.in.ContentType, doc.Links, doc.Faults, got, c.anchors)
		}
	}
}

// TestMalformedXHTMLWithSelector tests that a selector chooses among the links before and behind the
// error, and keeps the error.
func TestMalformedXHTMLWithSelector(t *testing.T) {
	body := `<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="1">a</a><p class="c"><a href="2">b</a><br></p><p class="c"><a href="3">c</a></p></body></html>`
	selector, err := CompileSelector(".c")
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for _, l := range Extract(Input{Body: []byte(body), ContentType: "application/xhtml+xml", Select: selector}).Links {
		if l.has(flawMalformed) {
			l.Ref = "error"
		}
		links = append(links, l.Ref)
	}
	if got := strings.Join(links, " "); got != "2 error 3" {
		t.Errorf("%s, want 2 error 3", got)
	}
}

// FuzzXMLFault holds the check against encoding/xml, which does not look at some of what the
// standard asks for, and knows fewer characters of names.
func FuzzXMLFault(f *testing.F) {
	for _, body := range []string{
		`<p a="1" b='&lt;&#10;&#x1F600;'>x<br/><!-- c --><![CDATA[<&]]><?p i?></p>`, `<p a="1"b="2"/>`, `<p a="1" a="2"/>`, `<a b=c>`, `<a b/>`,
		`</a>`, `<a></b>`, `<a x="<"/>`, `<!-- a -- b -->`, `<!-- a --->`, `a ]]> b`, `&#0;`, `&#xD800;`, `&x`, `&#99999999999;`, `<a`, `<!-- `,
		"\x01", "\xff", "<a\u00b7/>", `<a:b:c/>`, `<1/>`, `< a/>`, `</ a>`, `<a /b>`, `<a b = "c" />`, `<p></p ><p`, "\ufffe", `<?>`, `<!x [<!ENTITY a "b">]>&a;`,
	} {
		f.Add(body)
	}
	stricter := []string{"the attribute ", "expected white space before an attribute", "a second root element", "text after the root element", "invalid character entity &#"}
	f.Fuzz(func(t *testing.T, body string) {
		text := []byte(`<html xmlns="h">` + body + `</html>`)
		fault := firstXMLFault(text)
		if at := fault.at; fault.cause != "" && (at.start < 0 || at.start >= at.end || at.end > len(text)) && !fault.ended {
			t.Fatalf("%q: %q at %v", text, fault.cause, at)
		}
		d := xml.NewDecoder(strings.NewReader(string(text)))
		var err error
		for err == nil {
			_, err = d.RawToken()
		}
		var other *xml.SyntaxError
		wants := !errors.Is(err, io.EOF)
		if wants && !errors.As(err, &other) || strings.Contains(body, "<!") { // a declaration in the middle, or declared entities
			return
		}
		switch {
		case fault.cause == "" && wants && !strings.Contains(other.Msg, "XML name") && !strings.Contains(other.Msg, "element name") && !strings.Contains(other.Msg, "attribute name"):
			t.Errorf("%q has no fault, but %v", text, other)
		case fault.cause != "" && !wants && !slices.ContainsFunc(stricter, func(s string) bool { return strings.HasPrefix(fault.cause, s) }) &&
			!strings.Contains(fault.cause, "closed by") && !strings.Contains(fault.cause, "unexpected end"):
			t.Errorf("%q has no fault, but we found %q at %q", text, fault.cause, text[fault.at.start:fault.at.end])
		}
	})
}

// BenchmarkXMLFault reads a page of 1 MB that is well-formed.
func BenchmarkXMLFault(b *testing.B) {
	text := []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><body>` +
		strings.Repeat("<p class=\"c\" id='x'>Some text of a page with <a href=\"page.html?a=1&amp;b=2\">a link</a> in it, and more text behind it.</p>\n", 8000) + `</body></html>`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if fault := firstXMLFault(text); fault.cause != "" {
			b.Fatal(fault.cause)
		}
	}
}
