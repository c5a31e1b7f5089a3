package extract

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocumentBombs reads documents that are made to take memory. It counts the bytes that are
// allocated for each of theirs.
func TestDocumentBombs(t *testing.T) {
	const (
		size = 1 << 20
		most = 45 // bytes allocated for each byte of a document; half as much again as the worst one takes
	)
	lines := func(line string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			if strings.Contains(line, "%") {
				fmt.Fprintf(&b, line, i)
			} else {
				b.WriteString(line)
			}
		}
		return b.String()
	}
	entities := `<!DOCTYPE urlset [<!ENTITY a0 "http://h/">`
	for i := 1; i < 10; i++ {
		entities += fmt.Sprintf(`<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	for _, row := range []struct {
		name, media, body string
		fault             string // "" if there is none
	}{
		{"fragments", "text/html", lines(`<a href="#%x">x</a>`), ""},
		{"ids", "text/html", lines("<p id=%x>"), ""},
		{"links to other hosts", "text/html", lines("<a href=//h%x.example/>"), ""},
		{"long attribute", "text/html", `<a href="/x.png?` + strings.Repeat("x", size) + `">x</a>`, ""},
		{"long links", "text/html", lines("<a href='/%x.png?" + strings.Repeat("x", 8000) + "'>"), ""},
		{"nested elements", "text/html", lines("<div><b>"), ""},
		{"base elements", "text/html", lines("<base href=/%x/><a href=x>"), ""},
		{"repeated warnings", "text/html", lines(`<a href=" \\x.png ?%x"><p id=a><a href=" #a ">`), ""},
		{"duplicate ids", "text/html", lines("<p id=a%[1]x><p id=a%[1]x>"), ""},
		{"srcset", "text/html", `<img src=/0 srcset="` + lines("/%[1]x %[1]dw,") + `">`, ""},
		{"data URIs", "text/html", lines("<img src='data:image/png;base64,%x" + strings.Repeat("A", 90_000) + "'>"), ""},
		{"srcdoc", "text/html", lines(`<iframe srcdoc="&lt;iframe srcdoc='&amp;lt;p id=%x>x'>">`), ""},
		{"SVG use", "image/svg+xml", lines("<svg xmlns='http://www.w3.org/2000/svg'><use href='#%x'/><g>"), "unexpected end"},
		{"linked data", "text/html", lines(`<script type=application/ld+json>{"url":["/%x.png"` + strings.Repeat(",[", 20) + `</script>`), ""},
		{"import maps", "text/html", lines(`<script type=importmap>{"imports":{"a%[1]x":"/%[1]x.png"}}</script>`), ""},
		{"manifest nesting", "application/manifest+json", lines(`{"a":[`), "nested too deeply"},
		{"sitemap nesting", "text/xml", lines("<urlset><url>"), "nested deeper than"},
		{"entities", "text/xml", entities + "]><urlset><url><loc>&a9;</loc></url></urlset>", ""},
		{"notebook nesting", "application/x-ipynb+json", lines(`{"cells":[{"cell_type":"markdown","source":["[a](`), "invalid token"},
		{"mail nesting", "message/rfc822", lines("Content-Type: multipart/mixed; boundary=b%[1]x\r\n\r\n--b%[1]x\r\n"), "nested deeper than 20"},
		{"quotations", "text/markdown", lines("> "), ""},
	} {
		var doc *Document
		n := allocated(func() { doc = Extract(Input{Body: []byte(row.body), ContentType: row.media}) }) / uint64(len(row.body))
		if n > most && len(row.body) >= size && !raceDetector { // which drops pooled buffers
			t.Errorf("%s: %d bytes are allocated for each byte, want %d at most", row.name, n, most)
		}
		if faults := strings.Join(doc.Faults, "; "); !strings.Contains(faults, row.fault) || (row.fault == "") != (faults == "") {
			t.Errorf("%s: faults %q, want %q", row.name, faults, row.fault)
		}
		if len(doc.Links) > MaxLinks || len(doc.Anchors) > maxAnchors {
			t.Errorf("%s: %d links and %d anchors, want %d and %d at most", row.name, len(doc.Links), len(doc.Anchors), MaxLinks, maxAnchors)
		}
	}
}
