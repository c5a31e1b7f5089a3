package lsptest

import (
	"fmt"
	"strings"
	"testing"
)

// TestBurst tests that after many changes at once the findings are those of the last.
func TestBurst(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, fmt.Sprintf("d%d.md", i), "# D\n\n[a](a.md#h1000) [a](a.md#h999)\n")
	}
	write(t, dir, "a.md", "# A\n")
	e := start(t, dir, map[string]any{})
	e.open(dir, "a.md", "# A\n")
	for i := range 1000 {
		text := map[string]any{"text": fmt.Sprintf("# h%d\n\n[x](gone%d.md)\n", i+1, i+1)}
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md"), "version": i + 2}, "contentChanges": []any{text}})
	}
	e.until("the findings of the last change", func() bool {
		f, d := e.findings[uri(dir, "a.md")], e.findings[uri(dir, "d7.md")]
		return e.versions[uri(dir, "a.md")] == "1001" && len(f) == 1 && strings.Contains(f[0].Message, "gone1000.md") && len(d) == 1 && strings.Contains(d[0].Message, "h999")
	})
}
