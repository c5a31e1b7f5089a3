package extract

import (
	"fmt"
	"strings"
	"testing"
)

const (
	oneBook       = `<container><rootfile full-path="a.opf"/></container>`
	relationships = `<x xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:xlink="http://www.w3.org/1999/xlink">`
)

// lines returns a format so many times, with its number.
func lines(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// TestArchiveMemory checks that everything that an archive holds in memory counts to its
// limit, and that what came before the limit is kept.
func TestArchiveMemory(t *testing.T) {
	const n, memory = 1000, 40_000
	long := strings.Repeat("x", 10_000)
	relation := `<Relationship Id="r%d" Type="http://x/hyperlink" TargetMode="External" Target="https://example.com/%d"/>`
	for _, tt := range []struct {
		what, name     string
		links, anchors int // without the limit
		parts          []string
	}{
		{"missing items of a book", "a.epub", n, 2, []string{"META-INF/container.xml", oneBook, "a.opf", "<package>" + lines(`<item id="i%d" href="%d"/>`, n) + "</package>"}},
		{"items of a book", "a.epub", n, 3, []string{"META-INF/container.xml", oneBook, "p", "<html xmlns='http://www.w3.org/1999/xhtml'><a href='https://example.com/'/></html>",
			"a.opf", "<package>" + lines(`<item id="i%d" href="p" media-type="application/xhtml+xml"/>`, n) + "</package>"}},
		{"the spine of a book", "a.epub", 0, 2, []string{"META-INF/container.xml", oneBook, "a.opf", "<package>" + lines(`<itemref idref="i%d"/>`, n) + "</package>"}},
		{"links of a book", "a.epub", n, 3, []string{"META-INF/container.xml", oneBook, "a.opf", `<package><item id="i" href="p" media-type="text/html"/></package>`, "p", lines(`<a href="https://example.com/%d">`, n)}},
		{"ids of a book", "a.epub", 0, n + 3, []string{"META-INF/container.xml", oneBook, "a.opf", `<package><item id="i" href="p" media-type="text/html"/></package>`, "p", lines(`<p id="%d">`, n)}},
		{"relationships", "a.docx", 0, 0, []string{"word/document.xml", "<a/>", "word/_rels/document.xml.rels", relationships + lines(relation, n) + "</x>"}},
		{"long relationships", "a.docx", 0, 0, []string{"word/document.xml", "<a/>", "word/_rels/document.xml.rels", relationships + lines(strings.ReplaceAll(relation, "example", long), 10) + "</x>"}},
		{"links by one relationship", "a.docx", n, 0, []string{"word/document.xml", relationships + lines(`<hyperlink r:id="r0"/>`, n) + "</x>", "word/_rels/document.xml.rels", relationships + lines(relation, 1) + "</x>"}},
		{"bookmarks", "a.docx", 0, n, []string{"word/document.xml", "<x>" + lines(`<bookmarkStart name="b%d"/>`, n) + "</x>"}},
		{"formulas", "a.xlsx", n, 0, []string{"xl/a.xml", "<x>" + lines(`<f>HYPERLINK("https://example.com/%d")</f>`, n) + "</x>"}},
		{"slides", "a.pptx", 0, 0, strings.Split(strings.TrimSuffix(lines("ppt/%d.xml\n<a/>\n", n), "\n"), "\n")},
		{"links of a text", "a.odt", n, 0, []string{"content.xml", relationships + lines(`<a xlink:href="https://example.com/%d"/>`, n) + "</x>"}},
		{"texts of links", "a.odt", 110, 0, []string{"content.xml", relationships + lines(`<a xlink:href="https://example.com/%d">`+strings.Repeat("t", 4000)+`</a>`, 110) + "</x>"}},
		{"sheets", "a.ods", 0, n, []string{"content.xml", "<x>" + lines(`<table name="t%d"/>`, n) + "</x>"}},
		{"names of parts", "a.odp", 0, 0, []string{"content.xml", "<a/>", long, "", long + "1", "", long + "2", "", long + "3", ""}},
	} {
		in := Input{Name: tt.name, Body: archive(t, 0, tt.parts...)}
		whole := Extract(in)
		if len(whole.Links) != tt.links || len(whole.Anchors) != tt.anchors || len(whole.Faults) > 0 {
			t.Errorf("%s: %d links, %d anchors, want %d, %d; faults %q", tt.what, len(whole.Links), len(whole.Anchors), tt.links, tt.anchors, whole.Faults)
		}
		in.archiveMemory = memory
		doc := Extract(in)
		if !strings.Contains(strings.Join(doc.Faults, ";"), "MiB of memory; the rest are ignored") {
			t.Errorf("%s, with a limit: faults %q", tt.what, doc.Faults)
		}
		held := linkMemory*len(doc.Links) + anchorMemory*len(doc.Anchors)
		for i, l := range doc.Links {
			held += len(l.Ref) + len(l.Text)
			if l.Ref != whole.Links[i].Ref {
				t.Errorf("%s, with a limit: link %d is %s, want %s", tt.what, i, l.Ref, whole.Links[i].Ref)
			}
		}
		if held > memory || held == 0 && tt.links+tt.anchors > 3 && tt.what != "the spine of a book" && tt.what != "items of a book" {
			t.Errorf("%s, with a limit: %d links and %d anchors take %d bytes, want at most %d", tt.what, len(doc.Links), len(doc.Anchors), held, memory)
		}
	}
}

// TestArchiveLinks checks that the limit that a caller sets on links holds for archives.
func TestArchiveLinks(t *testing.T) {
	for _, in := range []Input{
		{Name: "a.odt", Body: archive(t, 0, "content.xml", relationships+lines(`<a xlink:href="https://example.com/%d"/>`, 100)+"</x>")},
		{Name: "a.epub", Body: archive(t, 0, "META-INF/container.xml", oneBook, "a.opf", lines(`<item id="i%d" href="p" media-type="text/html"/>`, 10), "p", lines(`<a href="https://example.com/%d">`, 20))},
	} {
		in.MaxLinks = 30
		if doc := Extract(in); len(doc.Links) != 30 || !strings.Contains(strings.Join(doc.Faults, ";"), "the rest are ignored") {
			t.Errorf("%s: %d links, want 30; faults %q", in.Name, len(doc.Links), doc.Faults)
		}
	}
}

// TestRunOfManyLinks checks that a text of a run is not compared with every link of the run.
func TestRunOfManyLinks(t *testing.T) {
	const n = 500
	in := Input{Name: "a.docx", Body: archive(t, 0, "word/document.xml", relationships+"<r>"+lines(`<hyperlink anchor="a%d"/>`, n)+lines("<t>text</t>", n)+"</r></x>")}
	doc := Extract(in)
	if len(doc.Links) != n || doc.Links[n-1].Text != "text" || len(doc.Faults) > 0 {
		t.Errorf("%d links, faults %q", len(doc.Links), doc.Faults)
	}
	if allocations := testing.AllocsPerRun(1, func() { Extract(in) }); allocations > 20*n {
		t.Errorf("%v allocations for %d links and texts", allocations, n)
	}
}

// TestFaultsAreBounded reads an archive with many damaged parts.
func TestFaultsAreBounded(t *testing.T) {
	doc := Extract(Input{Name: "a.docx", Body: archive(t, 0, strings.Split(strings.TrimSuffix(lines("word/%d.xml\n<a>\n", 3*maxFaults), "\n"), "\n")...)})
	if n := len(doc.Faults); n != maxFaults || !strings.Contains(doc.Faults[n-1], "more than 99 faults") {
		t.Errorf("%d faults, want %d, the last %q", n, maxFaults, doc.Faults[n-1])
	}
}
