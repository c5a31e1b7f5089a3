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
	// of letters; a page made to cost time costs some hundredths of a second.
	maxSuggestWork = 1 << 24
	// maxPackedNames bounds what PackNames keeps of one page, in bytes.
	maxPackedNames = 64 << 10
)

// SuggestAnchor returns the name of a page's element that was probably meant by a
// fragment no element has. names are as written in the page, fragment as in the
// URL.
//
// The same name in other letter case or with other "-" and "_" comes first, then
// the one with the fewest differing letters, one for each four letters of the
// fragment and three at most. Names that differ in their digits only are other
// places, not misspelt ones. Of equals the first on the page wins. The work is
// bounded: the first 20,000 names are looked at, and compared letter by letter
// only where their letters are nearly those of the fragment.
func SuggestAnchor(names []string, fragment string) (string, bool) {
	return suggest(func(yield func(string) bool) {
		for _, name := range names {
			if !yield(name) {
				return
			}
		}
	}, fragment)
}

// Suggest is SuggestAnchor over packed names.
func (n Names) Suggest(fragment string) (string, bool) { return suggest(n.All(), fragment) }

func suggest(names iter.Seq[string], fragment string) (string, bool) {
	fragment, _, _ = strings.Cut(fragment, directiveDelimiter)
	fragment = percentDecode(fragment)
	if fragment == "" || len(fragment) > maxSuggestFragment || scriptRouted(fragment) {
		return "", false
	}
	var (
		length  = utf8.RuneCountInString(fragment)
		allowed = min(length/4, 3)
		folded  = foldName(fragment)
		digits  = withoutDigits(fragment)
		letters = countLetters(fragment)
		work    = 0
		best    string
		nearest = allowed + 1
		looked  = 0
	)
	for name := range names {
		if looked++; looked > maxSuggestNames {
			break
		}
		if name == "" || len(name) > maxSuggestFragment || name == fragment {
			continue
		}
		if folded != "" && foldName(name) == folded {
			return name, true
		}
		if nearest == 1 || allowed == 0 || letters.distance(countLetters(name)) > allowed || withoutDigits(name) == digits {
			continue
		}
		if work += length * len(name); work > maxSuggestWork {
			break
		}
		// The library's own bound, MaxCost, is not used: with it v1.2.3 finds some
		// distances too small (2 instead of 10 for "introduction" and "confguratoin").
		if distance := levenshtein.Distance(name, fragment, nil); distance < nearest {
			best, nearest = name, distance
		}
	}
	return best, best != ""
}

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

// distance is a lower bound of the Levenshtein distance: the characters that one
// name has more than the other must be put in, taken out or replaced.
func (n letterCount) distance(m letterCount) int {
	more, fewer := 0, 0
	for i := range n {
		if d := int(n[i]) - int(m[i]); d > 0 {
			more += d
		} else {
			fewer -= d
		}
	}
	return max(more, fewer)
}

// foldName makes names equal that differ only in letter case and in hyphens,
// underscores and blanks.
func foldName(name string) string { return strings.ToLower(separators.Replace(name)) }

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
	var packed []byte
	for _, name := range names {
		if name == "" || len(name) > maxSuggestFragment {
			continue
		}
		if len(packed)+len(name)+binary.MaxVarintLen16 > maxPackedNames {
			break
		}
		packed = binary.AppendUvarint(packed, uint64(len(name)))
		packed = append(packed, name...)
	}
	return Names(packed)
}

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
