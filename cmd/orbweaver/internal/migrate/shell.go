package migrate

import (
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// A variable in the value of an option is written between these runes, which no file uses. The
// names of variables that a configuration may read are kept; other uses of a shell, such as
// $(command), have no name.
const (
	varOpen  = "\uE000"
	varClose = "\uE001"
)

// hasVariable reports whether a part of a value is only known when the command runs.
func hasVariable(s string) bool { return strings.Contains(s, varOpen) }

var marked = lazy.Regexp(varOpen + "([^" + varClose + "]*)" + varClose)

// readable returns a value with its variables as a reader of the command expects them.
func readable(s string) string { return marked().ReplaceAllString(s, "$${$1}") }

// maxCommands limits the commands that are read from one text.
const maxCommands = 10_000

// shellCommands splits the text of a shell script into commands, and those into words. It
// knows quotes, comments, lines that are continued and the operators between commands.
// Redirections end a command.
func shellCommands(text string) (commands [][]string) {
	s := &shellReader{rest: strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")}
	for s.rest != "" && len(commands) < maxCommands {
		if words := s.command(); len(words) > 0 {
			commands = append(commands, words)
		}
	}
	return commands
}

type shellReader struct{ rest string }

func (s *shellReader) command() (words []string) {
	over := false // a redirection was read
	for s.rest != "" {
		switch c := s.rest[0]; c {
		case ' ', '\t', '\r':
			s.rest = s.rest[1:]
		case '#':
			_, s.rest, _ = strings.Cut(s.rest, "\n")
			return words
		case '\n', ';', '&', '|', '(', ')':
			s.rest = s.rest[1:]
			return words
		case '<', '>':
			s.rest = strings.TrimLeft(s.rest, "<>&")
			over = true
		default:
			word := s.word()
			if strings.Trim(word, "0123456789") == "" && s.rest != "" && strings.ContainsRune("<>", rune(s.rest[0])) {
				continue // the number of a descriptor
			}
			if !over {
				words = append(words, word)
			}
		}
	}
	return words
}

// word reads one word. It takes at least one byte.
func (s *shellReader) word() string {
	var b strings.Builder
	for s.rest != "" {
		c := s.rest[0]
		switch {
		case strings.HasPrefix(s.rest, "$'"), c == '\'':
			s.rest = strings.TrimPrefix(s.rest, "$")
			var quoted string
			quoted, s.rest, _ = strings.Cut(s.rest[1:], "'")
			b.WriteString(quoted)
		case c == '"':
			s.rest = s.rest[1:]
			s.quoted(&b)
		case c == '\\' && len(s.rest) > 1:
			b.WriteByte(s.rest[1])
			s.rest = s.rest[2:]
		case c == '$' || c == '`':
			s.variable(&b)
		case strings.IndexByte(" \t\r\n;&|()<>", c) >= 0:
			return b.String()
		default:
			b.WriteByte(c)
			s.rest = s.rest[1:]
		}
	}
	return b.String()
}

// quoted reads up to the closing double quote.
func (s *shellReader) quoted(b *strings.Builder) {
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '"':
			s.rest = s.rest[1:]
			return
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte("\"\\$`", s.rest[1]) >= 0:
			b.WriteByte(s.rest[1])
			s.rest = s.rest[2:]
		case c == '$' || c == '`':
			s.variable(b)
		default:
			b.WriteByte(c)
			s.rest = s.rest[1:]
		}
	}
}

// expression matches ${{ secrets.NAME }} of GitHub's workflows, and variable $NAME, ${NAME}
// and make's $(NAME).
var (
	expression = lazy.Regexp(`^\$\{\{[^}]*?(\w*)\s*\}\}`)
	variable   = lazy.Regexp(`^\$(?:\{(\w+)\}|\((\w+)\)|(\w+))`)
)

// variable reads what a shell or a workflow would replace.
func (s *shellReader) variable(b *strings.Builder) {
	if m := expression().FindStringSubmatch(s.rest); m != nil {
		b.WriteString(varOpen + m[1] + varClose)
		s.rest = s.rest[len(m[0]):]
		return
	}
	if m := variable().FindStringSubmatch(s.rest); m != nil {
		b.WriteString(varOpen + m[1] + m[2] + m[3] + varClose)
		s.rest = s.rest[len(m[0]):]
		return
	}
	closing := map[string]string{"$(": ")", "${": "}"}[s.rest[:min(2, len(s.rest))]]
	switch {
	case s.rest[0] == '`':
		closing = "`"
	case closing == "": // a dollar sign alone
		b.WriteByte('$')
		s.rest = s.rest[1:]
		return
	}
	b.WriteString(varOpen + varClose)
	_, s.rest, _ = strings.Cut(s.rest[1:], closing)
}
