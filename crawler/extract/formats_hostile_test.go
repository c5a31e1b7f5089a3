package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// blanks is a reader of a number of spaces, which compress to a thousandth of their size.
type blanks int64

func (b *blanks) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), int64(*b)))
	for done := 0; done < n; {
		done += copy(p[done:n], "                                                                ")
	}
	if *b -= blanks(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func packed(t *testing.T, head string, size blanks) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(z, head)
	if _, err := io.Copy(z, &size); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

// archive returns a zip file. Each part is padded with spaces.
func archive(t *testing.T, padding blanks, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	level := flate.BestSpeed
	if padding == 0 {
		level = flate.HuffmanOnly // how much less a repeated text needs otherwise, depends on the version of Go
	}
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, parts[i+1])
		pad := padding
		if _, err := io.Copy(w, &pad); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

const oneLoc = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/</loc></url>`

// mozillaLZ4 packs JSON as Firefox does, with literals only.
func mozillaLZ4(size uint32, text string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("mozLz40\x00"), size)
	n := len(text)
	b = append(b, 0xF0)
	for n -= 15; n >= 255; n -= 255 {
		b = append(b, 255)
	}
	return append(append(b, byte(n)), text...)
}

// binaryPlistOf returns a binary property list with the given objects.
func binaryPlistOf(top byte, objects ...[]byte) []byte {
	b := []byte("bplist00")
	var table []byte
	for _, o := range objects {
		table = binary.BigEndian.AppendUint16(table, uint16(len(b)))
		b = append(b, o...)
	}
	at := len(b)
	b = append(b, table...)
	b = append(b, 0, 0, 0, 0, 0, 0, 2, 1)
	b = binary.BigEndian.AppendUint64(b, uint64(len(objects)))
	b = binary.BigEndian.AppendUint64(b, uint64(top))
	return binary.BigEndian.AppendUint64(b, uint64(at))
}

func plistText(s string) []byte { return append([]byte{0x5F, 0x10, byte(len(s))}, s...) }

// TestHostileFormats checks that invalid input is reported, that what comes before the error
// is found, and that this takes little time and memory.
func TestHostileFormats(t *testing.T) {
	deep := func(open, close string, n int) string { return strings.Repeat(open, n) + strings.Repeat(close, n) }
	inner := `{"guid":"root________","children":[{"title":"t","uri":"https://example.com/","type":"text/x-moz-place"}]}`
	var doubled [][]byte // each folder contains the next one twice: 2^60 paths
	doubled = append(doubled, plistText("Children"), plistText("WebBookmarkType"))
	for i := range byte(60) {
		doubled = append(doubled, []byte{0xD2, 0, 1, 2 + 2*i + 1, 1}, []byte{0xA2, 2 + 2*i + 2, 2 + 2*i + 2})
	}
	doubled = append(doubled, []byte{0xD0})
	tests := []struct {
		what, name string
		body       []byte
		links      int
		fault      string
	}{
		{"gzip bomb", "sitemap.xml.gz", packed(t, oneLoc, 32<<20), 1, "suspiciously high"},
		{"gzip in gzip", "sitemap.xml.gz.gz", packed(t, string(packed(t, oneLoc, 0)), 0), 0, "no reader for"},
		{"gzip cut off", "sitemap.xml.gz", packed(t, oneLoc, 0)[:len(packed(t, oneLoc, 0))-8], 1, "unexpected EOF"},
		{"no gzip", "sitemap.xml.gz", []byte(oneLoc), 1, "unexpected end"},
		{"zip bomb", "book.epub", archive(t, 32<<20, "META-INF/container.xml", `<container><rootfile full-path="a.opf"/></container>`, "a.opf", "<package/>"), 0, "exceeds the limit"},
		{"no zip", "a.docx", []byte("PK\x03\x04 no archive"), 0, "open archive"},
		{"encrypted archive", "a.odt", encryptedArchive(t), 0, "it is encrypted"},
		{"no part that is read", "a.odt", archive(t, 0, "x", "y"), 0, "no content.xml"},
		{"no package", "a.epub", archive(t, 0, "x", "y"), 0, "no package document"},
		{"deep XML", "a.xml", []byte(deep("<a>", "</a>", 100_000)), 0, "nested deeper"},
		{"unfinished XML", "a.xml", []byte(oneLoc + "<url><loc"), 1, "unexpected end inside a tag"},
		{"unclosed XML", "a.xml", []byte(oneLoc), 1, "unexpected end"},
		{"crossed XML", "a.xml", []byte("<a><b></a></b>"), 0, "not all elements are closed"},
		{"entities in entities", "a.xml", []byte(`<!DOCTYPE a [<!ENTITY b "&c;&c;&c;"><!ENTITY c "&b;&b;">]><a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="&b;"/>`), 1, ""},
		{"endless doctype", "a.xml", []byte("<!DOCTYPE a [" + strings.Repeat("<", 1000)), 0, "document type"},
		{"deep JSON", "Bookmarks", []byte(`{"roots":{"a":` + strings.Repeat(`{"children":[`, 100_000)), 0, "nested deeper"},
		{"deep JSON of arrays", "Bookmarks", []byte(`{"roots":{"a":` + strings.Repeat("[", 100_000)), 0, "nested too deeply"},
		{"JSON cut off in a string", "Bookmarks", []byte(`{"roots":{"a":{"children":[{"url":"https://example.com/"},{"url":"htt`), 1, "inside a string"},
		{"JSON with wrong brackets", "Bookmarks", []byte(`{"roots":{"a":{"children":[{"url":"https://example.com/"}}}`), 1, "unmatched closing bracket"},
		{"JSON without roots", "Bookmarks", []byte(`{"a":{"roots":{}}}`), 0, `no "roots"`},
		{"not a JSON object", "Bookmarks", []byte(`[1]`), 0, "no reader for"},
		{"LZ4 whole", "a.jsonlz4", mozillaLZ4(uint32(len(inner)), inner), 1, ""},
		{"LZ4 with a lie", "a.jsonlz4", mozillaLZ4(0xFFFFFFF0, inner), 1, "size of 4294967280 bytes is impossible"},
		{"LZ4 cut off", "a.jsonlz4", mozillaLZ4(uint32(len(inner)), inner)[:60], 0, "unpack bookmarks"},
		{"LZ4 without its head", "a.jsonlz4", []byte("mozLz4"), 0, "not a Mozilla LZ4 file"},
		{"plist that holds itself", "Bookmarks.plist", binaryPlistOf(2, plistText("Children"), plistText("WebBookmarkType"), []byte{0xD2, 0, 1, 3, 1}, []byte{0xA1, 2}), 0, "a folder contains itself"},
		{"plist of shared folders", "Bookmarks.plist", binaryPlistOf(2, doubled...), 0, "more than"},
		{"plist cut off", "Bookmarks.plist", []byte("bplist00\xD1"), 0, "binary property list is incomplete"},
		{"plist without its table", "Bookmarks.plist", binaryPlistOf(2, plistText("Children"), plistText("WebBookmarkType"), []byte{0xD1, 0, 3}, []byte{0xA2, 4, 5}, plistText("https://example.com/"), plistText("https://example.org/ cut"))[:90], 1, "binary property list is incomplete"},
		{"another plist", "a.plist", []byte("<plist><dict><key>CFBundleName</key><string>x</string></dict></plist>"), 0, "no Safari bookmarks"},
		{"deep plist", "a.plist", []byte("<plist>" + strings.Repeat("<dict><key>Children</key><array>", 5000)), 0, "nested deeper"},
		{"hotlist of another kind", "a.adr", []byte("#URL\n\tURL=https://example.com/\n"), 1, "not an Opera hotlist"},
		{"deep hotlist", "a.adr", []byte("Opera Hotlist version 2.0\n" + strings.Repeat("#FOLDER\n", 1000)), 0, "nested deeper"},
		{"deep bookmarks", "a.html", []byte(netscapeHead + strings.Repeat("<DT><H3>a</H3><DL>", 5000) + "<A HREF=x>"), 1, "nested deeper"},
		{"no database", "places.sqlite", []byte("SQLite format 3\x00 and nothing else"), 0, "read bookmarks"},
		{"no PDF", "a.pdf", []byte("hello"), 0, "has no PDF header"},
		{"PDF whose pages hold themselves", "a.pdf", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R 3 0 R]>>endobj 3 0 obj<</Type/Page/Annots[<</A<</S/URI/URI(https://example.com/)/Next 4 0 R>>>>]>>endobj 4 0 obj<</S/URI/URI(b)/Next 4 0 R>>endobj trailer<</Root 1 0 R>>\n%%EOF"), 32, "contains itself"},
		{"PDF of open strings", "a.pdf", []byte("%PDF-1.4\n" + strings.Repeat("1 0 obj(", 40_000)), 0, "too much work"},
		{"PDF of open streams", "a.pdf", []byte("%PDF-1.4\n" + strings.Repeat("1 0 obj<<>>stream\n", 100_000)), 0, "no pages"},
		{"PDF that is encrypted", "a.pdf", []byte("%PDF-1.4\ntrailer<</Encrypt<</V 1>>>>\n%%EOF"), 0, "it is encrypted"},
		{"PDF with a bomb", "a.pdf", []byte(onePagePDF("<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n" + string(deflated(t, 64<<20)) + "\nendstream")), 1, "suspiciously high"},
		{"PDF of numbers", "a.pdf", []byte(onePagePDF("[" + strings.Repeat("1 ", 3_000_000) + "]")), 1, ""},
		{"PDF of empty objects", "a.pdf", []byte(onePagePDF("null") + strings.Repeat("7 0 obj null endobj\n", 100_000) + "%%EOF"), 1, ""},
		{"PDF whose encryption is nonsense", "a.pdf", []byte(onePagePDF("<</Filter/Standard/V 4/R 4/O()/U()/CF 4 0 R>>") + "trailer<</Encrypt 9 0 R/ID 9 0 R>>%%EOF"), 0, "unsupported method"},
		{"PDF of brackets", "a.pdf", []byte("%PDF-1.4\n1 0 obj" + strings.Repeat("[", 100_000)), 0, "no pages"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			doc := Extract(Input{Body: tt.body, Name: tt.name})
			runtime.ReadMemStats(&after)
			if faults := strings.Join(doc.Faults, "; "); !strings.Contains(faults, tt.fault) || (tt.fault == "") != (faults == "") {
				t.Errorf("faults %q, want %q", faults, tt.fault)
			}
			if len(doc.Links) != tt.links {
				t.Errorf("%d links, want %d", len(doc.Links), tt.links)
			}
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 600 {
				t.Errorf("%d MiB allocated", allocated)
			}
		})
	}
}

// onePagePDF returns a PDF file with one page, one link, and object 9.
func onePagePDF(object string) string {
	return "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Annots[<</A<</S/URI/URI(https://example.com/)>>>>]>>endobj\n9 0 obj" +
		object + "\nendobj trailer<</Root 1 0 R>>\n%%EOF\n"
}

func deflated(t *testing.T, size blanks) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := io.Copy(z, &size); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

func encryptedArchive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 1) })
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "content.xml", Flags: 1}); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

// TestArchiveWithoutDirectory checks that the parts of a truncated archive are found although
// its directory is missing.
func TestArchiveWithoutDirectory(t *testing.T) {
	for _, name := range []string{"pandoc.docx", "pandoc.odt", "pandoc.pptx", "minimal.xlsx"} {
		in := readDocumentFile(t, filepath.Join("../../testdata/documents", name))
		whole := Extract(in)
		in.Body = in.Body[:bytes.LastIndex(in.Body, []byte("PK\x05\x06"))]
		cut := Extract(in)
		if len(cut.Links) != len(whole.Links) || len(cut.Faults) == 0 {
			t.Errorf("%s: %d of %d links, faults %q", name, len(cut.Links), len(whole.Links), cut.Faults)
		}
	}
}

// TestPlacesWithItsJournal checks that recent changes are read from the journal, where they
// are while Firefox is running.
func TestPlacesWithItsJournal(t *testing.T) {
	in := readDocumentFile(t, "../../testdata/documents/places.sqlite.gz")
	with := Extract(in)
	if err := os.Remove(in.Path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if without := Extract(in); len(without.Links) >= len(with.Links) {
		t.Errorf("%d links without the journal, %d with it", len(without.Links), len(with.Links))
	}
	in.Body = nil
	if doc := Extract(in); doc.Format != "firefox-places" {
		t.Errorf("with only the path set it is read as %q", doc.Format)
	}
	in.Path += ".none"
	if doc := Extract(in); len(doc.Faults) == 0 {
		t.Error("a missing file has no fault")
	}
	entries, err := os.ReadDir(filepath.Dir(in.Path))
	if err != nil || len(entries) != 1 {
		t.Errorf("reading left files beside the original: %v, %v", entries, err)
	}
}

// TestEndlessPlaces reads a database with an infinite number of rows.
func TestEndlessPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "places.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url, title)",
		`CREATE VIEW moz_bookmarks AS WITH RECURSIVE n(id) AS (VALUES (1) UNION ALL SELECT id+1 FROM n)
			SELECT id, 2 AS type, NULL AS fk, id+1 AS parent, 0 AS position, 'folder' AS title, 0 AS dateAdded FROM n`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	doc := Extract(Input{Path: path, Name: "places.sqlite", Body: []byte("SQLite format 3\x00")})
	if len(doc.Faults) == 0 || len(doc.Links) > 0 {
		t.Errorf("%d links, faults %q", len(doc.Links), doc.Faults)
	}
}

// TestOldPlacesWithCircles reads a database with the columns of Firefox 3, a cycle of
// folders, and a bookmark without a folder.
func TestOldPlacesWithCircles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "places.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR)",
		"CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER, position INTEGER, title LONGVARCHAR, keyword_id INTEGER, dateAdded INTEGER)",
		"CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY, keyword TEXT)",
		"CREATE TABLE moz_bookmarks_roots (root_name VARCHAR(16), folder_id INTEGER)",
		"INSERT INTO moz_places VALUES (1, 'https://one.example/', 'page'), (2, 'https://two.example/', ''), (3, 'place:x', ''), (4, NULL, '')",
		"INSERT INTO moz_keywords VALUES (9, 'one')",
		"INSERT INTO moz_bookmarks_roots VALUES ('tags', 4)",
		`INSERT INTO moz_bookmarks VALUES (1, 2, NULL, 0, 0, '', NULL, 0), (2, 2, NULL, 3, 0, 'A', NULL, 0), (3, 2, NULL, 2, 0, 'B', NULL, 0),
			(4, 2, NULL, 1, 0, 'Tags', NULL, 0), (5, 2, NULL, 4, 0, 'red', NULL, 0), (6, 1, 1, 5, 0, NULL, NULL, 0),
			(7, 1, 1, 1, 1, 'One', 9, 1700000000000000), (8, 1, 2, 2, 0, NULL, NULL, NULL), (9, 1, 3, 1, 2, 'query', NULL, 0), (10, 1, 4, 1, 3, 'null', NULL, 0), (11, 1, 2, 77, 0, 'lost', NULL, 0), (12, 3, NULL, 1, 4, NULL, NULL, 0)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []Input{{Path: path, Name: "places.sqlite", Body: body}, {Name: "places.sqlite", Body: body}} {
		doc := Extract(in)
		var got []string
		for _, l := range doc.Links {
			got = append(got, fmt.Sprint(l.Ref, " ", l.Text, " ", l.Bookmark.Tags))
		}
		want := "https://one.example/ One [red]|https://two.example/  []|https://two.example/ lost []"
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("got %s\nwant %s", s, want)
		}
		if len(doc.Faults) == 0 || !strings.Contains(doc.Faults[0], "cycle") {
			t.Errorf("faults %q", doc.Faults)
		}
	}
}
