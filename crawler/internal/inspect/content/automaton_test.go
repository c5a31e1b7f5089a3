package content

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// matches returns the matches of an automaton as "string:begin:end", sorted.
func matches(a *automaton, words []string, text []byte) []string {
	var all []string
	for i, s, hit := a.next(text, 0, 0); hit; i, s, hit = a.next(text, i, s) {
		for end := s; ; {
			if n := int(a.ends[end]) - 1; n >= 0 {
				all = append(all, fmt.Sprintf("%q:%d:%d", words[n], a.begin(text, i, n), i))
			}
			if end = a.shorter[end]; end == 0 {
				break
			}
		}
	}
	slices.Sort(all)
	return all
}

// naive finds what matches finds, by comparing at each place.
func naive(words []string, text []byte) []string {
	var all []string
	for _, w := range words {
		for begin := 0; begin < len(text); {
			end, rest := begin, w
			for rest != "" && end < len(text) {
				r, n := utf8.DecodeRuneInString(rest)
				at, m := utf8.DecodeRune(text[end:])
				if !equalFold(r, at) {
					break
				}
				rest, end = rest[n:], end+m
			}
			if rest == "" {
				all = append(all, fmt.Sprintf("%q:%d:%d", w, begin, end))
			}
			_, size := utf8.DecodeRune(text[begin:])
			begin += size
		}
	}
	slices.Sort(all)
	return all
}

func equalFold(a, b rune) bool {
	if a == b {
		return true
	}
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return false
}

// distinct returns the strings of a list as newAutomaton takes them.
func distinct(list []string) []string {
	var words []string
	for _, s := range list {
		if s = string(appendFolded(nil, s)); s != "" {
			words = append(words, s)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func FuzzAutomaton(f *testing.F) {
	f.Add("he,she,his,hers", "uSHErs his HE")
	f.Add("a,aa,aaa,ab,b", "AAAAbaab")
	f.Add("straße,K,ſ,Ж漢,ẞ", "STRAẞE kKK sSſ ж漢ß")
	f.Add("", "x")
	f.Add("İi,ǅ,ⅷ", "İIi ǆ Ⅷ")
	f.Fuzz(func(t *testing.T, list, text string) {
		words := distinct(strings.Split(strings.ToValidUTF8(list, "\uFFFD"), ","))
		text = strings.ToValidUTF8(text, "\uFFFD")
		if len(words) == 0 {
			return
		}
		a := newAutomaton(words)
		got, want := matches(a, words, []byte(text)), naive(words, []byte(text))
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q:\n%q, want\n%q", words, text, got, want)
		}
	})
}

// TestAutomatonWithoutTable searches with most states beyond the table.
func TestAutomatonWithoutTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, 1+random.IntN(40))
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz01234567"[random.IntN(34)]
			if random.IntN(3) > 0 {
				b[i] = "ab"[random.IntN(2)]
			}
		}
		return string(b)
	}
	var list []string
	for range 5000 {
		list = append(list, word())
	}
	words := distinct(list)
	a := newAutomaton(words)
	if int(a.rest) >= len(a.ends) || len(a.table) > maxTable {
		t.Fatalf("%d of %d states have a row in a table of %d", a.rest, len(a.ends), len(a.table))
	}
	var text []byte
	for range 60 {
		text = append(text, strings.ToUpper(list[random.IntN(len(list))])...)
		text = append(text, word()...)
	}
	if got, want := matches(a, words, text), naive(words, text); !slices.Equal(got, want) {
		t.Errorf("%d matches, want %d", len(got), len(want))
	}
	if bytes := 4*(cap(a.table)+cap(a.children)+cap(a.failure)+cap(a.shorter)+cap(a.ends)) + cap(a.label) + 8*cap(a.runes); bytes > 8<<20 {
		t.Errorf("%d strings take %d bytes", len(words), bytes)
	} else {
		t.Logf("%d strings, %d states: %d bytes", len(words), len(a.ends), bytes)
	}
}

func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if f := fold(r); !equalFold(f, r) || fold(f) != f || fold(unicode.SimpleFold(r)) != f {
			t.Fatalf("%U is folded to %U", r, f)
		}
	}
	if fold('K') != 'k' || fold('\u212A') != 'k' {
		t.Error("letters of ASCII are not folded to small ones")
	}
}
