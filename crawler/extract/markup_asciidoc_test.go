package extract

import "testing"

// TestAsciidocCrossReferences tests which files cross-references name, as Asciidoctor takes them.
func TestAsciidocCrossReferences(t *testing.T) {
	for markup, want := range map[string]string{
		"xref:a#x[]":          "a.adoc#x",
		"xref:dir/a#x[]":      "dir/a.adoc#x",
		"xref:a.adoc#x[]":     "a.adoc#x",
		"xref:a.adoc[]":       "a.adoc",
		"xref:a.md#x[text]":   "a.md#x",
		"xref:README.md[]":    "README.md",
		"xref:../a.b/c#x[]":   "../a.b/c.adoc#x",
		"xref:guide.pdf[]":    "guide.pdf",
		"xref:a[]":            "#a",
		"xref:#a[]":           "#a",
		"xref:ROOT:a.adoc[]":  "",
		"xref:A Title[]":      "",
		"<<a#x>>":             "a.adoc#x",
		"<<dir/a#x,text>>":    "dir/a.adoc#x",
		"<<a.adoc#x,text>>":   "a.adoc#x",
		"<<a.md#x>>":          "a.md.adoc#x",
		"<<a>>":               "#a",
		"<<a.html#x>>":        "a.html#x",
		"<<https://e.test/>>": "",
	} {
		got := ""
		if d := Extract(Input{Body: []byte("See " + markup + "\n"), Name: "x.adoc"}); len(d.Links) > 0 {
			got = d.Links[0].Ref
		}
		if got != want {
			t.Errorf("%s: the reference is %q, want %q", markup, got, want)
		}
	}
}
