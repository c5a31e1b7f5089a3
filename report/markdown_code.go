package report

import "strings"

// markdownCode returns s as a code span for the cell of a table (GitHub Flavored Markdown
// 4.10 and 6.3): on one line, in a fence that s does not contain, and without a pipe that
// would end the cell.
func markdownCode(s string) string {
	const most = 300 // characters
	s = clip(visible(s), most)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = " " + s + " "
	}
	return fence + markdownPipes(s) + fence
}

// markdownPipes escapes pipes. A parser splits a row into cells before it reads code
// spans, and at that point a backslash escapes the next character, even another
// backslash: so backslashes before a pipe are doubled.
func markdownPipes(s string) string {
	if strings.IndexByte(s, '|') < 0 {
		return s
	}
	var b strings.Builder
	slashes := 0
	for i := range len(s) {
		switch s[i] {
		case '\\':
			slashes++
		case '|':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
