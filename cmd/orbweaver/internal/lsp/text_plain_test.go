//go:build !race

package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLongLines tests that places in long lines are those that reading from their beginnings gives, and that
// finding all of them takes no time that grows with the square of the length.
func TestLongLines(t *testing.T) {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(49, 1))
	for range 3 {
		for range 3000 {
			b.WriteString([]string{"a", "é", "😀", "\ufeff", "abc"}[rng.IntN(5)])
		}
		b.WriteString("\r\n")
	}
	body := b.String()
	text := newText(body)
	for _, e := range []encoding{utf8Units, utf16Units, utf32Units} {
		for line := range uint32(4) {
			for character := uint32(0); character < 14_000; character += 61 {
				p := position{line, character}
				at := naive(body, p, e)
				if got := text.offset(p, e); got != at {
					t.Fatalf("%s: %v is at %d, want %d", e, p, got, at)
				}
				start, end := text.line(int(line))
				if back := text.position(at, e); at < end && (back.Line != line || int(back.Character) != text.count(start, at, e)) {
					t.Fatalf("%s: %d is at %v", e, at, back)
				}
				if from, _ := text.bounds(int(line)+1, int(character)+1, ""); e == utf32Units && from != at {
					t.Fatalf("column %d of line %d is at %d, want %d", character+1, line+1, from, at)
				}
			}
		}
	}
	long := newText(strings.Repeat("é", 5<<19))
	for column := 1; column < 5<<19; column += 5 { // reading the line each time would take hours
		if span := long.spanOf(1, column, "é", utf16Units); int(span.Start.Character) != column-1 || int(span.End.Character) != column {
			t.Fatalf("column %d is at %v", column, span)
		}
	}
}
