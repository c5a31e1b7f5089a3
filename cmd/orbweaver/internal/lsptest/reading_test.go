package lsptest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// anchored are documents in all formats whose heading "Second part" others refer to.
var anchored = map[string]string{
	"a.md":          "# First\n\n## Second part\n\n[b](b.html#second) [c](c.rst#second-part) [d](d.adoc#_second_part) [e](e.org#second-part) [s](sub/) [x](https://example.com/~*x*_y_)\n",
	"b.html":        "<h1>One</h1>\n<h2 id=\"second\">Second part</h2>\n<a href=\"a.md#second-part\">a</a> <a href='A.md'>A</a>\n",
	"c.rst":         "First\n=====\n\nSecond part\n-----------\n\n`a <a.md#second-part>`_\n",
	"d.adoc":        "= First\n\n== Second part\n\nlink:a.md#second-part[a] <<_second_part>>\n",
	"e.org":         "* First\n** Second part\n[[file:a.md#second-part][a]]\n",
	"sub/README.md": "up\n",
}

// at returns the parameters of a request at the first occurrence of a text, plus some characters.
func at(dir, name, text string, more int) map[string]any {
	before, _, found := strings.Cut(anchored[name], text)
	if !found {
		panic(text)
	}
	line := strings.Count(before, "\n")
	return map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}, "context": map[string]any{"includeDeclaration": true},
		"position": map[string]any{"line": line, "character": len(before) - strings.LastIndexByte(before, '\n') - 1 + more}}
}

type where struct {
	URI   string
	Range struct{ Start, End struct{ Line, Character int } }
}

func (w where) String() string {
	u, _ := url.Parse(w.URI)
	return fmt.Sprintf("%s:%d:%d", u.Path[strings.LastIndexByte(u.Path, '/')+1:], w.Range.Start.Line+1, w.Range.Start.Character+1)
}

// TestDefinitionsAndReferences tests that each link leads to its heading or id, and that this one knows
// all links that lead to it, whatever the format.
func TestDefinitionsAndReferences(t *testing.T) {
	dir := t.TempDir()
	for name, text := range anchored {
		write(t, dir, name, text)
	}
	e := start(t, dir, map[string]any{"textDocument": map[string]any{"codeLens": map[string]any{}}})
	for _, row := range []struct{ in, text, want string }{
		{"a.md", "b.html#second", "b.html:2:9"}, {"a.md", "c.rst#second-part", "c.rst:4:1"}, {"a.md", "d.adoc#_second_part", "d.adoc:3:4"}, {"a.md", "e.org#second-part", "e.org:2:4"},
		{"b.html", "a.md#second-part", "a.md:3:4"}, {"a.md", "sub/", "README.md:1:1"}, {"a.md", "https://example", ""}, {"b.html", "A.md", ""}, {"a.md", "First", ""},
	} {
		a := e.request("textDocument/definition", at(dir, row.in, row.text, 1))
		got := ""
		if string(a.Result) != "null" {
			var w where
			if err := json.Unmarshal(a.Result, &w); err != nil {
				t.Fatal(err)
			}
			got = w.String()
		}
		if got != row.want {
			t.Errorf("definition of %s in %s: %q, want %q", row.text, row.in, got, row.want)
		}
	}
	toPart := "b.html:3:10 c.rst:7:5 d.adoc:5:6 e.org:3:8 a.md:3:4"
	for _, row := range []struct {
		in, text string
		more     int
		want     string
	}{
		{"a.md", "Second part", 2, toPart}, {"c.rst", "a.md#second-part", 7, toPart},
		{"c.rst", "a.md#second-part", 1, "b.html:3:10 c.rst:7:5 d.adoc:5:6 e.org:3:8"},
		{"d.adoc", "Second part", 0, "a.md:5:47 d.adoc:5:28 d.adoc:3:4"}, {"a.md", "https://", 0, ""}, {"sub/README.md", "up", 0, ""},
	} {
		a := e.request("textDocument/references", at(dir, row.in, row.text, row.more))
		var all []where
		if err := json.Unmarshal(a.Result, &all); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range all {
			got = append(got, w.String())
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("references at %s in %s: %v, want %s", row.text, row.in, got, row.want)
		}
	}
	for name, want := range map[string]string{"a.md": "First>Second part", "c.rst": "First>Second part", "d.adoc": "First>Second part", "e.org": "First>Second part", "b.html": "second"} {
		var all []struct {
			Name     string
			Children []struct{ Name string }
		}
		if err := json.Unmarshal(e.request("textDocument/documentSymbol", at(dir, name, "", 0)).Result, &all); err != nil {
			t.Fatal(err)
		}
		got := all[0].Name
		for _, c := range all[0].Children {
			got += ">" + c.Name
		}
		if got != want {
			t.Errorf("symbols of %s: %s, want %s", name, got, want)
		}
	}
	var lenses []struct{ Command struct{ Title string } }
	if err := json.Unmarshal(e.request("textDocument/codeLens", at(dir, "a.md", "", 0)).Result, &lenses); err != nil || len(lenses) != 2 || lenses[0].Command.Title != "4 links to this file" || lenses[1].Command.Title != "4 references" {
		t.Errorf("code lenses: %+v, %v", lenses, err)
	}
	var symbols []where
	if err := json.Unmarshal(e.request("workspace/symbol", map[string]any{"query": "SECOND"}).Result, &symbols); err != nil || len(symbols) != 5 {
		t.Errorf("symbols of the workspace: %v, %v", symbols, err)
	}
}

// TestHoverAndLinks tests that what a document says is data in a hover, and that links lead nowhere else.
func TestHoverAndLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range anchored {
		write(t, dir, name, text)
	}
	write(t, dir, "z.md", "[j](javascript:alert(1)) [f](file:///etc/passwd) [u](tel:1) [m](mailto:a@example.com) [g](gone.md#x)\n<!-- orbweaver-ignore-next-line -->\n[i](https://example.com/)\n")
	for _, kind := range []string{"markdown", "plaintext"} {
		e := start(t, dir, map[string]any{"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{kind}}}})
		var h struct {
			Contents struct{ Kind, Value string }
			Range    struct{ Start, End struct{ Line, Character int } }
		}
		if err := json.Unmarshal(e.request("textDocument/hover", at(dir, "a.md", "https://", 3)).Result, &h); err != nil {
			t.Fatal(err)
		}
		if h.Contents.Kind != kind || !strings.Contains(h.Contents.Value, "not observed") || kind == "markdown" && !strings.Contains(h.Contents.Value, "`https://example.com/~*x*_y_`") {
			t.Errorf("hover: %+v", h)
		}
		if a := e.request("textDocument/hover", at(dir, "a.md", "First", 0)); string(a.Result) != "null" {
			t.Errorf("hover at a heading: %s", a.Result)
		}
		var links []struct{ Target string }
		a := e.request("textDocument/documentLink", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "z.md")}})
		if err := json.Unmarshal(a.Result, &links); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range links {
			got = append(got, l.Target)
		}
		if want := []string{"", "", "", "mailto:a@example.com", uri(dir, "gone.md") + "#x", ""}; !slices.Equal(got, want) {
			t.Errorf("links: %q, want %q", got, want)
		}
	}
}

// TestLabels tests that a label leads to its definition, and the definition to the target.
func TestLabels(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.md", "# B\n")
	text := "see [text][Lab], [lab] and [none]\n\n```\n[lab]: code.md\n```\n\n[lab]: b.md\n" +
		"[two  Strasse]: b.md\n\n`[lab]` [t][ TWO straSSe ] [two \tstrasse][] `` [t][lab] ``\n<!-- [lab] -->\n"
	write(t, dir, "a.md", text)
	e := start(t, dir, map[string]any{})
	for _, row := range []struct {
		line, character int
		want            string // the place, "" for none
	}{{0, 6, "a.md 6:1"}, {0, 12, "a.md 6:1"}, {0, 19, "a.md 6:1"}, {0, 29, ""}, {6, 8, "b.md 0:0"},
		{9, 3, ""}, {9, 13, "a.md 7:1"}, {9, 31, "a.md 7:1"}, {9, 54, ""}, {10, 7, ""}} {
		a := e.request("textDocument/definition", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": row.line, "character": row.character}})
		var at struct {
			URI   string
			Range struct{ Start struct{ Line, Character int } }
		}
		if err := json.Unmarshal(a.Result, &at); err != nil {
			t.Fatal(err)
		}
		got := ""
		if at.URI != "" {
			got = fmt.Sprintf("%s %d:%d", path.Base(at.URI), at.Range.Start.Line, at.Range.Start.Character)
		}
		if got != row.want {
			t.Errorf("%d:%d leads to %q, want %q", row.line, row.character, got, row.want)
		}
	}
}

// TestHoverTitle tests that a hover has the title of the page as the editor has it, cut and without a
// meaning.
func TestHoverTitle(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.html", "<title>On disk</title>\n")
	write(t, dir, "c.md", "no title\n")
	e := start(t, dir, map[string]any{"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}}})
	e.open(dir, "a.md", "[b](b.html#gone)\n[c](c.md)\n")
	hover := func(line int) string {
		var h struct{ Contents struct{ Value string } }
		a := e.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": line, "character": 5}})
		if err := json.Unmarshal(a.Result, &h); err != nil {
			t.Fatal(err)
		}
		return h.Contents.Value
	}
	if got := hover(0); !strings.Contains(got, "\n\ntitle `On disk`\n\n") || !strings.Contains(got, "fragment-missing") {
		t.Errorf("hover: %s", got)
	}
	if got := hover(1); strings.Contains(got, "title") {
		t.Errorf("hover of a page without a title: %s", got)
	}
	e.open(dir, "b.html", "<title>`[x](command:evil)` &lt;img src=x>\n"+strings.Repeat("é", 500)+"</title>\n")
	want := "\n\ntitle `` `[x](command:evil)` <img src=x> éé"
	if got := hover(0); !strings.Contains(got, want) || len([]rune(got)) > 400 {
		t.Errorf("hover: %s\nwant %s", got, want)
	}
}
