package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEncryptedPDF reads the files in testdata/encrypted. They are copies of one small
// document, which qpdf encrypted by each revision of the standard with an empty user
// password. plain.pdf is not encrypted, and password.pdf requires a password.
func TestEncryptedPDF(t *testing.T) {
	read := func(name string) Input {
		body, err := os.ReadFile(filepath.Join("testdata/encrypted", name))
		if err != nil {
			t.Fatal(err)
		}
		return Input{Body: body, Name: name}
	}
	want := listDocument(Extract(read("plain.pdf")))
	for _, part := range []string{`title "An encrypted document"`, `"https://example.com/a_(b)?c=d" text "An example"`,
		`outline uri navigation any "https://example.org/" text "Home"`, `anchor "chapter"`} {
		if !strings.Contains(want, part) {
			t.Fatalf("no %s in\n%s", part, want)
		}
	}
	for _, name := range []string{"rc4-40.pdf", "rc4-128.pdf", "aes-128.pdf", "aes-128-meta.pdf", "aes-256-r5.pdf", "aes-256.pdf"} {
		in := read(name)
		if bytes.Contains(in.Body, []byte("example")) {
			t.Errorf("%s is not encrypted", name)
		}
		if got := listDocument(Extract(in)); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		// A file that is truncated before its key must give a fault and no garbage.
		for n := len(in.Body) - 8; n > 0; n -= 8 {
			doc := Extract(Input{Body: in.Body[:n], Name: name})
			if len(doc.Faults) == 0 {
				t.Errorf("%s truncated to %d bytes has no fault", name, n)
			}
			for _, l := range doc.Links {
				if !strings.Contains(want, strconv.Quote(l.Ref)) {
					t.Errorf("%s truncated to %d bytes: got %q, faults %q", name, n, l.Ref, doc.Faults)
				}
			}
		}
	}
	if doc := Extract(read("password.pdf")); len(doc.Links) != 0 || len(doc.Faults) != 1 || !strings.Contains(doc.Faults[0], "requires a password") {
		t.Errorf("password.pdf: got\n%s", listDocument(doc))
	}
}

func FuzzEncryptedPDF(f *testing.F) {
	files, err := filepath.Glob("testdata/encrypted/*.pdf")
	if err != nil || len(files) == 0 {
		f.Fatal("no files", err)
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		Extract(Input{Body: body, ContentType: "application/pdf"})
	})
}
