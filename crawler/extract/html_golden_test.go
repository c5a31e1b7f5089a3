package extract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the golden files of this package should hold")

// TestGolden reads the archives in testdata/golden. Each contains a document, whose name is
// "in" with an extension, and the expected result.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(archive.Files) != 2 || archive.Files[1].Name != "want" {
			t.Errorf("%s: the archive needs a document and a file named want", name)
			continue
		}
		in, want := archive.Files[0], &archive.Files[1]
		doc := Extract(Input{Body: in.Data, Name: in.Name})
		text, _ := decode(in.Data, "", htmlCharset)
		checkPlaces(t, text, doc)
		got := summary(doc)
		if got == string(want.Data) {
			continue
		}
		if *update {
			want.Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want.Data)
	}
}

// summary returns a document in the notation of the golden files.
func summary(doc *Document) string {
	var b strings.Builder
	b.WriteString(doc.Format + " " + doc.Charset)
	if doc.Title != "" {
		fmt.Fprintf(&b, " title=%q", doc.Title)
	}
	if doc.Base != "" {
		fmt.Fprintf(&b, " base=%q", doc.Base)
	}
	for _, flag := range []struct {
		is   bool
		name string
	}{{doc.Static, "static"}, {doc.NoFollow, "nofollow"}, {doc.LoginForm, "login"}} {
		if flag.is {
			b.WriteString(" " + flag.name)
		}
	}
	b.WriteByte('\n')
	for _, l := range doc.Links {
		fmt.Fprintf(&b, "%d:%d %s", l.Line, l.Column, describeLink(l))
		if l.Raw != l.Ref {
			fmt.Fprintf(&b, " raw=%q", l.Raw)
		}
		b.WriteByte('\n')
	}
	b.WriteString("anchors:")
	for _, a := range doc.Anchors {
		if strings.ContainsAny(a, " \"") {
			a = fmt.Sprintf("%q", a)
		}
		b.WriteString(" " + a)
	}
	b.WriteByte('\n')
	for _, d := range doc.Duplicates {
		fmt.Fprintf(&b, "duplicate: %s %d:%d\n", d.Name, d.Line, d.Column)
	}
	for _, f := range doc.Faults {
		fmt.Fprintf(&b, "fault: %s\n", f)
	}
	return b.String()
}
