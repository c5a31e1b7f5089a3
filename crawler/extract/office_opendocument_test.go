package extract

import "testing"

// TestFormulasOfSheets checks that a cell may link by its formula, as LibreOffice writes it.
func TestFormulasOfSheets(t *testing.T) {
	cell := func(formula, text string) string {
		return `<table:table-cell table:formula="of:=` + formula + `" office:value-type="string"><text:p>` + text + `</text:p></table:table-cell>`
	}
	doc := Extract(Input{Name: "a.ods", Body: archive(t, 0, "content.xml", `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:xlink="http://www.w3.org/1999/xlink">`+
		cell(`HYPERLINK(&quot;https://example.com/one&quot;;&quot;One&quot;)`, "One")+
		cell(`HYPERLINK(&quot;other.html&quot;)`, "other.html")+
		cell(`IF([.A1]&gt;1;hyperlink( &quot;https://example.com/a;b&quot; ;[.B1]);&quot;&quot;)`, "two  words")+
		cell(`HYPERLINK(&quot;#Sheet1.A1&quot;;&quot;x&quot;)`, "x")+
		cell(`HYPERLINK(&quot;https://example.com/&quot;&amp;[.A1])`, "made")+
		cell(`HYPERLINK([.A1])`, "made")+
		cell(`SUM([.A1:.A9])`, "45")+
		`<table:table-cell><text:p><text:a xlink:href="https://example.com/last">last</text:a></text:p></table:table-cell>`+
		`</office:document-content>`)})
	want := [][2]string{{"https://example.com/one", "One"}, {"other.html", "other.html"}, {"https://example.com/a;b", "two words"}, {"https://example.com/last", "last"}}
	if len(doc.Links) != len(want) || len(doc.Faults) > 0 {
		t.Fatalf("%d links, want %d: %+v %q", len(doc.Links), len(want), doc.Links, doc.Faults)
	}
	for i, l := range doc.Links {
		if got := [2]string{l.Ref, l.Text}; got != want[i] || l.Kind != Navigation {
			t.Errorf("link %d is %q, %v; want %q", i, got, l.Kind, want[i])
		}
	}
}
