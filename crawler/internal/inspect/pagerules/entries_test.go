package pagerules

import "testing"

func TestEntries(t *testing.T) {
	for _, test := range []struct{ format, text, want string }{
		{"html", `<ul><li><a href=a>A</a><li><a href=b>B</a><li><a href="./a#">C</a><li><a href=a#x>D</a></ul>`, ""},
		{"html", "<ul>\n<li><a href=a>A</a></li>\n<li><a href='./a'>B</a></li></ul>", "link-duplicate@3:14"},
		{"html", "<ol><li><a href=a><img></a> <a href=a>A</a><li><a href=b>B</a> <a href=a>as A</a></ol>", ""},
		{"html", "<ul><li><a href=a>A</a></ul><ul><li><a href=a>A</a></ul> <a href=a>x</a> <a href=a>x</a>", ""},
		{"html", "<ul><li><a href=a>A</a><ul><li><a href=a>in it</a><li><a href=a>twice</a></ul><li><a href=a>B</a></ul>", "link-duplicate@1:63 link-duplicate@1:91"},
		{"html", "<table><tr><td><a href=a>A</a><td><a href=c>C</a><tr><td>x<td><a href=a>B</a><tr><td><a href=c>C</a></table>", "link-duplicate@1:71"},
		{"html", "<dl><dt><a href=a>A</a><dd><a href=a>B</a><dt><a href=a>C</a></dl><ul><li><a href=#>x</a><li><a href=#>y</a><li><a href='javascript:x'>z</a><li><a href='javascript:x'>z</a></ul>", "link-duplicate@1:55"},
		{"html", "</ul><ul><li><a href=a></table><li><a href=a>", "link-duplicate@1:44"},
		{"markdown", "- [A](a.md)\n- [B](b.md), as [A](a.md)\n- [C](./a.md)\n", "link-duplicate@3:7"},
		{"markdown", "- [A](a.md)\n\n  text\n\n* [B](a.md)\n", "link-duplicate@5:7"},
		{"markdown", "- [A](a.md)\n\nA paragraph.\n\n- [B](a.md)\n\n# H\n\n- [B](a.md)", ""},
		{"markdown", "1. [A](a.md)\n   - [A](a.md)\n   - [A](a.md)\n2. [B](b.md)\n3. text\n   over lines [C](a.md)\n", "link-duplicate@3:10 link-duplicate@6:19"},
		{"markdown", "| a | b |\n|---|---|\n| [A](a) | [B](b) |\n| [B](b) | x |\n| [C](a) | x |\n\n| [A](a) |\n|---|\n| x |\n", "link-duplicate@5:7"},
		{"markdown", "[A](a)\n[A](a)\n\n2020 [A](a)\n-x [A](a)\n```\n- [A](a)\n- [A](a)\n```\n", ""},
	} {
		p := pageAt(t, "https://example.com/docs/x", test.text)
		p.Format = test.format
		if test.format == "markdown" {
			p.ContentType = "text/markdown"
		}
		if got := summary(Entries(p)); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.text, got, test.want)
		}
	}
}
