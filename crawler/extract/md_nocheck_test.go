package extract

import "testing"

// TestNoBrokenLinkCheck: the mark of Docusaurus excludes a link, in HTML and in components.
func TestNoBrokenLinkCheck(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []bool // of each link: whether it is ignored
	}{
		{"x.mdx", `<Link to="/a" data-noBrokenLinkCheck>x</Link> <Link to="/b">y</Link>`, []bool{true, false}},
		{"x.mdx", `<Link data-noBrokenLinkCheck={true} to="/a" />`, []bool{true}},
		{"x.md", `<a href="/a" data-noBrokenLinkCheck>x</a> [y](/b) <a href="/c">z</a>`, []bool{true, false, false}},
		{"x.html", `<a href="/a" data-noBrokenLinkCheck={true}>x</a><a href="/b">y</a>`, []bool{true, false}},
	} {
		doc := Extract(Input{Name: row.name, Body: []byte(row.text)})
		if len(doc.Links) != len(row.want) {
			t.Errorf("%s: got %d links, want %d", row.text, len(doc.Links), len(row.want))
			continue
		}
		for i, want := range row.want {
			if got := doc.Links[i].Ignored; got != want {
				t.Errorf("%s: link %d is ignored: got %v, want %v", row.text, i, got, want)
			}
		}
	}
}
