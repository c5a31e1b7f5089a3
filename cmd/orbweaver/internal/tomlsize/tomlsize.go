package main

import (
	"fmt"
	"strings"
)

// maxConfigDepth is how deep arrays, tables and dotted keys of a configuration may be nested. The
// TOML parser needs time and memory that grow faster than the depth.
const maxConfigDepth = 32

// checkDepth returns an error with the line if a TOML text is nested too deeply. Text in strings and comments
// does not count. What is not TOML is left to the parser.
func checkDepth(text string) error {
	line, depth, dots := 1, 0, 0
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '#':
			comment, _, _ := strings.Cut(text[i:], "\n")
			i += len(comment)
			continue
		case '"', '\'':
			n := stringLength(text[i:])
			line += strings.Count(text[i:i+n], "\n")
			i += n
			continue
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = max(depth-1, 0), 0
		case '\n':
			line, dots = line+1, 0
		case '=', ',':
			dots = 0
		case '.':
			dots++
		}
		if depth > maxConfigDepth || dots > maxConfigDepth {
			return fmt.Errorf("line %d is nested more than %d levels deep", line, maxConfigDepth)
		}
		i++
	}
	return nil
}

// stringLength returns the length of the TOML string that a text begins with, with its quotes.
func stringLength(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote[0] == '"':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i // it is not closed
		}
	}
	return len(text)
}
