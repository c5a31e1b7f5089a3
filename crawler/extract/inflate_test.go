package extract

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
)

// allocated returns the number of bytes that a call allocates in total.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// longPart returns XML of about documentSize with a part that is repeated between head and tail.
func longPart(head, repeated, tail string) string {
	return head + strings.Repeat(repeated, documentSize/len(repeated)) + tail
}

const wordHead = `<w:document xmlns:w="w" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">`

// TestInflatedMemory checks that reading a document that unpacks to documentSize allocates a few
// MiB if it is read in pieces, and otherwise not much more than its size.
func TestInflatedMemory(t *testing.T) {
	link := `<w:hyperlink w:anchor="here"><w:r><w:t>text</w:t></w:r></w:hyperlink>`
	odf := `<office:document-content xmlns:text="t" xmlns:office="o" xmlns:xlink="http://www.w3.org/1999/xlink"><text:a xlink:href="https://example.com/">t</text:a>`
	book := []string{"META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`,
		"a.opf", `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>`, "a.xhtml"}
	page := `<html xmlns="http://www.w3.org/1999/xhtml"><a href="https://example.com/">t</a>`
	for _, c := range []struct {
		what, name string
		body       []byte
		links      int
		most       uint64 // MiB
	}{
		{"text", "a.docx", archive(t, 0, "word/document.xml", longPart(wordHead+link, "<w:p>some text 0123456789</w:p>", link+"</w:document>")), 2, 6},
		{"one text", "a.docx", archive(t, 0, "word/document.xml", longPart(wordHead+link+"<w:t>", "some text &amp; ", "</w:t>"+link+"</w:document>")), 2, 6},
		{"open hyperlink", "a.docx", archive(t, 0, "word/document.xml", longPart(wordHead+`<w:hyperlink w:anchor="here">`, "<w:t>some text</w:t>", "</w:hyperlink></w:document>")), 1, 6},
		{"CDATA", "a.docx", archive(t, 0, "word/document.xml", longPart(wordHead+`<w:hyperlink w:anchor="here">`, "<![CDATA[]]>", "</w:hyperlink></w:document>")), 1, 6},
		{"UTF-16", "a.docx", archive(t, 0, "word/document.xml", inUTF16(longPart(wordHead+link, "<w:p>some</w:p>", link+"</w:document>"))), 2, 6},
		{"sheet", "a.xlsx", archive(t, 0, "xl/worksheets/sheet1.xml", longPart("<worksheet>", "<row><c><v>1</v></c></row>", `<hyperlinks><hyperlink location="here"/></hyperlinks></worksheet>`)), 1, 6},
		{"OpenDocument", "a.odt", archive(t, 0, "content.xml", longPart(odf, "<text:p>some text</text:p>", "</office:document-content>")), 1, 6},
		{"one tag", "a.docx", archive(t, 0, "word/document.xml", wordHead+link+"<w:p "+strings.Repeat(`a="1" `, maxCaptured/6)+"/>"+link+"</w:document>"), 1, 40},
		{"book", "a.epub", archive(t, 0, append(book, longPart(page, "<p>some text</p>", "</html>"))...), 1, 56},
		{"gzip", "a.xml.gz", packed(t, longPart(oneLoc, "<url><x>some text</x></url>", "</urlset>"), 0), 1, 56},
		{"PDF", "a.pdf", []byte(onePagePDF("<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n" + string(deflated(t, documentSize)) + "\nendstream")), 1, 56},
	} {
		var doc *Document
		if n := allocated(func() { doc = Extract(Input{Body: c.body, Name: c.name}) }) >> 20; n > c.most && !raceDetector { // which drops pooled buffers
			t.Errorf("%s: %d MiB allocated, want at most %d", c.what, n, c.most)
		}
		if len(doc.Links) != c.links {
			t.Errorf("%s: %d links, want %d; faults %q", c.what, len(doc.Links), c.links, doc.Faults)
		}
		if !largeDocuments.TryLock() {
			t.Fatalf("%s: still large at the end", c.what)
		}
		largeDocuments.Unlock()
	}
}

// inUTF16 returns a text in big-endian UTF-16 with a byte order mark.
func inUTF16(s string) string {
	var b strings.Builder
	b.Grow(2 + 2*len(s))
	b.WriteString("\xFE\xFF")
	for _, r := range s {
		for _, unit := range utf16.AppendRune(nil, r) {
			b.WriteByte(byte(unit >> 8))
			b.WriteByte(byte(unit))
		}
	}
	return b.String()
}

// TestLargeDocumentsConcurrently reads several large documents at the same time.
func TestLargeDocumentsConcurrently(t *testing.T) {
	var group sync.WaitGroup
	sitemap := packed(t, oneLoc+strings.Repeat("<url/>", 1<<19)+"</urlset>", 0)
	for range 8 {
		group.Go(func() {
			if doc := Extract(Input{Body: sitemap, Name: "a.xml.gz"}); len(doc.Links) != 1 || len(doc.Faults) > 0 {
				t.Errorf("%d links; faults %q", len(doc.Links), doc.Faults)
			}
		})
	}
	group.Wait()
}

// TestLargeInLarge reads a document that is large, inside another one that is.
func TestLargeInLarge(t *testing.T) {
	cells := `{"cells":[{"cell_type":"markdown","source":["` + strings.Repeat("a ", largeMarkdown) + `[a](b)"]},{"cell_type":"markdown","source":["` + strings.Repeat("a\\n", largeMarkdownLines+1) + `[a](b)"]}]}`
	for name, body := range map[string][]byte{"a.ipynb": []byte(cells), "a.md.gz": packed(t, strings.Repeat("a ", largeMarkdown)+"[a](b)", 0), "a.ipynb.gz": packed(t, cells, 0)} {
		doc := Extract(Input{Body: body, Name: name})
		if len(doc.Links) == 0 && doc.Format != "" && doc.Format != "gzip" {
			t.Errorf("%s: no links; read as %q with %q", name, doc.Format, doc.Faults)
		}
		if !largeDocuments.TryLock() {
			t.Fatalf("%s: still large at the end", name)
		}
		largeDocuments.Unlock()
	}
}

// TestMarkupMemory checks how many bytes the readers of markup allocate for a byte of the
// document: little where a document of one line repeats a construct, and a limited number
// where each line is a block or each construct is a result.
func TestMarkupMemory(t *testing.T) {
	repeat := func(s string) func(n int) string { return func(n int) string { return strings.Repeat(s, n/len(s)) } }
	for name, bombs := range map[string]map[string]int{
		"a.md": {"[": 20, "![": 20, "]": 10, "[]": 10, "*": 10, "a*": 10, "_": 10, "`": 10, "a `` ": 60, "<": 10, "<a ": 10, "(": 10, "[](": 10, "[a](": 10, ">": 10, "> ": 10, "- ": 10,
			"{": 10, "{{ ": 10, "[]({{ ": 10, "\\": 10, "&amp;": 20, "\n": 20, "[a]: b\n": 80, "- a\n": 300, "> a\n": 300, "# a\n": 400, "a\n\n": 300, "<b>": 200, "[a](b)": 150},
		"a.rst":         {"`": 10, "*": 10, "_": 10, "|": 10, "[": 10, "<": 10, "a\n-\n": 120, ".. _a: b\n": 50},
		"a.adoc":        {"[": 10, "link:": 10, "link:a[": 10, "xref:a[": 10, "<<": 10, "{a}": 10, "`": 10, "+": 10, ":a: b\n": 20, "== a\n": 150},
		"a.org":         {"[": 10, "[[": 10, "[[a][": 10, "<a:": 10, "=a": 10, "~": 10, "* a\n": 250},
		"a.gmi":         {"=> ": 10, "=> a\n": 100, "\n": 10},
		"a.html":        {"<": 10, "<a ": 10, "</": 10, "<!--": 10, "<svg>": 30, "<template>": 10, "&": 10, "<iframe srcdoc='": 10, "<style>": 10, "<a b=\"": 10, "<a href=x>": 40},
		"a.css":         {"url(": 10, "(": 10, "/*": 10, "\\": 10, "\"": 10, "@import ": 10, "image-set(": 10, "url(a)": 100},
		"a.xml":         {"<a>": 10, "<": 10, "&amp;": 10, "<!": 10, "<![CDATA[]]>": 10},
		"a.txt":         {"(": 10, "h": 10, "http:": 10, "a://": 10, "@": 10, "http://a ": 80},
		"a.webmanifest": {"[": 10, "{\"a\":": 30, "\"": 10},
	} {
		for what, most := range bombs {
			const size = documentSize / 64
			body := []byte(repeat(what)(size))
			if got := int(allocated(func() { Extract(Input{Body: body, Name: name}) }) / size); got > most && !raceDetector {
				t.Errorf("%s: %q: %d bytes allocated for each byte, want at most %d", name, what, got, most)
			}
		}
	}
}

// TestXMLPieces moves markup across the boundary between two pieces of a part.
func TestXMLPieces(t *testing.T) {
	const markup = `<w:hyperlink w:anchor="a&amp;b"><w:t>o&#110;e &amp;é</w:t><![CDATA[ & two]]></w:hyperlink><!-- <w:t> --><?x y?><w:bookmarkStart w:name="é"/>`
	for _, size := range []int{xmlPieceSize, 3 * xmlPieceSize} {
		for pad := -len(markup) - 2; pad < 2; pad++ {
			for _, open := range []string{"", "<w:x>"} {
				body := wordHead + open
				body += strings.Repeat(" ", size+pad-len(body)) + strings.ReplaceAll(open, "<", "</") + markup + "</w:document>"
				doc := Extract(Input{Body: archive(t, 0, "word/document.xml", body), Name: "a.docx"})
				if len(doc.Links) != 1 || doc.Links[0].Ref != "#a&b" || doc.Links[0].Text != "one &é & two" || fmt.Sprint(doc.Anchors) != "[é]" || len(doc.Faults) > 0 {
					t.Fatalf("at %d: %+v, %q, %q", size+pad, doc.Links, doc.Anchors, doc.Faults)
				}
			}
		}
	}
}

// TestPartCutShort checks that a part that ends early is reported, and that what comes before
// is read.
func TestPartCutShort(t *testing.T) {
	body := archive(t, 0, "word/document.xml", wordHead+strings.Repeat(`<w:hyperlink w:anchor="here">0123456789</w:hyperlink>`, 5000))
	at := bytes.Index(body, []byte("PK\x01\x02"))
	for _, c := range []struct {
		body  []byte
		fault string
	}{
		{body, "unexpected end of document"},
		{body[:at/2], "unpack document.xml: unexpected EOF"},
	} {
		doc := Extract(Input{Body: c.body, Name: "a.docx"})
		if faults := strings.Join(doc.Faults, "; "); len(doc.Links) < 1000 || !strings.Contains(faults, c.fault) {
			t.Errorf("%d links; faults %q, want %q", len(doc.Links), faults, c.fault)
		}
	}
}
