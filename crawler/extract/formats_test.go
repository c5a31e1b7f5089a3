package extract

import (
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for _, c := range []struct{ contentType, name, head, format string }{
		// The media type decides.
		{"text/html", "", "", "html"},
		{"Text/HTML ; charset=x", "style.css", "a{}", "html"},
		{"application/xhtml+xml", "", "", "html"},
		{"text/css;charset=utf-8", "page.html", "<html>", "css"},
		{"image/png", "page.html", "<html>", ""},
		{"application/x-rss+xml", "", "<rss/>", "rss"},
		// Then the extension.
		{"", "page.HTML", "", "html"},
		{"", "page.htm", "", "html"},
		{"", "page.xhtml", "", "html"},
		{"", "style.css", "<html>", "css"},
		{"application/octet-stream", "page.html", "", "html"},
		// Then the first bytes.
		{"", "page", "<!doctype html>", "html"},
		// If several formats share a media type or extension, the first bytes decide.
		{"", "a.asc", "-----BEGIN PGP SIGNATURE-----\n\niQEz\n", ""},
		{"", "a.asc", "Signed by\n\n-----BEGIN PGP SIGNED MESSAGE-----\n= no title", ""},
		{"", "a.asc", "some words", ""},
		{"", "a.asc", "= A title\n\nhttps://example.com/[text]", "asciidoc"},
		{"", "a.asc", "// remark\r\n:toc:\r\n", "asciidoc"},
		{"", "a.asc", "[[here]]\n", "asciidoc"},
		{"", "a.asc", "See link:b.html[b].", "asciidoc"},
		{"application/pgp-signature", "a.asc", "= A title", ""},
		{"application/json", "a.ipynb", "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": []}]}", "notebook"},
		{"text/plain; charset=utf-8", "a.ipynb", `{"nbformat":4,"cells":[]}`, "notebook"},
		{"", "a.json", `{"nbformat":4,"cells":[]}`, "notebook"},
		{"application/json", "a.ipynb", `{"cells":[]}`, ""},
		{"", "a.json", "", ""}, // an empty file has none
		{"", "Bookmarks", "", ""},
		{"application/json", "", "", ""},
		// A database that may be Firefox's is recognized by its name, or read if the user names it.
		{"", "places.sqlite", sqliteMagic, "firefox-places"},
		{"", "copy.sqlite", sqliteMagic, "firefox-places-copy"},
		{"", "copy", sqliteMagic, "firefox-places-copy"},
		{"application/vnd.sqlite3", "places.sqlite", sqliteMagic, "firefox-places-copy"},
		{"", "a.unheard-of", "\n <HTML lang=en>", "html"},
		{"", "", "\xEF\xBB\xBF<html\n", "html"},
		{"unknown/unknown", "", "<!-- x", "html"},
		{"", "", "<?xml version='1.0'?>\n<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'></html>", "html"},
		{"", "", "<article>", ""},
		{"", "", "", ""},
	} {
		format, ok := Readable(c.contentType, c.name, []byte(c.head))
		if format != c.format || ok != (c.format != "") {
			t.Errorf("%q, %q, %q: %q, %v; want %q", c.contentType, c.name, c.head, format, ok, c.format)
		}
		doc := Extract(Input{ContentType: c.contentType, Name: c.name, Body: []byte(c.head)})
		if strings.HasPrefix(c.format, "firefox-places") && len(doc.Faults) > 0 {
			continue // only the head of a document
		}
		if doc.Format != c.format || (len(doc.Faults) > 0) != (c.format == "") {
			t.Errorf("%q, %q, %q: read as %q with %q", c.contentType, c.name, c.head, doc.Format, doc.Faults)
		}
	}
	if InDirectory("firefox-places-copy") || !InDirectory("firefox-places") {
		t.Error("databases other than places.sqlite are read in a directory")
	}
	// Without the content, every format that the name allows is possible.
	if format, ok := Readable("", "a.json", nil); !ok {
		t.Errorf("JSON whose content is not available is read as %q", format)
	}
	if doc := Extract(Input{Name: "a.json"}); doc.Format != "" {
		t.Errorf("JSON without content is read as %q", doc.Format)
	}
}
