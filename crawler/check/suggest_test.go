package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agext/levenshtein"
)

func TestSuggestAnchor(t *testing.T) {
	names := []string{"introduction", "set-up", "Usage_Notes", "step-11", "step-13", "configuration", "api", "über-uns", "license"}
	tests := []struct{ fragment, want string }{
		{"setup", "set-up"},
		{"SetUp", "set-up"},
		{"usage-notes", "Usage_Notes"},
		{"usagenotes", "Usage_Notes"},
		{"introducton", "introduction"},
		{"confguratoin", "configuration"},
		{"licence", "license"},
		{"%C3%BCber_uns", "über-uns"},
		{"uber-uns", "über-uns"},
		{"step-12", ""}, // another place, not a misspelt one
		{"apo", ""},     // too short to guess
		{"entirely-different", ""},
		{"", ""},
		{"/route", ""},
		{"set-up", ""}, // it is there: nothing to propose
		{strings.Repeat("introduction", 100), ""},
	}
	for _, test := range tests {
		got, ok := SuggestAnchor(names, test.fragment)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("SuggestAnchor(%.30q) = %q, %v, want %q", test.fragment, got, ok, test.want)
		}
		if packed, _ := PackNames(names).Suggest(test.fragment); packed != got {
			t.Errorf("packed names suggest %q, names %q", packed, got)
		}
	}
}

func TestSuggestAnchorTakesTheFirstOfEquals(t *testing.T) {
	if got, _ := SuggestAnchor([]string{"chaptera", "chapterb"}, "chapterc"); got != "chaptera" {
		t.Errorf("got %q", got)
	}
	if got, _ := SuggestAnchor([]string{"chapters", "Chap-ter"}, "chapter"); got != "Chap-ter" {
		t.Errorf("the same name in another spelling comes first: got %q", got)
	}
}

func TestPackNames(t *testing.T) {
	names := []string{"a", "", "bb", strings.Repeat("x", maxSuggestFragment), strings.Repeat("y", maxSuggestFragment+1), "ü\x00z"}
	got := slices.Collect(PackNames(names).All())
	if want := []string{"a", "bb", names[3], "ü\x00z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	many := make([]string, 100_000)
	for i := range many {
		many[i] = fmt.Sprintf("anchor-%d", i)
	}
	packed := PackNames(many)
	if len(packed) > maxPackedNames {
		t.Errorf("%d bytes are kept", len(packed))
	}
	if kept := slices.Collect(packed.All()); !slices.Equal(kept, many[:len(kept)]) || len(kept) < 1000 {
		t.Errorf("%d names are kept", len(kept))
	}
	for _, damaged := range []Names{"\x05ab", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x80"} {
		for range damaged.All() {
			t.Errorf("%q yields a name", damaged)
		}
	}
}

func BenchmarkSuggestAnchor(b *testing.B) {
	names := make([]string, maxSuggestNames)
	for i := range names {
		names[i] = fmt.Sprintf("section-on-something-%d", i)
	}
	for b.Loop() {
		SuggestAnchor(names, "section-om-somethimg")
	}
}

// TestLetterCountIsALowerBound: a name it rules out must not be near.
func TestLetterCountIsALowerBound(t *testing.T) {
	words := []string{"", "a", "setup", "set-up", "SETUP", "usage", "über-uns", "uber-uns", "日本語", "日本", "introduction", "confguratoin", "step-11", "step-1"}
	for _, a := range words {
		for _, b := range words {
			exact := levenshtein.Distance(a, b, nil)
			if bound := countLetters(a).distance(countLetters(b)); bound > exact {
				t.Errorf("%q and %q: bound %d, distance %d", a, b, bound, exact)
			}
		}
	}
}
