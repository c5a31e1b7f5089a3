//go:build !race

package lsptest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestRandomRenames tests that each reference leads to the same document, and that none has a new finding, after
// random headings and ids of random trees in all formats were renamed, or the name was refused as a whole.
func TestRandomRenames(t *testing.T) {
	renamed, refused, edited := map[string]int{}, 0, 0
	for seed := range uint64(crawlertest.Count(8, 100)) {
		rng := rand.New(rand.NewPCG(47, seed))
		w := newTree(rng, 14)
		dir := t.TempDir()
		for name, text := range w.texts {
			write(t, dir, name, text)
		}
		e := start(t, dir, editing())
		for _, name := range w.names {
			heading := []string{"Two words", "Three", "Four & five", "Ünïcode 😀", "One"}[rng.IntN(5)]
			text := w.texts[name]
			offset := -1
			for start := range text { // links have such texts, too
				line := text[start:]
				if start > 0 && text[start-1] != '\n' {
					continue
				}
				line, _, _ = strings.Cut(line, "\n")
				if i := strings.Index(line, heading); i >= 0 && !strings.Contains(line, "](") && !strings.Contains(line, "href") && !strings.Contains(line, "<") && !strings.Contains(line, "link:") && !strings.Contains(line, "[[") {
					offset = start + i
				}
			}
			if strings.HasSuffix(name, ".html") {
				if offset = strings.Index(text, "id=one"); offset >= 0 {
					offset += len("id=")
				}
			}
			if offset < 0 {
				continue
			}
			before := whereTo(leads(t, dir))
			a := e.request("textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}, "position": place(text, offset+1), "newName": fmt.Sprintf("fresh%dname", rng.IntN(1000))})
			if a.Error != nil {
				if refused++; a.code() != -32803 {
					t.Errorf("seed %d: rename %q in %s: %v", seed, heading, name, a.Error)
				}
				continue
			}
			changes := editsOf(t, a.Result)
			for other, text := range w.texts {
				if edits := changes[uri(dir, other)]; edits != nil {
					w.texts[other] = applied(text, edits)
					write(t, dir, other, w.texts[other])
					e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, other), "type": 2}}})
					edited++
				}
			}
			renamed[name[strings.LastIndexByte(name, '.'):]]++
			compare(t, fmt.Sprintf("seed %d: %q in %s renamed", seed, heading, name), whereTo(leads(t, dir)), before)
		}
	}
	t.Logf("%v renamed in %d documents, %d refused", renamed, edited, refused)
	if len(renamed) < len(forms) {
		t.Errorf("renamed were only %v, want headings of all %d formats", renamed, len(forms))
	}
}
