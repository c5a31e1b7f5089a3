package extract

import (
	"bytes"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"
)

// badInput has, for each format, a document with one link before the mark ‸, where it is
// truncated, and another link after it, the fault expected for the truncated document, and
// the fault expected for a document that has only the format's name. An empty fault means
// that any content is a valid document of the format and may end anywhere.
type badInput struct{ name, document, cut, wrong string }

var badInputs = map[string]badInput{
	"html":               {"a.html", "<a href=1>x</a><a ‸href=2>y</a>", "", ""},
	"xhtml":              {"a.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><a href="1">x</a>‸<a href="2">y</a></html>`, "unexpected end", ""},
	"netscape-bookmarks": {"a.html", netscapeHead + "<DL><DT><A HREF=1>x</A>‸<DT><A HREF=2>y</A></DL>", "ends inside a folder", ""},
	"css":                {"a.css", "a{b:url(1);‸c:url(2)}", "", ""},
	"sitemap":            {"a.xml", oneLoc + "‸<url><loc>https://example.org/</loc></url></urlset>", "unexpected end", "unexpected end"},
	"rss":                {"a.rss", "<rss><channel><link>https://example.com/</link>‸<docs>https://example.org/</docs></channel></rss>", "unexpected end", "unexpected end"},
	"atom":               {"a.atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="1"/>‸<link href="2"/></feed>`, "unexpected end", "unexpected end"},
	"opml":               {"a.opml", `<opml><body><outline text="x" htmlUrl="1"/>‸<outline text="y" htmlUrl="2"/></body></opml>`, "unexpected end", "unexpected end"},
	"svg":                {"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><a href="1"/>‸<a href="2"/></svg>`, "unexpected end", "unexpected end"},
	"xml":                {"a.xml", `<a xmlns:x="http://www.w3.org/1999/xlink"><b x:href="1"/>‸<b x:href="2"/></a>`, "unexpected end", "unexpected end"},
	"safari-bookmarks": {"a.plist", `<plist><dict><key>Children</key><array><dict><key>URLString</key><string>1</string><key>WebBookmarkType</key><string>x</string></dict>‸` +
		`<dict><key>URLString</key><string>2</string></dict></array></dict></plist>`, "unexpected end", "no reader for"},
	"gzip":                {"a.svgz", "", "unexpected EOF", "no reader for"},
	"firefox-places":      {"places.sqlite", "", "", "no reader for"}, // TestDamagedPlaces
	"firefox-places-copy": {"places-2.sqlite", "", "", "no reader for"},
	"chromium-bookmarks":  {"Bookmarks", `{"roots":{"a":{"children":[{"url":"1"},‸{"url":"2"}]}}}`, "unexpected end", "no reader for"},
	"firefox-bookmarks":   {"a.json", `{"guid":"root________","children":[{"uri":"1"},‸{"uri":"2"}]}`, "unexpected end", "no reader for"},
	"opera-bookmarks":     {"a.adr", "Opera Hotlist version 2.0\n\n#URL\n\tURL=1\n\n‸#URL\n\tURL=2\n", "", "not an Opera hotlist"},
	"json-feed":           {"a.json", `{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"1"},‸{"url":"2"}]}`, "unexpected end", "no reader for"},
	"manifest":            {"a.webmanifest", `{"start_url":"1",‸"icons":[{"src":"2"}]}`, "unexpected end", "not a JSON object"},
	"docx":                {"a.docx", "", "", "open archive"}, // TestArchiveWithoutDirectory
	"xlsx":                {"a.xlsx", "", "", "open archive"},
	"pptx":                {"a.pptx", "", "", "open archive"},
	"odt":                 {"a.odt", "", "", "open archive"},
	"ods":                 {"a.ods", "", "", "open archive"},
	"odp":                 {"a.odp", "", "", "open archive"},
	"odg":                 {"a.odg", "", "", "open archive"},
	"epub":                {"a.epub", "", "", "open archive"},
	"pdf": {"a.pdf", "%PDF-1.4\n1 0 obj<</Type/Page/Annots[<</A<</S/URI/URI(1)>>>>]>>endobj\n‸2 0 obj<</Type/Page/Annots[<</A<</S/URI/URI(2)>>>>]>>endobj\ntrailer<<>>\n%%EOF",
		"unexpected end", "has no PDF header"},
	"markdown":         {"a.md", "[x](1)\n\n‸[y](2)\n", "", ""},
	"notebook":         {"a.ipynb", `{"cells":[{"cell_type":"markdown","source":"[x](1)"},‸{"cell_type":"markdown","source":"[y](2)"}]}`, "unexpected end", "not a JSON object"},
	"restructuredtext": {"a.rst", "`x <1>`__\n\n‸`y <2>`__\n", "", ""},
	"asciidoc":         {"a.adoc", "link:1[x]\n\n‸link:2[y]\n", "", ""},
	"org":              {"a.org", "[[https://example.com/][x]]\n\n‸[[https://example.org/][y]]\n", "", ""},
	"gemini":           {"a.gmi", "=> 1 x\n‸=> 2 y\n", "", ""},
	"redirects":        {"_redirects", "/a /1\n‸/b /2\n", "", ""},
	"text":             {"a.txt", "https://example.com/ ‸https://example.org/", "", ""},
	"csv":              {"a.csv", "https://example.com/\n‸https://example.org/\n", "", ""},
	"tsv":              {"a.tsv", "https://example.com/\n‸https://example.org/\n", "", ""},
	"mail":             {"a.eml", "Subject: x\n\nhttps://example.com/\n‸https://example.org/\n", "", ""},
}

func TestBadInputOfEveryFormat(t *testing.T) {
	// A row for an unknown format also fails: the format may have been renamed.
	known := map[string]bool{"sitemap": true, "xhtml": true}
	for _, f := range formats {
		known[f.name] = true
		if _, ok := badInputs[f.name]; !ok {
			t.Errorf("no row for %s", f.name)
		}
	}
	for format, row := range badInputs {
		if !known[format] {
			t.Errorf("%s is not a format", format)
		}
		said := func(what string, doc *Document, want string) {
			t.Helper()
			if faults := strings.Join(doc.Faults, "; "); !strings.Contains(faults, want) || want == "" && faults != "" {
				t.Errorf("%s %s: faults %q, want %q", format, what, faults, want)
			}
		}
		before, behind, cut := strings.Cut(row.document, "‸")
		if cut {
			whole := Extract(Input{Name: row.name, Body: []byte(before + behind)})
			if said("whole", whole, ""); len(whole.Links) != 2 || format != "xhtml" && whole.Format != format {
				t.Errorf("%s whole: %d links, read as %s", format, len(whole.Links), whole.Format)
			}
			doc := Extract(Input{Name: row.name, Body: []byte(before)})
			if said("cut off", doc, row.cut); len(doc.Links) != 1 {
				t.Errorf("%s truncated: %d links", format, len(doc.Links))
			}
		}
		if format == "netscape-bookmarks" {
			continue // without its first bytes it is HTML
		}
		for _, body := range []string{"", "\x00\x01\xFF no document of this kind", "\xFF\xFE\x00"} {
			doc := Extract(Input{Name: row.name, Body: []byte(body)})
			if body != "" || row.wrong == "" || len(doc.Faults) == 0 { // only the name is known
				said("of something else", doc, row.wrong)
			}
			if len(doc.Links) != 0 {
				t.Errorf("%s: %d links in %q", format, len(doc.Links), body)
			}
		}
	}
}

// TestBadInputCompressed checks that a truncated compressed document yields what could be
// unpacked, in each format that is read from gzip.
func TestBadInputCompressed(t *testing.T) {
	for format, row := range badInputs {
		before, _, cut := strings.Cut(row.document, "‸")
		if !cut || format == "pdf" {
			continue
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(before))
		z.Flush()
		doc := Extract(Input{Name: row.name + ".gz", Body: b.Bytes()})
		if len(doc.Faults) > 0 && strings.Contains(doc.Faults[0], "no reader for") {
			continue // archives and logs are not read for links
		}
		if len(doc.Links) != 1 || !slices.ContainsFunc(doc.Faults, func(s string) bool { return strings.Contains(s, "unexpected EOF") }) {
			t.Errorf("%s: %d links, faults %q", format, len(doc.Links), doc.Faults)
		}
	}
}

// TestXMLEnds checks that XML is incomplete if an element is open or there is none, except
// for declarations that other documents refer to.
func TestXMLEnds(t *testing.T) {
	const early = "read XML: unexpected end of document"
	for _, row := range []struct{ name, body, want string }{
		{"a.dtd", `<?xml version="1.0"?><!-- shared --><!ELEMENT a (b)><!ATTLIST a x CDATA #IMPLIED>`, ""},
		{"a.xml", `<?xml version="1.0"?><!ENTITY nbsp "&#160;">`, ""},
		{"a.xml", `<?xml version="1.0"?><!DOCTYPE a [<!ELEMENT a EMPTY>]>`, early},
		{"a.xml", `<?xml version="1.0"?><!-- nothing -->`, early},
		{"a.xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p`, early},
		{"a.xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, ""},
		{"a.xhtml", `<?xml version="1.0"?><!-- </html> --><html xmlns="http://www.w3.org/1999/xhtml"><body><p`, early},
		{"a.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p/></body></html >`, ""},
		{"a.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"/>`, ""},
		{"a.xhtml", `<p>a piece of a page</p>`, ""},
		{"a.html", `<html><p>HTML needs no end tags`, ""},
	} {
		if doc := Extract(Input{Name: row.name, Body: []byte(row.body)}); strings.Join(doc.Faults, "; ") != row.want {
			t.Errorf("%s %s: %q, want %q", row.name, row.body, doc.Faults, row.want)
		}
	}
}

// TestDamagedPlaces checks that a database truncated anywhere has a fault, and yields the
// rows that can still be read.
func TestDamagedPlaces(t *testing.T) {
	in := manyPlaces(t, 3000)
	whole, err := os.ReadFile(in.Path)
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for i := range 20 {
		doc := Extract(Input{Name: "places.sqlite", Body: whole[:len(whole)*i/20]})
		if len(doc.Faults) == 0 {
			t.Errorf("truncated at %d of 20: no fault", i)
		}
		if n := len(doc.Links); n > 0 && n < 3000 {
			some++
		}
	}
	// A page in the middle is overwritten.
	torn := bytes.Clone(whole)
	copy(torn[len(torn)*3/4/4096*4096:], make([]byte, 4096))
	if doc := Extract(Input{Name: "places.sqlite", Body: torn}); len(doc.Faults) == 0 || len(doc.Links) == 0 {
		t.Errorf("an overwritten page: %d links, faults %q", len(doc.Links), doc.Faults)
	}
	if some < 5 {
		t.Errorf("only %d of 20 truncations leave bookmarks", some)
	}
}
