package idna

import (
	"cmp"
	"slices"
)

// Normalization Form C (Unicode Standard 3.11), for code points that are valid
// in a label. It is implemented here because its tables must be of the same
// Unicode version as the mapping; those of golang.org/x/text depend on the Go
// release.

// nfcPair is a canonical composition: first and second compose to composite.
type nfcPair struct{ first, second, composite rune }

// The constants of the algorithm for Hangul syllables (Unicode Standard 3.12).
const (
	hangulS      = 0xAC00
	hangulL      = 0x1100
	hangulV      = 0x1161
	hangulT      = 0x11A7
	hangulLCount = 19
	hangulVCount = 21
	hangulTCount = 28
	hangulSCount = hangulLCount * hangulVCount * hangulTCount
)

// appendNFC appends s in Normalization Form C.
func appendNFC(dst, s []rune) []rune {
	start := len(dst)
	for _, r := range s {
		dst = appendDecomposed(dst, r)
	}
	sortMarks(dst[start:])
	return dst[:start+compose(dst[start:])]
}

// isNFC reports whether s is in Normalization Form C.
func isNFC(s []rune) bool {
	return slices.Equal(appendNFC(make([]rune, 0, len(s)), s), s)
}

// appendDecomposed appends the full canonical decomposition of r.
func appendDecomposed(dst []rune, r rune) []rune {
	if r < 0xC0 {
		return append(dst, r)
	}
	if s := r - hangulS; 0 <= s && s < hangulSCount {
		dst = append(dst, hangulL+s/(hangulVCount*hangulTCount), hangulV+s/hangulTCount%hangulVCount)
		if t := s % hangulTCount; t != 0 {
			dst = append(dst, hangulT+t)
		}
		return dst
	}
	pairs := unicode().byComposite
	i, ok := slices.BinarySearchFunc(pairs, r, func(p nfcPair, r rune) int { return cmp.Compare(p.composite, r) })
	if !ok {
		return append(dst, r)
	}
	return append(appendDecomposed(dst, pairs[i].first), pairs[i].second)
}

// sortMarks sorts combining marks by the Canonical Ordering Algorithm.
func sortMarks(s []rune) {
	for i := 0; i < len(s); i++ {
		if combiningClassOf(s[i]) == 0 {
			continue
		}
		end := i + 1
		for end < len(s) && combiningClassOf(s[end]) != 0 {
			end++
		}
		slices.SortStableFunc(s[i:end], func(a, b rune) int {
			return cmp.Compare(combiningClassOf(a), combiningClassOf(b))
		})
		i = end
	}
}

// compose runs the Canonical Composition Algorithm in place and returns the new length.
func compose(s []rune) int {
	n := 0        // code points written
	starter := -1 // the last starter written
	last := 0     // combining class of the last code point written after it
	for _, r := range s {
		class := int(combiningClassOf(r))
		if starter >= 0 && (starter == n-1 || last != 0 && last < class) {
			if c, ok := composePair(s[starter], r); ok {
				s[starter] = c
				continue
			}
		}
		if class == 0 {
			starter = n
		}
		last = class
		s[n] = r
		n++
	}
	return n
}

// composePair returns the composition of two code points, if they have one.
func composePair(first, second rune) (rune, bool) {
	if l, v := first-hangulL, second-hangulV; 0 <= l && l < hangulLCount && 0 <= v && v < hangulVCount {
		return hangulS + (l*hangulVCount+v)*hangulTCount, true
	}
	if s, t := first-hangulS, second-hangulT; 0 <= s && s < hangulSCount && s%hangulTCount == 0 && 0 < t && t < hangulTCount {
		return first + t, true
	}
	pairs := unicode().pairs
	i, ok := slices.BinarySearchFunc(pairs, nfcPair{first, second, 0}, func(a, b nfcPair) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return cmp.Compare(a.second, b.second)
	})
	if !ok {
		return 0, false
	}
	return pairs[i].composite, true
}

func combiningClassOf(r rune) uint8 {
	if r < 0x300 { // the first combining mark
		return 0
	}
	info, _ := lookup(r)
	if info.status() != statusValid {
		return 0
	}
	return info.combiningClass()
}
