// Package tomlsize measures TOML before it is parsed: the parser needs time and memory that grow faster than
// the text.
package tomlsize

import (
	"fmt"
	"strings"
)

// maxDepth is how deep arrays, tables and dotted keys may be nested.
const maxDepth = 32

// Check returns an error with the line if a text is nested too deeply, or has more than most parts: names in
// keys, tables, and values of lists. Text in strings and comments does not count. What is not TOML is left to the
// parser.
func Check(text string, most int) error {
	line, depth, dots, parts := 1, 0, 0, 0
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
			depth, dots, parts = depth+1, 0, parts+1
		case ']', '}':
			depth, dots = max(depth-1, 0), 0
		case '\n':
			line, dots = line+1, 0
		case '=', ',':
			dots, parts = 0, parts+1
		case '.':
			dots, parts = dots+1, parts+1
		}
		if depth > maxDepth || dots > maxDepth {
			return fmt.Errorf("line %d is nested more than %d levels deep", line, maxDepth)
		}
		if parts > most {
			return fmt.Errorf("line %d: there are more than %d names and values up to here", line, most)
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
