// Package patternsize measures patterns before any is compiled, because a pattern of a few bytes can
// need megabytes then. Its functions return the size of a compiled pattern in bytes, or more.
package patternsize

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// Limits of the compiled patterns of one source, in bytes: of one that a stranger may have written,
// and of one that the user trusts.
const (
	MaxUntrusted = 16 << 20
	MaxTrusted   = 256 << 20
)

// LeastUntrusted is what each pattern of a stranger counts at least, in bytes, so that there are at most 4096.
const LeastUntrusted = 4 << 10

// Measure returns the size of a pattern.
type Measure func(text string) int64

// ErrTooLarge is in the errors of a Budget.
var ErrTooLarge = errors.New("the compiled patterns")

// Budget limits the patterns of one source.
type Budget struct {
	Source string // for messages
	Limit  int64  // in bytes
	Least  int64  // bytes that each pattern counts, even if it is smaller: it is tried for each link

	spent int64
}

// Untrusted returns the budget of patterns that a stranger may have written.
func Untrusted(source string) Budget {
	return Budget{Source: source, Limit: MaxUntrusted, Least: LeastUntrusted}
}

// Spend counts a pattern. It returns an error if all of them exceed the limit; later patterns are
// not measured then.
func (b *Budget) Spend(text string, measure Measure) error {
	if b.spent <= b.Limit {
		b.spent += max(measure(text), b.Least)
	}
	if b.spent <= b.Limit {
		return nil
	}
	return fmt.Errorf("%w of %s need more than %d MiB: use fewer or smaller patterns", ErrTooLarge, b.Source, b.Limit>>20)
}

// Sizes of a compiled regular expression, in bytes, as package regexp has them on 64-bit machines.
const (
	instruction = 40 // and as much again while the list of them grows
	onePass     = 64 // one more copy of each, for expressions that begin with ^
	oneRune     = 4

	// A class of Unicode such as \pL has hundreds of ranges. A range between letters of other
	// scripts is walked letter by letter if case does not matter, which takes milliseconds. Both
	// are counted before the expression is parsed, because the parser expands them.
	unicodeClass = 8 << 10
	wideRange    = 256 << 10
)

// ignoresCase finds the flag i in an expression.
var ignoresCase = lazy.Regexp(`\(\?[a-zA-Z]*i`)

// Regexp returns the size of a regular expression when it is compiled, or more.
func Regexp(text string) int64 {
	size, walks := int64(len(text))*oneRune, ignoresCase().MatchString(text)
	size += int64(strings.Count(text, `\p`)+strings.Count(text, `\P`)) * unicodeClass
	for i := 1; i < len(text) && walks; i++ {
		if text[i-1] == '-' && (text[i] >= 0x80 || strings.HasPrefix(text[i:], `\x{`)) {
			size += wideRange
		}
	}
	if size > MaxUntrusted {
		return size // parsing it would take too long
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return size // the compiler reports the error
	}
	parts := sizeOf(re)
	parts.instructions += 2
	size += parts.distinct * oneRune
	if mayBeginWithText(re) {
		return size + parts.instructions*(2*instruction+onePass) + parts.runes*oneRune*2
	}
	return size + parts.instructions*2*instruction
}

// Replacement returns the size of an expression with its replacement, or more. Each group of the
// replacement may stand for a whole URL.
func Replacement(text string) int64 {
	const longestURL = 64 << 10 // scope.MaxReference
	_, replacement, _ := strings.Cut(text, "=")
	return Regexp(text) + int64(strings.Count(replacement, "$"))*longestURL
}

// mayBeginWithText reports whether an expression may match only at the beginning.
func mayBeginWithText(re *syntax.Regexp) bool {
	for len(re.Sub) > 0 && re.Op != syntax.OpAlternate {
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

// Text returns the size of a text to find, or of a regular expression after "re:".
func Text(text string) int64 {
	if pattern, ok := strings.CutPrefix(text, "re:"); ok {
		return Regexp(pattern)
	}
	const each = 4 * instruction // a letter in any case, or a state of an automaton
	return int64(len(text)) * each
}

// Selector returns the size of a selector, or more. Regular expressions in it are not parsed:
// each character counts as a class, and a repetition as a thousand of them.
func Selector(text string) int64 {
	const (
		plain = 64
		inner = 2 << 10
	)
	if !strings.ContainsAny(text, "(#") {
		return int64(len(text)) * plain
	}
	return int64(len(text))*inner + int64(strings.Count(text, "{"))*MaxTrusted
}

// Glob returns the size of a glob, or more. Each combination of its alternatives may have to be tried.
func Glob(text string) int64 {
	size := int64(len(text)) * instruction
	var open []int64
	for _, c := range text {
		switch {
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if size *= open[len(open)-1]; size > MaxTrusted {
				return size
			}
			open = open[:len(open)-1]
		}
	}
	return size
}
