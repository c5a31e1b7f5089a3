package extract

import (
	"fmt"
	"strings"
	"testing"
)

// Places of anchors are those of ids and of the texts of headings.
func TestAnchorPlaces(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a.md", "# One *two*\n\n> ## Three {#x}\n\n<a id=y></a> text\n\nFour\n----\n", `one-two 1:3 1 "One *two*"; x 3:6 2 "Three"; y 5:7 0 ""; four 7:1 2 "Four"`},
		{"a.md", "# Top\n\n## Top\n", `top 1:3 1 "Top"; top-1 3:4 2 "Top"; top_1 3:4 2 "Top"`},
		{"a.html", "<h1 id=a>A</h1>\r\né<p id='b'>", `a 1:8 0 ""; b 2:9 0 ""`},
		{"a.rst", "One\n===\n\n.. _Two:\n\nThree\n-----\n", `one 1:1 1 "One"; two 4:5 0 ""; three 6:1 2 "Three"`},
		{"a.adoc", "= One\n\n[[two]]\n== Two\n\ntext [[three]]more\n\n== Four\n", `_one 1:3 1 "One"; one 1:3 1 "One"; two 3:1 0 ""; three 6:6 0 ""; _four 8:4 2 "Four"; four 8:4 2 "Four"`},
		{"a.adoc", "[[x]]text link:b[c]\n\n[[y,some [z] text]]\n== Q\n", `x 1:1 0 ""; y 3:1 0 ""`},
		{"a.org", "* TODO One\n:PROPERTIES:\n:CUSTOM_ID: x\n:END:\n** Two :tag:\ntext <<three>>\n", `one 1:8 1 "One"; x 3:1 0 ""; two 5:4 2 "Two"; three 6:6 0 ""`},
	} {
		d := Extract(Input{Body: []byte(row.text), Name: row.name, Places: true})
		var got []string
		for _, p := range d.Places {
			got = append(got, fmt.Sprintf("%s %d:%d %d %q", p.Name, p.Line, p.Column, p.Level, p.Title))
		}
		if text := strings.Join(got, "; "); text != row.want {
			t.Errorf("places of %s:\n%s, want\n%s", row.name, text, row.want)
		}
		if without := Extract(Input{Body: []byte(row.text), Name: row.name}); without.Places != nil || fmt.Sprint(without.Anchors) != fmt.Sprint(d.Anchors) {
			t.Errorf("%s without places: %v and anchors %v, want %v", row.name, without.Places, without.Anchors, d.Anchors)
		}
	}
}

// A line that begins with an anchor and ends with a bracket is text.
func TestAnchorBeforeLinks(t *testing.T) {
	d := Extract(Input{Body: []byte("[[x]]text link:b[c] <<d.adoc#,e>> xref:f.adoc[g]\n"), Name: "a.adoc"})
	if len(d.Links) != 3 || len(d.Anchors) != 1 || d.Anchors[0] != "x" {
		t.Errorf("links %+v and anchors %v, want 3 links and x", d.Links, d.Anchors)
	}
}
