package lsptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

type completions struct {
	IsIncomplete bool
	Items        []struct {
		Label    string
		TextEdit edit
	}
}

// complete opens a text in which | is the cursor, and returns what is offered there.
func (e *editor) complete(dir, name, marked string) (text string, offered completions) {
	e.t.Helper()
	before, after, found := strings.Cut(marked, "|")
	if !found {
		e.t.Fatalf("%q has no cursor", marked)
	}
	e.open(dir, name, before+after)
	last := before[strings.LastIndexByte(before, '\n')+1:]
	a := e.request("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)},
		"position": map[string]any{"line": strings.Count(before, "\n"), "character": len(utf16.Encode([]rune(last)))}})
	if err := json.Unmarshal(a.Result, &offered); err != nil {
		e.t.Fatalf("complete %q: %v %s", marked, a.Error, a.Result)
	}
	return before + after, offered
}

// TestCompletion tests what is offered in the syntax of each format, and that each file and anchor that
// is offered, once accepted, makes a reference without a finding.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "guide/a b (c) #1 & 'd'.md", "# First part\n\n## Zweiter Teil ü\n")
	write(t, dir, "guide/other.html", "<p id=here>")
	write(t, dir, "guide/ignored.md", "")
	write(t, dir, "guide/.hidden.md", "")
	write(t, dir, "guide/sub/README.md", "# Sub\n")
	write(t, dir, "guide/sub/a:b@c$d.html", "")
	write(t, dir, ".gitignore", "ignored.md\n")
	write(t, dir, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, dir, ".git/objects/x", "")
	write(t, dir, ".git/refs/x", "")
	e := start(t, dir, pulling())
	names := []string{"a b (c) #1 & 'd'.md", "other.html", "sub/"}
	for _, row := range []struct {
		name, text string
		want       []string
		closer     string // what the user writes behind an accepted item
	}{
		{"guide/x.md", "😀 [x](|)\n", names, ""},
		{"guide/x.md", "😀 [x](|\n", names, ")"},
		{"guide/x.md", "[x]: a|\n\n[x]", names[:1], ""},
		{"guide/x.md", "[x]: a|\n", names[:1], ""},
		{"guide/x.md", "[x]: <o|> \"title\"", names[1:2], ""},
		{"guide/x.md", "```\n[x]: o|\n```\n", nil, ""},
		{"guide/x.md", "[x](sub/|)", []string{"README.md", "a:b@c$d.html"}, ""},
		{"guide/sub/x.md", "[x](a|)", []string{"a:b@c$d.html"}, ""},
		{"guide/x.adoc", "xref:sub/a|[x]\n", []string{"a:b@c$d.html"}, ""},
		{"guide/x.adoc", "<<sub/a|>>\n", []string{"a:b@c$d.html"}, ""},
		{"x.md", "[x](/guide/o|)", names[1:2], ""},
		{"x.md", "[x](guide/other.html#|)", []string{"here"}, ""},
		{"x.md", "[x](guide/sub/#|)", []string{"sub"}, ""},
		{"guide/x.md", "[x](a%20b%20%28c%29%20%231%20%26%20%27d%27.md#zw|)", []string{"zweiter-teil-ü"}, ""},
		{"guide/x.md", "# Here\n\n[x](#|)", []string{"here"}, ""},
		{"guide/x.md", "[x][l|]\n\n[lab el]: x.md\n[list]: x.md\n[other]: x.md\n", []string{"lab el", "list"}, ""},
		{"guide/y.html", "<a href=\"|\">x</a>", names, ""},
		{"guide/y.html", "<a href='o|", names[1:2], "'>"},
		{"guide/z.rst", "`x <o|>`_\n", names[1:2], ""},
		{"guide/z.rst", "`x <o|\n", names[1:2], ">`_"},
		{"guide/z.adoc", "link:o|[x]\n", names[1:2], ""},
		{"guide/z.adoc", "link:o|\n", names[1:2], "[x]"},
		{"guide/z.org", "[[file:o|][x]]\n", names[1:2], ""},
		{"guide/z.org", "[[file:o|\n", names[1:2], "]]"},
		{"guide/x.md", "```\n[x](|)\n```\n", nil, ""},
		{"guide/x.md", "<!-- [x](|) -->\n", nil, ""},
		{"guide/x.md", "plain o|\n", nil, ""},
		{"guide/x.md", "[x](../../|)\n", nil, ""},
		{"guide/x.md", "[x](https://o|)\n", nil, ""},
	} {
		text, offered := e.complete(dir, row.name, row.text)
		var got []string
		for _, item := range offered.Items {
			got = append(got, item.Label)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s %q: offered %q, want %q", row.name, row.text, got, row.want)
			continue
		}
		for _, item := range offered.Items {
			if strings.HasSuffix(item.Label, "/") {
				continue
			}
			accepted := applied(text, []edit{{Range: item.TextEdit.Range, NewText: item.TextEdit.NewText + row.closer}})
			e.open(dir, row.name, accepted)
			if f := e.pulled()[uri(dir, row.name)]; len(f) > 0 {
				t.Errorf("%s %q: accepted %s: %q: %+v", row.name, row.text, item.Label, accepted, f)
			}
		}
		e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri(dir, row.name)}})
	}
}
