package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// placeOf is a simple implementation of places.at, for a single offset.
func placeOf(doc string, off int) (line, column int) {
	for _, l := range splitLines(doc) {
		line++
		if off < len(l) || off == len(l) && strings.TrimRight(l, "\r\n") == l {
			return line, len([]rune(l[:off])) + 1
		}
		off -= len(l)
	}
	return line, 1
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		doc          string
		off          int
		line, column int
	}{
		{"", 0, 1, 1},
		{"abc", 2, 1, 3},
		{"a\nb", 1, 1, 2},
		{"a\nb", 2, 2, 1},
		{"a\r\nb", 3, 2, 1},
		{"a\rb", 2, 2, 1},
		{"a\r\r\nb", 4, 3, 1},
		{"a\n\n", 3, 3, 1},
		{"é€😀x", 9, 1, 4},
		{"\té\n\té x", 7, 2, 3},
	} {
		p := newPlaces([]byte(c.doc))
		if line, column := p.at(c.off); line != c.line || column != c.column {
			t.Errorf("%q at %d: %d:%d, want %d:%d", c.doc, c.off, line, column, c.line, c.column)
		}
	}
}

// TestPlacesRandom asks for offsets in ascending order with occasional steps back, for every
// mixture of line endings.
func TestPlacesRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, alphabet := range [][]string{
		{"a", "b", "\n"}, {"a", "\r\n"}, {"a", "\r"}, {"a", "é", "😀", "\n", "\r\n"}, {"a", "€", "\n", "\r\n", "\r"},
	} {
		for range 300 {
			var b strings.Builder
			var starts []int
			for range random.IntN(60) {
				starts = append(starts, b.Len())
				b.WriteString(alphabet[random.IntN(len(alphabet))])
			}
			doc := b.String()
			p := newPlaces([]byte(doc))
			for i := 0; i < len(starts); i++ {
				if random.IntN(8) == 0 {
					i = max(0, i-random.IntN(20))
				}
				line, column := p.at(starts[i])
				if l, c := placeOf(doc, starts[i]); l != line || c != column {
					t.Fatalf("%q at %d: %d:%d, want %d:%d", doc, starts[i], line, column, l, c)
				}
			}
		}
	}
}
