package idna

// codeRange describes the code points from lo up to the lo of the next range.
type codeRange struct {
	lo   rune
	info codeInfo
}

// codeInfo packs the status of a code point (UTS #46 section 5), in bits 0-1,
// with the properties of a valid one that section 4.1 checks, or with the mapping
// of a mapped one, whose form is in bits 2-3:
//
//	valid           bits 2-5 bidi class, 6-8 joining type, 9 mark, 10-17 combining class
//	mapped, string  bits 4-9 length of each string, 10-25 offset of the first in mappings
//	mapped, shift   bits 4-24 target of the first code point; the others map in step
//	mapped, pairs   the first maps to the second, which is valid, and so on
type codeInfo uint32

const (
	statusDisallowed = iota
	statusValid
	statusIgnored
	statusMapped
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

func (i codeInfo) status() int           { return int(i & 3) }
func (i codeInfo) bidi() bidiClass       { return bidiClass(i >> 2 & 15) }
func (i codeInfo) joining() joiningType  { return joiningType(i >> 6 & 7) }
func (i codeInfo) mark() bool            { return i>>9&1 != 0 }
func (i codeInfo) combiningClass() uint8 { return uint8(i >> 10) }

// lookup returns the info of a code point and the first code point of its range.
// The second code point of a pair is a valid one of its own.
func lookup(r rune) (info codeInfo, lo rune) {
	ranges := unicode().ranges
	i, j := 0, len(ranges)
	for j-i > 1 {
		if m := (i + j) / 2; ranges[m].lo <= r {
			i = m
		} else {
			j = m
		}
	}
	info, lo = ranges[i].info, ranges[i].lo
	if info.status() == statusMapped && info>>2&3 == mappedInPairs && (r-lo)&1 == 1 {
		return statusValid, r
	}
	return info, lo
}

// appendMapped appends the mapping of r, whose status is mapped; info and lo are
// what lookup returned for it.
func appendMapped(dst []rune, r rune, info codeInfo, lo rune) []rune {
	switch info >> 2 & 3 {
	case mappedByShift:
		return append(dst, rune(info>>4)+r-lo)
	case mappedInPairs:
		return append(dst, r+1)
	}
	size := int(info >> 4 & 63)
	at := int(info>>10) + int(r-lo)*size
	for _, m := range unicode().mappings[at : at+size] {
		dst = append(dst, m)
	}
	return dst
}
