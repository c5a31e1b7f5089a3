package extract

import (
	"slices"
	"strings"
	"testing"
)

// TestUndefinedReferences checks which references of Markdown without a definition are reported.
func TestUndefinedReferences(t *testing.T) {
	const defined = "\n\nSee [it][guide].\n\n[guide]: guide.md\n"
	const noted = "\n\nA note[^first].\n\n[^first]: The note.\n"
	for _, c := range []struct{ body, want string }{
		{"[the long way][missing]", "[the long way][missing]: nothing defines [missing]"},
		{"![the long way][missing]", "![the long way][missing]: nothing defines [missing]"},
		{"[one][missing]", ""},
		{"[one][missing]" + defined, "[one][missing]: nothing defines [missing]"},
		{"[one][Guied]" + defined, "[one][Guied]: nothing defines [guied], did you mean [guide]?"},
		{"[one][giude]" + defined, "[one][giude]: nothing defines [giude], did you mean [guide]?"},
		{"[one][gide]" + defined, "[one][gide]: nothing defines [gide], did you mean [guide]?"},
		{"`[one][missing]` and\n\n    [one][missing]\n" + defined, ""},
		{"[x][0] [text][0] [a b][12]" + defined, ""},
		{"[one][2]\n\n[two][1]\n\n[1]: a.md", "[one][2]: nothing defines [2]"},
		{"rows[i][j], rows[i j][label], [a][b][c], [the long way][missing](url)" + defined, "[missing](url): url"},
		{"- [ ][x]\n- [x][y]" + defined, ""},
		{"[the class][pkg.mod.Class] [the crate][crate::a] [the `x`][{{ y }}]" + defined, ""},
		{"[the long way][]" + defined, ""},
		{"[the long way][missing]\n\n> text [missing]: elsewhere.md", ""},
		{`\[the long way][missing]` + defined, ""},
		{"a claim[^1] here", "[^1]: nothing defines [^1]"},
		{"a claim [^1] here, a pattern [^abc], [^a-z]+", ""},
		{"a claim [^1] here, a pattern [^a-z]+ or x[^y]*" + noted, "[^1]: nothing defines [^1]"},
		{"a claim[^frist]" + noted, "[^frist]: nothing defines [^frist], did you mean [^first]?"},
		{"a year[^1999], a claim[^late]" + "\n\ntext [^late]: later", "[^1999]: nothing defines [^1999]"},
		{"<!-- orbweaver-ignore-next-line -->\n[the long way][missing]", "[the long way][missing]: ignored"},
	} {
		doc := Extract(Input{Name: "a.md", Body: []byte(c.body)})
		var got []string
		for _, l := range doc.Links {
			switch {
			case l.has(flawUndefined) && l.Ignored:
				got = append(got, l.Raw+": ignored")
			case l.has(flawUndefined):
				got = append(got, l.Raw+": "+strings.TrimPrefix(l.Flaw.Cause, "readers see the brackets: "))
			case l.Ref == "url":
				got = append(got, "[missing](url): url")
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestUndefinedPlace checks the place of an undefined reference, and its limits.
func TestUndefinedPlace(t *testing.T) {
	doc := Extract(Input{Name: "a.md", Body: []byte("---\ntitle: t\n---\n> text\n> and [the long\n> way][missing]\n")})
	if i := slices.IndexFunc(doc.Links, func(l Link) bool { return l.has(flawUndefined) }); i < 0 || doc.Links[i].Line != 5 || doc.Links[i].Column != 7 {
		t.Errorf("links %+v, want one at 5:7", doc.Links)
	}
	many := Extract(Input{Name: "a.md", Body: []byte(strings.Repeat("[the long way][missing] ", 2*maxUndefined))})
	if len(many.Links) != maxUndefined {
		t.Errorf("%d undefined references, want %d", len(many.Links), maxUndefined)
	}
	if only := Extract(Input{Name: "a.md", Body: []byte("[the long way][missing]"), AnchorsOnly: true}); len(only.Links) != 0 {
		t.Errorf("links of anchors only: %v", only.Links)
	}
}
