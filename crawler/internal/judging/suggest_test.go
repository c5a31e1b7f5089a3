package judging

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agext/levenshtein"
)

// pageNamed is a page whose elements have these names.
func pageNamed(names ...string) *Outcome {
	return &Outcome{ContentType: "text/html", Content: Content{Names: PackNames(names)}}
}

func TestSuggestFragment(t *testing.T) {
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
		got, ok := pageNamed(names...).SuggestFragment(test.fragment, maxSuggestWork)
		if got.Name != test.want || ok != (test.want != "") {
			t.Errorf("SuggestFragment(%.30q) = %+v, %v, want %q", test.fragment, got, ok, test.want)
		}
	}
}

func TestSuggestFragmentTakesTheFirstOfEquals(t *testing.T) {
	if got, _ := pageNamed("chaptera", "chapterb").SuggestFragment("chapterc", maxSuggestWork); got != (Guess{Name: "chaptera"}) {
		t.Errorf("got %+v", got)
	}
	if got, _ := pageNamed("chapters", "Chap-ter").SuggestFragment("chapter", maxSuggestWork); got != (Guess{"Chap-ter", true}) {
		t.Errorf("the same name in another spelling comes first: got %+v", got)
	}
}

func TestSuggestFragmentKnowsWhatIsUnique(t *testing.T) {
	tests := []struct {
		names    string
		fragment string
		want     Guess
	}{
		{"set-up", "setup", Guess{"set-up", true}},
		{"set-up set-up", "setup", Guess{"set-up", true}},
		{"set-up Setup", "setup", Guess{"set-up", false}},
		{"setups set-up", "setup", Guess{"set-up", true}},
		{"introduction", "introducton", Guess{"introduction", true}},
		{"configuration", "confguratoin", Guess{"configuration", false}}, // two slips
		{"dates", "date", Guess{"dates", false}},                         // a plural
		{"list-item", "list-items", Guess{"list-item", false}},
		{"lists-of-item", "list-of-item", Guess{"lists-of-item", false}},
		{"mispelled", "misspelled", Guess{"mispelled", true}}, // an s within a word
		{"setitem", "getitem", Guess{"setitem", false}},
		{"license", "licence", Guess{"license", true}},
		{"introduction introductory", "introducton", Guess{"introduction", false}},
		{"introductions introduction", "introducton", Guess{"introduction", false}},
	}
	for _, test := range tests {
		if got, _ := pageNamed(strings.Fields(test.names)...).SuggestFragment(test.fragment, maxSuggestWork); got != test.want {
			t.Errorf("%s for #%s: %+v, want %+v", test.names, test.fragment, got, test.want)
		}
	}
	// Sources have several names for one heading.
	o := Outcome{ContentType: "text/markdown", Content: Content{Names: PackNames([]string{"whats-new", "what-s-new", "other"})}}
	for fragment, want := range map[string]Guess{"what-snew": {"whats-new", true}, "what-is-new": {"whats-new", false}, "whatz-new": {"whats-new", true}} {
		if got, _ := o.SuggestFragment(fragment, maxSuggestWork); got != want {
			t.Errorf("#%s: %+v, want %+v", fragment, got, want)
		}
	}
	// What was not read to its end may hold another one.
	o = Outcome{ContentType: "text/html", Content: Content{Names: PackNames([]string{"set-up"})}}
	o = o.With(Truncated(1))
	if got, _ := o.SuggestFragment("setup", maxSuggestWork); got != (Guess{"set-up", false}) {
		t.Errorf("truncated: %+v", got)
	}
	o = Outcome{ContentType: "text/html", Content: Content{Names: PackNames(append([]string{"set-up"}, slices.Repeat([]string{strings.Repeat("x", 250)}, 1000)...))}}
	if got, _ := o.SuggestFragment("setup", maxSuggestWork); got != (Guess{"set-up", false}) {
		t.Errorf("not all names kept: %+v", got)
	}
}

// TestEffortIsShared: the work stays within its limit even if all names are similar, for
// any number of fragments.
func TestEffortIsShared(t *testing.T) {
	for n, want := range map[int]Effort{0: maxSuggestWork, 1: maxSuggestWork, 64: maxSuggestWork, 1 << 10: 1 << 20, 1 << 20: 1 << 10, math.MaxInt: 0} {
		if got := EffortOf(n); got != want {
			t.Errorf("each of %d fragments gets %d, want %d", n, got, want)
		}
	}
	names := make([]string, 256)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%s", strings.Repeat("ab", i/16), strings.Repeat("ba", 16-i/16))
	}
	const word = "abbaabbaabbaabba-abbaabbaabbaabbaa"
	for _, most := range []Effort{0, 1 << 10, 1 << 12} {
		s := newSpelling(word)
		s.maxWork = int(most)
		for _, name := range names {
			if !s.consider(name) {
				break
			}
		}
		if !s.cut || s.work > int(most)+len(word)*(len(names[0])+1) {
			t.Errorf("%d of %d are spent, cut is %v", s.work, most, s.cut)
		}
	}
	if _, ok := pageNamed("set-up").SuggestFragment("setup", 0); ok {
		t.Error("something is suggested without any effort")
	}
}

func TestPackNames(t *testing.T) {
	names := []string{"a", "", "bb", strings.Repeat("x", maxSuggestFragment), strings.Repeat("y", maxSuggestFragment+1), "ü\x00z"}
	got := slices.Collect(PackNames(names).all())
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
	if kept := slices.Collect(packed.all()); !slices.Equal(kept, many[:len(kept)]) || len(kept) < 1000 {
		t.Errorf("%d names are kept", len(kept))
	}
	for _, damaged := range []Names{"\x05ab", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x80"} {
		for range damaged.all() {
			t.Errorf("%q yields a name", damaged)
		}
	}
}

func BenchmarkSuggestFragment(b *testing.B) {
	names := make([]string, maxSuggestNames)
	for i := range names {
		names[i] = fmt.Sprintf("section-on-something-%d", i)
	}
	page := pageNamed(names...)
	for b.Loop() {
		page.SuggestFragment("section-om-somethimg", maxSuggestWork)
	}
}

// TestShortcutsAreRight: isFar never excludes a close name, and foldsTo agrees with
// foldName.
func TestShortcutsAreRight(t *testing.T) {
	words := []string{"", "a", "setup", "set-up", "SETUP", "Set Up_", "setup-", "-", "usage", "über-uns", "UEBER", "Über_Uns", "uber-uns", "日本語", "日本",
		"introduction", "confguratoin", "step-11", "step-1", "\u212Aelvin", "kelvin", "a\xff", "\xbf\xbf\xbf\xbf", "İ", "i"}
	for _, a := range words {
		s := newSpelling(a)
		for _, b := range words {
			exact := levenshtein.Distance(a, b, nil)
			if s.isFar(b) && exact <= s.allowed {
				t.Errorf("%q is taken to be far from %q, their distance is %d", b, a, exact)
			}
			if got, want := foldsTo(b, s.folded), foldName(b) == foldName(a); got != want {
				t.Errorf("%q folds to %q: %v, want %v", b, s.folded, got, want)
			}
		}
	}
}
