package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// The format of every document is recognized if the user names the document, and also in
// a directory unless it is text or a table.
func TestDocumentsAreKnown(t *testing.T) {
	goldens, err := filepath.Glob("../../testdata/documents/*.golden")
	if err != nil || len(goldens) < 30 {
		t.Fatal(len(goldens), err)
	}
	for _, golden := range goldens {
		file := strings.TrimSuffix(golden, ".golden")
		if strings.HasSuffix(file, ".sqlite.gz") {
			continue // compressed only for the tests
		}
		list, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		want, _, _ := strings.Cut(strings.TrimPrefix(string(list), "format "), ",")
		got, err := sniffFormat(nil, file)
		// A compressed document is read by another reader.
		if err != nil || got != want && got != "gzip" {
			t.Errorf("%s: %q, %v, want %q", file, got, err, want)
		}
		if !readableFile(nil, nil, file, false) || !isDocument(nil, nil, "", file) {
			t.Errorf("%s: it is not read", file)
		}
	}
}

// The formats that file names imply are those of the readers.
func TestNamesAndReadersAgree(t *testing.T) {
	for name, want := range map[string]string{
		"a.html": "html", "a.xhtml": "html", "a.css": "css", "a.md": "markdown", "a.mdx": "markdown", "a.qmd": "markdown",
		"a.rst": "restructuredtext", "a.adoc": "asciidoc", "a.asciidoc": "asciidoc", "a.org": "org", "a.ipynb": "notebook",
		"a.gmi": "gemini", "a.txt": "text", "a.csv": "csv", "a.tsv": "tsv", "a.eml": "mail", "a.pdf": "pdf",
		"a.docx": "docx", "a.xlsx": "xlsx", "a.pptx": "pptx", "a.odt": "odt", "a.ods": "ods", "a.odp": "odp", "a.odg": "odg", "a.epub": "epub",
		"a.xml": "xml", "a.rss": "xml", "a.atom": "xml", "a.opml": "xml", "a.svg": "xml", "a.rdf": "xml", "a.dbk": "xml",
		"a.webmanifest": "manifest", "a.adr": "opera-bookmarks", "a.jsonlz4": "firefox-bookmarks",
		"a.json": "", "a.sqlite": "", "a.plist": "", "a.svgz": "", "a.gz": "", "Bookmarks": "", "a.png": "", "a.yaml": "", "a.zip": "",
	} {
		if got := formatByName(nil, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"a.json", "a.sqlite", "a.plist", "a.svgz", "sitemap.xml.gz", "Bookmarks"} {
		if _, open := extract.Readable(fetch.TypeByName(name), name, nil); !open {
			t.Errorf("%s: its first bytes are not read", name)
		}
	}
}
