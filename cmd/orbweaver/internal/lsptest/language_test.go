package lsptest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestLanguageDecides tests that the language of an editor decides the format where the name does not, and
// only there, as long as the document is open.
func TestLanguageDecides(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"NOTES": "[x](gone)\n", "deep/NOTES": "[x](gone)\n", "a.xyz": "[x](gone)\n", "b.md": "`x <gone>`_\n", "c.txt": "[x](gone)\n",
	} {
		write(t, dir, name, text)
	}
	texts := map[string]string{
		"markdown": "[x](gone)\n", "mdx": "{/* [y](no) */}\n[x](gone)\n", "html": "text <a href=gone>x</a>\n", "restructuredtext": "`x <gone>`_\n", "asciidoc": "link:gone[x]\n", "org": "[[file:gone][x]]\n",
	}
	e := start(t, dir, pulling())
	count := func(name, language, text string, want int) {
		t.Helper()
		e.openAs(uri(dir, name), language, text)
		if f := e.pulled()[uri(dir, name)]; len(f) != want {
			t.Errorf("%s in %s: %+v, want %d", name, language, f, want)
		}
	}
	for language, text := range texts {
		for _, name := range []string{"NOTES", "a.xyz", "new file"} {
			count(name, language, text, 1)
			count(name, "plaintext", text, 0)
		}
	}
	count("b.md", "restructuredtext", "`x <gone>`_\n", 0)
	count("c.txt", "markdown", "[x](gone)\n", 0)
	count("NOTES", "markdown", texts["markdown"], 1)
	if f := e.pulled()[uri(dir, "deep/NOTES")]; len(f) > 0 {
		t.Errorf("a document of the same name that is not open: %+v", f)
	}
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "NOTES")}})
	if f := e.pulled()[uri(dir, "NOTES")]; len(f) > 0 {
		t.Errorf("after it was closed: %+v", f)
	}
}

// TestBookmarks tests that a file of bookmarks has its findings, and that nothing else is offered in it,
// before and after it is opened.
func TestBookmarks(t *testing.T) {
	dir := t.TempDir()
	const text = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>B</TITLE>\n<H1 ID=h>B</H1>\n<DL><p>\n<DT><A HREF=\"none.html\">x</A>\n</DL>\n"
	write(t, dir, "b.html", text)
	write(t, dir, "a.md", "[x](b.html)\n")
	can := pulling()
	can["textDocument"].(map[string]any)["codeLens"] = map[string]any{}
	e := start(t, dir, can)
	at := map[string]any{"line": 4, "character": 16}
	params := map[string]any{"textDocument": map[string]any{"uri": uri(dir, "b.html")}, "position": at, "range": map[string]any{"start": at, "end": at}, "newName": "y"}
	for _, opened := range []bool{false, true} {
		if opened {
			e.open(dir, "b.html", text)
		}
		if f := e.pulled()[uri(dir, "b.html")]; len(f) != 1 || f[0].Code != "file-missing" {
			t.Errorf("opened %v: %+v, want file-missing", opened, f)
		}
		for _, method := range []string{"hover", "definition", "references", "documentLink", "documentSymbol", "codeLens", "codeAction", "prepareRename", "rename", "completion"} {
			switch got := string(e.request("textDocument/"+method, params).Result); got {
			case "null", "[]", `{"isIncomplete":false,"items":[]}`:
			default:
				t.Errorf("opened %v: %s: %s, want nothing", opened, method, got)
			}
		}
	}
}

// TestUntitled tests that a document without a location has the findings of its own anchors and absolute
// URLs, before and after it was closed, and that its relative references lead nowhere.
func TestUntitled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "there.md", "# There\n")
	const text = "# Head\n\n[a](#head) [b](#gone) [c](there.md) [d](gone.md) [e](/etc/passwd) [f](mailto:x@) [g](file:///etc/none) [h](../..)\n"
	e := start(t, dir, map[string]any{})
	for _, name := range []string{"untitled:Untitled-1", "untitled:../../../etc/x", "vscode-notebook:/a/../b", "/etc/passwd", ".."} {
		for _, language := range []string{"markdown", "plaintext", "markdown"} {
			e.openAs(name, language, text)
			want := "2:15 fragment-missing 2:70 uri-invalid"
			if language == "plaintext" {
				want = ""
			}
			e.until(name+" has "+want, func() bool {
				var got []string
				for _, f := range e.findings[name] {
					got = append(got, fmt.Sprintf("%d:%d %s", f.Range.Start.Line, f.Range.Start.Character, f.Code))
				}
				return strings.Join(got, " ") == want
			})
			var links []struct{ Target string }
			document := map[string]any{"textDocument": map[string]any{"uri": name}, "position": map[string]any{"line": 2, "character": 6}}
			if err := json.Unmarshal(e.request("textDocument/documentLink", document).Result, &links); err != nil {
				t.Fatal(err)
			}
			targets := ""
			for _, l := range links {
				targets += l.Target + ";"
			}
			if want != "" && targets != name+"#head;"+name+"#gone;;;;mailto:x@;;;" {
				t.Errorf("%s: links %q", name, targets)
			}
			var w where
			if err := json.Unmarshal(e.request("textDocument/definition", document).Result, &w); err != nil || want != "" && w.URI != name {
				t.Errorf("%s: the definition of #head is in %q: %v", name, w.URI, err)
			}
			e.notify("textDocument/didClose", document)
			e.until(name+" has nothing", func() bool { return len(e.findings[name]) == 0 })
		}
	}
}
