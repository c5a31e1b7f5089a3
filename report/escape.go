package report

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// invisible reports whether a character acts instead of being visible: it moves the
// cursor of a terminal, changes the text direction, ends a line, or has no width, so that
// two strings look alike. The two joiners are excluded, since scripts and emoji need
// them; see unseen.
func invisible(r rune) bool {
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

// IsControl reports whether a character has no place in a text of one line: a control character, a
// separator of lines, or one that changes the text direction.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || r == 0x61C || r == 0x200E || r == 0x200F || 0x2028 <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// Visible returns s with unseen characters as in \u{202e}, except tabs and ends of lines, for pages
// and messages that show what sites have written.
func Visible(s string) string {
	return escapeUnseenAs(s, "\t\n\r", func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) })
}

// harmless are the ASCII characters that no format escapes wherever they are in a text: nearly all
// that reports consist of.
var harmless = func() (set [256]bool) {
	for c := ' '; c <= '~'; c++ {
		set[c] = !strings.ContainsRune("\"#&<>\\", c)
	}
	return set
}()

// harmlessPrefix returns the length of the harmless characters at the beginning of s.
func harmlessPrefix(s string) int {
	for i := range len(s) {
		if !harmless[s[i]] {
			return i
		}
	}
	return len(s)
}

// unseen reports whether the character r at s[i:i+size] is invisible, or is a joiner that
// joins nothing. Persian, Indic scripts and emoji need the zero-width joiner and non-joiner
// between their characters; next to ASCII, they only make two strings look alike.
func unseen(s string, i int, r rune, size int) bool {
	return invisible(r) || isJoiner(r) && !(joinable(utf8.DecodeLastRuneInString(s[:i])) && joinable(utf8.DecodeRuneInString(s[i+size:])))
}

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

func joinable(r rune, size int) bool { return size > 1 && !isJoiner(r) }

// visible escapes unseen characters, as in \u001b, and commands for CI systems.
func visible(s string) string { return escapeCommands(escapeUnseen(s, "")) }

// escapeCommands escapes the first character of sequences that CI systems treat as
// commands anywhere in a log line: ##vso[, ##teamcity[, ##[.
func escapeCommands(s string) string {
	for i := strings.Index(s, "##"); i >= 0 && i < len(s)-1; i++ {
		if s[i] == '#' && isCommand(s[i+1:]) {
			s = s[:i] + `\u0023` + s[i+1:]
		}
	}
	return s
}

// isCommand reports whether "#" followed by s is a command for a CI system.
func isCommand(s string) bool {
	rest, ok := strings.CutPrefix(s, "#")
	return ok && strings.HasPrefix(strings.TrimLeftFunc(rest, unicode.IsLetter), "[")
}

// heading returns the name of a page for a line of its own. Two colons at the start of a
// line are a command for a CI system, so they are escaped.
func heading(page string) string { return escapeLineCommand(visible(page)) }

// escapeLineCommand escapes the first of two colons at the start of a line.
func escapeLineCommand(line string) string {
	if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") {
		return strings.Replace(line, ":", `\u003a`, 1)
	}
	return line
}

// escapeUnseen escapes unseen characters as \uXXXX or \UXXXXXXXX, except those in keep.
func escapeUnseen(s, keep string) string {
	return escapeUnseenAs(s, keep, func(r rune) string {
		if r > 0xFFFF {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// escapeUnseenAs replaces unseen characters, except those in keep.
func escapeUnseenAs(s, keep string, escape func(rune) string) string {
	plain := 0 // bytes of visible ASCII, which nearly all texts consist of
	for plain < len(s) && ' ' <= s[plain] && s[plain] <= '~' {
		plain++
	}
	if strings.IndexFunc(s[plain:], func(r rune) bool { return invisible(r) || isJoiner(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if !unseen(s, i, r, utf8.RuneLen(r)) || strings.ContainsRune(keep, r) {
			b.WriteRune(r)
		} else {
			b.WriteString(escape(r))
		}
	}
	return b.String()
}

// encoded matches percent-encoded bytes outside ASCII.
var encoded = regexp.MustCompile(`(?i)(?:%[89a-f][0-9a-f])+`)

// isWord reports whether a text has letters, digits and symbols alone and, after the first of them,
// marks and joiners. Other characters could have a meaning in a URL.
func isWord(s string) bool {
	for i, r := range s {
		if !unicode.In(r, unicode.L, unicode.N, unicode.So) && (i == 0 || !unicode.Is(unicode.M, r) && r != '\u200c' && r != '\u200d') {
			return false
		}
	}
	return s != ""
}

// Readable returns a URL for people: with the letters that are percent-encoded in it, and its host as
// urinorm.ShownHost returns it. It is not for links.
func Readable(url string) string {
	if scheme, rest, found := strings.Cut(url, "://"); found && strings.Contains(rest, "xn--") {
		end := len(rest)
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			end = i
		}
		start := strings.LastIndexByte(rest[:end], '@') + 1
		host, port, _ := strings.Cut(rest[start:end], ":")
		if port != "" {
			port = ":" + port
		}
		url = scheme + "://" + rest[:start] + urinorm.ShownHost(host) + port + rest[end:]
	}
	if strings.IndexByte(url, '%') < 0 {
		return url
	}
	return encoded.ReplaceAllStringFunc(url, func(part string) string {
		b, err := hex.DecodeString(strings.ReplaceAll(part, "%", ""))
		if s := string(b); err == nil && utf8.ValidString(s) && isWord(s) && visible(s) == s {
			return s
		}
		return part
	})
}

// directions removes the marks of the direction of writing that texts in Arabic and Hebrew have.
var directions = strings.NewReplacer("\u200e", "", "\u200f", "", "\u061c", "")

// quoted returns s as a text report shows the text of a link: on one line, in quotes,
// with quotes in s escaped, and at most width columns wide including the quotes. Marks of the
// direction of writing are left out.
func quoted(s string, width int) string {
	if harmlessPrefix(s) < len(s) || strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		s = strings.Join(strings.FieldsFunc(directions.Replace(s), isSpace), " ")
	}
	if strings.ContainsAny(s, `"\`) {
		s = strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s)
	}
	return `"` + clip(visible(s), width-2) + `"`
}

// linkText returns the text of a link in quotes, and the folder of a bookmark: "" if it has
// neither. The text has at most width characters, and so has the folder.
func linkText(ref *result.Reference, width int) string {
	text := ""
	if ref.Text != "" {
		text = quoted(ref.Text, width)
	}
	if ref.Folder != "" {
		text = strings.TrimPrefix(text+" in "+clip(visible(ref.Folder), width), " ")
	}
	return text
}

// isSpace reports whether r is white space, except invisible line separators.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) && r != 0x85 && r != 0x2028 && r != 0x2029
}

// clip shortens s to width characters, the last of which is an ellipsis.
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
