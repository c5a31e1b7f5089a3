package judging

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"golang.org/x/text/encoding/unicode"
)

// directiveDelimiter begins a fragment directive such as :~:text=. A browser removes
// the directive before it looks for an element (URL Fragment Text Directives 3.2).
const directiveDelimiter = ":~:"

// sanitizedPrefix is the prefix that GitHub and similar sanitizers add to the ids of
// user-written text. A script scrolls to user-content-X for #X.
const sanitizedPrefix = "user-content-"

// maxRangeHyphens is the number of hyphens in a fragment that are tried as the hyphen of
// a range of source lines.
const maxRangeHyphens = 8

// judgeFragment judges the fragment of a target that is otherwise ok. It returns ok for a
// fragment that need not or cannot be judged.
func judgeFragment[S anchorSet](o *Outcome, q *Question, set S) (check.Verdict, check.Code, string) {
	if o.Read && set.Has(HashAnchor(q.Fragment)) {
		return check.OK, check.CodeOK, "" // an exact match wins over every other meaning
	}
	fragment, _, _ := strings.Cut(q.Fragment, directiveDelimiter)
	if fragment == "" || scriptRouted(fragment) {
		return check.OK, check.CodeOK, ""
	}
	if o.Status != 0 && (o.Status < 200 || o.Status > 299) && o.Status != 304 {
		return check.OK, check.CodeOK, "" // an accepted refusal: the body is not the page
	}
	decoded := percentDecode(fragment)
	inPDF := o.Read && isPDF(o.ContentType, set)
	if inPDF {
		decoded = missingInPDF(set, fragment)
	}
	if o.Read && (decoded == "" || !inPDF && (hasAnchor(set, fragment) || decoded != fragment && hasAnchor(set, decoded) || isLineRange(set, decoded))) {
		return check.OK, check.CodeOK, ""
	}
	if o.Read && o.ContentType == "text/markdown" && !q.ExactCase && hasGitHubAnchor(set, decoded) {
		return check.OK, check.CodeOK, ""
	}
	if o.ContentType == "image/svg+xml" && isSVGView(decoded) {
		return check.OK, check.CodeOK, ""
	}
	if isTop(decoded) || ignored(q, fragment, decoded) || isScriptAnchor(q.URL, decoded) {
		return check.OK, check.CodeOK, ""
	}
	if !o.Read {
		if !isHTML(o.ContentType) {
			return check.OK, check.CodeOK, "" // the media type defines it, such as a time or a JSON pointer
		}
		return check.Unverified, check.CodeFragmentUnverified, "the page was not read, so the id " + quoteName(decoded) + " could not be checked"
	}
	missing := "no element has the id " + quoteName(decoded)
	if inPDF {
		missing = "the document has no " + quotePDF(decoded)
	}
	switch {
	case o.RenderFailed():
		return check.Unverified, CodeRenderFailed, missing + " in the delivered HTML, and the browser could not render the page"
	case o.Incomplete():
		return check.Unverified, check.CodeFragmentUnverified, missing + " in the part of the page that was read"
	case !o.Static && includesFiles(o.ContentType):
		return check.Unverified, check.CodeFragmentUnverified, missing + " in the file itself; a file that it includes may have it"
	case q.ours() || o.Static:
		return check.Broken, check.CodeFragmentMissing, missing
	default:
		return check.Unverified, check.CodeFragmentUnverified, missing + " in the delivered HTML; a script may create it"
	}
}

// hasAnchor looks up a name as it is, and with the prefix of sanitizers.
func hasAnchor[S anchorSet](set S, name string) bool {
	return set.Has(HashAnchor(name)) || set.Has(hashAnchor(sanitizedPrefix, name))
}

// hasGitHubAnchor looks up the name of a heading in lower case, as GitHub does: for #Setup
// its script scrolls to user-content-setup.
func hasGitHubAnchor[S anchorSet](set S, name string) bool {
	return hasAnchor(set, strings.TrimPrefix(strings.ToLower(name), sanitizedPrefix))
}

// includesFiles reports whether documents of a media type may include other files.
func includesFiles(mediaType string) bool {
	switch mediaType {
	case "text/asciidoc", "text/x-asciidoc", "text/x-rst", "text/org":
		return true
	}
	return false
}

// isLineRange reports whether a fragment is A-B, as source listings link to a range of lines:
// A and B are ids, and both are the same prefix, which may be empty, followed by digits.
func isLineRange[S anchorSet](set S, fragment string) bool {
	tried := 0
	for i := 1; i < len(fragment)-1 && tried < maxRangeHyphens; i++ {
		if fragment[i] != '-' {
			continue
		}
		tried++
		first, last := fragment[:i], fragment[i+1:]
		prefix := withoutNumber(first)
		if prefix != first && prefix != last && prefix == withoutNumber(last) && hasAnchor(set, first) && hasAnchor(set, last) {
			return true
		}
	}
	return false
}

// withoutNumber returns a name without the digits at its end.
func withoutNumber(name string) string { return strings.TrimRight(name, "0123456789") }

// scriptRouted reports whether a fragment is the address of a view that a script
// displays, such as "#/settings" or "#!page", rather than the name of an element.
func scriptRouted(fragment string) bool { return fragment[0] == '/' || fragment[0] == '!' }

// isSVGView reports whether a fragment of an SVG document selects a view of it rather
// than an element (SVG 2, 16.3.2).
func isSVGView(fragment string) bool {
	return strings.HasPrefix(fragment, "svgView(") && strings.HasSuffix(fragment, ")") ||
		strings.HasPrefix(fragment, "xywh=") || strings.HasPrefix(fragment, "t=")
}

// isTop reports whether a fragment means the top of the page (HTML Standard
// 7.4.6.4, "find the indicated part": the last step, in any letter case).
func isTop(decoded string) bool {
	return strings.EqualFold(decoded, "top") && len(decoded) == len("top")
}

func ignored(q *Question, fragment, decoded string) bool {
	if q.AnyFragment {
		return true
	}
	for _, re := range q.IgnoreFragment {
		if re.MatchString(fragment) || decoded != fragment && re.MatchString(decoded) {
			return true
		}
	}
	return false
}

// percentDecode is the URL Standard's percent-decode (1.3) followed by its "UTF-8
// decode without BOM": a malformed % stays, invalid UTF-8 becomes U+FFFD.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	if !utf8.Valid(out) {
		if repaired, err := unicode.UTF8.NewDecoder().Bytes(out); err == nil {
			out = repaired
		}
	}
	return string(out)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// maxQuoted is the greatest length of a name in a message, in characters.
const maxQuoted = 80

// quoteName quotes a name from a page for a message: control characters are escaped, and
// a long name is shortened.
func quoteName(name string) string {
	count := 0
	for i := range name {
		if count == maxQuoted {
			return strconv.Quote(name[:i] + "…")
		}
		count++
	}
	return strconv.Quote(name)
}
