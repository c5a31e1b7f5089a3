package extract

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var renewDocuments = flag.Bool("renew-documents", false, "rewrite the golden lists of documents")

// documentFiles returns the test documents: real files, named for the programs that wrote
// them, and handwritten ones for other programs (see ../../testdata/README.md).
func documentFiles(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("../../testdata/documents/*")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range all {
		if !strings.HasSuffix(name, ".golden") && !strings.HasSuffix(name, "-wal.gz") {
			files = append(files, name)
		}
	}
	if len(files) < 30 {
		t.Fatalf("only %d documents", len(files))
	}
	return files
}

// readDocumentFile returns the document as a local file. A database is unpacked to its own
// directory, with its journal beside it.
func readDocumentFile(t testing.TB, name string) Input {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Body: body, Name: filepath.Base(name), Path: name}
	if in.Name == "places.sqlite.gz" {
		in.Name = "places.sqlite"
		in.Path = filepath.Join(t.TempDir(), in.Name)
		in.Body = gunzip(t, body)
		write(t, in.Path, in.Body)
		journal, err := os.ReadFile(strings.TrimSuffix(name, ".gz") + "-wal.gz")
		if err != nil {
			t.Fatal(err)
		}
		write(t, in.Path+"-wal", gunzip(t, journal))
	}
	return in
}

func gunzip(t testing.TB, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func write(t testing.TB, name string, body []byte) {
	t.Helper()
	if err := os.WriteFile(name, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// listDocument returns the contents of a document, one item per line.
func listDocument(doc *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format %s, charset %q, title %q, static %v\n", doc.Format, doc.Charset, doc.Title, doc.Static)
	for i := range doc.Links {
		l := &doc.Links[i]
		fmt.Fprintf(&b, "%d:%d %s %s %v %v %q", l.Line, l.Column, l.Element, l.Attribute, l.Kind, expectNames[l.Expect], l.Ref)
		if l.Raw != l.Ref {
			fmt.Fprintf(&b, " raw %q", l.Raw)
		}
		if l.Base != "" {
			fmt.Fprintf(&b, " base %q", l.Base)
		}
		if l.Text != "" {
			fmt.Fprintf(&b, " text %q", l.Text)
		}
		if l.SameDocument {
			b.WriteString(" same-document")
		}
		if m := l.Bookmark; m != nil {
			fmt.Fprintf(&b, " in %q", m.Folder)
			if !m.Added.IsZero() {
				fmt.Fprintf(&b, " added %s", m.Added.Format(time.RFC3339))
			}
			if len(m.Tags) > 0 {
				fmt.Fprintf(&b, " tags %q", m.Tags)
			}
		}
		b.WriteByte('\n')
	}
	for _, a := range doc.Anchors {
		fmt.Fprintf(&b, "anchor %q\n", a)
	}
	for _, f := range doc.Faults {
		fmt.Fprintf(&b, "fault %s\n", f)
	}
	return b.String()
}

func TestDocumentsAgainstGoldenLists(t *testing.T) {
	for _, name := range documentFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			in := readDocumentFile(t, name)
			doc := Extract(in)
			got := listDocument(doc)
			golden := name + ".golden"
			if *renewDocuments {
				write(t, golden, []byte(got))
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if len(doc.Links) == 0 {
				t.Error("no links")
			}
			if doc.Charset != "" && !strings.HasSuffix(name, ".gz") {
				checkLinkPositions(t, in, doc)
			}
			if format, ok := Readable("", in.Name, in.Body); !ok || format != doc.Format && format != "gzip" && format != "xml" {
				t.Errorf("Readable says %q, %v", format, ok)
			}
		})
	}
}

// checkLinkPositions looks for Raw at the line and column of each link.
func checkLinkPositions(t *testing.T, in Input, doc *Document) {
	t.Helper()
	text, _ := decode(in.Body, "", func([]byte) string { return doc.Charset })
	lines := bytes.SplitAfter(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n\n")[:1]), []byte("\n"))
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Line == 0 {
			continue
		}
		rest := bytes.Join(lines[l.Line-1:], nil)
		for range l.Column - 1 {
			_, n := utf8.DecodeRune(rest)
			rest = rest[n:]
		}
		if !bytes.HasPrefix(rest, []byte(l.Raw)) {
			t.Errorf("%d:%d has %.40q, want %q", l.Line, l.Column, rest, l.Raw)
		}
	}
}

// TestDocumentsCutOff checks that everything before the point of truncation is found, and
// that the truncation is reported.
func TestDocumentsCutOff(t *testing.T) {
	for _, name := range documentFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			in := readDocumentFile(t, name)
			if in.Name == "places.sqlite" {
				return // it has its own test
			}
			in.Path = ""
			whole := Extract(in)
			known := map[string]bool{}
			for i := range whole.Links {
				known[whole.Links[i].Ref] = true
			}
			silent, strange := 0, 0
			const cuts = 60
			for i := range cuts {
				cut := in
				cut.Body = in.Body[:len(in.Body)*i/cuts]
				doc := Extract(cut)
				if len(doc.Faults) == 0 {
					silent++
				}
				for j := range doc.Links {
					if !known[doc.Links[j].Ref] {
						strange++
					}
				}
			}
			// A book with missing parts still has links to them.
			if strange > cuts && whole.Format != "epub" {
				t.Errorf("%d links that the whole document does not have", strange)
			}
			// A hotlist has no end mark, and Safari's export has no lists.
			mayEndAnywhere := whole.Format == "opera-bookmarks" || in.Name == "safari.html"
			few := 3
			if whole.Format == "netscape-bookmarks" {
				few = cuts / 4 // those before the first folder
			}
			if !mayEndAnywhere && silent > few {
				t.Errorf("%d of %d truncations are not reported", silent, cuts)
			}
		})
	}
}

func FuzzDocuments(f *testing.F) {
	for _, name := range documentFiles(f) {
		if body, err := os.ReadFile(name); err == nil && len(body) < 40_000 {
			f.Add(filepath.Base(name), body)
		}
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		doc := Extract(Input{Name: name, Body: body})
		for i := range doc.Links {
			if l := &doc.Links[i]; !utf8.ValidString(l.Ref) || !utf8.ValidString(l.Text) || (l.Line == 0) != (l.Column == 0) {
				t.Fatalf("link %+v", l)
			}
		}
		for _, a := range doc.Anchors {
			if !utf8.ValidString(a) {
				t.Fatalf("anchor %q", a)
			}
		}
	})
}

// TestDocumentsWithWrongBytes checks that wrong bytes anywhere neither stop a reader nor slow
// it down.
func TestDocumentsWithWrongBytes(t *testing.T) {
	const rounds = 15
	random := rand.New(rand.NewPCG(3986, 6874))
	for _, name := range documentFiles(t) {
		in := readDocumentFile(t, name)
		if in.Name == "places.sqlite" {
			continue // the library handles errors
		}
		in.Path = ""
		for range rounds {
			wrong := in
			wrong.Body = bytes.Clone(in.Body)
			for range 1 + random.IntN(8) {
				at := random.IntN(len(wrong.Body))
				switch random.IntN(3) {
				case 0:
					wrong.Body[at] = byte(random.Uint32())
				case 1: // copy a part to another place
					from := random.IntN(len(wrong.Body))
					copy(wrong.Body[at:], in.Body[from:min(len(in.Body), from+random.IntN(64))])
				case 2:
					wrong.Body = append(wrong.Body[:at:at], wrong.Body[min(len(wrong.Body), at+random.IntN(16)):]...)
				}
				if len(wrong.Body) == 0 {
					wrong.Body = []byte{0}
				}
			}
			Extract(wrong)
		}
	}
}
