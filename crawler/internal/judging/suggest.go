package judging

import (
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

const (
	// maxSuggestFragment is the length of the longest fragment that gets suggestions, in
	// bytes.
	maxSuggestFragment = 256
	// maxSuggestNames is the number of names of a page that are compared.
	maxSuggestNames = 20_000
	// maxSuggestWork limits the comparison of one fragment with all names, in pairs of
	// letters: some hundredths of a second.
	maxSuggestWork = 1 << 24
	// maxSuggestTotal limits the comparisons for all fragments of a run: a malicious site
	// costs at most about five seconds.
	maxSuggestTotal = 1 << 30
	// baseWork is the work for each name, in pairs of letters, and lettersPerPair the
	// number of its letters that are read in the time of one pair.
	baseWork       = 4
	lettersPerPair = 4
	// maxPackedNames is the greatest length of the Names of one page, in bytes.
	maxPackedNames = 64 << 10
)

// Guess is a name that was probably meant.
type Guess struct {
	Name string
	// Unique is true if the name is certainly the one that was meant: all names were
	// compared, no other is close enough, and it differs only in letter case and hyphens
	// or by a typing error (see isTypo).
	Unique bool
}

// Effort limits the work to find one suggestion, in pairs of letters.
type Effort int

// EffortOf returns the effort for each fragment of a run with this many fragments. It
// depends on their number alone, not on their order, so that each fragment gets the same
// suggestion in every run.
func EffortOf(fragments int) Effort {
	return Effort(min(maxSuggestWork, maxSuggestTotal/max(fragments, 1)))
}

// MaxUse returns which part of the work for all fragments of a run the search for one may take, at most:
// if that of all fragments together is no more than 1, no effort limits any of them.
func (o *Outcome) MaxUse(fragment string) float64 {
	work := len(o.Names) * (min(len(fragment), maxSuggestFragment) + baseWork)
	return float64(min(work, maxSuggestWork)) / maxSuggestTotal
}

// SuggestFragment returns the name of an element of the page that was probably meant by
// a fragment that no element has. The fragment is as written in the URL.
//
// The same name in different letter case or with different "-" and "_" comes first, then
// the one with the fewest differing letters: at most one for each four letters of the
// fragment, and at most three. A name that differs in its digits only is never
// suggested. Among equally close names, the first on the page wins. The work is limited:
// the first 20,000 names are compared, letter by letter only if they have nearly the
// same letters as the fragment.
//
// In sources such as Markdown, each heading has several names, one for each program that
// may publish it. Names that differ only in letter case and hyphens count as one there.
func (o *Outcome) SuggestFragment(fragment string, limit Effort) (Guess, bool) {
	fragment, _, _ = strings.Cut(fragment, directiveDelimiter)
	fragment = percentDecode(fragment)
	if fragment == "" || len(fragment) > maxSuggestFragment || scriptRouted(fragment) {
		return Guess{}, false
	}
	s := newSpelling(fragment)
	s.variants, s.maxWork = o.ContentType != "" && !isHTML(o.ContentType), int(limit)
	count := 0
	for name := range o.Names.all() {
		if count++; count > maxSuggestNames {
			s.cut = true
			break
		}
		if name != "" && len(name) <= maxSuggestFragment && !s.consider(name) {
			break
		}
	}
	guess, ok := s.guess()
	guess.Unique = guess.Unique && !o.Incomplete() && !o.Names.cut()
	return guess, ok
}

// spelling compares one word with many names that may have been meant.
type spelling struct {
	word     string
	length   int // in characters
	allowed  int // differing letters
	folded   string
	digits   string
	letters  letterCount
	variants bool // names that are equal after foldName are one

	maxWork int  // limit of work
	work    int  // in pairs of letters
	cut     bool // not all names were compared
	best    string
	nearest int // distance of best; -1 if it is equal after foldName
	others  int // number of other names that may have been meant
}

func newSpelling(word string) *spelling {
	s := &spelling{word: word, length: utf8.RuneCountInString(word), folded: foldName(word), digits: withoutDigits(word), letters: countLetters(word)}
	s.allowed = min(s.length/4, 3)
	s.nearest = s.allowed + 1
	return s
}

// consider compares one name. It reports false if the work is at its limit.
func (s *spelling) consider(name string) bool {
	if s.work += baseWork + len(name)/lettersPerPair; s.work > s.maxWork {
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
	if s.work += s.length * len(name); s.work > s.maxWork {
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

// isFar reports whether a name certainly has too many differing letters. It compares the
// lengths and the numbers of each letter: the letters that one has more of than the
// other must be inserted, deleted or replaced.
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

// differingLetters returns the Levenshtein distance, or 1 if two adjacent letters are
// swapped, which is the most common typing error.
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
	// MaxCost of the library is not used: with it, v1.2.3 returns distances that are too
	// small (2 instead of 10 for "introduction" and "confguratoin").
	return levenshtein.Distance(a, b, nil)
}

func (s *spelling) guess() (Guess, bool) {
	sure := s.nearest < 0 || s.nearest == 1 && isTypo(s.best, s.word)
	return Guess{Name: s.best, Unique: sure && s.others == 0 && !s.cut}, s.best != ""
}

// isTypo reports whether two words that differ in one letter are certainly the same
// word. Words that differ in their first letter are often different ones (get and set,
// lock and block), and so are a word and its plural.
func isTypo(a, b string) bool {
	return a != "" && b != "" && a[0] == b[0] && !isPlural(a, b) && !isPlural(b, a)
}

// isPlural reports whether a is b with an s after one of its words.
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

// letterCount has the number of characters of a name in each of 32 classes. Both cases
// of a letter are in one class.
type letterCount [32]int16

func countLetters(s string) (n letterCount) {
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 { // one for each character
			n[s[i]&0x1f]++
		}
	}
	return n
}

// foldName returns a name in lower case without hyphens, underscores and spaces.
func foldName(name string) string { return strings.ToLower(separators.Replace(name)) }

// foldsTo reports whether foldName(name) == folded.
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

// Names are the names of a page's anchors in one string, each after its length as a
// varint.
type Names string

// PackNames packs names for suggestions: the first 64 KiB of them, without those that
// are too long.
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

// cut reports whether names may be missing, because there was no space for them.
func (n Names) cut() bool { return len(n) > maxPackedNames-maxSuggestFragment-binary.MaxVarintLen16 }

// all returns an iterator over the names in the order of the page. It stops at malformed
// data.
func (n Names) all() iter.Seq[string] {
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
