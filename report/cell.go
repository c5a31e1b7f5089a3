package report

import "strings"

// Cell makes s safe in a spreadsheet. A formula gets a leading apostrophe, which makes it
// text. Unseen characters other than tabs and line feeds are escaped, and so are
// commands for CI systems. A single hyphen, which is the page of standard input, is not a
// formula.
func Cell(s string) string {
	if harmlessPrefix(s) == len(s) && (s == "" || strings.IndexByte("=+-@: ", s[0]) < 0) {
		return s // the usual case
	}
	s = escapeCommands(printableText(s))
	if strings.Contains(s, "\n") && strings.Contains(s, "::") {
		lines := strings.Split(s, "\n")
		for i, line := range lines[1:] {
			lines[i+1] = escapeLineCommand(line)
		}
		s = strings.Join(lines, "\n")
	}
	s = escapeLineCommand(s) // an unquoted cell may start a line
	if s != "" && s != "-" && strings.IndexByte("=+-@\t\n", s[0]) >= 0 ||
		strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") || strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠") {
		return "'" + s
	}
	return s
}

// printableText returns s with line feeds as the only line separators, and with hidden
// characters other than line feeds and tabs escaped.
func printableText(s string) string {
	return escapeUnseen(strings.ReplaceAll(s, "\r\n", "\n"), "\t\n")
}
