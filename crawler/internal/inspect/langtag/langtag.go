// Package langtag checks language tags (BCP 47: RFC 5646) against the IANA Language Subtag
// Registry, which registry.go contains.
package langtag

import (
	"encoding/hex"
	"strings"
)

//go:generate go run registry_gen.go language-subtag-registry

// Fault is what is wrong with a tag.
type Fault uint8

// The faults, in the order in which Check looks for them.
const (
	None      Fault = iota
	Malformed       // the tag does not have the form of RFC 5646 section 2.1
	Language        // the language is not registered
	Script
	Region
	Variant
)

// MaxLength is the length of the longest tag that Check reads, in bytes. The longest tag
// without extensions has 35 characters (RFC 5646 section 4.4.1).
const MaxLength = 255

// Check returns the first fault of a tag and the subtag that has it; for Malformed the subtag
// is where the form is broken. Case does not matter. Extensions and private use subtags are
// checked for their form alone.
func Check(tag string) (fault Fault, subtag string) {
	if len(tag) > MaxLength {
		return Malformed, tag[:MaxLength]
	}
	if isListed(grandfathered, tag) {
		return None, ""
	}
	p := parser{rest: tag, more: true}
	p.next()
	if isSingleton(p.subtag, 'x') {
		p.privateUse()
		return p.fault, p.faulty
	}
	p.language()
	if p.fault != Malformed {
		p.script()
		p.region()
		p.variants()
		p.extensions()
	}
	return p.fault, p.faulty
}

// parser reads the subtags of a tag.
type parser struct {
	subtag string // the current one
	ended  bool   // there is no current one
	rest   string
	more   bool // rest has further subtags
	fault  Fault
	faulty string // the subtag that has the fault
}

func (p *parser) next() {
	if !p.more {
		p.subtag, p.ended = "", true
		return
	}
	p.subtag, p.rest, p.more = strings.Cut(p.rest, "-")
}

// fail notes a fault. The first one counts, but a wrong form counts before all others.
func (p *parser) fail(fault Fault, subtag string) {
	if p.fault == None || fault == Malformed && p.fault != Malformed {
		p.fault, p.faulty = fault, subtag
	}
}

// language reads the language with its extended languages.
func (p *parser) language() {
	s := p.subtag
	if !isAlpha(s) || len(s) < 2 || len(s) > 8 {
		p.fail(Malformed, s)
		return
	}
	if !isLanguage(s) {
		p.fail(Language, s)
	}
	p.next()
	for n := 0; len(s) <= 3 && n < 3 && len(p.subtag) == 3 && isAlpha(p.subtag); n++ {
		if !isListed(extendedLanguages, p.subtag) {
			p.fail(Language, p.subtag)
		}
		p.next()
	}
}

func (p *parser) script() {
	s := p.subtag
	if len(s) != 4 || !isAlpha(s) {
		return
	}
	if !isListed(scripts, s) && !inRange(s, "qaaa", "qabx") {
		p.fail(Script, s)
	}
	p.next()
}

func (p *parser) region() {
	s := p.subtag
	if !(len(s) == 2 && isAlpha(s) || len(s) == 3 && isDigits(s)) {
		return
	}
	if !isListed(regions, s) && !inRange(s, "qm", "qz") && !inRange(s, "xa", "xz") {
		p.fail(Region, s)
	}
	p.next()
}

func (p *parser) variants() {
	for {
		s := p.subtag
		if !isAlphanumeric(s) || len(s) > 8 || len(s) < 4 || len(s) == 4 && !isDigits(s[:1]) {
			return
		}
		if !isListed(variants, s) {
			p.fail(Variant, s)
		}
		p.next()
	}
}

// extensions reads what follows the variants.
func (p *parser) extensions() {
	for !p.ended {
		if isSingleton(p.subtag, 'x') {
			p.privateUse()
			return
		}
		singleton := p.subtag
		if len(singleton) != 1 || !isAlphanumeric(singleton) {
			p.fail(Malformed, singleton)
			return
		}
		p.next()
		if len(p.subtag) < 2 {
			p.fail(Malformed, singleton)
			return
		}
		for len(p.subtag) >= 2 && len(p.subtag) <= 8 && isAlphanumeric(p.subtag) {
			p.next()
		}
	}
}

// privateUse reads the subtags behind "x".
func (p *parser) privateUse() {
	if !p.more {
		p.fail(Malformed, p.subtag)
		return
	}
	for p.next(); !p.ended; p.next() {
		if len(p.subtag) > 8 || !isAlphanumeric(p.subtag) {
			p.fail(Malformed, p.subtag)
			return
		}
	}
}

// IsPrivate reports whether a tag is for private use as a whole, and names no language.
func IsPrivate(tag string) bool { return len(tag) > 1 && isSingleton(tag[:1], 'x') && tag[1] == '-' }

func isLanguage(s string) bool {
	switch len(s) {
	case 2:
		return isListed(languages2, s)
	case 3:
		i := (int(lower(s[0])-'a')*26+int(lower(s[1])-'a'))*26 + int(lower(s[2])-'a')
		return language3Bits[i/8]&(1<<(i%8)) != 0 || inRange(s, "qaa", "qtz")
	}
	return false
}

var language3Bits = func() []byte {
	bits, err := hex.DecodeString(languages3)
	if err != nil {
		panic("langtag: " + err.Error())
	}
	return bits
}()

// isListed reports whether a list of words in lower case, each between blanks, has a word.
func isListed(list, word string) bool {
	var padded [maxWord + 2]byte
	if len(word) == 0 || len(word) > maxWord {
		return false
	}
	padded[0] = ' '
	for i := range len(word) {
		padded[1+i] = lower(word[i])
	}
	padded[1+len(word)] = ' '
	return strings.Contains(list, string(padded[:len(word)+2]))
}

// maxWord is at least the length of the longest word of the registry.
const maxWord = 16

// inRange reports whether a subtag is between two of the same length, which the registry
// keeps for private use.
func inRange(s, first, last string) bool {
	if len(s) != len(first) {
		return false
	}
	var low [4]byte
	for i := range len(s) {
		low[i] = lower(s[i])
	}
	folded := string(low[:len(s)])
	return first <= folded && folded <= last
}

func isSingleton(s string, c byte) bool { return len(s) == 1 && lower(s[0]) == c }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func isAlpha(s string) bool {
	for i := range len(s) {
		if c := lower(s[i]); c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isAlphanumeric(s string) bool {
	for i := range len(s) {
		if c := lower(s[i]); (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
