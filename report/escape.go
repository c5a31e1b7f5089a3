package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unseen tells characters that act instead of being seen: they move a terminal's
// cursor, change the direction of what follows, end a line, or take no room so
// that two strings look alike. The two joiners are not among them, since scripts
// and emoji need them.
func unseen(r rune) bool {
	switch {
	case r < 0xA0:
		return r < ' ' || r >= 0x7F
	case r < 0x2028:
		return r == 0xAD || r == 0x34F || r == 0x61C || r == 0x115F || r == 0x1160 || r == 0x180E ||
			r == 0x200B || r == 0x200E || r == 0x200F
	case r <= 0x206F:
		return r <= 0x202E || r >= 0x2060
	}
	return r == 0x3164 || r == 0xFEFF || r == 0xFFA0 ||
		0xFFF9 <= r && r <= 0xFFFB ||
		0xE0000 <= r && r <= 0xE007F
}

// visible returns s with such characters written out, as in \u001b, and with no
// command to a CI system.
func visible(s string) string { return breakCommands(writeOut(s, unseen)) }

// breakCommands writes a character out of what CI systems take for a command
// wherever it stands in a line of a log: ##vso[, ##teamcity[, ##[.
func breakCommands(s string) string {
	for i := strings.Index(s, "##"); i >= 0 && i < len(s)-1; i++ {
		if s[i] == '#' && isCommand(s[i+1:]) {
			s = s[:i] + `\u0023` + s[i+1:]
		}
	}
	return s
}

// isCommand tells whether s, which a # precedes, makes a command with it.
func isCommand(s string) bool {
	rest, ok := strings.CutPrefix(s, "#")
	return ok && strings.HasPrefix(strings.TrimLeftFunc(rest, unicode.IsLetter), "[")
}

// heading returns a page's name as a line of its own. At the start of a line two
// colons are a command to a CI system.
func heading(page string) string { return breakLine(visible(page)) }

// breakLine writes out the first of two colons that a line begins with.
func breakLine(line string) string {
	if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") {
		return strings.Replace(line, ":", `\u003a`, 1)
	}
	return line
}

// writeOut returns s with the characters that match written as \uXXXX or
// \UXXXXXXXX.
func writeOut(s string, match func(rune) bool) string {
	if strings.IndexFunc(s, match) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !match(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// quoted returns s as a text report shows a link's text: on one line, in quotes
// that it cannot close, and no longer than width columns, quotes included.
func quoted(s string, width int) string {
	s = strings.Join(strings.FieldsFunc(s, isBlank), " ")
	if strings.ContainsAny(s, `"\`) {
		s = strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s)
	}
	return `"` + clip(visible(s), width-2) + `"`
}

// isBlank is white space, but not what separates lines where nobody sees it.
func isBlank(r rune) bool {
	return unicode.IsSpace(r) && r != 0x85 && r != 0x2028 && r != 0x2029
}

// clip shortens s to width characters, the last of them an ellipsis.
func clip(s string, width int) string {
	if len(s) <= width || utf8.RuneCountInString(s) <= width {
		return s
	}
	n := 0
	for i := range s {
		if n == width-1 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
