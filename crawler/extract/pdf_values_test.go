package extract

import (
	"slices"
	"testing"
)

// TestPDFStrings reads the examples of ISO 32000-1 sections 7.3.4.2 and 7.3.4.3.
func TestPDFStrings(t *testing.T) {
	for in, want := range map[string]string{
		"(This is a string)":                            "This is a string",
		"(Strings may contain newlines\nand such.)":     "Strings may contain newlines\nand such.",
		"(balanced parentheses ( ) and ( * ! & } ^ %))": "balanced parentheses ( ) and ( * ! & } ^ %)",
		"()": "",
		"(These \\\ntwo strings \\\r\nare \\\rthe same.)": "These two strings are the same.",
		"(two\r\nends of\rlines)":                         "two\nends of\nlines",
		`(\n\r\t\b\f\(\)\\\x)`:                            "\n\r\t\b\f()\\x",
		`(contains \245two octal characters\307.)`:        "contains \xa5two octal characters\xc7.",
		`(\0053 \053 \53)`:                                "\x053 + +",
		`(Init\040File\7\777)`:                            "Init File\a\xff",
		`<4E6F762073686D6F7A206B6120706F702E>`:            "Nov shmoz ka pop.",
		`<901FA>`:                                         "\x90\x1f\xa0",
	} {
		p := pdfParser{file: &pdfFile{work: 1 << 20}, in: []byte(in)}
		if got, ok := p.value(0).(pdfString); !ok || p.failed || string(got) != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"(", "(a", `(a\`, `(a\)`, `(\0`, "(a\r", "<", "<4e"} {
		p := pdfParser{file: &pdfFile{work: 1 << 20}, in: []byte(in)}
		if got := p.value(0); !p.failed {
			t.Errorf("%q: got %v, want a failure", in, got)
		}
	}
}

// TestPDFNamesAsReferences checks that the names of destinations and files, which are not
// URIs, become valid references.
func TestPDFNamesAsReferences(t *testing.T) {
	doc := Extract(Input{Name: "a.pdf", Body: []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/Names<</Dests<</Names[(Init\\040File) 3 0 R]>>>>>>endobj\n" +
		"2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Annots[" +
		"<</A<</S/GoTo/D(Init\\040File)>>>>" +
		"<</A<</S/GoTo/D/50#2525#20or#20more>>>>" +
		"<</A<</S/GoToR/F(my notes.pdf)/D(sec\\0501\\051)>>>>" +
		"<</A<</S/GoToR/F(my%20notes.pdf)/D[1/Fit]>>>>" +
		"<</A<</S/Launch/F<</F(a b)/UF(\xfe\xff\x00\xe9\x00 \x00b)>>>>>>" +
		"<</A<</S/URI/URI(a b)>>>>]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF")})
	want := []struct{ raw, ref string }{
		{"#Init File", "#Init%20File"},
		{"#50%25 or more", "#50%2525%20or%20more"},
		{"my notes.pdf#sec(1)", "my%20notes.pdf#sec(1)"},
		{"my%20notes.pdf#page=2", "my%20notes.pdf#page=2"},
		{"é b", "é%20b"},
		{"a b", "a b"}, // an invalid URI
	}
	if len(doc.Links) != len(want) {
		t.Fatalf("got %d links, want %d: %q", len(doc.Links), len(want), doc.Faults)
	}
	for i, l := range doc.Links {
		if l.Raw != want[i].raw || l.Ref != want[i].ref {
			t.Errorf("link %d: got %q, reference %q, want %q", i, l.Raw, l.Ref, want[i])
		}
	}
	if !slices.Contains(doc.Anchors, "Init File") {
		t.Errorf(`the anchors do not include "Init File": %+v`, doc.Anchors)
	}
}
