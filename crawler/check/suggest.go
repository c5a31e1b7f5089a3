package check

import (
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

const (
	// maxSuggestFragment is the longest fragment a suggestion is sought for, in bytes.
	maxSuggestFragment = 256
	// maxSuggestNames is how many names of a page are compared letter by letter.
	maxSuggestNames = 20_000
	// maxSuggestWork bounds the comparing of one fragment with all names, in pairs
	// of letters: some hundredths of a second.
	maxSuggestWork = 1 << 24
	// maxSuggestTotal bounds that of all fragments of a run: a site that is made to cost
	// time costs some five seconds.
	maxSuggestTotal = 1 << 30
	// lookWork is what it takes to look at a name at all, and lookedPerPair how many of
	// its letters are looked at in the time of one pair.
	lookWork      = 4
	lookedPerPair = 4
	// maxPackedNames bounds what PackNames keeps of one page, in bytes.
	maxPackedNames = 64 << 10
)

// Guess is a name that was probably meant.
type Guess struct {
	Name string
	// Unique is true when the name is surely the one that was meant: no other is close
	// enough, all were looked at, and it is the same but for letter case and hyphens,
	// or a slip away (see slip).
	Unique bool
}

// Effort is how much may be done to find one suggestion.
type Effort int

// EffortOf is the effort for each of so many fragments of a run. It is as much as one
// can use unless they are very many, and hangs on their number alone: whichever comes
// first, each gets the same suggestion in every run.
func EffortOf(fragments int) Effort {
	return Effort(min(maxSuggestWork, maxSuggestTotal/max(fragments, 1)))
}

// SuggestFragment returns the name of an element of the page that was probably meant by
// a fragment that no element has. The fragment is as written in the URL.
//
// The same name in other letter case or with other "-" and "_" comes first, then
// the one with the fewest differing letters, one for each four letters of the
// fragment and three at most. Names that differ in their digits only are other
// places, not misspelt ones. Of equals the first on the page wins. The work is
// bounded: the first 20,000 names are looked at, and compared letter by letter
// only where their letters are nearly those of the fragment.
//
// Of sources, whose headings have one name for each program that might publish them,
// names that differ in letter case, hyphens and the like are one place.
func (o *Outcome) SuggestFragment(fragment string, most Effort) (Guess, bool) {
	fragment, _, _ = strings.Cut(fragment, directiveDelimiter)
	fragment = percentDecode(fragment)
	if fragment == "" || len(fragment) > maxSuggestFragment || scriptRouted(fragment) {
		return Guess{}, false
	}
	s := newSpelling(fragment)
	s.variants, s.most = o.ContentType != "" && !isHTML(o.ContentType), int(most)
	looked := 0
	for name := range o.Names.All() {
		if looked++; looked > maxSuggestNames {
			s.cut = true
			break
		}
		if name != "" && len(name) <= maxSuggestFragment && !s.consider(name) {
			break
		}
	}
	guess, ok := s.guess()
	guess.Unique = guess.Unique && !o.incomplete() && !o.Names.cut()
	return guess, ok
}

// spelling compares one word with many that may have been meant.
type spelling struct {
	word     string
	length   int // in characters
	allowed  int // differing letters
	folded   string
	digits   string
	letters  letterCount
	variants bool // names that fold to the same are one

	most    int // work there may be, in pairs of letters
	work    int
	cut     bool // not all were looked at
	best    string
	nearest int // distance of best; -1 when it folds to the same
	others  int // further names that may have been meant as well
}

func newSpelling(word string) *spelling {
	s := &spelling{word: word, length: utf8.RuneCountInString(word), folded: foldName(word), digits: withoutDigits(word), letters: countLetters(word)}
	s.allowed = min(s.length/4, 3)
	s.nearest = s.allowed + 1
	return s
}

// consider looks at one name. It reports false when the work is at its limit.
func (s *spelling) consider(name string) bool {
	if s.work += lookWork + len(name)/lookedPerPair; s.work > s.most {
		s.cut = true
		return false
	}
	if name == s.word || name == s.best {
		return true
	}
	if s.folded != "" && foldsTo(name, s.folded) {
		switch {
		case s.nearest >= 0:
			s.best, s.nearest, s.others = name, -1, 0
		case !s.variants:
			s.others++
		}
		return true
	}
	if s.nearest < 0 || s.allowed == 0 || s.isFar(name) || withoutDigits(name) == s.digits {
		return true
	}
	if s.work += s.length * len(name); s.work > s.most {
		s.cut = true
		return false
	}
	distance := differingLetters(name, s.word)
	switch {
	case distance > s.allowed || s.best != "" && s.variants && foldName(name) == foldName(s.best):
		return true
	case s.best != "":
		s.others++
	}
	if distance < s.nearest {
		s.best, s.nearest = name, distance
	}
	return true
}

// isFar tells most names by their length, and nearly all others by their letters, from
// those that may have been meant: the characters that one has more than the other must
// be put in, taken out or replaced.
func (s *spelling) isFar(name string) bool {
	count := utf8.RuneCountInString(name)
	if count > s.length+s.allowed || count < s.length-s.allowed {
		return true
	}
	left, more := s.letters, 0
	for i := range len(name) {
		if class := &left[name[i]&0x1f]; name[i]&0xC0 != 0x80 {
			if *class--; *class < 0 {
				if more++; more > s.allowed {
					return true
				}
			}
		}
	}
	return s.length-(count-more) > s.allowed
}

// differingLetters is the Levenshtein distance, but two letters that changed places
// count as one: that is how words are mistyped most.
func differingLetters(a, b string) int {
	if len(a) == len(b) {
		i := 0
		for i < len(a) && a[i] == b[i] {
			i++
		}
		if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return 1
		}
	}
	// The library's own bound, MaxCost, is not used: with it v1.2.3 finds some
	// distances too small (2 instead of 10 for "introduction" and "confguratoin").
	return levenshtein.Distance(a, b, nil)
}

func (s *spelling) guess() (Guess, bool) {
	sure := s.nearest < 0 || s.nearest == 1 && slip(s.best, s.word)
	return Guess{Name: s.best, Unique: sure && s.others == 0 && !s.cut}, s.best != ""
}

// slip reports whether two words that differ in one letter may be taken for one word
// without asking anybody: where a first letter differs, they are too often two
// (get and set, encode and decode, lock and block), and so they are where one is the
// plural of the other.
func slip(a, b string) bool {
	return a != "" && b != "" && a[0] == b[0] && !isPlural(a, b) && !isPlural(b, a)
}

// isPlural reports whether a is b with an s behind one of its words.
func isPlural(a, b string) bool {
	if len(a) != len(b)+1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if a[i] != 's' || a[i+1:] != b[i:] {
		return false
	}
	return i == len(b) || !isLetter(b[i])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// letterCount counts the bytes of a name in 32 classes, letters in either case.
type letterCount [32]int16

func countLetters(s string) (n letterCount) {
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 { // one for each character
			n[s[i]&0x1f]++
		}
	}
	return n
}

// foldName makes names equal that differ only in letter case and in hyphens,
// underscores and blanks.
func foldName(name string) string { return strings.ToLower(separators.Replace(name)) }

// foldsTo reports whether foldName makes this of a name.
func foldsTo(name, folded string) bool {
	at := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= utf8.RuneSelf:
			return foldName(name) == folded
		case c == '-' || c == '_' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if at == len(folded) || folded[at] != c {
			return false
		}
		at++
	}
	return at == len(folded)
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// Names are the names of a page's anchors in one piece of memory: each with its
// length before it, as a varint.
type Names string

// PackNames packs names for suggestions: the first 64 KiB of them, and none too
// long to be suggested.
func PackNames(names []string) Names {
	room := 0
	for _, name := range names {
		room += len(name) + binary.MaxVarintLen16
	}
	var packed strings.Builder
	packed.Grow(min(room, maxPackedNames))
	var length [binary.MaxVarintLen16]byte
	for _, name := range names {
		if name == "" || len(name) > maxSuggestFragment {
			continue
		}
		if packed.Len()+len(name)+binary.MaxVarintLen16 > maxPackedNames {
			break
		}
		packed.Write(length[:binary.PutUvarint(length[:], uint64(len(name)))])
		packed.WriteString(name)
	}
	return Names(packed.String())
}

// cut reports whether names may be missing.
func (n Names) cut() bool { return len(n) > maxPackedNames-maxSuggestFragment-binary.MaxVarintLen16 }

// All yields the names in the order of the page. Damaged data ends it early.
func (n Names) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := string(n); rest != ""; {
			length, read := uint64(0), 0
			for shift, more := 0, true; more; shift += 7 {
				if read == len(rest) || shift > 56 {
					return
				}
				length |= uint64(rest[read]&0x7f) << shift
				more = rest[read] >= 0x80
				read++
			}
			if length > uint64(len(rest)-read) {
				return
			}
			if !yield(rest[read : read+int(length)]) {
				return
			}
			rest = rest[read+int(length):]
		}
	}
}
