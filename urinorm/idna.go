package urinorm

import (
	"slices"
	"strings"
	"unicode/utf8"
)

//go:generate go run idna_gen.go -data $UNICODE_PUBLIC

// Limits of what goes through IDNA processing. The standard sets none, but
// Punycode takes time in proportion to the square of a label's length, and the
// DNS takes no label beyond 63 bytes and no name beyond 253.
const (
	maxIDNALabel  = 1000     // code points of a label that is not ASCII or begins with "xn--"
	maxIDNADomain = 16 << 10 // bytes of a domain that is not ASCII
)

// appendDomainASCII is domain parser ToASCII (URL Standard 3.3), not strict: the
// processing of UTS #46 section 4 with CheckBidi and CheckJoiners, without
// CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength, nontransitional. It
// appends the A-labels and reports whether the domain is valid.
//
//	"Faß.XN--MAANA-PTA" ── map ─ normalize ─ split ──┬── "faß"
//	                                                 └── "xn--maana-pta" ─ decode ── "mañana"
//	"xn--fa-hia.xn--maana-pta" ── encode ── validate
func appendDomainASCII(dst []byte, domain string) ([]byte, bool) {
	if len(domain) > maxIDNADomain {
		return dst, false
	}
	var u idnaDomain
	label := make([]rune, 0, 64)
	for _, r := range domain {
		info, lo := lookupIDNA(r)
		start := len(label)
		switch info.kind() {
		case idnaDisallowed: // U+FFFD, what a byte that is no UTF-8 becomes, too
			return dst, false
		case idnaValid:
			label = append(label, r)
		case idnaMappedKind:
			label = appendMapped(label, r, info, lo)
		}
		// Full stops are there or come as a mapping of their own ("。").
		if n := len(label); n > start && label[n-1] == '.' {
			if dst = u.appendLabel(dst, label[:n-1]); u.invalid {
				return dst, false
			}
			dst = append(dst, '.')
			label = label[:0]
		}
	}
	dst = u.appendLabel(dst, label)
	return dst, !u.invalid && u.validBidi()
}

// idnaDomain gathers what must be known of all labels before any can be judged
// by the Bidi rule.
type idnaDomain struct {
	invalid bool
	isBidi  bool   // a label holds a character of right-to-left script
	labels  []rune // in Unicode, each with a full stop behind it
}

// appendLabel converts and validates one label (UTS #46 section 4, steps 2 to 4,
// and 4.2) and appends it in ASCII.
func (u *idnaDomain) appendLabel(dst []byte, label []rune) []byte {
	ascii, encoded := isASCIIRunes(label), hasACEPrefix(label)
	if ascii && !encoded {
		for _, r := range label {
			dst = append(dst, byte(r))
		}
		u.keep(label)
		return dst
	}
	if len(label) > maxIDNALabel {
		u.invalid = true
		return dst
	}
	if encoded {
		decoded, ok := decodePunycode(label[len(acePrefix):])
		if !ascii || !ok || isASCIIRunes(decoded) || !isNFC(decoded) || !validLabel(decoded) {
			u.invalid = true
			return dst
		}
		for _, r := range label {
			dst = append(dst, byte(r))
		}
		u.keep(decoded)
		return dst
	}
	// Normalizing the whole domain would do the same: nothing composes with a full stop.
	label = appendNFC(make([]rune, 0, len(label)), label)
	if !validLabel(label) {
		u.invalid = true
		return dst
	}
	u.keep(label)
	dst = append(dst, acePrefix...)
	return appendPunycode(dst, label)
}

// keep remembers a label for the Bidi rule.
func (u *idnaDomain) keep(label []rune) {
	for _, r := range label {
		if r >= 0x590 && !u.isBidi { // nothing before is written from right to left
			info, _ := lookupIDNA(r)
			bidi := info.bidi()
			u.isBidi = bidi == bidiR || bidi == bidiAL || bidi == bidiAN
		}
	}
	u.labels = append(append(u.labels, label...), '.')
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

// validLabel checks what UTS #46 section 4.1 asks of a label in NFC, but for
// the Bidi rule.
func validLabel(label []rune) bool {
	if hasACEPrefix(label) {
		return false
	}
	for i, r := range label {
		info, _ := lookupIDNA(r)
		if info.kind() != idnaValid || r == '.' || i == 0 && info.mark() {
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

// validJoiner is the rule for the joiner at label[i] (RFC 5892 A.1 and A.2):
// behind a virama; a non-joiner also between letters that would join.
func validJoiner(label []rune, i int) bool {
	const virama = 9
	if i == 0 {
		return false
	}
	if info, _ := lookupIDNA(label[i-1]); info.combiningClass() == virama {
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

// joiningOf returns the joining type of a code point. One that is not valid
// may stand behind the joiner; the label is then rejected a moment later.
func joiningOf(r rune) joiningType {
	info, _ := lookupIDNA(r)
	if info.kind() != idnaValid {
		return joiningU
	}
	return info.joining()
}

// validBidi applies the Bidi rule (RFC 5893 section 2) to every label, if one
// of them makes the domain a Bidi domain.
func (u *idnaDomain) validBidi() bool {
	if !u.isBidi {
		return true
	}
	rest := u.labels
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
	info, _ := lookupIDNA(r)
	return info.bidi()
}

// The character classes the Bidi rule allows at each place, as bit sets.
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

// UnicodeHost returns a host as people read it: its A-labels decoded (domain to
// Unicode, URL Standard 3.3). A host that does not decode to a valid domain is
// returned as it is. It is for display only.
func UnicodeHost(host string) string {
	if !hasALabel(host) || len(host) > maxIDNADomain {
		return host
	}
	var u idnaDomain
	var out []byte
	for label := range strings.SplitSeq(host, ".") {
		if out = u.appendLabel(out[:0], []rune(label)); u.invalid {
			return host
		}
	}
	if !u.validBidi() {
		return host
	}
	return strings.TrimSuffix(string(u.labels), ".")
}

// hasALabel reports whether a label of the host begins with "xn--".
func hasALabel(host string) bool {
	return strings.HasPrefix(host, acePrefix) || strings.Contains(host, "."+acePrefix)
}
