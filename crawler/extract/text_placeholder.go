package extract

import "bytes"

// Documents in lightweight markup are often templates, or show URLs with a part for the
// reader to fill in: {{ site.url }}/a, https://example.com/{id}, ${BASE}/a, $BASE/a,
// https://example.com/<name>. Such references cannot be followed: those of Markdown are
// marked, and those of other formats are not read.
// Valid URLs do not contain braces or angle brackets, and file names do not begin like a
// shell variable.

// holdsPlaceholder reports whether a reference contains something in braces or angle
// brackets or begins with a variable. In <%= url %>, the angle brackets enclose a Markdown
// destination and are not part of the reference.
func holdsPlaceholder(ref []byte) bool {
	if isVariable(ref) {
		return true
	}
	if n := len(ref); n > 2 && ref[0] == '%' && ref[n-1] == '%' {
		return true
	}
	for _, pair := range [...][2]byte{{'{', '}'}, {'<', '>'}} {
		if i := bytes.IndexByte(ref, pair[0]); i >= 0 && bytes.IndexByte(ref[i:], pair[1]) >= 0 {
			return true
		}
	}
	return false
}

// isVariable reports whether a reference is a shell variable, or a path below one.
func isVariable(ref []byte) bool {
	if len(ref) < 2 || ref[0] != '$' || isDecimal(ref[1]) {
		return false
	}
	end := 1
	for end < len(ref) && ('A' <= ref[end] && ref[end] <= 'Z' || ref[end] == '_' || isDecimal(ref[end])) {
		end++
	}
	return end > 1 && (end == len(ref) || ref[end] == '/' || ref[end] == '?' || ref[end] == '#')
}

// maxTemplate is the maximum length of a placeholder of a template, in bytes.
const maxTemplate = 256

// templateEnd returns the end of the placeholder of a template that begins at i, {{ url }},
// {% url %}, <% url %> or <? url ?>, or -1 if there is none on the line.
func templateEnd(b []byte, i int) int {
	if i+2 > len(b) {
		return -1
	}
	closing := ""
	switch string(b[i : i+2]) {
	case "{{":
		closing = "}}"
	case "{%":
		closing = "%}"
	case "<%":
		closing = "%>"
	case "<?":
		closing = "?>"
	default:
		return -1
	}
	rest := b[i+2 : min(len(b), i+2+maxTemplate)]
	n := bytes.Index(rest, []byte(closing))
	if n < 0 || bytes.IndexByte(rest[:n], '\n') >= 0 {
		return -1
	}
	return i + 2 + n + len(closing)
}

// maxPlaceholder is the maximum length of a name in angle brackets, in bytes.
const maxPlaceholder = 64

// placeholderFollows reports whether a placeholder follows a URL in running text that
// ends at end. The URL is incomplete then.
func placeholderFollows(b []byte, end int) bool {
	for end < len(b) && bytes.IndexByte([]byte(".,:;!?'("), b[end]) >= 0 {
		end++ // before a placeholder, it does not end a sentence
	}
	if end >= len(b) {
		return false
	}
	if b[end] == '{' {
		return true
	}
	if b[end] != '<' {
		return false
	}
	name := end + 1
	for end = name; end < len(b) && end-name < maxPlaceholder && (isAlphanumeric(b[end]) || bytes.IndexByte([]byte("-_. "), b[end]) >= 0); end++ {
	}
	if end == name || end == len(b) || b[end] != '>' {
		return false
	}
	var buffer [maxPlaceholder]byte
	return !textTags[string(appendLower(buffer[:0], b[name:end]))]
}

// textTags has the elements that people write right after a URL.
var textTags = map[string]bool{
	"br": true, "p": true, "li": true, "td": true, "th": true, "tr": true, "div": true, "span": true, "b": true, "i": true,
	"em": true, "strong": true, "a": true, "code": true, "pre": true, "ul": true, "ol": true, "hr": true, "img": true,
}
