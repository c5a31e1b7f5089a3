package crawler

import (
	"fmt"
	"strings"
	"testing"
)

// TestSourceNote: who checks the sources of a generated site is told once where to look
// instead, and nobody else is.
func TestSourceNote(t *testing.T) {
	links := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[x]("+format+")\n\n", i)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"pages":            {map[string]string{"a.md": links(12, "/guide/p%d")}, true},
		"with a slash":     {map[string]string{"a.md": links(12, "guide/p%d/#x")}, true},
		"as HTML":          {map[string]string{"a.md": links(12, "p%d.html")}, true},
		"few":              {map[string]string{"a.md": links(9, "/guide/p%d")}, false},
		"images":           {map[string]string{"a.md": links(12, "p%d.png")}, false},
		"a part of much":   {map[string]string{"a.md": links(12, "p%d"), "b.md": links(40, "p%d.png")}, false},
		"few of many":      {map[string]string{"a.md": links(12, "/guide/p%d") + links(300, "a.md?%d")}, false},
		"a built site":     {map[string]string{"index.html": "<!doctype html>", "a.md": links(12, "/guide/p%d")}, false},
		"what is there is": {map[string]string{"a.md": links(40, "a.md?%d")}, false},
	} {
		cfg, seeds := onDisk(t, writeFiles(t, test.files))
		c := &collector{}
		if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
			t.Fatal(err)
		}
		told := false
		for _, n := range c.notes {
			if strings.Contains(n.Message, "check the built site") {
				told = true
				if !strings.Contains(n.Message, "p0") { // whatever was met first
					t.Errorf("%s: %s", name, n.Message)
				}
			}
		}
		if told != test.want {
			t.Errorf("%s: told %v; notes %v", name, told, c.notes)
		}
	}
}
