package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var archiveBombs = []bomb{
	{name: "EPUB of 60,000 missing parts", start: "/a.epub", ends: "complete", serve: archive("application/epub+zip",
		"META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`, 1,
		"a.opf", `<item id="%[1]x" href="%[1]x" media-type="text/html"/>`, 60_000)},
	{name: "EPUB of pages with links", short: true, start: "/a.epub", flags: []string{"--external", "skip"}, ends: "complete", serve: archive("application/epub+zip",
		"META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`, 1,
		"p", `<a href="https://external.example/%x">`, 1000,
		"a.opf", `<item id="%x" href="p" media-type="text/html"/>`, 60_000)},
	{name: "docx of a million relationships", short: true, start: "/a.docx", flags: []string{"--external", "skip"}, ends: "unreadable-document", serve: archive("application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"word/document.xml", `<a/>`, 1,
		"word/_rels/document.xml.rels", `<Relationship Id="r%[1]x" Type="http://x/hyperlink" TargetMode="External" Target="https://external.example/%[1]x"/>`, 1_000_000)},
	{name: "docx of links by relationships", start: "/a.docx", flags: []string{"--external", "skip"}, ends: "complete", serve: archive("application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"word/document.xml", `<hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="r%x"/>`, 1_000_000,
		"word/_rels/document.xml.rels", `<Relationship Id="r%[1]x" Type="http://x/hyperlink" TargetMode="External" Target="https://external.example/%[1]x"/>`, 1_000_000)},
	{name: "ODT of a million links", start: "/a.odt", flags: []string{"--external", "skip"}, ends: "complete", serve: archive("application/vnd.oasis.opendocument.text",
		"content.xml", `<a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://external.example/%x"/>`, 1_000_000)},
	{name: "PDF of a million annotations", start: "/a.pdf", flags: []string{"--external", "skip", "--max-body", "64MB"}, ends: "complete", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		io.WriteString(w, "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Annots[")
		writeLines("application/pdf", "<</A<</S/URI/URI(https://external.example/%x)>>>>", 1_000_000)(w, r)
		io.WriteString(w, "]>>endobj trailer<</Root 1 0 R>>\n%%EOF\n")
	}},
}

// archive returns a handler of a zip archive. Each part has a name and a line, which occurs so
// many times in it, with its number, inside a root element.
func archive(mediaType string, parts ...any) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		z := zip.NewWriter(w)
		for i := 0; i < len(parts); i += 3 {
			part, err := z.Create(parts[i].(string))
			if err != nil {
				return
			}
			out, line := bufio.NewWriterSize(part, 1<<16), parts[i+1].(string)
			io.WriteString(out, "<root>")
			for n := range parts[i+2].(int) {
				if strings.Contains(line, "%") {
					fmt.Fprintf(out, line, n)
				} else {
					io.WriteString(out, line)
				}
			}
			io.WriteString(out, "</root>")
			out.Flush()
		}
		z.Close()
	}
}
