package urinorm

// idnaRange says what is known of the code points from lo to the next range's.
type idnaRange struct {
	lo   rune
	info idnaInfo
}

// idnaInfo packs the status of a code point (UTS #46 section 5) with what the
// checks of section 4.1 need to know of a valid one, or with what a mapped one
// maps to:
//
//	valid           bits 2-5 bidi class, 6-8 joining type, 9 mark, 10-17 combining class
//	mapped, string  bits 4-9 length of each string, 10-25 offset of the first in idnaMapped
//	mapped, shift   bits 4-24 what the first code point maps to
//	mapped, pairs   the first maps to the second, which is valid, and so on
type idnaInfo uint32

const (
	idnaDisallowed = iota
	idnaValid
	idnaIgnored
	idnaMappedKind
)

const (
	mappedToString = iota
	mappedByShift
	mappedInPairs
)

// bidiClass is the Bidi_Class of a valid code point.
type bidiClass uint8

const (
	bidiL bidiClass = iota
	bidiR
	bidiAL
	bidiAN
	bidiEN
	bidiES
	bidiCS
	bidiET
	bidiON
	bidiBN
	bidiNSM
)

// joiningType is the Joining_Type of a valid code point.
type joiningType uint8

const (
	joiningU joiningType = iota
	joiningL
	joiningR
	joiningD
	joiningT
)

func (i idnaInfo) kind() int             { return int(i & 3) }
func (i idnaInfo) bidi() bidiClass       { return bidiClass(i >> 2 & 15) }
func (i idnaInfo) joining() joiningType  { return joiningType(i >> 6 & 7) }
func (i idnaInfo) mark() bool            { return i>>9&1 != 0 }
func (i idnaInfo) combiningClass() uint8 { return uint8(i >> 10) }

// lookupIDNA returns what is known of a code point; of one in a range of pairs,
// that of the pair's second when it is the second.
func lookupIDNA(r rune) (info idnaInfo, lo rune) {
	i, j := 0, len(idnaRanges)
	for j-i > 1 {
		if m := (i + j) / 2; idnaRanges[m].lo <= r {
			i = m
		} else {
			j = m
		}
	}
	info, lo = idnaRanges[i].info, idnaRanges[i].lo
	if info.kind() == idnaMappedKind && info>>2&3 == mappedInPairs && (r-lo)&1 == 1 {
		return idnaValid, r
	}
	return info, lo
}

// appendMapped appends what a mapped code point maps to.
func appendMapped(dst []rune, r rune, info idnaInfo, lo rune) []rune {
	switch info >> 2 & 3 {
	case mappedByShift:
		return append(dst, rune(info>>4)+r-lo)
	case mappedInPairs:
		return append(dst, r+1)
	}
	size := int(info >> 4 & 63)
	at := int(info>>10) + int(r-lo)*size
	for _, m := range idnaMapped[at : at+size] {
		dst = append(dst, m)
	}
	return dst
}
