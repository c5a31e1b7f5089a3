package extract

import (
	"strings"
	"testing"
)

// A mark in a comment excludes the links of the next line, and of no other.
func TestMarksInComments(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a.adoc", "link:a[] link:b[]\n// orbweaver-ignore-next-line: file-missing, 2026-11-28\nlink:c[] link:d[]\nlink:e[]\n", "cd"},
		{"a.adoc", "// orbweaver-ignore-next-lines\nlink:a[]\n////\norbweaver-ignore-next-line\n////\nlink:b[]\n// orbweaver-ignore-next-line\n\nlink:c[]", ""},
		{"a.org", "# orbweaver-ignore-next-line\n[[file:a][x]] [[file:b]]\n[[file:c]]\n  # orbweaver-ignore-next-line: x\r\n[[file:d]]\n#+begin_src\n# orbweaver-ignore-next-line\n#+end_src\n[[file:e]]\n", "abd"},
		{"a.rst", "`x <a>`_\n\n.. orbweaver-ignore-next-line: reason\n\n`x <b>`_ `x <c>`_\n`x <d>`_\n\n.. orbweaver-ignore-next-line\n.. _x: e\n\n.. note::\n\n   orbweaver-ignore-next-line\n   `x <f>`_\n", "bce"},
		{"a.mdx", "[x](a)\n{/* orbweaver-ignore-next-line: x */}\n[x](b)\n[x](c)\n", "b"},
		{"a.md", "[x](a)\n<!-- orbweaver-ignore-next-line: x -->\n[x](b)\n[x](c)\n", "b"},
	} {
		var got strings.Builder
		all := 0
		for _, l := range Extract(Input{Body: []byte(row.text), Name: row.name}).Links {
			all++
			if l.Ignored {
				got.WriteString(strings.TrimPrefix(l.Ref, "file:"))
			}
		}
		if got.String() != row.want || all < 3 {
			t.Errorf("%s %q: ignored %q of %d links, want %q", row.name, row.text, got.String(), all, row.want)
		}
	}
}
