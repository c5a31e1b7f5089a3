package lsptest

import "testing"

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
