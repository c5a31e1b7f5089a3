package report

import "strings"

// Cell makes s harmless in a spreadsheet: what would be a formula gets an
// apostrophe in front, which shows that it is text, and control characters other
// than tabs and line feeds are written out. So is the beginning of what a CI system
// would take for a command in its log. A lone hyphen, the page of standard input, is
// no formula.
func Cell(s string) string {
	s = breakCommands(printableText(s))
	if strings.Contains(s, "\n") && strings.Contains(s, "::") {
		lines := strings.Split(s, "\n")
		for i, line := range lines[1:] {
			lines[i+1] = breakLine(line)
		}
		s = strings.Join(lines, "\n")
	}
	s = breakLine(s) // an unquoted cell may begin a line
	if s != "" && s != "-" && strings.IndexByte("=+-@\t\n", s[0]) >= 0 ||
		strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") || strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠") {
		return "'" + s
	}
	return s
}

// printableText returns s with line feeds alone between its lines, and with control
// characters other than these and tabs written out.
func printableText(s string) string {
	return writeOut(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' || 0x7F <= r && r < 0xA0
	})
}
