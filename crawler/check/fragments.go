package check

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// directiveDelimiter begins a fragment directive such as :~:text=. A browser cuts
// it off before it looks for an element (URL Fragment Text Directives 3.2).
const directiveDelimiter = ":~:"

// sanitizedPrefix is put before the ids of user-written text by GitHub and the
// sanitizers made after its example; a script leads #X to user-content-X.
const sanitizedPrefix = "user-content-"

// maxRangeHyphens is how many places of a fragment are tried as the hyphen of a
// source line range.
const maxRangeHyphens = 8

// judgeFragment says whether a page that is there has what stands behind the '#'.
// It returns ok for what need not or cannot be judged.
func judgeFragment[S anchorSet](o *Outcome, q *Question, set S) (Verdict, Code, string) {
	if o.Read && set.Has(HashAnchor(q.Fragment)) {
		return OK, CodeOK, "" // to the letter, whatever it might mean besides
	}
	fragment, _, _ := strings.Cut(q.Fragment, directiveDelimiter)
	if fragment == "" || scriptRouted(fragment) {
		return OK, CodeOK, ""
	}
	if o.Status != 0 && (o.Status < 200 || o.Status > 299) && o.Status != 304 {
		return OK, CodeOK, "" // an accepted refusal: its page is not the one that was meant
	}
	decoded := percentDecode(fragment)
	inPDF := o.Read && isPDF(o.ContentType, set)
	if inPDF {
		decoded = missingInPDF(set, fragment)
	}
	if o.Read && (decoded == "" || !inPDF && (found(set, fragment) || decoded != fragment && found(set, decoded) || lineRange(set, decoded))) {
		return OK, CodeOK, ""
	}
	if o.Read && o.ContentType == "text/markdown" && foundOnGitHub(set, decoded) {
		return OK, CodeOK, ""
	}
	if o.ContentType == "image/svg+xml" && viewOfSVG(decoded) {
		return OK, CodeOK, ""
	}
	if isTop(decoded) || ignored(q, fragment, decoded) || isScriptAnchor(q.URL, decoded) {
		return OK, CodeOK, ""
	}
	if !o.Read {
		if !isHTML(o.ContentType) {
			return OK, CodeOK, "" // media times, JSON pointers: not ours to judge
		}
		return Unverified, CodeFragmentUnverified, "the page was not read, so the id " + quoteName(decoded) + " could not be checked"
	}
	missing := "no element has the id " + quoteName(decoded)
	if inPDF {
		missing = "the document has no " + quotePDF(decoded)
	}
	switch {
	case o.incomplete():
		return Unverified, CodeFragmentUnverified, missing + " in the part of the page that was read"
	case !o.Static && includesFiles(o.ContentType):
		return Unverified, CodeFragmentUnverified, missing + " in the file itself; a file that it includes may have it"
	case q.ours() || o.Static:
		return Broken, CodeFragmentMissing, missing
	default:
		return Unverified, CodeFragmentUnverified, missing + " in the delivered HTML; a script may create it"
	}
}

// found looks a name up as it is, and as sanitizers rename it.
func found[S anchorSet](set S, name string) bool {
	return set.Has(HashAnchor(name)) || set.Has(hashAnchor(sanitizedPrefix, name))
}

// foundOnGitHub looks the name of a heading up, in lower case, as GitHub does: its id is
// user-content-setup, and a script leads #Setup there.
func foundOnGitHub[S anchorSet](set S, name string) bool {
	return found(set, strings.TrimPrefix(strings.ToLower(name), sanitizedPrefix))
}

// includesFiles tells the formats whose documents may include others, and know no script.
func includesFiles(mediaType string) bool {
	switch mediaType {
	case "text/asciidoc", "text/x-asciidoc", "text/x-rst", "text/org":
		return true
	}
	return false
}

// lineRange reports whether a fragment is A-B, A and B both being ids, as source
// listings link to a range of lines.
func lineRange[S anchorSet](set S, fragment string) bool {
	tried := 0
	for i := 1; i < len(fragment)-1 && tried < maxRangeHyphens; i++ {
		if fragment[i] != '-' {
			continue
		}
		tried++
		if found(set, fragment[:i]) && found(set, fragment[i+1:]) {
			return true
		}
	}
	return false
}

// scriptRouted reports whether a fragment is the address of a view that a script
// routes to: "#/settings", "#!page". No element is meant.
func scriptRouted(fragment string) bool { return fragment[0] == '/' || fragment[0] == '!' }

// viewOfSVG reports whether a fragment of an SVG document says what to show of it
// rather than names an element (SVG 2, 16.3.2).
func viewOfSVG(fragment string) bool {
	return strings.HasPrefix(fragment, "svgView(") && strings.HasSuffix(fragment, ")") ||
		strings.HasPrefix(fragment, "xywh=") || strings.HasPrefix(fragment, "t=")
}

// isTop reports whether a fragment means the top of the page (HTML Standard
// 7.4.6.4, "find the indicated part": asked last, in any letter case).
func isTop(decoded string) bool {
	return strings.EqualFold(decoded, "top") && len(decoded) == len("top")
}

func ignored(q *Question, fragment, decoded string) bool {
	return q.IgnoreFragment != nil && (q.IgnoreFragment(fragment) || decoded != fragment && q.IgnoreFragment(decoded))
}

// percentDecode is the URL Standard's percent-decode (1.3) followed by its "UTF-8
// decode without BOM": a malformed % stays, broken UTF-8 becomes U+FFFD.
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
		if mended, err := unicode.UTF8.NewDecoder().Bytes(out); err == nil {
			out = mended
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

// maxQuoted is how much of a name a message repeats, in characters.
const maxQuoted = 80

// quoteName puts a name that comes from a page into a message: in quotes, control
// characters made visible, shortened.
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
