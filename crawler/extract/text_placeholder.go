package extract

import "bytes"

// Documents in a lightweight markup are often templates, or tell of URLs with a
// part for the reader to fill in: {{ site.url }}/a, https://example.com/{id},
// ${BASE}/a, $BASE/a, https://example.com/<name>. These are no links that could be
// followed, and are left out. No URL holds braces or angle brackets, and no file begins
// like a shell's variable.

// holdsPlaceholder reports whether a reference holds something in braces or angle
// brackets, or begins with a variable; those of <%= url %> are Markdown's own around a
// destination.
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

// isVariable reports whether a reference is a shell's variable, or a path below one.
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

// maxPlaceholder is how long a name in angle brackets may be.
const maxPlaceholder = 64

// goesOnWithPlaceholder reports whether a URL in running text, which ends at end,
// is cut short by a placeholder.
func goesOnWithPlaceholder(b []byte, end int) bool {
	for end < len(b) && bytes.IndexByte([]byte(".,:;!?'("), b[end]) >= 0 {
		end++ // no end of a sentence then
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

// textTags are the elements that people write right behind a URL.
var textTags = map[string]bool{
	"br": true, "p": true, "li": true, "td": true, "th": true, "tr": true, "div": true, "span": true, "b": true, "i": true,
	"em": true, "strong": true, "a": true, "code": true, "pre": true, "ul": true, "ol": true, "hr": true, "img": true,
}
