//go:build !race

package lsptest

import (
	"fmt"
	"math/rand/v2"
	"path"
	"testing"
)

// TestMoves tests that each reference leads where it did after files and folders were moved at random, in all
// formats: by names, in swaps, with other letter case, and into other folders.
func TestMoves(t *testing.T) {
	moves, changed := 0, 0
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(43, seed))
		w := newTree(rng, 14)
		dir := t.TempDir()
		for name, text := range w.texts {
			write(t, dir, name, text)
		}
		before := leads(t, dir)
		e := start(t, dir, editing())
		one, two := w.names[rng.IntN(len(w.names))], w.names[rng.IntN(len(w.names))]
		name := func(from, dir string) string { return path.Join(dir, "new name"+path.Ext(from)) }
		r := []renames{
			{one: name(one, path.Dir(one))},
			{one: name(one, "")},
			{one: name(one, "other/folder (x)")},
			{"guide": "handbook"},
			{"guide": "b c/guide"},
			{"b c": "guide/b&c"},
			{"guide/deep": "deep"},
			{one: path.Dir(one) + "/swapped" + path.Ext(one), two: name(two, "")},
			{"guide": "Guide"},
		}[int(seed)%9]
		after := e.willRename(dir, w.texts, r)
		to := t.TempDir()
		for name, text := range after {
			write(t, to, name, text)
			if w.texts[name] != text {
				changed++
			}
		}
		moves += len(r)
		compare(t, fmt.Sprintf("seed %d, moved %v", seed, r), moved(leads(t, to), func(s string) string { return s }), moved(before, r.of))
	}
	t.Logf("%d moves, %d documents changed", moves, changed)
	if changed == 0 {
		t.Error("nothing was changed")
	}
}
