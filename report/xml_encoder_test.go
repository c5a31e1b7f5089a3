package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"
)

// xmllint validates a document against a schema in testdata/schemas. Without a schema it
// checks that the document is well-formed.
func xmllint(t testing.TB, document, schema string) {
	t.Helper()
	args := []string{"--noout", "--nonet", "--huge"}
	if schema != "" {
		args = append(args, "--schema", schema)
	}
	cmd := exec.Command(tool(t, "xmllint"), append(args, "-")...)
	cmd.Stdin = strings.NewReader(document)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.2000s", err, out)
	}
}

func schemaFile(name string) string { return filepath.Join("testdata", "schemas", name) }

// xmlStrings returns the texts and attribute values of a document.
func xmlStrings(t testing.TB, document string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				found[a.Value] = true
			}
		case xml.CharData:
			found[string(token)] = true
		}
	}
}

func TestAppendXML(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		`<a b="c">&'`:        `&lt;a b=&quot;c&quot;&gt;&amp;'`,
		"]]>":                "]]&gt;",
		"a\tb\nc\rd":         "a&#9;b&#10;c&#13;d",
		"\x00\x01\x1b":       `\u0000\u0001\u001b`,
		"\u0085\u009b\u007f": "&#133;&#155;&#127;",
		"\u202e\ufeff":       "&#8238;&#65279;",
		"\ufffe\uffff":       `\ufffe\uffff`,
		"\xff é":             "\uFFFD é",
		"##vso[x]":           "&#35;#vso[x]",
		"\U000e0041😀":        "&#917569;😀",
	} {
		if got := string(appendXML(nil, in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func FuzzAppendXML(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := string(appendXML(nil, s))
		if !utf8.ValidString(text) {
			t.Fatalf("%q is not UTF-8", text)
		}
		var read struct {
			A    string `xml:"a,attr"`
			Text string `xml:",chardata"`
		}
		if err := xml.Unmarshal([]byte(`<x a="`+text+`">`+text+"</x>"), &read); err != nil {
			t.Fatal(err)
		}
		want := xmlSafe(s)
		if read.A != want || read.Text != want {
			t.Errorf("%q: read %q and %q", want, read.A, read.Text)
		}
	})
}

// xmlSafe returns s as it is read from a document.
func xmlSafe(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
