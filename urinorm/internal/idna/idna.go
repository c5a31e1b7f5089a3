package idna

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of what is processed. The standard sets none, but Punycode takes
// time in proportion to the square of a label's length, and the DNS limits a
// label to 63 bytes and a name to 253.
const (
	// MaxLabel is the most code points of a label that is not ASCII or begins with "xn--", and
	// the most bytes of it in ASCII.
	MaxLabel = 1000
	// MaxDomain is the most bytes of a domain.
	MaxDomain = 16 << 10
)

// AppendASCII appends a domain in ASCII, each internationalized label as an
// A-label, and reports whether the domain is valid (domain to ASCII, URL
// Standard 3.3, with beStrict false). If it is not, the bytes after dst are
// unspecified. The domain is not percent-decoded, and forbidden host code points
// are not rejected.
//
//	"Faß.XN--MAANA-PTA" ── map ─ normalize ─ split ──┬── "faß"
//	                                                 └── "xn--maana-pta" ─ decode ── "mañana"
//	"xn--fa-hia.xn--maana-pta" ── encode ── validate
func AppendASCII(dst []byte, domain string) ([]byte, bool) {
	if len(domain) > MaxDomain {
		return dst, false
	}
	var p processor
	label := make([]rune, 0, 64)
	for _, r := range domain {
		info, lo := lookup(r)
		start := len(label)
		switch info.status() {
		case statusDisallowed: // includes U+FFFD, the result of invalid UTF-8
			return dst, false
		case statusValid:
			label = append(label, r)
		case statusMapped:
			label = appendMapped(label, r, info, lo)
		}
		// A full stop is written as such or is all that a character maps to ("。").
		if n := len(label); n > start && label[n-1] == '.' {
			if dst = p.appendLabel(dst, label[:n-1]); p.invalid {
				return dst, false
			}
			dst = append(dst, '.')
			label = label[:0]
		}
	}
	dst = p.appendLabel(dst, label)
	return dst, !p.invalid && p.validBidi()
}

// processor converts the labels of a domain one by one and keeps them for the
// Bidi rule, which can only be applied when all labels are known.
type processor struct {
	invalid bool
	isBidi  bool   // a label contains a right-to-left character
	labels  []rune // in Unicode, each followed by a full stop
}

// appendLabel converts and validates one label (UTS #46 section 4, steps 2 to 4,
// and 4.2) and appends it in ASCII.
func (p *processor) appendLabel(dst []byte, label []rune) []byte {
	ascii, encoded := isASCIIRunes(label), hasACEPrefix(label)
	if ascii && !encoded {
		for _, r := range label {
			dst = append(dst, byte(r))
		}
		p.keep(label)
		return dst
	}
	if len(label) > MaxLabel {
		p.invalid = true
		return dst
	}
	if encoded {
		decoded, ok := decodePunycode(label[len(acePrefix):])
		if !ascii || !ok || isASCIIRunes(decoded) || !isNFC(decoded) || !validLabel(decoded) {
			p.invalid = true
			return dst
		}
		for _, r := range label {
			dst = append(dst, byte(r))
		}
		p.keep(decoded)
		return dst
	}
	// Normalizing the whole domain would give the same: nothing composes with a full stop.
	label = appendNFC(make([]rune, 0, len(label)), label)
	if !validLabel(label) {
		p.invalid = true
		return dst
	}
	p.keep(label)
	start := len(dst)
	dst = appendPunycode(append(dst, acePrefix...), label)
	p.invalid = len(dst)-start > MaxLabel // it would not be accepted again
	return dst
}

// keep stores a label in Unicode for the Bidi rule.
func (p *processor) keep(label []rune) {
	for _, r := range label {
		if r >= 0x590 && !p.isBidi { // no character below is written from right to left
			info, _ := lookup(r)
			bidi := info.bidi()
			p.isBidi = bidi == bidiR || bidi == bidiAL || bidi == bidiAN
		}
	}
	p.labels = append(append(p.labels, label...), '.')
}

const acePrefix = "xn--"

func hasACEPrefix(label []rune) bool {
	return len(label) >= 4 && label[0] == 'x' && label[1] == 'n' && label[2] == '-' && label[3] == '-'
}

func isASCIIRunes(label []rune) bool {
	for _, r := range label {
		if r >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validLabel reports whether a label in NFC meets the validity criteria of UTS
// #46 section 4.1, without the Bidi rule.
func validLabel(label []rune) bool {
	if hasACEPrefix(label) {
		return false
	}
	for i, r := range label {
		info, _ := lookup(r)
		if info.status() != statusValid || r == '.' || i == 0 && info.mark() {
			return false
		}
		if r == '\u200C' || r == '\u200D' {
			if !validJoiner(label, i) {
				return false
			}
		}
	}
	return true
}

// validJoiner reports whether label[i], a joiner or non-joiner, is allowed there
// (RFC 5892 A.1 and A.2): after a virama; a non-joiner also between letters that
// would join.
func validJoiner(label []rune, i int) bool {
	const virama = 9
	if i == 0 {
		return false
	}
	if info, _ := lookup(label[i-1]); info.combiningClass() == virama {
		return true
	}
	if label[i] == '\u200D' {
		return false
	}
	before := i - 1
	for before >= 0 && joiningOf(label[before]) == joiningT {
		before--
	}
	after := i + 1
	for after < len(label) && joiningOf(label[after]) == joiningT {
		after++
	}
	if before < 0 || after == len(label) {
		return false
	}
	left, right := joiningOf(label[before]), joiningOf(label[after])
	return (left == joiningL || left == joiningD) && (right == joiningR || right == joiningD)
}

// joiningOf returns the joining type of a code point. For one that is not valid,
// which may follow the joiner, the type does not matter: validLabel rejects the
// label when it gets there.
func joiningOf(r rune) joiningType {
	info, _ := lookup(r)
	if info.status() != statusValid {
		return joiningU
	}
	return info.joining()
}

// validBidi reports whether all labels satisfy the Bidi rule (RFC 5893 section
// 2), which applies if one of them contains a right-to-left character.
func (p *processor) validBidi() bool {
	if !p.isBidi {
		return true
	}
	rest := p.labels
	for len(rest) > 0 {
		end := slices.Index(rest, '.')
		if !validBidiLabel(rest[:end]) {
			return false
		}
		rest = rest[end+1:]
	}
	return true
}

func bidiOf(r rune) bidiClass {
	info, _ := lookup(r)
	return info.bidi()
}

// The character classes that the Bidi rule allows in each position, as bit sets.
const (
	bidiStart    = 1<<bidiL | 1<<bidiR | 1<<bidiAL // rule 1
	bidiNeutral  = 1<<bidiES | 1<<bidiCS | 1<<bidiET | 1<<bidiON | 1<<bidiBN | 1<<bidiNSM
	bidiInRTL    = bidiNeutral | 1<<bidiR | 1<<bidiAL | 1<<bidiAN | 1<<bidiEN // rule 2
	bidiEndOfRTL = 1<<bidiR | 1<<bidiAL | 1<<bidiEN | 1<<bidiAN               // rule 3
	bidiInLTR    = bidiNeutral | 1<<bidiL | 1<<bidiEN                         // rule 5
	bidiEndOfLTR = 1<<bidiL | 1<<bidiEN                                       // rule 6
)

func validBidiLabel(label []rune) bool {
	if len(label) == 0 {
		return true
	}
	first := bidiOf(label[0])
	if bidiStart&(1<<first) == 0 {
		return false
	}
	inside, end := bidiInLTR, bidiEndOfLTR
	if first != bidiL {
		inside, end = bidiInRTL, bidiEndOfRTL
	}
	seen, last := 0, first
	for _, r := range label {
		class := bidiOf(r)
		if inside&(1<<class) == 0 {
			return false
		}
		seen |= 1 << class
		if class != bidiNSM {
			last = class
		}
	}
	const bothNumbers = 1<<bidiEN | 1<<bidiAN // rule 4
	return end&(1<<last) != 0 && seen&bothNumbers != bothNumbers
}

// ToUnicode returns a host with its A-labels decoded, for display (domain to
// Unicode, URL Standard 3.3). A host that has no A-label, or that does not decode
// to a valid domain, is returned unchanged.
func ToUnicode(host string) string {
	if !HasALabel(host) || len(host) > MaxDomain {
		return host
	}
	var p processor
	var out []byte
	for label := range strings.SplitSeq(host, ".") {
		if out = p.appendLabel(out[:0], []rune(label)); p.invalid {
			return host
		}
	}
	if !p.validBidi() {
		return host
	}
	return strings.TrimSuffix(string(p.labels), ".")
}

// HasALabel reports whether a label of the host begins with "xn--", in lower case.
func HasALabel(host string) bool {
	return strings.HasPrefix(host, acePrefix) || strings.Contains(host, "."+acePrefix)
}
