//go:build !race

package lsptest

import (
	"fmt"
	"strings"
	"testing"
)

// TestLargeDocuments tests that answers about other documents do not wait for a document that takes long,
// whether it was on disk at first or is typed in, and that those which depend on it are right.
func TestLargeDocuments(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "# Heading %d\n\nSome words [x](a.md#a) and [y](gone.md) of a document that is long.\n\n", i)
	}
	large := b.String()
	texts := map[string]string{
		"a.md":   "# A\n\n[b](b.md#b) [x](gone.md)\n",
		"b.md":   "# B\n\n[a](a.md#no)\n",
		"c.md":   "# C\n\n[big](big.md#heading-7) [big](big.md#last)\n",
		"d.md":   "# D\n\n[new](new.md#heading-7) [new](new.md#last) [x](newer.md#heading-8)\n",
		"big.md": large,
	}
	dir := t.TempDir()
	for name, text := range texts {
		write(t, dir, name, text)
	}
	e := start(t, dir, pulling())
	hover := func(name, referrer string) answer {
		_, slow := e.begin("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}})
		_, dependent := e.begin("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uri(dir, referrer)}})
		a := e.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": 2, "character": 17}})
		if len(slow)+len(dependent) > 0 {
			t.Error("what depends on the large document was answered before what does not")
		}
		e.await(slow)
		e.await(dependent)
		return a
	}
	want := hover("big.md", "c.md")
	if want.Error != nil || !strings.Contains(string(want.Result), "file-missing") {
		t.Fatalf("the hover: %+v", want)
	}
	compare(t, "at first", shown(dir, texts, e.pulled()), checked(t, dir))

	e.open(dir, "big.md", large)
	for version, title := range []string{"Last", "Other"} {
		texts["big.md"] = "# " + title + "\n\n" + large
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "big.md"), "version": version + 2}, "contentChanges": []any{map[string]any{"text": texts["big.md"]}}})
		if a := hover("big.md", "c.md"); string(a.Result) != string(want.Result) {
			t.Errorf("while it is judged, the hover is %s, want %s", a.Result, want.Result)
		}
		write(t, dir, "big.md", texts["big.md"])
		compare(t, "with the heading "+title, shown(dir, texts, e.pulled()), checked(t, dir))
	}

	// A document comes that links name already.
	texts["new.md"] = large
	e.open(dir, "new.md", large)
	if a := hover("new.md", "d.md"); string(a.Result) != string(want.Result) {
		t.Errorf("while a new document is judged, the hover is %s, want %s", a.Result, want.Result)
	}
	write(t, dir, "new.md", large)
	compare(t, "with the new document", shown(dir, texts, e.pulled()), checked(t, dir))
}
