//go:build !race

package lsptest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDiagnosticsEqualCheck tests that what an editor shows is what check reports with all documents
// saved, after random edits of open documents and of files, and whether findings are pushed or pulled.
func TestDiagnosticsEqualCheck(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(41, seed))
		w := newTree(rng, 14)
		padded := seed >= 3
		if padded { // some are judged apart
			for _, name := range w.names[:2] {
				w.texts[name] += strings.Repeat("Some text.\n", 60_000)
			}
		}
		dir, saved := t.TempDir(), t.TempDir()
		for name, text := range w.texts {
			write(t, dir, name, text)
			write(t, saved, name, text)
		}
		pull, push := start(t, dir, pulling()), start(t, dir, map[string]any{})
		compare(t, fmt.Sprintf("seed %d, before edits", seed), shown(dir, w.texts, pull.pulled()), checked(t, saved))
		var opened []string
		for round := range 12 {
			var name string
			if round%3 == 0 {
				name = w.names[rng.IntN(len(w.names))]
				if !slices.Contains(opened, name) {
					opened = append(opened, name)
					pull.open(dir, name, w.texts[name])
					push.open(dir, name, w.texts[name])
				}
			}
			for range 1 + rng.IntN(4) {
				name = opened[rng.IntN(len(opened))]
				change := map[string]any{"textDocument": map[string]any{"uri": uri(dir, name), "version": round + 2}, "contentChanges": []any{w.edit(name)}}
				pull.notify("textDocument/didChange", change)
				push.notify("textDocument/didChange", change)
			}
			if padded && round%3 < 2 {
				continue
			}
			for _, name := range opened {
				write(t, saved, name, w.texts[name])
			}
			want := checked(t, saved)
			compare(t, fmt.Sprintf("seed %d, round %d", seed, round), shown(dir, w.texts, pull.pulled()), want)
			push.until("the pushed findings are those of check", func() bool { return slices.Equal(shown(dir, w.texts, push.findings), want) })
		}
		// A closed document counts as its file does.
		for _, name := range opened {
			w.texts[name] = string(must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))))
			for _, e := range []*editor{pull, push} {
				e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}})
			}
		}
		compare(t, fmt.Sprintf("seed %d, closed", seed), shown(dir, w.texts, pull.pulled()), checked(t, dir))
		// Files are written by another program.
		for round := range 4 {
			name := w.names[rng.IntN(len(w.names))]
			w.edit(name)
			write(t, dir, name, w.texts[name])
			for _, e := range []*editor{pull, push} {
				e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, name), "type": 2}}})
			}
			want := checked(t, dir)
			compare(t, fmt.Sprintf("seed %d, %s written, round %d", seed, name, round), shown(dir, w.texts, pull.pulled()), want)
			push.until("the pushed findings are those of check", func() bool { return slices.Equal(shown(dir, w.texts, push.findings), want) })
		}
		t.Logf("seed %d: %d documents, %d rounds of edits, %d findings at the end", seed, len(w.names), 12, len(slices.Collect(maps.Values(pull.pulled()))))
	}
}
