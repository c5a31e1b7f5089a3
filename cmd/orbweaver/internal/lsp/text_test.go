package lsp

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// FuzzFrame tests that bodies are read as they were written, and that no header takes memory that the
// input does not have.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{"Content-Length: 2\r\n\r\n{}", "content-length:2\nX: y\n\n{}Content-Length: 0\r\n\r\n", "Content-Length: 67108865\r\n\r\n", "Content-Type: a; charset=utf8\r\nContent-Length: 1\r\n\r\n7", "\r\n", strings.Repeat("a", 9000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		in := bufio.NewReader(bytes.NewReader(input))
		for {
			body, err := readFrame(in)
			if err != nil {
				break
			}
			var out bytes.Buffer
			if err := (&frameWriter{out: &out}).write(body); err != nil {
				t.Fatal(err)
			}
			again, err := readFrame(bufio.NewReader(&out))
			if err != nil || !bytes.Equal(body, again) {
				t.Fatalf("wrote %q, read %q, %v", body, again, err)
			}
		}
	})
}

// naive is the offset of a position, by lines and characters one after another.
func naive(body string, p position, e encoding) int {
	at := 0
	for range p.Line {
		i := strings.IndexAny(body[at:], "\r\n")
		if i < 0 {
			return len(body)
		}
		if at += i + 1; body[at-1] == '\r' && strings.HasPrefix(body[at:], "\n") {
			at++
		}
	}
	units := 0
	for at < len(body) && body[at] != '\n' && body[at] != '\r' {
		r, size := utf8.DecodeRuneInString(body[at:])
		n := map[encoding]int{utf8Units: size, utf16Units: len(utf16.Encode([]rune{r})), utf32Units: 1}[e]
		if units += n; units > int(p.Character) {
			break
		}
		at += size
	}
	return at
}

// FuzzEdits tests that incremental changes in three encodings give the text that replacing the bytes
// gives, with the same lines.
func FuzzEdits(f *testing.F) {
	f.Add("a\r\nb😀c\n", "x\ry", uint16(0), uint16(1), uint16(1), uint16(3))
	f.Add("é\n\rz", "\n", uint16(0), uint16(9), uint16(7), uint16(0))
	f.Add("\ufeffa\r", "\nb", uint16(0), uint16(2), uint16(0), uint16(2))
	f.Fuzz(checkEdit)
}

// TestRandomEdits is FuzzEdits for random texts of few characters.
func TestRandomEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	random := func(n int) string {
		var b strings.Builder
		for range rng.IntN(n) {
			b.WriteString([]string{"\n", "\r", "\r\n", "a", "é", "😀", "\ufeff", "\u2028"}[rng.IntN(8)])
		}
		return b.String()
	}
	for range 20_000 {
		checkEdit(t, random(12), random(4), uint16(rng.IntN(6)), uint16(rng.IntN(6)), uint16(rng.IntN(3)), uint16(rng.IntN(6)))
	}
}

func checkEdit(t *testing.T, body, by string, line, character, lines, more uint16) {
	if !utf8.ValidString(body) || !utf8.ValidString(by) {
		return
	}
	for _, e := range []encoding{utf8Units, utf16Units, utf32Units} {
		start := position{uint32(line), uint32(character)}
		end := position{uint32(line) + uint32(lines), uint32(more)}
		from, to := naive(body, start, e), naive(body, end, e)
		if from > to {
			from, to = to, from
		}
		want := newText(body[:from] + by + body[to:])
		got := (&contentChange{&span{start, end}, by}).apply(newText(body), e)
		if got.body != want.body || !slices.Equal(got.starts, want.starts) {
			t.Fatalf("%s: %q with %v to %v replaced by %q: %q %v, want %q %v", e, body, start, end, by, got.body, got.starts, want.body, want.starts)
		}
		for at := 0; at < len(want.body); at += 1 + at%3 {
			if p := want.position(at, e); utf8.RuneStart(want.body[at]) && !(at > 0 && want.body[at] == '\n' && want.body[at-1] == '\r') && want.offset(p, e) != at {
				t.Fatalf("%s: %q: offset %d is position %v, which is offset %d", e, want.body, at, p, want.offset(p, e))
			}
		}
	}
}
