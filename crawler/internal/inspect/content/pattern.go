package content

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// compilePattern compiles a regular expression of RE2. If it is wrong, it returns the offset of
// the fault in code points.
func compilePattern(pattern string) (re *regexp.Regexp, offset int, err error) {
	re, err = regexp.Compile(pattern)
	var fault *syntax.Error
	if !errors.As(err, &fault) {
		return re, 0, err
	}
	at := faultAt(pattern, fault)
	return nil, utf8.RuneCountInString(pattern[:at]), errors.New(faultOf(pattern[at:], fault))
}

// faultAt returns the byte offset of the fault in a pattern, which the parser does not tell.
func faultAt(pattern string, fault *syntax.Error) int {
	switch fault.Code {
	case syntax.ErrTrailingBackslash:
		return len(pattern) - 1
	case syntax.ErrMissingParen:
		return openParenthesis(pattern)
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return 0 // the pattern as a whole is at fault
	}
	// The parser reads from left to right, so the fault is at the end of the shortest prefix
	// that has it.
	within, length := 0, len(pattern)
	for within+1 < length {
		middle := (within + length) / 2
		_, err := syntax.Parse(pattern[:middle], syntax.Perl)
		var same *syntax.Error
		if errors.As(err, &same) && same.Code == fault.Code && (same.Expr == fault.Expr || fault.Expr == pattern) {
			length = middle
		} else {
			within = middle
		}
	}
	if fault.Code == syntax.ErrUnexpectedParen {
		return length - 1
	}
	return max(strings.LastIndex(pattern[:length], fault.Expr), 0)
}

// openParenthesis returns the offset of the innermost parenthesis that is not closed.
func openParenthesis(pattern string) int {
	var open []int
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; strings.HasPrefix(pattern[i:], "Q") {
				quoted, _, _ := strings.Cut(pattern[i:], `\E`)
				i += len(quoted)
				if i < len(pattern) {
					i++ // the E
				}
			}
		case '[':
			i = classEnd(pattern, i)
		case '(':
			open = append(open, i)
		case ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}

// classEnd returns the offset of the bracket that ends the character class at i.
func classEnd(pattern string, i int) int {
	i++
	if strings.HasPrefix(pattern[i:], "^") {
		i++
	}
	for first := i; i < len(pattern); i++ {
		switch {
		case pattern[i] == '\\':
			i++
		case pattern[i] == ']' && i > first:
			return i
		case strings.HasPrefix(pattern[i:], "[:"):
			if n := strings.Index(pattern[i:], ":]"); n >= 0 {
				i += n + 1
			}
		}
	}
	return i
}

// unsupported are the beginnings of what other programs' patterns have and RE2 has not.
var unsupported = []struct{ prefix, what string }{
	{"(?=", "look-around (look-ahead)"}, {"(?!", "look-around (look-ahead)"},
	{"(?<=", "look-around (look-behind)"}, {"(?<!", "look-around (look-behind)"},
	{"(?>", "an atomic group"}, {"(?P=", "a back-reference"}, {"(?(", "a condition"}, {"(?#", "a comment"},
	{`\1`, "a back-reference"}, {`\2`, "a back-reference"}, {`\3`, "a back-reference"},
	{`\4`, "a back-reference"}, {`\5`, "a back-reference"}, {`\6`, "a back-reference"},
	{`\7`, "a back-reference"}, {`\8`, "a back-reference"}, {`\9`, "a back-reference"},
	{`\Z`, `\Z (use \z)`},
}

// faultOf says what is wrong where the rest of a pattern begins.
func faultOf(rest string, fault *syntax.Error) string {
	for _, u := range unsupported {
		if strings.HasPrefix(rest, u.prefix) && fault.Code != syntax.ErrMissingParen {
			return u.what + " is not supported by RE2"
		}
	}
	cause := fault.Code.String()
	if expression := fault.Expr; expression != "" && len(expression) <= 20 && strings.HasPrefix(rest, expression) {
		cause += " in " + expression
	}
	return cause
}
