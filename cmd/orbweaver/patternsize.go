package main

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// A pattern of a few bytes can need megabytes when it is compiled, so the patterns of a
// configuration file are measured before any is compiled.

// Limits of the compiled patterns of one file, in bytes: of a file that was found, and of one that
// the user names.
const (
	maxFoundPatterns = 16 << 20
	maxNamedPatterns = 256 << 20
)

// spend counts the size of a pattern, and returns an error if the patterns of the file are too large.
func (f *configFile) spend(key, text string, size func(string) int64) error {
	limit := int64(maxNamedPatterns)
	if f.found {
		limit = maxFoundPatterns
	}
	if f.patterns <= limit {
		f.patterns += size(text)
	}
	if f.patterns <= limit {
		return nil
	}
	err := fmt.Errorf("%s: %w of %s need more than %d MiB: use fewer or smaller patterns", key, errPatterns, f.name, limit>>20)
	if f.found {
		return f.refuse("%w", err)
	}
	return err
}

// errPatterns is the error of a file whose patterns are too large.
var errPatterns = errors.New("the compiled patterns")

// patternKeys are the keys whose values are patterns.
var patternKeys = map[string]func(string) int64{
	"include": patternSize, "no-follow": patternSize, "exclude": patternSize, "exclude-except": patternSize, "ignore-fragment": patternSize,
	"remap":  patternSize, // the replacement is only text
	"select": selectorSize, "ignore-select": selectorSize, "render-wait": selectorSize,
}

// spendAll counts the values of a key if they are patterns.
func (f *configFile) spendAll(key string, texts []string) error {
	size := patternKeys[key]
	if size == nil {
		return nil
	}
	for _, text := range texts {
		if err := f.spend(key, text, size); err != nil {
			return err
		}
	}
	return nil
}

// Sizes of a compiled regular expression, in bytes, as package regexp has them on 64-bit machines.
const (
	instruction = 40 // and as much again while the list of them grows
	onePass     = 64 // one more copy of each, for expressions that begin with ^
	oneRune     = 4

	// A class of Unicode such as \pL has hundreds of ranges. A range between letters of other
	// scripts is walked letter by letter if case does not matter. Both are counted before the
	// expression is parsed, because the parser expands them.
	unicodeClass = 8 << 10
	wideRange    = 16 << 10
)

// patternSize returns the size of a regular expression when it is compiled, or more.
func patternSize(text string) int64 {
	size := int64(len(text)) * oneRune
	size += int64(strings.Count(text, `\p`)+strings.Count(text, `\P`)) * unicodeClass
	for i := 1; i < len(text); i++ {
		if text[i-1] == '-' && (text[i] >= 0x80 || strings.HasPrefix(text[i:], `\x{`)) {
			size += wideRange
		}
	}
	if size > maxFoundPatterns {
		return size // parsing it would take too long
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return size // the compiler reports the error
	}
	parts := sizeOf(re)
	parts.instructions += 2
	size += parts.distinct * oneRune
	if beginsWithText(re) && parts.instructions < 1000 {
		return size + parts.instructions*(2*instruction+onePass) + parts.runes*oneRune*2
	}
	return size + parts.instructions*2*instruction
}

// beginsWithText reports whether an expression matches only at the beginning.
func beginsWithText(re *syntax.Regexp) bool {
	for len(re.Sub) > 0 && (re.Op == syntax.OpConcat || re.Op == syntax.OpCapture) {
		re = re.Sub[0]
	}
	return re.Op == syntax.OpBeginText
}

// parts counts what an expression is compiled to: instructions, the runes of their classes, and
// those of classes that do not share them.
type parts struct{ instructions, runes, distinct int64 }

// sizeOf counts the parts of an expression without writing its repetitions out. The parser limits
// how deep it is.
func sizeOf(re *syntax.Regexp) parts {
	var p parts
	for _, sub := range re.Sub {
		s := sizeOf(sub)
		p.instructions, p.runes, p.distinct = p.instructions+s.instructions, p.runes+s.runes, p.distinct+s.distinct
	}
	switch re.Op {
	case syntax.OpLiteral:
		n := int64(len(re.Rune))
		return parts{n, 2 * n, n}
	case syntax.OpCharClass:
		n := int64(len(re.Rune))
		return parts{1, n, n}
	case syntax.OpRepeat:
		times := int64(max(re.Max, re.Min+1))
		p.instructions, p.runes = (p.instructions+1)*times, p.runes*times
	default:
		p.instructions += 2
	}
	return p
}

// textSize returns the size of a text to find, or of a regular expression after "re:".
func textSize(text string) int64 {
	if pattern, ok := strings.CutPrefix(text, "re:"); ok {
		return patternSize(pattern)
	}
	const each = 4 * instruction // a letter in any case, or a state of an automaton
	return int64(len(text)) * each
}

// selectorSize returns the size of a selector, or more. Regular expressions in it are not parsed:
// each character counts as a class, and a repetition as a thousand of them.
func selectorSize(text string) int64 {
	const (
		plain = 64
		inner = 2 << 10
	)
	if !strings.ContainsAny(text, "(#") {
		return int64(len(text)) * plain
	}
	return int64(len(text))*inner + int64(strings.Count(text, "{"))*maxNamedPatterns
}

// globSize returns the size of a glob, or more. Each combination of its alternatives may have to be tried.
func globSize(text string) int64 {
	size := int64(len(text)) * instruction
	var open []int64
	for _, c := range text {
		switch {
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if size *= open[len(open)-1]; size > maxNamedPatterns {
				return size
			}
			open = open[:len(open)-1]
		}
	}
	return size
}
